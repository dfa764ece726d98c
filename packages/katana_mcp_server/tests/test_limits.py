"""What limits an assistant: lines of a plan and writes in a minute. A refusal writes nothing; its token stays good."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from journal_plans import hasty
from server_wire import live
from structlog.testing import capture_logs
from transfer_plans import applied, counted, made, new_transfer, planned, writes

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged, within
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Draft
from katana_mcp.writing.limits import lines_of
from katana_mcp.writing.preview import PlanLine
from katana_sandbox import Fault, ManualClock, Status, Tenant

CREATE, ROWS = "create_stock_transfer", "KATANA_MCP_MAX_PLAN_LINES"


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


def _action(**body: object) -> Action:
    return Action(title="a", method="POST", path="/a", body=body, entity="a")


@pytest.mark.parametrize(
    ("draft", "lines"),
    [
        (Draft(summary=""), 0),
        (Draft(summary="", actions=(_action(),)), 1),
        (Draft(summary="", actions=(_action(rows=[1] * 7, tags=["x"]), _action(rows=[]))), 9),
        (Draft(summary="", actions=(_action(),), lines=(PlanLine(),) * 5), 5),
    ],
)
def test_lines_are_those_shown_or_those_sent_whichever_are_more(draft: Draft, lines: int) -> None:
    assert lines_of(draft) == lines


def _rows(tenant: Tenant, count: int) -> dict[str, object]:
    skus = [variant["sku"] for variant in live(tenant, "variants") if variant["sku"]][:count]
    rows = [{"sku_or_variant_id": sku, "quantity": 1} for sku in skus]
    return new_transfer(tenant, rows=rows, stock_transfer_number=f"ST-9{count}")


async def test_a_plan_over_the_lines_has_no_token_and_one_that_became_so_is_not_written(
    own: OwnSandbox, tenant: Tenant, tmp_path: Path
) -> None:
    setup = Setup(cache_dir=tmp_path, flags={"max_plan_lines": 3})
    async with staged(own, setup) as stage:
        preview = await stage.call("create_stock_transfer", **_rows(tenant, 4))
        assert ("plan_token" in preview, preview["warnings"][0]["code"]) == (False, "plan_too_large")
        assert f"has 4 lines, but a plan may have only 3 ({ROWS})" in preview["message"]
        token = await planned(stage, CREATE, **_rows(tenant, 3))
        fewer = await planned(stage, CREATE, **_rows(tenant, 2))
    async with staged(own, Setup(cache_dir=tmp_path, flags={"max_plan_lines": 2})) as stage:
        assert (await applied(stage, token))["error"] == "plan_too_large"
        assert writes(stage) == []
        assert counted((await applied(stage, fewer))["outcomes"][0]) == {"applied": 1}


async def test_writes_over_the_minute_are_refused_whole_and_their_tokens_stay_good(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock
) -> None:
    async with staged(own, Setup(flags={"max_writes_per_minute": 2})) as stage:
        tokens = [await planned(stage, CREATE, **_rows(tenant, count)) for count in range(1, 5)]
        together = await applied(stage, *tokens)
        assert (together["error"], writes(stage)) == ("too_many_writes", [])
        assert "these plans need 4 writes, but only 2 a minute are allowed" in together["warnings"][0]["message"]
        assert [counted(outcome) for outcome in (await applied(stage, *tokens[:2]))["outcomes"]] == [{"applied": 1}] * 2
        ended = clock.now()
        refusal = await applied(stage, tokens[2])
        assert (refusal["error"], len(writes(stage))) == ("too_many_writes", 2)
        until = (ended + timedelta(minutes=1)).astimezone(ZoneInfo("Europe/Tallinn"))
        assert f"apply it again at {until:%Y-%m-%dT%H:%M}" in refusal["warnings"][0]["message"]
        clock.advance(59.999)
        assert (await applied(stage, tokens[2]))["error"] == "too_many_writes"
        assert (await applied(stage, tokens[0]))["outcomes"][0]["applied"] == 1
        clock.advance(0.001)
        assert counted((await applied(stage, tokens[2]))["outcomes"][0]) == {"applied": 1}
        assert len(writes(stage)) == 3


async def test_of_ten_plans_applied_at_once_by_two_servers_no_more_are_written_than_allowed(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock, tmp_path: Path
) -> None:
    setup = Setup(cache_dir=tmp_path, flags={"max_writes_per_minute": 6})
    async with staged(own, setup) as one, staged(own, setup) as other:
        numbers = [f"ST-{900 + nr}" for nr in range(10)]
        tokens = list[str]()
        for number in numbers:
            preview = planned(one, CREATE, **new_transfer(tenant, stock_transfer_number=number))
            tokens.append(await within(clock, 60, preview))
        clock.advance(61)  # a minute has 60 requests
        calls = [applied((one, other)[nr % 2], token) for nr, token in enumerate(tokens)]
        answers = await within(clock, 55, asyncio.gather(*calls))
    assert sorted(answer.get("error", "written") for answer in answers) == ["too_many_writes"] * 4 + ["written"] * 6
    assert sum(len(made(tenant, number)) for number in numbers) == 6


async def test_a_plan_of_more_requests_than_a_minute_allows_has_no_token(own: OwnSandbox, tenant: Tenant) -> None:
    transfer = tenant.create("stock_transfers", _body(tenant))
    change = {"stock_transfer_id": transfer["id"], "additional_info": "x", "status": "received"}
    async with staged(own, Setup(flags={"max_writes_per_minute": 1})) as stage:
        preview = await stage.call("modify_stock_transfer", **change)
        assert ("plan_token" in preview, preview["warnings"][0]["code"]) == (False, "plan_too_large")


def _body(tenant: Tenant) -> dict[str, object]:
    source, target = [location["id"] for location in tenant.all("locations")][:2]
    rows = [{"variant_id": next(tenant.all("variants"))["id"], "quantity": "1"}]
    return {
        "stock_transfer_number": "ST-901",
        "source_location_id": source,
        "target_location_id": target,
        "stock_transfer_rows": rows,
    }


async def test_each_applied_plan_leaves_one_line_that_says_who_wrote_what_and_nothing_of_the_records(
    stage: Stage, tenant: Tenant
) -> None:
    token = await planned(stage, CREATE, **new_transfer(tenant, additional_info="for Ann"))
    refused = await planned(stage, CREATE, **new_transfer(tenant, stock_transfer_number="ST-901"))
    with capture_logs() as logs:
        for _ in range(2):
            await applied(stage, token)
        stage.own.sandbox.faults.add(Fault("POST /stock_transfers", action=Status(422)))
        await applied(stage, refused)
        await applied(stage, "never given out")
    lines = [log for log in logs if log["event"] == "plan ended"]
    plans = [line.pop("plan") for line in lines]
    who = {"event": "plan ended", "log_level": "info", "principal": "local", "tool": "create_stock_transfer"}
    ends = {"applied": 0, "failed": 0, "unknown": 0, "not_tried": 0}
    assert lines == [
        who | ends | {"entry": 1, "applied": 1, "ids": [made(tenant)[0]["id"]]},
        who | ends | {"entry": 2, "failed": 1, "ids": [None]},
    ]
    assert (len({*plans}), {len(plan) for plan in plans}) == (2, {12})
    assert [secret for secret in (token, "for Ann", "ST-900") if secret in json.dumps(logs)] == []


async def test_a_plan_that_cannot_be_read_whole_in_one_answer_has_no_token(stage: Stage) -> None:
    long = dict.fromkeys(("line_1", "line_2", "city", "state", "company", "phone"), "y" * 255)
    new = {"name": "Big", "addresses": [{"entity_type": "shipping", **long, "zip": str(nr)} for nr in range(40)]}
    preview = await stage.call("create_customer", **new)
    codes = [warning["code"] for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert ("plan_token" in preview, codes) == (False, ["plan_too_large"])
    assert "so it cannot be shown completely: plan it in parts" in preview["message"]
    assert preview["warnings"][-1]["message"].endswith("plan it in parts to read them in full")
