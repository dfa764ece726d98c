"""`inventory_at` against plain Python over the sandbox's ledger, and the ledger's balances after back-dated events."""

from decimal import Decimal
from typing import Any

import pytest
from server_wire import Wire, amount, live

from cache_core.records import Record
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, paced, payload_of, staged, text_of
from katana_mcp.workflows.ledger import place, standing
from katana_sandbox import Fault, ManualClock, Status, Tenant
from katana_sandbox.store.keys import FIRST_ID

MOMENTS = ("2023-01-01T00:00:00Z", "2025-06-30T23:59:59+02:00", "2026-02-14T12:00:00Z", "2026-03-02T09:00:00Z")
SKUS = ["FSKT-35M", "FSKT-32M"]


def stood(tenant: Tenant, at: str, *variant_ids: int) -> dict[tuple[int, int], Decimal]:
    """Return what each pair that had moved by then held: the sum of its changes."""
    held: dict[tuple[int, int], Decimal] = {}
    for movement in tenant.all("inventory_movements"):
        if movement["variant_id"] in variant_ids and movement["movement_date"] <= at:
            pair = (movement["variant_id"], movement["location_id"])
            held[pair] = held.get(pair, Decimal(0)) + amount(movement["quantity_change"])
    return held


def shown(answer: Payload) -> dict[tuple[int, int], Decimal]:
    return {
        (variant["variant_id"], level["location_id"]): amount(level["in_stock"])
        for variant in answer["stock"]
        for level in variant["locations"]
    }


@pytest.mark.parametrize("moment", MOMENTS)
async def test_stock_at_a_moment_is_the_sum_of_what_had_moved_by_then(
    stage: Stage, tenant: Tenant, moment: str
) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:100]]
    answer = await stage.call("inventory_at", as_of=moment, skus_or_variant_ids=ids)
    expected = stood(tenant, answer["at"], *ids)
    assert shown(answer) == expected
    assert [row["variant_id"] for row in answer["stock"]] == ids
    for row in answer["stock"]:
        assert amount(row["in_stock"]) == sum(q for (variant, _), q in expected.items() if variant == row["variant_id"])
        assert ("note" in row) is (row["locations"] == [])
    assert answer["at"].endswith("Z")
    assert "movement_date" in answer["basis"]


async def test_stock_at_this_moment_is_that_of_the_inventory(stage: Stage, tenant: Tenant) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:100]]
    answer = await stage.call("inventory_at", as_of=MOMENTS[-1], skus_or_variant_ids=ids)
    for pair, held in shown(answer).items():
        assert held == amount(tenant.get("inventory", pair)["quantity_in_stock"])


async def test_a_location_narrows_it_down(stage: Stage, tenant: Tenant) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:100]]
    answer = await stage.call("inventory_at", as_of=MOMENTS[2], skus_or_variant_ids=ids, location_id="North warehouse")
    every = stood(tenant, answer["at"], *ids)
    assert shown(answer) == {pair: held for pair, held in every.items() if pair[1] == FIRST_ID + 1}
    assert 0 < len(shown(answer)) < len(every)


@pytest.mark.parametrize(
    ("day", "moment"), [("2026-02-20", "2026-02-20T21:59:59.999Z"), ("2026-03-02", "2026-03-02T09:00:00.000Z")]
)
async def test_a_day_means_its_end_and_today_means_now(stage: Stage, tenant: Tenant, day: str, moment: str) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:100]]
    answer = await stage.call("inventory_at", as_of=day, skus_or_variant_ids=ids)
    assert answer["at"] == moment
    assert shown(answer) == stood(tenant, moment, *ids)
    assert shown(answer)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("2026-03-02T09:00:01Z", "must not be later than now, 2026-03-02T11:00:00+02:00"),
        ("2026-02-28T12:00:00", "must be a date or a moment with its offset from UTC, such as 2026-03-01"),
        ("2026-03-03", "must not be later than now, 2026-03-02T11:00:00+02:00"),
        ("end of February", "must be a date or a moment with its offset from UTC"),
    ],
)
async def test_a_moment_ahead_or_without_an_offset_is_refused(stage: Stage, asked: str, message: str) -> None:
    refusal = await stage.refusal("inventory_at", as_of=asked, skus_or_variant_ids=SKUS)
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("invalid_argument", "as_of")
    assert message in refusal["warnings"][0]["message"]


async def test_a_service_and_what_nothing_has_are_never_zero(stage: Stage, tenant: Tenant) -> None:
    service = live(tenant, "services")[0]["variants"][0]
    asked = [service["id"], "nothing-has-this"]
    answer = await stage.call("inventory_at", as_of=MOMENTS[2], skus_or_variant_ids=asked)
    assert [missing["asked"] for missing in answer["not_found"]] == ["nothing-has-this"]
    (row,) = answer["stock"]
    assert ("in_stock" in row, row["locations"], row["note"]) == (False, [], "a service is never in stock")


@pytest.mark.cold
async def test_while_the_ledger_is_still_read_nothing_is_said_to_be_zero(own: OwnSandbox, clock: ManualClock) -> None:
    own.sandbox.faults.add(Fault("GET /inventory_movements", nth=2, action=Status(503), times=None))
    async with staged(own) as stage:
        answer = await paced(clock, stage.call("inventory_at", as_of=MOMENTS[2], skus_or_variant_ids=SKUS))
    assert answer["warming"]
    assert [("in_stock" in row, row["locations"]) for row in answer["stock"]] == [(False, [])] * 2
    assert all("not zero" in row["note"] for row in answer["stock"])


async def test_what_does_not_fit_is_named_for_the_next_call(stage: Stage, tenant: Tenant) -> None:
    ids = [variant["id"] for variant in live(tenant, "variants")[:250]]
    result = await stage.result("inventory_at", {"as_of": MOMENTS[3], "skus_or_variant_ids": ids})
    assert len(text_of(result).encode()) <= 40_000
    answer = payload_of(result)
    assert [warning["code"] for warning in answer["warnings"]] == ["truncated_result"]
    assert answer["next_actions"][0].startswith("inventory_at(as_of='2026-03-02T09:00:00.000Z', skus_or_variant_ids=[")


def _back_dated(tenant: Tenant) -> tuple[int, int]:
    """Enter an adjustment before the last movements of a pair that moved often; return the pair."""
    moves = list(tenant.all("inventory_movements"))
    pairs = [(move["variant_id"], move["location_id"]) for move in moves]
    pair = max(pairs, key=pairs.count)
    mine = sorted((move for move in moves if (move["variant_id"], move["location_id"]) == pair), key=place)
    body: Wire = {
        "stock_adjustment_number": "SA-late",
        "location_id": pair[1],
        "stock_adjustment_date": mine[-4]["movement_date"],
        "stock_adjustment_rows": [{"variant_id": pair[0], "quantity": 1_000}],
    }
    tenant.create("stock_adjustments", body)
    return pair


async def _asked_before(stage: Stage, clock: ManualClock, tool: str, more: dict[str, Any]) -> dict[str, Any]:
    """Ask for the variants that moved most often, and let the answer grow old; return what was asked."""
    moves = [movement["variant_id"] for movement in stage.own.sandbox.tenant().all("inventory_movements")]
    asked = {"skus_or_variant_ids": sorted(set(moves), key=moves.count)[-5:], **more}
    await stage.call(tool, **asked)
    clock.advance(31)
    return asked


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_inventory_movements", {"limit": 250}),
    ("inventory_at", {"as_of": MOMENTS[3]}),
)


@pytest.mark.cold
@pytest.mark.parametrize(("tool", "more"), CALLS, ids=[tool for tool, _ in CALLS])
async def test_after_a_back_dated_movement_a_warm_answer_is_the_cold_one(
    stage: Stage, clock: ManualClock, tool: str, more: dict[str, Any]
) -> None:
    asked = await _asked_before(stage, clock, tool, more)
    pair = _back_dated(stage.own.sandbox.tenant())
    assert pair[0] in asked["skus_or_variant_ids"]
    warm = await stage.call(tool, **asked)
    async with staged(stage.own) as cold:
        assert await cold.call(tool, **asked) == warm
    before = stage.requests()
    assert await stage.call(tool, **asked) == warm
    assert stage.requests() == before


@pytest.mark.cold
@pytest.mark.parametrize(("tool", "more"), CALLS, ids=[tool for tool, _ in CALLS])
async def test_balances_that_cannot_be_read_again_are_in_doubt_and_not_told_as_stock(
    stage: Stage, clock: ManualClock, tool: str, more: dict[str, Any]
) -> None:
    asked = await _asked_before(stage, clock, tool, more)
    variant, location = _back_dated(stage.own.sandbox.tenant())
    stage.own.sandbox.faults.add(Fault("GET /inventory_movements", nth=2, action=Status(503), times=None))
    answer = await paced(clock, stage.call(tool, **asked))
    (warning,) = answer["warnings"]
    assert warning["code"] == "ledger_in_doubt"
    assert f"variants {variant})" in warning["message"]
    if tool == "inventory_at":
        (row,) = [entry for entry in answer["stock"] if entry["variant_id"] == variant]
        (level,) = [entry for entry in row["locations"] if entry["location_id"] == location]
        assert "in_stock" not in {**level, **{key: row[key] for key in row if key == "in_stock"}}


def _ledger(*moves: tuple[str, int, int, int]) -> list[Record]:
    """Return movements of (date, rank, change, balance) in the order of the ledger, ids in the order given."""
    records: list[Record] = [
        {"id": nr, "movement_date": day, "rank": rank, "quantity_change": change, "balance_after": balance}
        for nr, (day, rank, change, balance) in enumerate(moves, 1)
    ]
    return sorted(records, key=place)


def test_movements_of_one_moment_stand_by_rank() -> None:
    assert [record["id"] for record in _ledger(("1", 2, 1, 3), ("1", 1, 2, 2), ("0", 9, 0, 0))] == [3, 2, 1]


@pytest.mark.parametrize(
    ("moves", "balance", "broken"),
    [
        ((), 0, ()),
        ((("1", 1, 5, 5), ("2", 1, -2, 3)), 3, ()),
        ((("1", 1, 5, 12), ("2", 1, -2, 10)), 10, ()),
        ((("1", 1, 5, 5), ("2", 1, 1, 6), ("3", 1, -2, 3), ("4", 1, -1, 2)), 2, (3, 4)),
        ((("1", 1, 5, 5), ("2", 2, 1, 6), ("2", 1, 2, 8), ("3", 1, 1, 9)), 9, ()),
    ],
    ids=["nothing", "a chain", "a chain that began earlier", "a late entry on the second", "ranks the other way"],
)
def test_a_chain_of_balances_breaks_where_one_does_not_follow(
    moves: tuple[tuple[str, int, int, int], ...], balance: int, broken: tuple[int, ...]
) -> None:
    found = standing(_ledger(*moves))
    assert (found.balance, found.broken) == (balance, broken)
