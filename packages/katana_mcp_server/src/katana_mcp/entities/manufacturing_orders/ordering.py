"""`create_manufacturing_orders`: orders that make rows of a sales order, each linked to its row by Katana."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import Field

from katana_mcp.documents.gathering import Asked, references
from katana_mcp.documents.goods import is_marked
from katana_mcp.documents.transition import Facts, State
from katana_mcp.documents.usual_fields import Made, PartId
from katana_mcp.entities.manufacturing_orders.at_hand import in_stock
from katana_mcp.entities.manufacturing_orders.checks import makes_nothing
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.responses import CreateManufacturingOrdersResponse
from katana_mcp.entities.manufacturing_orders.splitting import MOST_ORDERS, further, smaller, split
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up, text
from katana_mcp.references.resolve import check_not_deleted, live_record, one_record
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, NameOrId, WriteRequest, own_id
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import EMPTY, get_int, number, rows
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.change import Change, Draft, record_lane
from katana_mcp.writing.preview import PlanLine
from katana_mcp.writing.stock_moves import free_now

_ROWS, _ORDER = "sales_order_rows", "manufacturing_order"
_READS = ("sales_order", "location", *VARIANT_ENTITIES)


class CreateManufacturingOrdersRequest(WriteRequest):
    """Arguments of `create_manufacturing_orders`."""

    also: ClassVar[Offers] = own_id("sales_order_id")
    words: ClassVar[Words] = dict.fromkeys(("split", "batch_size", "max_quantity", "lot_size"), ("most_per_order",))
    never_null: ClassVar[frozenset[str]] = frozenset({"row_ids", "create_subassemblies"})

    sales_order_id: NameOrId
    """Id or number."""
    row_ids: Annotated[list[PartId], Field(max_length=50), NOT_EMPTY] = Field(default_factory=list[int])
    """Rows to make; by default all producible ones with no order yet."""
    create_subassemblies: bool = False
    """Also orders for ingredients that are made."""
    most_per_order: Made | None = None
    """Splits larger rows; the further orders are not linked."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A row that is to be made, and the path of its argument; None where the order has no such row."""

    path: str
    key: int
    row: State | None


async def _gather(request: CreateManufacturingOrdersRequest, services: Services) -> Facts:
    """Return the sales order as it is now, with its goods, what is known to be free of them, and its places."""
    await current(services, _READS, ("sales_order",))
    cached = await one_record(services, "sales_order", request.sales_order_id, "order number")
    stored = await live_record(services, "sales_order", cached)
    found = await references(services, [*_named_by(stored.record)])
    ids_by_entity: dict[str, list[object]] = {"variant": [], "location": []}
    for (entity, _), named in found.items():
        ids_by_entity[entity] += [one.id for one in named.found]
    names = await look_up(services.cache, ids_by_entity)
    facts = Facts(record=stored.record, deleted=stored.deleted, references=found, names=names, days=services.days)
    made = [key for choice in _chosen(request, facts) if (key := get_int(choice.row or EMPTY, "variant_id"))]
    return replace(facts, free=await free_now(services, made))


def _named_by(order: State) -> Iterator[Asked]:
    for record in (order, *rows(order, _ROWS)):
        for name, entity in (("variant_id", "variant"), ("location_id", "location")):
            if (key := get_int(record, name)) is not None:
                yield entity, key


def _chosen(request: CreateManufacturingOrdersRequest, facts: Facts) -> list[_Chosen]:
    """Return the rows that are to be made: those that are named, or all that can be and are not yet."""
    found = rows(facts.record or EMPTY, _ROWS)
    held = {get_int(row, "id") or 0: row for row in found}
    named = [_Chosen(f"row_ids[{nr}]", key, held.get(key)) for nr, key in enumerate(request.row_ids)]
    is_open = [
        key
        for key, row in held.items()
        if is_marked(facts, row, "is_producible") and not row.get("linked_manufacturing_order_id")
    ]
    return named or [_Chosen("row_ids", key, held[key]) for key in is_open]


def _called(facts: Facts) -> str:
    order = facts.record or EMPTY
    return f"sales order {text(order, 'order_no') or order.get('id')}"


def _checks(request: CreateManufacturingOrdersRequest, facts: Facts) -> Sequence[ToolWarning]:
    order, called = facts.record or EMPTY, _called(facts)
    deleted = check_not_deleted(called, order, "sales_order_id", deleted=facts.deleted)
    chosen = _chosen(request, facts)
    return deleted or [*_against(called, facts, chosen), *_too_small(request, chosen)]


def _too_small(request: CreateManufacturingOrdersRequest, chosen: Sequence[_Chosen]) -> Iterator[ToolWarning]:
    """Yield a row that would be split into more orders than anybody means."""
    over = [
        choice.key
        for choice in chosen
        if choice.row is not None and len(split(choice.row, request.most_per_order)) > MOST_ORDERS
    ]
    if over:
        message = f"most_per_order: row {over[0]} would become more than {MOST_ORDERS} orders; make more in each"
        yield blocking(warning_codes.INVALID_QUANTITY, message, "most_per_order")


def _against(called: str, facts: Facts, chosen: Sequence[_Chosen]) -> Iterator[ToolWarning]:
    order = facts.record or EMPTY
    if order.get("status") == "DELIVERED":
        yield blocking(warning_codes.ALREADY_COMPLETED, f"{called} is DELIVERED: nothing is left to make for it")
    elif not chosen:
        yield blocking(
            warning_codes.EMPTY_ORDER, "no row needs one: each has an order already or is not marked as made"
        )
    seen: set[int] = set()
    for choice in chosen:
        row, path = choice.row or EMPTY, choice.path
        linked, place = row.get("linked_manufacturing_order_id"), row.get("location_id") or order.get("location_id")
        if choice.row is None:
            has = ", ".join(str(one.get("id")) for one in rows(order, _ROWS))
            yield blocking(
                warning_codes.UNKNOWN_ROW_ID, f"{path}: {called} has no row {choice.key}; it has {has}", path
            )
        elif choice.key in seen:
            yield blocking(warning_codes.DUPLICATE_ROW_OVERRIDES, f"{path}: row {choice.key} is named twice", path)
        elif linked is not None:
            message = f"{path}: manufacturing order {linked} already makes row {choice.key}"
            yield blocking(warning_codes.LOCKED, message, path)
        elif not is_marked(facts, row, "is_producible"):
            message = f"{path}: what row {choice.key} sells is not marked as made, so Katana makes no order for it"
            yield blocking(warning_codes.NOT_PRODUCIBLE, message, path)
        yield from makes_nothing(facts, {"location_id": place}, path)
        seen.add(choice.key)
    yield from in_stock(facts, [choice.row for choice in chosen if choice.row is not None])


def _plan(request: CreateManufacturingOrdersRequest, facts: Facts) -> Draft:
    order, chosen = facts.record or EMPTY, _chosen(request, facts)
    is_lawful = not any(check.severity == "blocking" for check in _checks(request, facts))
    key, made = get_int(order, "id") or 0, [choice.row for choice in chosen if choice.row is not None]
    parts = [(row, split(row, request.most_per_order)) for row in made]
    lines = tuple(_line(facts, row, amount) for row, amounts in parts for amount in amounts)
    orders = ", ".join(f"{plain_number(Decimal(str(line.quantity)))} of {line.sku}" for line in lines)
    unlinked = sum(len(amounts) - 1 for _, amounts in parts)
    orders += f"; {unlinked} of them not linked to it" if unlinked else ""
    return Draft(
        summary=f"new manufacturing orders for {_called(facts)}: {orders or 'none'}",
        actions=tuple(_actions(request, facts, parts)) if is_lawful else (),
        touches={"record": order},
        lanes=(record_lane("sales_order", key),),
        id=key,
        number=text(order, "order_no"),
        status=text(order, "status"),
        own={"sales_order_id": key},
        lines=lines,
        linked=(_called(facts),),
        one_way="Katana may refuse to delete an order that is made for a sales order, and never links one again",
    )


def _actions(
    request: CreateManufacturingOrdersRequest, facts: Facts, parts: Sequence[tuple[State, Sequence[Decimal]]]
) -> Iterator[Action]:
    """Yield the order that Katana links to each row, made smaller where the row is split, and the further ones."""
    sent = 0
    for row, amounts in parts:
        yield _action(request, facts, row)
        made, sent = Ref(sent, "id"), sent + 1
        if len(amounts) > 1:
            yield smaller(row, _called(facts), made, amounts[0])
            place = row.get("location_id") or (facts.record or EMPTY).get("location_id")
            yield from (further(row, _called(facts), place, nr, amounts) for nr in range(1, len(amounts)))
            sent += len(amounts)


def _line(facts: Facts, row: State, quantity: Decimal | None = None) -> PlanLine:
    variant = facts.with_id("variant", row.get("variant_id"))
    quantity = (number(row, "quantity") or Decimal(0)) if quantity is None else quantity
    if variant is None:
        return PlanLine(row_id=get_int(row, "id"), sku=str(row.get("variant_id")), quantity=quantity)
    return PlanLine(
        row_id=get_int(row, "id"),
        variant_id=variant.id,
        sku=variant.sku,
        name=variant.name,
        quantity=quantity,
        unit=variant.unit,
    )


def _action(request: CreateManufacturingOrdersRequest, facts: Facts, row: State) -> Action:
    along = (_ORDER,) if request.create_subassemblies else ()
    return Action(
        title=f"make row {row.get('id')} of {_called(facts)}",
        method="POST",
        path="/manufacturing_order_make_to_order",
        body={"sales_order_row_id": row.get("id"), "create_subassemblies": request.create_subassemblies},
        entity=_ORDER,
        expects={"sales_order_row_id": row.get("id"), "variant_id": row.get("variant_id")},
        recognise=Recognise(collection="manufacturing_orders", filters={"is_linked_to_sales_order": True}),
        answers="manufacturing_orders",
        refreshes=(RECIPE_ROWS, OPERATIONS, "sales_order", *along),
    )


MAKING_TO_ORDER = Change(
    request=CreateManufacturingOrdersRequest,
    gather=_gather,
    plan=_plan,
    checks=_checks,
    reads=_READS,
    answer=CreateManufacturingOrdersResponse,
)
