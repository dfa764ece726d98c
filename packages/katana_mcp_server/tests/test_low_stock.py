"""`list_low_stock_items` against plain Python over every level of the sandbox's inventory."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from server_wire import Wire, amount, live, records, rows_of_cut_pages

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, staged
from katana_mcp.workflows import order_quantities
from katana_sandbox import EditBody, Fault, ManualClock, Sandbox, SandboxConfig, Status, Tenant
from katana_sandbox.store.keys import FIRST_ID

LOW = "list_low_stock_items"
AT_ONCE = 200
"""Ids of eight digits that one listing of stock names."""
type Pair = tuple[int, int]


def item(tenant: Tenant, variant: Wire) -> Wire:
    kind = "products" if variant["product_id"] else "materials"
    return tenant.get(kind, variant["product_id"] or variant["material_id"])


def lacking(tenant: Tenant, *, expected: bool = True) -> dict[Pair, Decimal]:
    """Return by how much each live variant is short at each location."""
    found: dict[Pair, Decimal] = {}
    for variant in live(tenant, "variants"):
        for place in live(tenant, "locations"):
            level = tenant.get("inventory", (variant["id"], place["id"]))
            there = amount(level["quantity_in_stock"]) + (amount(level["quantity_expected"]) if expected else 0)
            short = amount(level["safety_stock_level"]) + amount(level["quantity_committed"]) - there
            if short > 0:
                found[variant["id"], place["id"]] = short
    return found


def shown(answer: Payload) -> dict[Pair, Decimal]:
    return {(row["variant_id"], row["location_id"]): amount(row["short"]) for row in answer["rows"]}


async def test_every_short_level_is_listed_with_what_it_lacks_and_no_other(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call(LOW, limit=100)
    expected = lacking(tenant)
    assert shown(answer) == expected
    assert answer["total"] == len(expected) > 5
    assert answer["variants"] == answer["checked"] == len(live(tenant, "variants"))
    assert "total_is_lower_bound" not in answer
    for row in answer["rows"]:
        level = tenant.get("inventory", (row["variant_id"], row["location_id"]))
        for key in ("in_stock", "committed", "expected"):
            assert amount(row[key]) == amount(level[f"quantity_{key}"])
        assert amount(row["reorder_point"]) == amount(row["safety_stock_level"]) == amount(level["reorder_point"])
        assert amount(row["short"]) == -amount(level["quantity_missing_or_excess"])
        assert row["location"] == tenant.get("locations", row["location_id"])["name"]


async def test_a_location_counts_by_its_own_reorder_point(stage: Stage, tenant: Tenant) -> None:
    variant = next(record for record in live(tenant, "variants") if record["material_id"])
    for place, point in ((FIRST_ID, 500), (FIRST_ID + 1, 0)):
        tenant.set_stock(variant["id"], place, 100)
        body = {"variant_id": variant["id"], "location_id": place, "value": point}
        tenant.create("inventory_safety_stock_levels", body)
    found = shown(await stage.call(LOW, limit=250))
    level = tenant.get("inventory", (variant["id"], FIRST_ID))
    assert found[variant["id"], FIRST_ID] == -amount(level["quantity_missing_or_excess"]) >= 300
    assert (variant["id"], FIRST_ID + 1) not in found


def figures(tenant: Tenant, pair: Pair, **changes: object) -> Fault:
    """Return a fault that has Katana give these figures of a level, in which a None stays a None."""

    def edit(body: object) -> object:
        for level in records(body):
            if (level["variant_id"], level["location_id"]) == pair:
                level.update(changes)
        return body

    assert tenant.get("inventory", pair).keys() >= changes.keys()
    return Fault("GET /inventory", action=EditBody(edit), times=None)


@pytest.mark.cold
@pytest.mark.parametrize(("reorder", "safety"), [("900", "700"), ("700", "900"), (None, "900"), ("900", None)])
async def test_the_higher_one_of_reorder_point_and_safety_stock_counts_and_one_that_is_known_is_enough(
    stage: Stage, tenant: Tenant, reorder: str | None, safety: str | None
) -> None:
    pair = next(iter(lacking(tenant)))
    amounts = {"quantity_in_stock": "100", "quantity_committed": "30", "quantity_expected": "20"}
    points = {"reorder_point": reorder, "safety_stock_level": safety}
    stage.own.sandbox.faults.add(figures(tenant, pair, **amounts, **points))
    answer = await stage.call(LOW, limit=250)
    (row,) = [entry for entry in answer["rows"] if (entry["variant_id"], entry["location_id"]) == pair]
    assert row["short"] == 900 + 30 - 100 - 20
    assert [row.get(name) for name in points] == [None if point is None else int(point) for point in points.values()]
    assert (answer["warnings"], "total_is_lower_bound" in answer) == ([], False)


@pytest.mark.cold
@pytest.mark.parametrize(
    "unknown",
    [
        {"quantity_in_stock": None},
        {"quantity_committed": None},
        {"quantity_expected": None},
        {"reorder_point": None, "safety_stock_level": None},
    ],
    ids=lambda fields: next(iter(fields)),
)
async def test_a_level_of_which_a_figure_is_unknown_is_counted_and_not_judged(
    stage: Stage, tenant: Tenant, unknown: dict[str, object]
) -> None:
    pair = next(iter(lacking(tenant)))
    stage.own.sandbox.faults.add(figures(tenant, pair, **unknown))
    answer = await stage.call(LOW, limit=250)
    assert set(shown(answer)) == set(lacking(tenant)) - {pair}
    assert answer["total_is_lower_bound"] is True
    (warning,) = answer["warnings"]
    assert (warning["code"], warning["message"]) == (
        "stock_unknown",
        "1 levels could not be judged, because Katana gives no figure for a part of them",
    )


async def test_stock_that_reaches_the_reorder_point_is_not_short(stage: Stage, tenant: Tenant) -> None:
    (variant, place), short = next(iter(lacking(tenant).items()))
    level = tenant.get("inventory", (variant, place))
    tenant.set_stock(variant, place, float(amount(level["quantity_in_stock"]) + short))
    assert (variant, place) not in shown(await stage.call(LOW, limit=250))


async def test_what_is_expected_can_be_left_out(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call(LOW, include_expected=False, limit=250)
    without = lacking(tenant, expected=False)
    assert shown(answer) == without
    assert len(without) > len(lacking(tenant))


FILTERS: list[tuple[dict[str, Any], Callable[[Tenant, Wire, int], bool]]] = [
    ({"item_type": "material"}, lambda _, variant, __: variant["material_id"] is not None),
    ({"item_type": "product"}, lambda _, variant, __: variant["product_id"] is not None),
    ({"location_id": "Main workshop"}, lambda _, __, place: place == FIRST_ID),
]


@pytest.mark.parametrize(
    ("filters", "keeps"), FILTERS, ids=[str(next(iter(filters.values()))) for filters, _ in FILTERS]
)
async def test_each_filter_keeps_exactly_the_levels_that_it_names(
    stage: Stage, tenant: Tenant, filters: dict[str, Any], keeps: Callable[[Tenant, Wire, int], bool]
) -> None:
    every = lacking(tenant, expected=False)
    kept = {pair: lack for pair, lack in every.items() if keeps(tenant, tenant.get("variants", pair[0]), pair[1])}
    answer = await stage.call(LOW, include_expected=False, limit=250, **filters)
    assert shown(answer) == kept
    assert 0 < len(kept) < len(every)


async def test_a_supplier_keeps_the_items_that_it_delivers_by_default(stage: Stage, tenant: Tenant) -> None:
    every = lacking(tenant, expected=False)
    delivers = {pair: item(tenant, tenant.get("variants", pair[0]))["default_supplier_id"] for pair in every}
    supplier = next(deliver for deliver in delivers.values() if deliver)
    name = tenant.get("suppliers", supplier)["name"]
    answer = await stage.call(LOW, include_expected=False, supplier_id=name, limit=250)
    assert set(shown(answer)) == {pair for pair, supplier_id in delivers.items() if supplier_id == supplier}
    assert {(row["supplier_id"], row["supplier"]) for row in answer["rows"]} == {(supplier, name)}
    assert 0 < answer["variants"] < len(live(tenant, "variants"))


async def test_the_worst_comes_first(stage: Stage) -> None:
    rows = (await stage.call(LOW, include_expected=False, limit=250))["rows"]
    missing = [row["severity"] == "missing" for row in rows]
    assert missing == sorted(missing, reverse=True)
    assert {True, False} == set(missing)
    for row in rows:
        assert (row["severity"] == "missing") is (amount(row["in_stock"]) < amount(row["committed"]))
    for state in ("missing", "low"):
        targets = [(row, amount(row["reorder_point"]) + amount(row["committed"])) for row in rows]
        shares = [
            min(Decimal(1), amount(row["short"]) / all_) if all_ > 0 else Decimal(1)
            for row, all_ in targets
            if row["severity"] == state
        ]
        assert shares == sorted(shares, reverse=True)


async def test_a_supplier_that_does_not_exist_is_refused_with_the_near_one(stage: Stage, tenant: Tenant) -> None:
    name = live(tenant, "suppliers")[0]["name"]
    refusal = await stage.refusal(LOW, supplier_id=f"{name.split()[0]}x")
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("not_found", "supplier_id")
    assert repr(name) in refusal["warnings"][0]["message"]


@pytest.fixture
def wide(clock: ManualClock) -> OwnSandbox:
    return OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))


@pytest.mark.cold
async def test_stock_that_could_not_be_read_is_unknown_and_later_calls_reach_it(
    wide: OwnSandbox, clock: ManualClock
) -> None:
    wide.sandbox.faults.add(Fault("GET /inventory", nth=5, action=Status(503), times=None))
    async with staged(wide) as stage:
        first = await paced(clock, stage.call(LOW))
        assert (first["checked"], first["total_is_lower_bound"]) == (AT_ONCE, True)
        assert first["variants"] > 500
        (warning,) = [entry for entry in first["warnings"] if entry["code"] == "stock_unknown"]
        assert f"the stock of {first['variants'] - AT_ONCE} variants is unknown, not zero" in warning["message"]
        assert f"{first['variants'] - AT_ONCE} variants are not checked yet" in first["next_actions"][-1]
        wide.sandbox.faults.clear()
        clock.advance(120)
        first_asked = _asked_for(wide, 0, 3)
        before = len(wide.sandbox.requests(path="/inventory"))
        second = await paced(clock, stage.call(LOW))
        assert second["checked"] == second["variants"] == first["variants"]
        assert second["total"] == len(lacking(wide.sandbox.tenant()))
        assert "total_is_lower_bound" not in second
        assert len(first_asked) == AT_ONCE
        assert first_asked & _asked_for(wide, before, None) == set()


def _asked_for(own: OwnSandbox, first: int, last: int | None) -> set[str]:
    """Return the variants named in these requests for stock."""
    requests = own.sandbox.requests(path="/inventory")[first:last]
    return {value for request in requests for name, value in request.query if name == "variant_id"}


async def test_what_is_known_is_read_again_only_after_minutes(stage: Stage, clock: ManualClock) -> None:
    first = await stage.call(LOW)
    asked = len(stage.own.sandbox.requests(path="/inventory"))
    clock.advance(240)
    later = await stage.call(LOW)
    assert (later["rows"], later["as_of"]) == (first["rows"], first["as_of"])
    assert len(stage.own.sandbox.requests(path="/inventory")) == asked
    clock.advance(70)
    assert (await stage.call(LOW))["as_of"] > first["as_of"]


async def test_pages_meet_every_level_and_fit(wide: OwnSandbox) -> None:
    tenant = wide.sandbox.tenant()
    for variant in live(tenant, "variants")[:250]:
        body = {"variant_id": variant["id"], "location_id": FIRST_ID + 1, "value": 100_000}
        tenant.create("inventory_safety_stock_levels", body)
    async with staged(wide) as stage:
        rows, _ = await rows_of_cut_pages(stage, LOW, 250, include_expected=False)
        seen = [(row["variant_id"], row["location_id"]) for row in rows]
        assert set(seen) == set(lacking(tenant, expected=False))


async def test_what_to_order_covers_what_is_short_in_whole_purchase_units(stage: Stage, tenant: Tenant) -> None:
    answer = await stage.call(LOW, limit=250, include_expected=False)
    left, totals, reasons = lacking(tenant), dict[tuple[int | None, str], list[Decimal]](), set[str]()
    for row in answer["rows"]:
        variant, pair = tenant.get("variants", row["variant_id"]), (row["variant_id"], row["location_id"])
        goods = item(tenant, variant)
        is_spared = amount(row.get("free_elsewhere", 0)) >= left.get(pair, Decimal(1))
        if pair not in left or goods.get("is_purchasable") is False or is_spared:
            assert not {"order_quantity", "purchase_price", "line_value", "currency"} & row.keys()
            reasons.add("on its way" if pair not in left else "elsewhere" if is_spared else "made")
            continue
        rate, least = amount(goods["purchase_uom_conversion_rate"] or 1), amount(variant["minimum_order_quantity"] or 0)
        ordered = amount(row["order_quantity"])
        assert ordered == int(ordered)
        assert (ordered - 1) * rate < max(left[pair], least) <= ordered * rate
        assert row.get("purchase_uom") == goods["purchase_uom"]
        supplier = goods["default_supplier_id"]
        currency = tenant.get("suppliers", supplier)["currency"] if supplier else "EUR"
        assert (amount(row["purchase_price"]), row["currency"]) == (amount(variant["purchase_price"]), currency)
        assert amount(row["line_value"]) == ordered * amount(variant["purchase_price"])
        totals.setdefault((supplier, currency), []).append(amount(row["line_value"]))
    assert reasons == {"on its way", "made", "elsewhere"}
    found = {(row.get("supplier_id"), row["currency"]): row for row in answer["to_order"]}
    assert {key: (group["lines"], amount(group["value"])) for key, group in found.items()} == {
        key: (len(values), sum(values)) for key, values in totals.items()
    }
    assert all(group["supplier"] == tenant.get("suppliers", key[0])["name"] for key, group in found.items() if key[0])
    assert [row["lines"] for row in answer["to_order"]] == sorted(map(len, totals.values()), reverse=True)


async def test_totals_by_supplier_are_of_all_pages_and_a_price_of_nothing_is_none(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    whole = await stage.call(LOW, limit=250)
    row = next(entry for entry in whole["rows"] if entry.get("supplier_id") and "order_quantity" in entry)
    assert (await stage.call(LOW, limit=1, page=2))["to_order"] == whole["to_order"]
    before = next(group for group in whole["to_order"] if group.get("supplier_id") == row["supplier_id"])
    tenant.edit("variants", row["variant_id"], purchase_price=0)
    clock.advance(3_600)
    later = await stage.call(LOW, limit=250, supplier_id=row["supplier_id"])
    (unpriced,) = [entry for entry in later["rows"] if (entry["variant_id"], entry["location_id"]) == _pair(row)]
    assert unpriced["order_quantity"] == row["order_quantity"]
    assert not {"purchase_price", "line_value", "currency"} & unpriced.keys()
    (total,) = later["to_order"]
    lost = [entry for entry in whole["rows"] if entry["variant_id"] == row["variant_id"] and "line_value" in entry]
    assert total["lines"] == before["lines"]
    (message,) = [warning["message"] for warning in later["warnings"] if warning["code"] == "price_required"]
    assert message.startswith(f"{len(lost)} of {total['lines']} lines to order have no purchase price")
    assert amount(total.get("value", 0)) == amount(before["value"]) - sum(amount(line["line_value"]) for line in lost)


def _pair(row: Wire) -> Pair:
    return row["variant_id"], row["location_id"]


async def test_more_suppliers_than_are_named_are_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    every = (await stage.call(LOW))["to_order"]
    monkeypatch.setattr(order_quantities, "_MOST_SUPPLIERS", 1)
    answer = await stage.call(LOW)
    assert answer["to_order"] == every[:1]
    (warning,) = answer["warnings"]
    message = f"to_order names 1 of {len(every)} suppliers, those with the most lines; give a supplier_id"
    assert (warning["code"], warning["message"]) == ("truncated_result", message)
