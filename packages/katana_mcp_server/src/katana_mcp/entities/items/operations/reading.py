"""What a plan of operations needs: those of the product and of the one to copy, all as they are in Katana now.

They are not cached, so each plan asks. One row may belong to several variants of a product: it comes once for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cache_core.records import Record
from katana_mcp.documents.gathering import references
from katana_mcp.entities.items.operations.request import OperationsRequest
from katana_mcp.references.display_names import look_up
from katana_mcp.references.live_reads import LiveRead, LiveRows, read_rows
from katana_mcp.references.services import Services
from katana_mcp.references.wording import Named, NamedRecord
from katana_mcp.values import get_int

VARIANT = "variant"
ROW_ID, OWNER = "product_operation_row_id", "product_variant_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFacts:
    """What was read for a plan.

    Attributes:
        named: what has each SKU or id.
        product: the id of the product of the variant; None where it is not one of a product.
        now: the operations of the variant, the first first.
        shared: by the id of an operation, the other variants that it belongs to, as people call them.
        copied: the operations of the product to copy.
    """

    named: Mapping[tuple[str, int | str], Named]
    product: int | None = None
    now: tuple[Record, ...] = ()
    shared: Mapping[int, Sequence[str]] = field(default_factory=dict[int, Sequence[str]])
    copied: tuple[Record, ...] = ()

    def one(self, asked: int | str) -> NamedRecord | None:
        """Return the variant that is meant, if it is exactly one."""
        return self.named[VARIANT, asked].one

    def row(self, key: int) -> Record | None:
        """Return an operation of the variant."""
        return next((row for row in self.now if get_int(row, ROW_ID) == key), None)


async def gather(request: OperationsRequest, services: Services) -> OperationFacts:
    """Return what a plan needs, as it is in Katana now; variants are up to date already.

    Raises:
        Refused: Katana does not say.
    """
    live = LiveRead.begin(services)
    asked = [request.sku_or_variant_id, *([] if request.copy_operations_of is None else [request.copy_operations_of])]
    named = await references(services, [(VARIANT, reference) for reference in asked])
    facts = OperationFacts(named=named)
    mine = facts.one(request.sku_or_variant_id)
    product = None if mine is None else await _product_of(mine.id, services)
    if mine is None or product is None:
        return facts
    listing, subject = services.client.product_operation_rows, "operations of products"
    every = (await live.ask(subject, read_rows([listing.pages(product_id=product)]))).rows
    source = None if request.copy_operations_of is None else facts.one(request.copy_operations_of)
    copied = LiveRows([])
    if source is not None:
        copied = await live.ask(subject, read_rows([listing.pages(product_variant_id=source.id)]))
    return OperationFacts(
        named=named,
        product=product,
        now=_in_order(row for row in every if get_int(row, OWNER) == mine.id),
        shared=await _shared(every, mine.id, services),
        copied=_in_order(copied.rows),
    )


async def _product_of(variant: int, services: Services) -> int | None:
    names = await look_up(services.cache, {VARIANT: [variant]})
    return get_int(names.record(VARIANT, variant) or {}, "product_id")


def _in_order(found: Iterator[Record] | Sequence[Record]) -> tuple[Record, ...]:
    """Return operations in the order of work: the higher rank comes first."""
    return tuple(sorted(found, key=lambda row: (-(get_int(row, "rank") or 0), get_int(row, ROW_ID) or 0)))


async def _shared(every: Sequence[Record], mine: int, services: Services) -> dict[int, list[str]]:
    own = {get_int(row, ROW_ID) for row in every if get_int(row, OWNER) == mine}
    others = [
        (key, owner)
        for row in every
        if (key := get_int(row, ROW_ID)) in own
        and key is not None
        and (owner := get_int(row, OWNER)) is not None
        and owner != mine
    ]
    names = await look_up(services.cache, {VARIANT: [owner for _, owner in others]})
    shared = dict[int, list[str]]()
    for key, owner in others:
        shared.setdefault(key, []).append(names.sku(owner) or str(owner))
    return shared
