"""What open documents take from stock and bring to it, by variant: every kind of document is one line here.

Providers live in modules that import neither this one nor `rules.allocation`.
"""

from collections.abc import Callable, Iterator

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.incoming import open_purchase_rows, open_transfers
from katana_sandbox.rules.ledger import Open
from katana_sandbox.rules.manufacturing_open import open_ingredients, open_output
from katana_sandbox.rules.outsourcing import open_ingredients as open_outsourced
from katana_sandbox.rules.stock import open_sales_rows

type Provider = Callable[[Context, int], Iterator[Open]]

COMMITTED: tuple[Provider, ...] = (open_sales_rows, open_ingredients, open_outsourced)
EXPECTED: tuple[Provider, ...] = (
    open_purchase_rows,
    open_transfers,
    open_output,
)


def committed(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What open documents still take of a variant."""
    for provider in COMMITTED:
        yield from provider(ctx, variant_id)


def expected(ctx: Context, variant_id: int) -> Iterator[Open]:
    """What open documents will bring of a variant."""
    for provider in EXPECTED:
        yield from provider(ctx, variant_id)
