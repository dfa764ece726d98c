"""Tax rates, in percent.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.tax_rates import TAX_RATE
from cache_typed.columns import moment, number, order_of
from cache_typed.documents import Document, flag, identity, text
from cache_typed.mapping import TableMapping


class TaxRate(Document, table=True):
    """A tax rate; `rate` in percent, `display_name` derived from rate and name."""

    _fts_columns: ClassVar[Searchable] = TAX_RATE.searchable

    id: int = identity()
    name: str | None = text()
    rate: Decimal | None = number()
    rate_order: str | None = order_of("rate", index=True)
    is_default_sales: bool | None = flag(index=True)
    is_default_purchases: bool | None = flag(index=True)
    display_name: str | None = text()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()


TAX_RATE_TABLE = TableMapping(
    TAX_RATE,
    TaxRate,
    guesses=frozenset(Capability),
)
