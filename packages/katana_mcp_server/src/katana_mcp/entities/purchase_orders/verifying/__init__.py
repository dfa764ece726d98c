"""`verify_order_document`: a delivery note or supplier invoice held against a purchase order; nothing is written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.entities.purchase_orders.verifying.advisories import advisories, came_before
from katana_mcp.entities.purchase_orders.verifying.comparing import Terms, absent, currencies, differences, to_decimal
from katana_mcp.entities.purchase_orders.verifying.history import last_purchases, unusual
from katana_mcp.entities.purchase_orders.verifying.matching import Match, OrderedGood, matched
from katana_mcp.entities.purchase_orders.verifying.merging import in_few_calls, is_change, most_rows
from katana_mcp.entities.purchase_orders.verifying.request import VerifyOrderDocumentRequest
from katana_mcp.entities.purchase_orders.verifying.responses import (
    ComparedTotals,
    Difference,
    PastPrice,
    VerifiedGood,
    VerifiedRow,
    VerifyOrderDocumentAnswer,
)
from katana_mcp.entities.purchase_orders.verifying.settling import DELETED, UNDER_WAY, Settling, Way, uncorrectable
from katana_mcp.entities.purchase_orders.verifying.sides import Line, Side, read_lines
from katana_mcp.entities.purchase_orders.verifying.strangers import not_on_order, strangers
from katana_mcp.entities.purchase_orders.verifying.totalling import differing, totals_of
from katana_mcp.entities.purchase_orders.verifying.units import OrderUnit, unit_named
from katana_mcp.references.display_names import FACTORY, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.resolve import one_record
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.surface.operations.rows import filled
from katana_mcp.tools.answers import Answer, fitting, size_of, surely_fit
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.values import get_int, number, rows, total
from katana_mcp.writing.change import record_lane
from katana_mcp.writing.under_way import kept_lanes, under_way

_ORDER, _COSTS = "purchase_order", "purchase_order_additional_cost_row"
_READS = (_ORDER, _COSTS, "supplier", "location", "tax_rate", *VARIANT_ENTITIES, *FACTORY)


async def _run(request: VerifyOrderDocumentRequest, services: Services) -> Answer:
    now, kept = await current(services, _READS, (_ORDER, "variant")), await kept_lanes(services)
    with now.refusals():
        order = await one_record(services, _ORDER, request.purchase_order_id, "order number")
    names, running = (
        await _names(order, services),
        await under_way([record_lane(_ORDER, int(order.id))], kept, services),
    )
    sides, terms = _sides(order.record, names), await _terms(request, order, running, services)
    lines = read_lines(request)
    left = _assigned(lines, sides)
    others, bought = await strangers(left, [side.good for side in sides], services)
    compared = totals_of(order.record, lines, sides, terms)
    found = [
        *currencies(terms),
        *(difference for side in sides if side.lines for difference in differences(side, terms)),
        *(not_on_order(side, how, terms) for side, how in zip(others.sides.values(), bought, strict=True)),
        *others.unmatched,
        *absent(sides, terms, others.claimed),
        *differing(compared, len(lines), terms),
    ]
    history, costs = await last_purchases(sides, order, services), await _costs(order.record, services)
    most = most_rows(order.record, costs, min(services.most_lines, services.most_writes))
    found = in_few_calls(found, most)
    shown, goods, cut = _bounded(found, [_good(side, history.get(place)) for place, side in enumerate(sides)])
    matched_sides = [side for side in sides if side.quantity and None not in side.factors and not side.is_again]
    unread = [side for side in sides if side.lines and (side.quantity is None or side.is_nothing)]
    way = terms.settling.received(matched_sides, unread) if request.kind == "delivery_note" else None
    return now.answer(
        VerifyOrderDocumentAnswer,
        *advisories(order, running, sides),
        *(came_before(sides) if request.kind == "delivery_note" else ()),
        *unusual(sides, history, terms),
        *cut,
        purchase_order_id=order.id,
        **_head(order.record, names),
        url=services.url(f"/purchaseorder/{order.id}"),
        differences=shown,
        goods=goods,
        totals=[*compared.totals.values(), *_total_of(costs)],
        receive=None if way is None or way.settle is None else way.settle.arguments,
        next_actions=[] if way is None else _next_actions(way, found),
    )


async def _names(order: Stored, services: Services) -> Names:
    record = order.record
    variants = [row.get("variant_id") for row in rows(record, "purchase_order_rows")]
    return await look_up(services.cache, {"variant": variants, "supplier": [record.get("supplier_id")]})


def _next_actions(way: Way, found: Iterable[Difference]) -> list[str]:
    """Return why nothing is received, or what comes before: Katana keeps rows that came as they are."""
    if way.settle is None:
        return [f"nothing to receive: {way.no_call}"]
    is_first = any(difference.settle is not None and is_change(difference.settle) for difference in found)
    return ["before `receive`: apply the call that changes rows, and compare again"] if is_first else []


def _head(order: Record, names: Names) -> dict[str, object]:
    said = {name: text(order, name) for name in ("order_no", "status", "currency")}
    return {**said, "supplier": names.name("supplier", order.get("supplier_id"))}


def _sides(order: Record, names: Names) -> list[Side]:
    """Return the goods of an order, each with its rows: one per variant and purchase unit."""
    held: dict[tuple[object, ...], list[Record]] = {}
    for row in rows(order, "purchase_order_rows"):
        key = (row.get("variant_id"), text(row, "purchase_uom"), number(row, "purchase_uom_conversion_rate"))
        held.setdefault(key, []).append(row)
    sides: list[Side] = []
    units = Counter(variant for variant, *_ in held)
    for (variant, *_), having in held.items():
        record = names.record("variant", variant) or {}
        item = names.item(record)
        rate = number(having[0], "purchase_uom_conversion_rate") or Decimal(1)
        unit = OrderUnit(text(having[0], "purchase_uom") or text(item, "uom"), rate, text(item, "uom"))
        good = OrderedGood.of(get_int(having[0], "variant_id") or 0, record, names.variant(variant))
        sides.append(Side(good=good, rows=having, unit=unit, is_alone=units[variant] == 1))
    skus = Counter(sku for _, sku in {(side.good.variant_id, side.good.sku) for side in sides} if sku)
    shared = [replace(side.good, is_shared=skus[side.good.sku or ""] > 1) for side in sides]
    return [replace(side, good=good) for side, good in zip(sides, shared, strict=True)]


async def _terms(request: VerifyOrderDocumentRequest, order: Stored, running: str | None, services: Services) -> Terms:
    record = order.record
    taxes = await services.cache.select("tax_rate", Selection(limit=200))
    currency = text(record, "currency")
    same = request.currency is None or request.currency == currency
    given = None if request.exchange_rate is None else Fraction(request.exchange_rate)
    return Terms(
        request=request,
        settling=Settling(
            int(order.id),
            text(record, "status"),
            DELETED if order.deleted else running and UNDER_WAY,
            is_billed=text(record, "billing_status") not in {None, "NOT_BILLED"},
            uncorrectable=uncorrectable(record),
        ),
        currency=currency,
        exchange=Fraction(1) if same and given is None else given,
        rates={int(tax.id): rate for tax in taxes if (rate := number(tax.record, "rate")) is not None},
    )


def _assigned(lines: Sequence[Line], sides: Sequence[Side]) -> list[tuple[Line, Match]]:
    """Give each line to the good of the order that it means, and return those that mean none."""
    goods = list({side.good.variant_id: side.good for side in sides}.values())
    left = list[tuple[Line, Match]]()
    for line in lines:
        match = matched(line.asked, goods)
        if match.good is None:
            left.append((line, match))
            continue
        having = [side for side in sides if side.good.variant_id == match.good.variant_id]
        side = next((candidate for candidate in having if line.unit.name == unit_named(candidate.unit.name)), having[0])
        side.lines.append(line)
        side.by.append(match.by or "")
    return left


def _good(side: Side, paid: Sequence[PastPrice] | None) -> VerifiedGood:
    came = side.quantity if side.lines else None
    return VerifiedGood(
        variant_id=side.good.variant_id,
        sku=side.good.sku,
        name=side.good.name,
        purchase_uom=side.unit.name,
        lines=side.places,
        matched_by=", ".join(dict.fromkeys(side.by)) or None,
        document_quantity=None if came is None else to_decimal(came),
        ordered=side.ordered,
        received=side.received,
        open=side.open,
        rows=[filled(VerifiedRow, row, purchase_order_row_id=get_int(row, "id")) for row in side.rows],
        last_prices=list(paid) if paid and side.prices else None,
    )


async def _costs(order: Record, services: Services) -> list[Record]:
    groups = (get_int(row, "group_id") for row in rows(order, "purchase_order_rows"))
    mine = of_ids("group_id", get_int(order, "default_group_id"), *groups)
    return await rows_beside(services, _COSTS, mine)


def _total_of(costs: Sequence[Record]) -> list[ComparedTotals]:
    added = total([number(cost, "price") for cost in costs])
    return [ComparedTotals(of="additional_costs", order=added)] if costs else []


def _bounded(
    found: list[Difference], goods: list[VerifiedGood]
) -> tuple[list[Difference], list[VerifiedGood], list[ToolWarning]]:
    """Return what of both fits into one answer, differences first, and a warning where something does not."""
    if surely_fit((*found, *goods)):
        return found, goods, []
    shown = fitting(found)
    room = MAX_ANSWER_BYTES - sum(size_of(difference) + 1 for difference in shown)
    fits = fitting(goods, shown) if goods and room > size_of(goods[0]) * 2 else []
    left = [len(found) - len(shown), len(goods) - len(fits)]
    if not any(left):
        return shown, fits, []
    message = (
        f"{left[0]} differences and {left[1]} goods did not fit: compare fewer lines at once, or settle these first"
    )
    return shown, fits, [truncated(message)]


VERIFY_ORDER_DOCUMENT = ToolSpec(
    name="verify_order_document",
    toolset="purchasing",
    description=(
        "Verify a delivery note, packing slip, bill or invoice of a supplier: what does not match the order "
        "(cache-backed).\n\n"
        "Compares quantities, prices, tax and totals, and proposes the call that corrects each difference; nothing is "
        "written."
    ),
    request=VerifyOrderDocumentRequest,
    answer=VerifyOrderDocumentAnswer,
    run=_run,
    reads=_READS,
)
