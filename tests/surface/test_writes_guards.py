"""What speaks against a write when it is applied stops it; what Katana says was done is told as done; twice is once."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pytest
from transfer_plans import of_before

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_sandbox import Action, EditBody, Fault, ManualClock, Status, Tenant, Truncate

from .all_writes import SAGAS, UNSEEN, WRITES
from .effects import Watched, writes
from .held import held
from .writes import Arguments, Record

pytestmark = pytest.mark.usefixtures("hasty_journal")
type Asks = Callable[[Tenant, Record], Arguments]
SYNCED = 300
"""Seconds after which what is named is asked for anew; a plan lives 600."""


async def _planned(
    stage: Stage, clock: ManualClock, tool: str, text: str, asks: Asks | None = None
) -> tuple[Record, Arguments, Payload]:
    """Return the document, the arguments and the preview of a call, the usual one if nothing else is asked."""
    clock.advance(SYNCED)
    write, tenant = WRITES[tool], stage.own.sandbox.tenant()
    document, arguments = write.called(tenant, text)
    if asks is not None:
        arguments = {**write.named(document), **asks(tenant, document)}
    preview = await stage.call(tool, **arguments)
    assert "plan_token" in preview, preview
    return document, arguments, preview


async def _applied(stage: Stage, clock: ManualClock, preview: Payload) -> Payload:
    asked = stage.result("apply_plan", {"plan_tokens": [preview["plan_token"]]})
    return payload_of(await within(clock, 400, asked))


def _codes(answer: Payload, *, blocking: bool = True) -> list[str]:
    return [warning["code"] for warning in answer["warnings"] if (warning["severity"] == "blocking") is blocking]


def test_every_tool_has_something_that_can_speak_against_it_meanwhile() -> None:
    assert [tool for tool, write in WRITES.items() if not write.spoils] == []


def _spoils() -> Iterator[Any]:
    """Give every third tool an eighth of what can speak against it, another one than the next; all as slow proofs."""
    for place, (tool, write) in enumerate(WRITES.items()):
        every = tuple(write.spoils)
        if place % 3 == 0:
            yield pytest.param(tool, every[place % min(8, len(every)) :: 8], id=tool)
        yield pytest.param(tool, every, id=f"{tool}-all", marks=pytest.mark.soak)


@pytest.mark.in_turn
@pytest.mark.parametrize(("tool", "spoils"), list(_spoils()))
async def test_what_changed_in_katana_since_the_preview_stops_the_write_and_the_next_preview(
    stage: Stage, clock: ManualClock, tenant: Tenant, tool: str, spoils: tuple[str, ...]
) -> None:
    for nr, said in enumerate(spoils):
        spoil = WRITES[tool].spoils[said]
        document, arguments, preview = await _planned(stage, clock, tool, f"SPOILT-{nr}", spoil.asks)
        assert spoil.code not in _codes(preview, blocking=spoil.blocks), (said, preview)
        spoil.act(tenant, document, arguments)
        clock.advance(SYNCED)
        answer = await _applied(stage, clock, preview)
        assert answer.get("error") == "stale_plan", (said, answer)
        assert spoil.code in _codes(answer) or not spoil.blocks, (said, answer)
        clock.advance(61)
        again = await stage.call(tool, **arguments)
        assert spoil.code in _codes(again, blocking=spoil.blocks), (said, again)
        assert ("plan_token" in again) is not spoil.blocks, (said, again)
        clock.advance(SYNCED)
        assert (await _applied(stage, clock, preview))["error"] == "expired_plan", said
    assert writes(stage.own.sandbox.journal) == []


def _record(body: object) -> Mapping[str, Any]:
    """Return the record of an answer; a deletion has none."""
    return cast("Mapping[str, Any]", body or {})


def _half(body: object) -> object:
    record = _record(body)
    return {name: record[name] for name in list(record)[: len(record) // 2]}


ANSWERS: Mapping[str, Action] = {
    "nothing": EditBody(text=""),
    "no content": Status(204, "", commit=True),
    "an empty object": EditBody(text="{}"),
    "null": EditBody(text="null"),
    "another shape": EditBody(text='[{"id": 1}]'),
    "half": EditBody(_half),
    "more than is known": EditBody(lambda body: {**_record(body), "unheard_of": [{"of": None}]}),
    "an unheard-of status": EditBody(lambda body: {**_record(body), "status": "UNHEARD_OF"}),
    "other types": EditBody(lambda body: {name: [] for name in _record(body)}),
    "a page": Status(200, "<html>", commit=True),
    "created": Status(201, "<html>", commit=True),
    "cut": Truncate(),
}
"""What Katana may say with a status that means success."""


def _answers() -> Iterator[Any]:
    """Give every third tool one of the answers, so that each of them is met; all as slow proofs."""
    for place, tool in enumerate(WRITES):
        if place % 3 == 1:
            yield pytest.param(tool, tuple(ANSWERS)[place // 3 % len(ANSWERS) :][:1], id=tool)
        yield pytest.param(tool, tuple(ANSWERS), id=f"{tool}-all", marks=pytest.mark.soak)


@pytest.mark.in_turn
@pytest.mark.parametrize(("tool", "answers"), list(_answers()))
async def test_a_success_is_told_as_one_whatever_katana_says_with_it(
    stage: Stage, clock: ManualClock, tool: str, answers: tuple[str, ...]
) -> None:
    for nr, said in enumerate(answers):
        _, _, preview = await _planned(stage, clock, tool, f"SAID-{nr}")
        watched = Watched(stage.own.sandbox, preview["requests"])
        for method in ("POST", "PATCH", "DELETE"):
            stage.own.sandbox.faults.add(Fault(f"{method} *", action=ANSWERS[said], times=None))
        answer = await _applied(stage, clock, preview)
        stage.own.sandbox.faults.clear()
        assert "outcomes" in answer, (said, answer)
        (outcome,) = answer["outcomes"]
        unseen = outcome["unknown"] if tool in UNSEEN else 0
        assert outcome["applied"] + unseen == len(preview["requests"]), (said, outcome)
        if tool in SAGAS:
            continue
        assert watched.sent == watched.planned, said
        watched.proves_true(outcome)


@pytest.mark.parametrize("every", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_a_plan_that_is_applied_twice_leaves_the_account_as_once(
    stage: Stage, clock: ManualClock, tenant: Tenant, every: int
) -> None:
    for tool in [*WRITES][::every]:
        _, _, preview = await _planned(stage, clock, tool, f"TWICE-{tool}")
        first = await _applied(stage, clock, preview)
        assert first["outcomes"][0]["applied"] == len(preview["requests"])
        once = held(tenant)
        clock.advance(61)
        assert of_before(await _applied(stage, clock, preview), first)
        assert held(tenant) == once
