"""What a change of a purchase order comes to: only what differs from how the order is now. Never fails."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cache_core.records import Json, Record, canonical
from katana_client.models.po_additional_cost_rows import PurchaseOrderAdditionalCostRow
from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.models.purchase_orders import PurchaseOrder
from katana_mcp.entities.purchase_orders.costs import AddedCost, CostChange, cost_fields
from katana_mcp.entities.purchase_orders.facts import ENTITIES
from katana_mcp.entities.purchase_orders.head import HEAD, PARTIES, OldOrder, OrderHead, PartId, Reference
from katana_mcp.entities.purchase_orders.lines import UNIT, AddedRow, RowChange, fields_of
from katana_mcp.names import text
from katana_mcp.operations.filters import spelling
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import own_id
from katana_mcp.values import whole
from katana_mcp.writing.meaning import Model, same

type Settable = Literal["DRAFT", "NOT_RECEIVED", "RECEIVED"]
"""What a request may set a status to: that an order is received in part follows from receipts."""
RECEIVED = ("PARTIALLY_RECEIVED", "RECEIVED")
_ROWS = "say `update_rows` to change rows, `add_rows` to add some"
_COSTS = "say `update_additional_costs` to change costs, `add_additional_costs` to add some"


class ModifyPurchaseOrderRequest(OrderHead):
    """Arguments of `modify_purchase_order`."""

    also = own_id("purchase_order_id")
    words: ClassVar[Words] = {
        **dict.fromkeys(("rows", "lines", "line_items", "order_lines", "items"), _ROWS),
        **dict.fromkeys(("costs", "additional_costs", "freight", "shipping", "fees"), _COSTS),
        **dict.fromkeys(("row_id", "purchase_order_row_id", "row_ids"), "give it in `update_rows`, with what changes"),
        **dict.fromkeys(("modify_rows", "change_rows", "edit_rows", "updated_rows"), ("update_rows",)),
        **dict.fromkeys(("new_rows", "append_rows", "insert_rows", "create_rows"), ("add_rows",)),
        **dict.fromkeys(("delete_rows", "remove_rows", "remove_row_ids", "deleted_rows"), ("delete_row_ids",)),
    }

    never_null: ClassVar[frozenset[str]] = frozenset(
        {*OrderHead.model_fields, "supplier_id", "location_id", "status"} - {"additional_info"}
    )

    purchase_order_id: Reference
    """Id or number."""
    supplier_id: Reference | None = None
    """Id or exact name."""
    location_id: Reference | None = None
    """Id or exact name."""
    status: Annotated[Settable | None, spelling(Settable)] = None
    """RECEIVED receives open rows."""
    unreceive: bool = False
    """Take receipts out of stock again."""
    add_rows: Annotated[list[AddedRow], Field(max_length=250, default_factory=list[AddedRow])]
    """New rows, as of `create_purchase_order`."""
    update_rows: Annotated[list[RowChange], Field(max_length=250, default_factory=list[RowChange])]
    """Changes of rows."""
    delete_row_ids: Annotated[list[PartId], Field(max_length=250, default_factory=list[int])]
    """Rows that go."""
    add_additional_costs: Annotated[list[AddedCost], Field(max_length=50, default_factory=list[AddedCost])]
    """New costs."""
    update_additional_costs: Annotated[list[CostChange], Field(max_length=50, default_factory=list[CostChange])]
    """Changes of costs."""
    delete_additional_cost_row_ids: Annotated[list[PartId], Field(max_length=50, default_factory=list[int])]
    """Costs that go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A row or a cost that is there, as it is when its own change is sent, and what would change.

    Attributes:
        place: of the change in the request.
        record: the row or cost, its arrival date already that of the head where that one is overwritten.
        fields: what differs, under Katana's names.
        received: its new receipt date.
    """

    place: int
    record: Record
    fields: dict[str, Json]
    received: Json = None


@dataclass(frozen=True)
class Wanted:
    """A request against the order as it is."""

    request: ModifyPurchaseOrderRequest
    facts: OldOrder

    @cached_property
    def head(self) -> dict[str, Json]:
        """Fields of the head that would be something else."""
        given = {name: self._of_head(name) for name in HEAD if name in self.request.model_fields_set}
        known = canonical({name: each for name, each in given.items() if each is not None})
        return _differing(PurchaseOrder, known, self.facts.record)

    def _of_head(self, name: str) -> object:
        value = getattr(self.request, name)
        if name == "additional_info":
            return value or ""
        return self.facts.directory.id(ENTITIES[name], value) if name in PARTIES else value

    @property
    def status(self) -> Settable | None:
        """The status, if it would be another one; receipts are taken back by one."""
        asked = self.request.status
        if asked is None and self.request.unreceive and self.facts.status in RECEIVED:
            asked = "NOT_RECEIVED"
        return None if asked == self.facts.status else asked

    @property
    def reverts(self) -> bool:
        """Whether receipts are taken back, which unlocks what they lock."""
        return self.facts.status in RECEIVED and self.status == "NOT_RECEIVED"

    @property
    def standing(self) -> str:
        """The status under which everything else is changed."""
        return "NOT_RECEIVED" if self.reverts else self.facts.status

    @property
    def status_then(self) -> str:
        """The status that the order ends with: without its last open row it is received."""
        rows = self.rows_then
        ends = self.deleted_rows and rows and all(each.get("received_date") is not None for each in rows)
        return self.status or ("RECEIVED" if ends and self.standing == "PARTIALLY_RECEIVED" else self.standing)

    @property
    def currency(self) -> str | None:
        """The currency of the order."""
        return self.request.currency or text(self.facts.record, "currency")

    @cached_property
    def rows(self) -> list[Record]:
        """The rows that are there, as the head leaves them."""
        date = self.head.get("expected_arrival_date")
        moved = {} if date is None else {"arrival_date": date}
        back = {"received_date": None} if self.reverts else {}
        return [{**each, **moved, **self._place_of(each), **back} for each in self.facts.rows]

    def _place_of(self, row: Record) -> dict[str, Json]:
        """Return where a row goes with its order: only one for the order's own location follows it."""
        place = self.head.get("location_id")
        follows = place is not None and same(
            PurchaseOrderRow, "location_id", row.get("location_id"), self.facts.record.get("location_id")
        )
        return {"location_id": place} if follows else {}

    @cached_property
    def new_rows(self) -> list[dict[str, Json]]:
        """The fields of each row to add."""
        return [fields_of(each, self.facts.directory, self.currency) for each in self.request.add_rows]

    @cached_property
    def changed_rows(self) -> list[Changed]:
        """The rows whose own fields change."""
        there, changed = by_id(self.rows), list[Changed]()
        for place, each in enumerate(self.request.update_rows):
            row = there.get(each.row_id)
            if row is None:
                continue
            fields = _with_unit(
                _differing(PurchaseOrderRow, asked := fields_of(each, self.facts.directory), row), asked
            )
            date = canonical({"date": each.received_date})["date"]
            received = None if same(PurchaseOrderRow, "received_date", date, row.get("received_date")) else date
            if fields or received is not None:
                changed.append(Changed(place=place, record=row, fields=fields, received=received))
        return changed

    @cached_property
    def deleted_rows(self) -> list[Record]:
        """The rows that go."""
        gone = set(self.request.delete_row_ids)
        return [each for each in self.rows if each.get("id") in gone]

    @cached_property
    def rows_then(self) -> list[Record]:
        """The rows that the order would have: those that stay, then those that are new."""
        fields = {whole(each.record, "id"): each.fields for each in self.changed_rows}
        gone = set(self.request.delete_row_ids)
        kept = [each for each in self.rows if each.get("id") not in gone]
        date = self.head.get("expected_arrival_date") or self.facts.record.get("expected_arrival_date")
        return [
            *({**each, **fields.get(whole(each, "id"), {})} for each in kept),
            *({"arrival_date": date, **each} for each in self.new_rows),
        ]

    @cached_property
    def new_costs(self) -> list[dict[str, Json]]:
        """The fields of each cost to add."""
        return [cost_fields(each, self.facts.directory) for each in self.request.add_additional_costs]

    @cached_property
    def changed_costs(self) -> list[Changed]:
        """The costs of which something changes."""
        there, changed = by_id(self.facts.costs), list[Changed]()
        for place, each in enumerate(self.request.update_additional_costs):
            cost = there.get(each.additional_cost_row_id)
            fields = (
                {}
                if cost is None
                else _differing(PurchaseOrderAdditionalCostRow, cost_fields(each, self.facts.directory), cost)
            )
            if cost is not None and fields:
                changed.append(Changed(place=place, record=cost, fields=fields))
        return changed

    @cached_property
    def deleted_costs(self) -> list[Record]:
        """The costs that go."""
        return [each for each in self.facts.costs if each.get("id") in self.request.delete_additional_cost_row_ids]


def by_id(records: Iterable[Record]) -> dict[int, Record]:
    """Return rows or costs by their ids."""
    return {row_id: each for each in records if (row_id := whole(each, "id")) is not None}


def _with_unit(fields: dict[str, Json], asked: dict[str, Json]) -> dict[str, Json]:
    """Return what differs of a row, a purchase unit always with its rate."""
    together = {name: asked[name] for name in UNIT if name in asked}
    return {**fields, **together} if fields.keys() & set(UNIT) else fields


def _differing(model: Model, fields: dict[str, Json], record: Record) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if not same(model, name, value, record.get(name))}
