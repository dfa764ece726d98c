"""`create_purchase_order`: the order with the rows for its own location, then its other rows and its costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from cache_core.records import Json, canonical
from katana_client.models.values import PurchaseOrderEntityType
from katana_client.resources.purchase_orders import PurchaseOrderCreate
from katana_mcp.entities.purchase_orders.costs import (
    COST_NAMES,
    NewCost,
    add_cost,
    added_cost,
    cost_checks,
    cost_fields,
    cost_line,
)
from katana_mcp.entities.purchase_orders.facts import Directory, asked_in, directory
from katana_mcp.entities.purchase_orders.head import COLLECTION, ENTITY, HEAD, PARTIES, READS, OrderHead, Reference
from katana_mcp.entities.purchase_orders.lines import ROW_NAMES, NewRow, fields_of, line, new_body, new_row_checks
from katana_mcp.entities.purchase_orders.parts import NEEDED, add_row, added_row, likeness, second_looks, told_apart
from katana_mcp.entities.purchase_orders.showing import head_of
from katana_mcp.entities.purchase_orders.taxes import tax_checks
from katana_mcp.naming import given_or_next, number_checks
from katana_mcp.operations.filters import spelling
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action, Recognise, Ref
from katana_mcp.writing.change import HAVING, Change, Draft, number_lane
from katana_mcp.writing.duplicates import possible_duplicates, repeats
from katana_mcp.writing.numbers import Numbered
from katana_mcp.writing.totals import totals_of

type _NewStatus = Literal["DRAFT", "NOT_RECEIVED"]


class CreatePurchaseOrderRequest(OrderHead):
    """Arguments of `create_purchase_order`."""

    never_null: ClassVar[frozenset[str]] = frozenset({*OrderHead.model_fields, "additional_costs"})

    supplier_id: Reference
    """Id or exact name."""
    location_id: Reference
    """Id or exact name."""
    rows: Annotated[list[NewRow], Field(min_length=1, max_length=250)]
    """Without a price at the item's own."""
    additional_costs: Annotated[list[NewCost], Field(max_length=50, default_factory=list[NewCost])]
    """Freight and the like."""
    status: Annotated[_NewStatus, spelling(_NewStatus)] = "NOT_RECEIVED"
    """Ordered or not."""
    entity_type: Annotated[PurchaseOrderEntityType, spelling(PurchaseOrderEntityType)] = "regular"
    """Outsourced: made of our ingredients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrder:
    """What a new order depends on; `currency` is its supplier's, `repeated` what it may repeat."""

    now: datetime
    numbered: Numbered
    currency: str | None = None
    directory: Directory = field(default_factory=Directory)
    repeated: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """Its number."""
        return self.numbered.number


async def _gather(request: CreatePurchaseOrderRequest, services: Services) -> NewOrder:
    await current(services, READS, (ENTITY, "supplier", "location", "variant"))
    numbered = await given_or_next(services, ENTITY, request.order_no, "order_no", "PO-")
    asked = asked_in(PARTIES, request)
    asked += [*asked_in(ROW_NAMES, *request.rows), *asked_in(COST_NAMES, *request.additional_costs)]
    goods = [each.sku_or_variant_id for each in request.rows]
    found = await directory(services, asked, goods, request.supplier_id)
    return NewOrder(
        now=services.clock.now(),
        numbered=numbered,
        currency=found.supplier_currency,
        directory=found,
        repeated=await possible_duplicates(likeness(request.supplier_id, request.rows, found), services),
    )


def checks(request: CreatePurchaseOrderRequest, facts: NewOrder) -> list[ToolWarning]:
    """Return what speaks against a new order."""
    known = facts.directory
    return [
        *known.unnamed_in(PARTIES, request),
        *_foreign(request, facts),
        *_tracked(request),
        *new_row_checks(request.rows, "rows", known, _currency(request, facts)),
        *second_looks(request.rows, "rows", known, known.id("supplier", request.supplier_id)),
        *tax_checks(request.rows, "rows", [fields_of(row, known) for row in request.rows], known),
        *_own_location(request, facts),
        *cost_checks(request.additional_costs, "additional_costs", known),
        *number_checks(ENTITY, "order_no", request.order_no, facts.numbered),
        *repeats("purchase order", facts.repeated, "rows"),
    ]


def _currency(request: CreatePurchaseOrderRequest, facts: NewOrder) -> str | None:
    return request.currency or facts.currency


def _foreign(request: CreatePurchaseOrderRequest, facts: NewOrder) -> list[ToolWarning]:
    unpriced = any(each.price_per_unit is None for each in request.rows)
    if unpriced or None in (request.currency, facts.currency) or request.currency == facts.currency:
        return []
    called = facts.directory.called("supplier", request.supplier_id)
    told = f"currency: the order is in {request.currency}, and the currency of {called} is {facts.currency}"
    return [advisory(warning_codes.AMOUNTS_STAY, told, "currency")]


def _tracked(request: CreatePurchaseOrderRequest) -> list[ToolWarning]:
    path, outsourced = "tracking_location_id", request.entity_type == "outsourced"
    if outsourced == (request.tracking_location_id is not None):
        return []
    if outsourced:
        told = "an outsourced order needs a tracking_location_id: where the supplier works with our ingredients"
        return [blocking(warning_codes.TRACKING_LOCATION_REQUIRED, told, path)]
    told = "tracking_location_id is of outsourced orders only: leave it out, or set entity_type to outsourced"
    return [blocking(warning_codes.INVALID_ARGUMENT, told, path)]


def _split(request: CreatePurchaseOrderRequest, facts: NewOrder) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    """Return the rows for the order's own location, and those for others."""
    home, currency = facts.directory.id("location", request.location_id), _currency(request, facts)
    fields = [fields_of(each, facts.directory, currency) for each in request.rows]
    elsewhere = [each for each in fields if each.get("location_id") not in (None, home)]
    here = [{name: each[name] for name in each if name != "location_id"} for each in fields if each not in elsewhere]
    return here, elsewhere


def _own_location(request: CreatePurchaseOrderRequest, facts: NewOrder) -> list[ToolWarning]:
    if _split(request, facts)[0]:
        return []
    called = facts.directory.called("location", request.location_id)
    told = (
        f"no row goes to {called}, and Katana makes an order with a row for its own location only: "
        "set location_id to where the first row goes"
    )
    return [blocking(warning_codes.OWN_LOCATION_REQUIRED, told, "location_id")]


def plan(request: CreatePurchaseOrderRequest, facts: NewOrder) -> Draft:
    """Return the plan of a new order; without actions where something of it is not known."""
    known, currency, (here, elsewhere) = facts.directory, _currency(request, facts), _split(request, facts)
    home, asked = known.id("location", request.location_id), [fields_of(row, known, currency) for row in request.rows]
    shown = [
        line({"variant_id": row.sku_or_variant_id, **fields}, known, home=home)
        for row, fields in zip(request.rows, asked, strict=True)
    ]
    costs = [cost_fields(each, known) for each in request.additional_costs]
    besides = [cost_line(each, known) for each in costs]
    head = {name: getattr(request, name) for name in HEAD if name in request.model_fields_set}
    kind = {"entity_type": request.entity_type} if request.entity_type == "outsourced" else {}
    supplier = known.called("supplier", request.supplier_id)
    place = known.called("location", request.location_id)
    draft = Draft(
        summary=f"new purchase order {facts.numbered.called} from {supplier} to {place} (rows: {len(shown)})",
        number=facts.number,
        status=request.status,
        lines=(*shown, *besides),
        totals=totals_of(shown, besides),
        currency=currency,
        changes=tuple(head_of(canonical({**head, "order_no": facts.number, "status": request.status, **kind}), known)),
    )
    actions = _actions(request, facts, here, elsewhere, costs)
    if actions is None:
        return draft
    return replace(
        draft,
        actions=told_apart(actions),
        touches={"names": known.content, HAVING: list(facts.numbered.taken), "currency": facts.currency},
        lanes=(number_lane(ENTITY),),
        assigned=facts.numbered.assigned("order_no"),
        revert={"tool": "delete_purchase_order", "arguments": {"purchase_order_id": Ref(0, "id")}},
    )


def _actions(
    request: CreatePurchaseOrderRequest,
    facts: NewOrder,
    here: Sequence[dict[str, Json]],
    elsewhere: Sequence[dict[str, Json]],
    costs: Sequence[dict[str, Json]],
) -> list[Action] | None:
    parties, known = _parties(request, facts), facts.directory
    freight = [add_cost(each, Ref(0, "default_group_id"), added_cost(each, known)) for each in costs]
    added = [each for each in freight if each is not None]
    resolved = all(set(each) >= NEEDED for each in (*here, *elsewhere)) and len(added) == len(freight)
    if parties is None or not here or not resolved:
        return None
    rows = [add_row(each, Ref(0, "id"), added_row(each, known)) for each in elsewhere]
    return [_order(request, facts, parties, here), *rows, *added]


def _parties(request: CreatePurchaseOrderRequest, facts: NewOrder) -> dict[str, int] | None:
    found = facts.directory.ids_in(PARTIES, request)
    known = {name: each for name, each in found.items() if each is not None}
    outsourced = request.entity_type == "outsourced"
    return known if len(known) == len(found) and outsourced == ("tracking_location_id" in known) else None


def _order(
    request: CreatePurchaseOrderRequest, facts: NewOrder, parties: dict[str, int], rows: Sequence[dict[str, Json]]
) -> Action:
    head = {name: getattr(request, name) for name in HEAD if name in request.model_fields_set and name not in PARTIES}
    kind = {"entity_type": request.entity_type} if request.entity_type == "outsourced" else {}
    given = {**head, **parties, **kind, "order_no": facts.number, "status": request.status}
    body = canonical(
        PurchaseOrderCreate.model_validate({**given, "purchase_order_rows": [new_body(each) for each in rows]}).wire()
    )
    # The head takes the latest date of its rows.
    dated = any("arrival_date" in each for each in rows)
    expects = {name: each for name, each in body.items() if name != "expected_arrival_date" or not dated}
    return Action(
        title=f"create purchase order {facts.number}",
        method="POST",
        path=f"/{COLLECTION}",
        body=body,
        entity=ENTITY,
        expects=expects,
        recognise=Recognise(collection=COLLECTION, filters={"order_no": facts.number}, besides=facts.numbered.taken),
    )


CREATE = Change(
    request=CreatePurchaseOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=READS,
    renumbered=lambda facts, numbered: replace(facts, numbered=numbered),
    what=" with its rows",
)
