"""Safety stock and default bins set through a server: what Katana then shows, what is refused, what is lost."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest
from journal_plans import hasty
from test_manufacturing_order_writes import applied, codes, live

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_mcp.writing.actions import Action
from katana_sandbox import Action as FaultAction
from katana_sandbox import Drop, EditBody, Fault, ManualClock, Status, Tenant
from katana_sandbox.rules.safety_stock import safety_stock

TOOL = "modify_safety_stock"
SAFETY, BINS = "inventory_safety_stock_levels", "variant_bin_locations"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


@pytest.fixture
def goods(tenant: Tenant) -> list[int]:
    """Return two new materials' variants."""
    made = [
        tenant.create("materials", {"name": f"Part {sku}", "uom": "pcs", "variants": [{"sku": sku}]})
        for sku in ("BOLT-A", "BOLT-B")
    ]
    return [record["variants"][0]["id"] for record in made]


def _places(tenant: Tenant) -> list[dict[str, Any]]:
    return live(tenant, "locations")


def _amount(tenant: Tenant, variant: int, place: int) -> Decimal:
    return safety_stock(tenant.context(), variant, place)


def _bin(tenant: Tenant, variant: int) -> list[str]:
    return [row["bin_name"] for row in live(tenant, BINS) if row["variant_id"] == variant]


async def _planned(stage: Stage, *rows: dict[str, object]) -> Payload:
    return payload_of(await stage.result(TOOL, {"rows": list(rows)}))


def _against(preview: Payload) -> list[tuple[str, str | None]]:
    """Return codes and paths of what speaks against a plan."""
    assert "plan_token" not in preview
    return [
        (warning["code"], warning["field_path"]) for warning in preview["warnings"] if warning["severity"] == "blocking"
    ]


async def test_levels_and_bins_are_set_where_they_were_asked_for_and_the_cache_shows_them_at_once(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    (here, there, *_) = _places(tenant)
    tenant.create("bin_locations", {"bin_name": "A-12", "location_id": here["id"]})
    await stage.call("check_inventory", skus_or_variant_ids=goods)
    rows: list[dict[str, object]] = [
        {"sku_or_variant_id": "BOLT-A", "location_id": here["name"], "safety_stock": 40, "default_bin": "a-12"},
        {"sku_or_variant_id": goods[1], "location_id": here["id"], "default_bin": "A-12"},
        {"sku_or_variant_id": goods[1], "location_id": there["id"], "safety_stock": 2.5},
    ]
    preview = await _planned(stage, *rows)
    a, b = "BOLT-A", "BOLT-B"
    assert preview["message"].startswith("set 2 safety stocks and 2 default bins")
    assert [(line.get("quantity"), line.get("unit")) for line in preview["lines"]] == [
        (40, "pcs"),
        (None, None),
        (2.5, "pcs"),
    ]
    alone = await _planned(stage, rows[0])
    values = "safety stock 0 → 40, default bin (none) → A-12"
    assert alone["message"].startswith(f"set {a} at {here['name']}: {values};")
    assert preview["changes"] == [
        {"field": f"{a} at {here['name']}: safety stock", "old": "0", "new": "40"},
        {"field": f"{a} at {here['name']}: default bin", "new": "A-12"},
        {"field": f"{b} at {here['name']}: default bin", "new": "A-12"},
        {"field": f"{b} at {there['name']}: safety stock", "old": "0", "new": "2.5"},
    ]
    assert [request["path"] for request in preview["requests"]] == [f"/{SAFETY}", f"/{SAFETY}", f"/{BINS}"]
    assert codes(preview) == set()
    outcome = await applied(stage, clock, preview)
    assert [action["state"] for action in outcome["actions"]] == ["applied"] * 3, outcome
    assert _amount(tenant, goods[0], here["id"]) == 40
    assert _amount(tenant, goods[0], there["id"]) == 0
    assert _amount(tenant, goods[1], there["id"]) == Decimal("2.5")
    assert [_bin(tenant, number) for number in goods] == [["A-12"], ["A-12"]]
    before = stage.requests()
    shown = (await stage.call("check_inventory", skus_or_variant_ids=goods))["stock"]
    levels = {(row["sku"], at["location_id"]): at["reorder_point"] for row in shown for at in row["locations"]}
    assert (levels[a, here["id"]], levels[b, there["id"]]) == (40, 2.5)
    assert stage.requests() == before


async def test_the_way_back_sets_each_level_and_bin_as_it_was(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    here, variant = _places(tenant)[0], goods[0]
    pair: dict[str, object] = {"sku_or_variant_id": variant, "location_id": here["id"]}
    first = await applied(stage, clock, await _planned(stage, {**pair, "safety_stock": 5, "default_bin": "A-1"}))
    clock.advance(61)
    second = await applied(stage, clock, await _planned(stage, {**pair, "safety_stock": 7, "default_bin": "A-2"}))
    assert (_amount(tenant, variant, here["id"]), _bin(tenant, variant)) == (7, ["A-2"])
    for outcome, amount, bins in ((second, 5, ["A-1"]), (first, 0, [])):
        clock.advance(61)
        assert outcome["revert"]["tool"] == TOOL
        back = payload_of(await stage.result(TOOL, outcome["revert"]["arguments"]))
        assert (await applied(stage, clock, back))["applied"] == 2
        assert (_amount(tenant, variant, here["id"]), _bin(tenant, variant)) == (amount, bins)


async def test_a_bin_that_is_not_there_is_told_and_made(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    here = _places(tenant)[0]
    for name in ("A-12", "A-13"):
        tenant.create("bin_locations", {"bin_name": name, "location_id": here["id"]})
    row: dict[str, object] = {"sku_or_variant_id": goods[0], "location_id": here["id"], "default_bin": "A-21"}
    preview = await _planned(stage, row)
    (advisory,) = [warning for warning in preview["warnings"] if warning["severity"] == "advisory"]
    assert advisory["field_path"] == "rows[0].default_bin"
    assert "the location has no bin 'A-21', so Katana makes one; it has " in advisory["message"]
    assert {"A-12", "A-13"} <= {*advisory["message"].rpartition("it has ")[2].split(", ")}
    await applied(stage, clock, preview)
    assert _bin(tenant, goods[0]) == ["A-21"]


async def test_what_is_unknown_kept_nowhere_or_given_twice_is_refused_where_it_stands(
    stage: Stage, tenant: Tenant, goods: list[int]
) -> None:
    here = _places(tenant)[0]["id"]
    service = live(tenant, "services")[0]["variants"][0]["id"]
    pair: dict[str, object] = {"sku_or_variant_id": goods[0], "location_id": here}
    found = await _planned(
        stage,
        {**pair, "safety_stock": 1},
        {**pair, "sku_or_variant_id": "NOBODY", "safety_stock": 1},
        {**pair, "location_id": "Nowhere", "safety_stock": 1},
        {**pair, "sku_or_variant_id": service, "safety_stock": 1},
        {**pair, "sku_or_variant_id": "BOLT-A", "safety_stock": 2},
        pair,
    )
    assert sorted(_against(found), key=str) == [
        ("duplicate_row_overrides", "rows[4].safety_stock"),
        ("invalid_argument", "rows[5]"),
        ("not_found", "rows[1].sku_or_variant_id"),
        ("not_found", "rows[2].location_id"),
        ("not_found", "rows[3]"),
    ]


async def test_one_row_may_give_the_level_and_another_the_bin_of_the_same_pair(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    here = _places(tenant)[0]["id"]
    pair: dict[str, object] = {"sku_or_variant_id": goods[0], "location_id": here}
    preview = await _planned(stage, {**pair, "safety_stock": 3}, {**pair, "default_bin": "B-1"})
    assert (await applied(stage, clock, preview))["applied"] == 2
    assert (_amount(tenant, goods[0], here), _bin(tenant, goods[0])) == (3, ["B-1"])


async def test_what_is_so_already_is_no_change(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    here = _places(tenant)[0]["id"]
    pair: dict[str, object] = {"sku_or_variant_id": goods[0], "location_id": here}
    same: dict[str, object] = {**pair, "safety_stock": 0, "default_bin": None}
    assert _against(await _planned(stage, same)) == [("no_effective_change", None)]
    clock.advance(61)
    preview = await _planned(stage, same, {**pair, "sku_or_variant_id": goods[1], "safety_stock": 9})
    assert [change["field"].partition(" at ")[0] for change in preview["changes"]] == ["BOLT-B"]
    assert len(preview["requests"]) == 1


async def test_a_plan_is_stale_once_somebody_else_sets_the_level_or_the_bin(
    stage: Stage, clock: ManualClock, tenant: Tenant, goods: list[int]
) -> None:
    here = _places(tenant)[0]["id"]
    pair: dict[str, object] = {"sku_or_variant_id": goods[0], "location_id": here}
    other: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"safety_stock": 3}, {"safety_stock": 4}),
        ({"default_bin": "B-1"}, {"default_bin": "B-2"}),
    ]
    for mine, theirs in other:
        clock.advance(61)
        preview = await _planned(stage, {**pair, **mine})
        await applied(stage, clock, await _planned(stage, {**pair, **theirs}))
        asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
        answer = payload_of(await within(clock, 300, asked))
        assert answer["error"] == "stale_plan"
        assert next(iter(mine)) in answer["warnings"][0]["message"]


@pytest.fixture
def pair(tenant: Tenant, goods: list[int]) -> dict[str, object]:
    """Return the ids of a new variant and of a location, as a row names them."""
    return {"sku_or_variant_id": goods[0], "location_id": _places(tenant)[0]["id"]}


@pytest.mark.parametrize("lost", [Drop("before"), Drop("after")], ids=["before", "after"])
@pytest.mark.parametrize(
    "asked", [{"safety_stock": 3}, {"default_bin": "B-1"}, {"default_bin": None}], ids=["level", "bin", "no bin"]
)
async def test_an_answer_that_is_lost_is_looked_up_and_what_stays_unknown_may_be_called_again(
    stage: Stage, clock: ManualClock, pair: dict[str, Any], asked: dict[str, object], lost: Drop
) -> None:
    tenant, variant = stage.own.sandbox.tenant(), cast("int", pair["sku_or_variant_id"])
    await applied(stage, clock, await _planned(stage, {**pair, "default_bin": "B-9"}))
    clock.advance(61)
    preview = await _planned(stage, {**pair, **asked})
    stage.own.sandbox.faults.add(Fault(f"POST {preview['requests'][0]['path']}", action=lost))
    outcome = await applied(stage, clock, preview)
    (action,) = outcome["actions"]
    assert action["state"] == ("applied" if lost == Drop("after") else "unknown"), outcome
    if action["state"] == "unknown":
        assert "the same call again is safe" in outcome["message"]
        clock.advance(61)
        assert (await applied(stage, clock, await _planned(stage, {**pair, **asked})))["applied"] == 1
    name = asked.get("default_bin", "B-9")
    assert _bin(tenant, variant) == ([] if name is None else [name])
    assert _amount(tenant, variant, pair["location_id"]) == asked.get("safety_stock", 0)


def _with(**fields: object) -> EditBody:
    return EditBody(lambda body: {**cast("dict[str, object]", body), **fields})


@pytest.mark.parametrize(
    ("says", "ends"),
    [
        (_with(value="3.00000"), ("applied", False)),
        (_with(value="4"), ("applied", True)),
        (EditBody(lambda _: {}), ("applied", True)),
        (Status(200, "<html>"), ("unknown", True)),
        (Status(204, ""), ("unknown", True)),
        (Status(503), ("unknown", True)),
        (Status(422), ("failed", False)),
    ],
)
async def test_an_answer_counts_as_applied_where_it_repeats_what_was_sent_and_else_what_katana_shows_decides(
    stage: Stage, clock: ManualClock, pair: dict[str, object], says: FaultAction, ends: tuple[str, bool]
) -> None:
    preview = await _planned(stage, {**pair, "safety_stock": 3})
    stage.own.sandbox.faults.add(Fault(f"POST /{SAFETY}", action=says))
    (action,) = (await applied(stage, clock, preview))["actions"]
    assert (action["state"], "look_up" in action) == ends, action


async def test_a_hundred_bins_of_a_location_are_one_request(stage: Stage, tenant: Tenant, goods: list[int]) -> None:
    here = _places(tenant)[0]["id"]
    variant_ids = [variant["id"] for variant in live(tenant, "variants") if variant.get("service_id") is None]
    rows: list[dict[str, object]] = [
        {"sku_or_variant_id": variant_id, "location_id": here, "default_bin": "C-1"} for variant_id in variant_ids[:30]
    ]
    preview = await _planned(stage, *rows)
    assert [request["path"] for request in preview["requests"]] == [f"/{BINS}"]
    assert preview["message"].startswith(f"set {len(rows)} default bins")


def test_that_an_answer_repeats_the_body_is_kept_in_the_journal() -> None:
    action = Action(title="x", method="POST", path=f"/{SAFETY}", entity="stock")
    assert "answers_body" not in action.to_json()
    kept = replace(action, answers_body=True)
    assert Action.read(kept.to_json()) == kept
