"""`modify_purchase_order`: what unlocks goes first, what locks goes last; notes are never wiped."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cache_core.records import Json, Record, canonical
from katana_client.resources.purchase_orders import PurchaseOrders, PurchaseOrderUpdate
from katana_mcp.entities.purchase_orders.costs import COST_NAMES, add_cost, added_cost, change_cost
from katana_mcp.entities.purchase_orders.facts import asked_in, directory
from katana_mcp.entities.purchase_orders.head import (
    CASCADING,
    COLLECTION,
    ENTITY,
    PARTIES,
    READS,
    ROWS,
    OldOrder,
    gather_old,
    named_by,
)
from katana_mcp.entities.purchase_orders.lines import ROW_NAMES
from katana_mcp.entities.purchase_orders.locking import checks
from katana_mcp.entities.purchase_orders.parts import NEEDED, add_row, added_row, change_row, told_apart
from katana_mcp.entities.purchase_orders.receipts import INGREDIENTS, status_moves, with_ingredients, with_levels
from katana_mcp.entities.purchase_orders.showing import changes_of, cost_lines, lines_of
from katana_mcp.entities.purchase_orders.undoing import undo
from katana_mcp.entities.purchase_orders.wanted import ModifyPurchaseOrderRequest, Wanted
from katana_mcp.lookup import live_with_key
from katana_mcp.names import text
from katana_mcp.services import Services
from katana_mcp.values import whole
from katana_mcp.writing.actions import Action, on_record
from katana_mcp.writing.change import HAVING, Change, Draft, number_lane, record_lane
from katana_mcp.writing.stock_moves import described
from katana_mcp.writing.totals import totals_of

_READS = (*READS, INGREDIENTS)


async def _gather(request: ModifyPurchaseOrderRequest, services: Services) -> OldOrder:
    facts = await gather_old(request.purchase_order_id, services, _READS)
    if request.status is not None or request.unreceive:
        facts = await with_ingredients(facts, services)
    having = () if request.order_no is None else await live_with_key(services, ENTITY, request.order_no)
    asked = [*named_by(facts.record, facts.costs), *asked_in(PARTIES, request)]
    asked += asked_in(ROW_NAMES, *request.add_rows, *request.update_rows)
    asked += asked_in(COST_NAMES, *request.add_additional_costs, *request.update_additional_costs)
    goods = [each.sku_or_variant_id for each in (*request.add_rows, *request.update_rows)]
    goods += [whole(each, "variant_id") for each in facts.rows]
    goods += [whole(each, "ingredient_variant_id") for each in facts.ingredients]
    found = await directory(services, asked, goods, request.supplier_id)
    taken = tuple(each for each in having if each != facts.id)
    facts = replace(facts, taken=taken, directory=found, supplier_currency=found.supplier_currency)
    if not status_moves(Wanted(request, facts)):
        return facts
    return await with_levels(facts, services, [each.named.one.id for each in found.goods.values() if each.named.one])


def plan(request: ModifyPurchaseOrderRequest, facts: OldOrder) -> Draft:
    """Return the plan of a change."""
    wanted = Wanted(request, facts)
    actions = told_apart(_actions(wanted))
    changes, lines, costs = changes_of(wanted), lines_of(wanted), list(cost_lines(wanted))
    told = [f"{each.field} {each.new or 'cleared'}" for each in changes if "[" not in each.field]
    told += [
        f"{word} {len(each)} {what}{'' if len(each) == 1 else 's'}" for word, each, what in _counted(wanted) if each
    ]
    return Draft(
        summary=f"purchase order {facts.number}: {', '.join(told) or 'nothing changes'}",
        actions=actions,
        touches={
            "record": facts.record,
            "costs": list(facts.costs),
            HAVING: list(facts.taken),
            "names": facts.directory.content,
            "currency": facts.supplier_currency,
        },
        lanes=(record_lane(ENTITY, facts.id), *([] if request.order_no is None else [number_lane(ENTITY)])),
        id=facts.id,
        number=request.order_no or facts.number,
        status=wanted.status_then,
        lines=(*lines, *costs),
        totals=totals_of(lines, costs),
        currency=wanted.currency,
        changes=tuple(changes),
        stock=described(status_moves(wanted), facts.levels),
        prior_state={**facts.record, "additional_costs": list(facts.costs)},
        revert=undo(wanted, actions),
    )


def _counted(wanted: Wanted) -> list[tuple[str, Sequence[object], str]]:
    return [
        ("add", wanted.new_rows, "row"),
        ("change", wanted.changed_rows, "row"),
        ("delete", wanted.deleted_rows, "row"),
        ("add", wanted.new_costs, "additional cost"),
        ("change", wanted.changed_costs, "additional cost"),
        ("delete", wanted.deleted_costs, "additional cost"),
    ]


def _actions(wanted: Wanted) -> list[Action]:
    """Return what is sent: a status that unlocks, the head, rows, costs, a status that locks, dates of receipts."""
    facts = wanted.facts
    status = [] if wanted.status is None else [_set_status(wanted)]
    dates = [
        change_row(facts.id, each.record, {"received_date": each.received}, f"change when row {_id(each.record)} came")
        for each in wanted.changed_rows
        if each.received is not None
    ]
    return [
        *(status if wanted.reverts else []),
        *([_change_head(wanted)] if wanted.head else []),
        *_of_rows(wanted),
        *_of_costs(wanted),
        *([] if wanted.reverts else status),
        *dates,
    ]


def _set_status(wanted: Wanted) -> Action:
    notes = wanted.facts.record.get("additional_info")
    if not wanted.reverts:
        notes = wanted.head.get("additional_info", notes)
    back = [{**each, "received_date": None} for each in wanted.facts.rows] if wanted.reverts else []
    title = f"set purchase order {wanted.facts.number} to {wanted.status}"
    return _patch(title, {"status": wanted.status}, notes, back, wanted.facts)


def _change_head(wanted: Wanted) -> Action:
    notes = wanted.facts.record.get("additional_info")
    moved = wanted.rows if wanted.head.keys() & set(CASCADING.values()) else []
    title = f"change the head of purchase order {wanted.facts.number}"
    return _patch(title, wanted.head, notes, moved, wanted.facts)


def _patch(title: str, fields: Mapping[str, Json], notes: object, rows: Sequence[Record], facts: OldOrder) -> Action:
    change = PurchaseOrderUpdate.model_validate(fields)
    body = canonical(PurchaseOrders.spec.patch(change, keep={"additional_info": notes}))
    return replace(on_record(title, ENTITY, COLLECTION, facts.id, body), implies={ROWS: list(rows)} if rows else {})


def _of_rows(wanted: Wanted) -> list[Action]:
    """Return what is sent for rows; new ones come before others go, so that the order never is without any."""
    order, known = wanted.facts.id, wanted.facts.directory
    there = [_id(each) for each in wanted.rows]
    added = [each for each in wanted.new_rows if set(each) >= NEEDED]
    changed = [each for each in wanted.changed_rows if each.fields]

    return [
        *(add_row(each, order, added_row(each, known), there) for each in added),
        *(
            change_row(order, each.record, each.fields, f"change row {_id(each.record)} ({known.sku(each.record)})")
            for each in changed
        ),
        *(change_row(order, each, {}, f"delete row {_id(each)} ({known.sku(each)})") for each in wanted.deleted_rows),
    ]


def _of_costs(wanted: Wanted) -> list[Action]:
    known = wanted.facts.directory
    group = whole(wanted.facts.record, "default_group_id")
    there = [_id(each) for each in wanted.facts.costs]
    added = (
        [] if group is None else [add_cost(each, group, added_cost(each, known), there) for each in wanted.new_costs]
    )
    changes = [change_cost(each.record, each.fields, _cost("change", each.record)) for each in wanted.changed_costs]
    gone = [change_cost(each, {}, _cost("delete", each)) for each in wanted.deleted_costs]
    return [*(each for each in added if each is not None), *changes, *gone]


def _cost(what: str, cost: Record) -> str:
    return f"{what} additional cost {_id(cost)} ({text(cost, 'name')})"


def _id(record: Record) -> int:
    return whole(record, "id") or 0


MODIFY = Change(
    request=ModifyPurchaseOrderRequest,
    gather=_gather,
    plan=plan,
    checks=checks,
    reads=_READS,
)
