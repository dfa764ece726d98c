"""What creating, modifying and deleting purchase orders share: their head, and an order as it is in Katana now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import ConfigDict, WithJsonSchema

from cache_core.records import Record, canonical
from katana_client.errors import KatanaError
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_mcp.entities.purchase_orders.facts import ENTITIES, Asked, Directory
from katana_mcp.lookup import as_they_are_now, live_record, unasked
from katana_mcp.names import FACTORY, VARIANT_ENTITIES, text
from katana_mcp.operations.filters import Currency, Moment
from katana_mcp.operations.get import of_ids, rows_beside
from katana_mcp.services import Services, current
from katana_mcp.tools.requests import DocumentNumber, NameOrId, Notes, RecordNumber, WriteQuantity, WriteRequest
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import rows, whole
from katana_mcp.writing.meaning import all_same
from katana_mcp.writing.stock_moves import Levels

ENTITY, COLLECTION = "purchase_order", "purchase_orders"
ROWS = "purchase_order_rows"
COST, COSTS = "purchase_order_additional_cost_row", "po_additional_cost_rows"
PARTIES = ("supplier_id", "location_id", "tracking_location_id")
"""Fields of the head that name another record."""
HEAD = ("order_no", *PARTIES, "currency", "expected_arrival_date", "order_created_date", "additional_info")
"""Fields of the head that a request may set, under Katana's names."""
CASCADING = {"arrival_date": "expected_arrival_date", "location_id": "location_id"}
"""What of a row a change of the head overwrites, and with what."""
READS = (ENTITY, COST, "supplier", "location", "tax_rate", "additional_cost", *VARIANT_ENTITIES, *FACTORY)


type Reference = Annotated[NameOrId, WithJsonSchema({"type": ["integer", "string"]})]
"""An id or an exact name; a code where there is one. These tools hold many, so their schema is kept short."""
type PartId = Annotated[RecordNumber, WithJsonSchema({"type": "integer"})]
"""The id of a row or a cost."""
type Amount = Annotated[WriteQuantity, WithJsonSchema({"type": "number"})]
"""A quantity, price or rate."""


def _told_once(schema: dict[str, Any]) -> None:
    schema.pop("description")


def told_elsewhere(schema: dict[str, Any]) -> None:
    """Leave out of a schema what its fields are: it is said where a new order has them."""
    _told_once(schema)
    for each in schema["properties"].values():
        each.pop("description")


class PartRequest(WriteRequest):
    """A row or a cost to add; its list says what it is, so the schema does not say it again."""

    model_config = ConfigDict(json_schema_extra=_told_once)


class PartChange(WriteRequest):
    """A change of a row or a cost; what its fields are is said where a new order has them."""

    model_config = ConfigDict(json_schema_extra=told_elsewhere)


class OrderHead(WriteRequest):
    """What an order's head holds besides its parties."""

    order_no: DocumentNumber | None = None
    """Its number."""
    currency: Currency | None = None
    """Such as EUR."""
    tracking_location_id: Reference | None = None
    """For outsourced orders."""
    expected_arrival_date: Moment | None = None
    """Of every row."""
    order_created_date: Moment | None = None
    """When it was ordered."""
    additional_info: Notes | None = None
    """Its notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldOrder:
    """An order as it is in Katana now, with its additional costs; `taken` are others with the number it is to get.

    `ingredients` and `bills` are what else belongs to it; `supplier_currency` is that of the supplier it is to get;
    `levels` is the stock of what its receipts move.
    """

    now: datetime
    record: Record
    deleted: bool = False
    costs: tuple[Record, ...] = ()
    taken: tuple[int, ...] = ()
    ingredients: tuple[Record, ...] = ()
    bills: tuple[str, ...] = ()
    supplier_currency: str | None = None
    levels: Levels = field(default_factory=dict[int, Mapping[int, Decimal]])
    directory: Directory = field(default_factory=Directory)

    @property
    def id(self) -> int:
        """Its id."""
        return int(str(self.record["id"]))

    @property
    def number(self) -> str:
        """Its number."""
        return text(self.record, "order_no") or str(self.id)

    @property
    def status(self) -> str:
        """Its status."""
        return text(self.record, "status") or ""

    @property
    def rows(self) -> list[Record]:
        """Its rows, each with where it goes: without a place of its own, to that of the order."""
        home = self.record.get("location_id")
        return [{**each, "location_id": each.get("location_id") or home} for each in rows(self.record, ROWS)]


async def gather_old(wanted: int | str, services: Services, reads: Sequence[str] = READS) -> OldOrder:
    """Read an order as it is in Katana now, and its additional costs."""
    await current(services, reads, (ENTITY,))
    stored = await live_record(services, ENTITY, wanted, "order number")
    costs = await _costs_now(stored.record, services)
    return OldOrder(now=services.clock.now(), record=stored.record, deleted=stored.deleted, costs=tuple(costs))


async def _costs_now(record: Record, services: Services) -> list[Record]:
    """Return the additional costs of an order as they are in Katana now: those that are cached, and any other.

    Raises:
        Refused: Katana does not say.
    """
    groups = [whole(record, "default_group_id"), *(whole(row, "group_id") for row in rows(record, ROWS))]
    mine = of_ids("group_id", *groups)
    cached, listed = await rows_beside(services, COST, mine), list[Record]()
    try:
        for group in dict.fromkeys(each for each in groups if each is not None):
            page = await services.client.po_additional_cost_rows.page(1, group_id=group)
            listed += [canonical(each) for each in page.valid_records]
    except KatanaError as error:
        raise Refused(unasked("which additional costs the order has now")) from error
    if all_same(PurchaseOrderAdditionalCostRow, [*listed], [*cached]):
        return cached
    ids = dict.fromkeys(each["id"] for each in (*cached, *listed))
    await as_they_are_now(services, COST, [each for each in ids if isinstance(each, int)])
    return await rows_beside(services, COST, mine)


def named_by(record: Record, costs: Sequence[Record] = ()) -> list[Asked]:
    """Return what an order, its rows and its costs name by id."""
    paths = [(ENTITIES[name], whole(record, name)) for name in PARTIES]
    for row in rows(record, ROWS):
        paths += [("location", whole(row, "location_id")), ("tax_rate", whole(row, "tax_rate_id"))]
    for cost in costs:
        paths += [("additional_cost", whole(cost, "additional_cost_id")), ("tax_rate", whole(cost, "tax_rate_id"))]
    return [(entity, each) for entity, each in paths if each is not None]
