"""Clients of every kind before `apply_plan`: only a yes writes, once per token, and others are served meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from journal_plans import hasty
from server_wire import live
from transfer_plans import applied, of_before, planned, without_before, writes
from wire_client import YES, Era, WireClient, on_the_wire, server_of

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged, within
from katana_sandbox import ManualClock

pytestmark = pytest.mark.threads

LONGEST = 120.0
"""Virtual seconds that a client may hold a call up."""
NO = {"action": "decline"}
CANCELLED = {"action": "cancel"}
NOES: Mapping[str, object] = {
    "false": {"action": "accept", "content": {"confirm": False}},
    "nothing": {"action": "accept"},
    "nothing named": {"action": "accept", "content": {}},
    "another name": {"action": "accept", "content": {"value": True}},
    "a text": {"action": "accept", "content": {"confirm": "true"}},
    "a number": {"action": "accept", "content": {"confirm": 1}},
    "a list": {"action": "accept", "content": {"confirm": ["yes"]}},
    "declined": NO,
    "declined with a yes": {**YES, "action": "decline"},
}
"""What ends a plan: who was asked did not agree."""
NO_ANSWERS: Mapping[str, object] = {
    "cancelled": CANCELLED,
    "cancelled with a yes": {**YES, "action": "cancel"},
    "no such action": {**YES, "action": "agree"},
    "no action": {"content": {"confirm": True}},
    "an answer to something else": {"roots": []},
    "nothing at all": {},
}


@dataclass(frozen=True, slots=True)
class Scene:
    """A server with plans, and a client before it.

    Attributes:
        client: who asks for the plans to be applied.
        tokens: of the plans.
        other: the token of another plan.
        clock: of all.
        elsewhere: a client of the same server who is not asked and applies at once.
    """

    client: WireClient
    tokens: tuple[str, ...]
    other: str
    clock: ManualClock
    elsewhere: Stage


type Kind = Callable[[Scene], Awaitable[int]]
"""What a client does with its tokens; it returns how many of their plans are written by that."""


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def says_yes(scene: Scene) -> int:
    asked = await scene.client.apply(scene.tokens)
    assert asked.is_question
    reply = await scene.client.reply(asked, YES)
    return len(reply.answer["outcomes"])


async def says_no(answer: object, scene: Scene) -> int:
    reply = await scene.client.reply(await scene.client.apply(scene.tokens), answer)
    assert (reply.answer["message"], reply.answer["outcomes"]) == ("declined: nothing was written", [])
    return 0


async def says_neither_yes_nor_no(scene: Scene) -> int:
    for name, result in NO_ANSWERS.items():
        scene.clock.advance(6)  # a minute has 60 requests
        asked = await scene.client.apply(scene.tokens)
        assert asked.is_question, name
        reply = await scene.client.reply(asked, result)
        assert reply.answer.get("outcomes", []) == [], name
        if scene.client.era == "legacy":
            assert reply.answer["message"].endswith("nothing was written"), name
    return 0


async def cannot_ask_after_all(scene: Scene) -> int:
    reply = await scene.client.fail(await scene.client.apply(scene.tokens))
    assert reply is None or reply.answer["outcomes"] == []
    return 0


async def never_answers(scene: Scene) -> int:
    asked = await scene.client.apply(scene.tokens)
    if scene.client.era == "legacy":
        assert asked.is_question
        reply = await within(scene.clock, LONGEST, scene.client.receive())
        assert "no answer" in reply["result"]["structuredContent"]["message"]
        assert await within(scene.clock, 0, scene.client.withdrawn()) == asked.message["id"]
    return 0


async def answers_when_nobody_waits_any_more(scene: Scene) -> int:
    asked = await scene.client.apply(scene.tokens)
    if scene.client.era == "legacy":
        await within(scene.clock, LONGEST, scene.client.receive())
        await scene.client.answer(asked, YES)
        return 0
    scene.clock.advance(LONGEST + 1)  # no connection is held, so there is no hurry
    return len((await scene.client.reply(asked, YES)).answer["outcomes"])


async def goes_away_while_asked(scene: Scene) -> int:
    assert (await scene.client.apply(scene.tokens)).is_question
    return 0


async def answers_another_question(scene: Scene) -> int:
    client, asked = scene.client, await scene.client.apply(scene.tokens)
    if client.era == "legacy":
        await client.answer(replace(asked, message={**asked.message, "id": 4711}), YES)
        assert (await client.reply(asked, CANCELLED)).answer["outcomes"] == []
        return 0
    theirs = await client.apply([scene.other])
    for state in (theirs.state, "", "forged", None):
        given = {"requestState": state, "inputResponses": {"confirm": YES}}
        reply = await client.apply(scene.tokens, **given)
        assert reply.answer.get("outcomes", []) == [], state
    wrong = await client.apply(scene.tokens, requestState=asked.state, inputResponses={"sure": YES})
    assert wrong.is_question
    return 0


async def hands_back_what_was_asked_before_a_part_was_written(scene: Scene) -> int:
    asked = await scene.client.apply(scene.tokens)
    await applied(scene.elsewhere, scene.tokens[0])
    reply = await scene.client.reply(asked, YES)
    if len(scene.tokens) == 1:
        assert len(reply.answer["outcomes"]) == 1
        return 1
    if scene.client.era == "modern":
        assert (reply.answer["outcomes"], "stale" in reply.answer["message"]) == ([], True)
        return 1
    assert len(reply.answer["outcomes"]) == 2
    return 2


async def hands_an_old_question_back_after_the_write(scene: Scene) -> int:
    client, asked = scene.client, await scene.client.apply(scene.tokens)
    reply = await client.reply(asked, YES)
    if client.era == "modern":
        assert of_before((await client.reply(asked, YES)).answer, reply.answer)
        return len(scene.tokens)
    await client.answer(asked, YES)  # a message that nobody waits for
    assert of_before((await client.apply(scene.tokens)).answer, reply.answer)
    return len(scene.tokens)


async def answers_twice(scene: Scene) -> int:
    client, asked = scene.client, await scene.client.apply(scene.tokens)
    await client.answer(asked, YES)
    await client.answer(asked, YES)
    replies = [await within(scene.clock, 60, client.receive()) for _ in range(2 if client.era == "modern" else 1)]
    assert [len(payload["result"]["structuredContent"]["outcomes"]) for payload in replies] == [
        len(scene.tokens)
    ] * len(replies)
    return len(scene.tokens)


async def answers_no_and_then_yes(scene: Scene) -> int:
    client, asked = scene.client, await scene.client.apply(scene.tokens)
    assert (await client.reply(asked, NO)).answer["outcomes"] == []
    if client.era == "legacy":
        await client.answer(asked, YES)
    else:
        assert (await client.reply(asked, YES)).answer["error"] == "declined_plan"
    return 0


async def calls_again_while_asked(scene: Scene) -> int:
    client = scene.client
    asked = [await client.apply(scene.tokens) for _ in range(2)]
    for question in asked:
        await client.answer(question, YES)
    replies = [await within(scene.clock, 60, client.receive()) for _ in asked]
    assert [without_before(payload["result"]["structuredContent"]) for payload in replies] == [
        replies[0]["result"]["structuredContent"]
    ] * 2
    return len(scene.tokens)


async def calls_again_after_the_write(scene: Scene) -> int:
    written = await says_yes(scene)
    again = await scene.client.apply(scene.tokens)
    assert (again.is_question, len(again.answer["outcomes"])) == (False, written)
    return written


ENDING: Mapping[str, Kind] = {
    answers_no_and_then_yes.__name__: answers_no_and_then_yes,
    **{f"says no: {name}": partial(says_no, answer) for name, answer in NOES.items()},
}
"""Whose plans are over, for every client."""
LEAVING: Mapping[str, Kind] = {
    kind.__name__: kind
    for kind in (
        says_yes,
        says_neither_yes_nor_no,
        cannot_ask_after_all,
        never_answers,
        answers_when_nobody_waits_any_more,
        goes_away_while_asked,
        answers_another_question,
        hands_back_what_was_asked_before_a_part_was_written,
        hands_an_old_question_back_after_the_write,
        answers_twice,
        calls_again_while_asked,
        calls_again_after_the_write,
    )
}
KINDS = {**LEAVING, **ENDING}


class Floor:
    """A server that every client comes to, one after the other."""

    def __init__(self, stage: Stage, clock: ManualClock) -> None:
        self._stage = stage
        self._clock = clock
        self._server = server_of(stage)

    async def serves(self, era: Era, name: str, count: int) -> None:
        """Let one client do what it does, and then another say yes: each plan is written by a yes, and once.

        None is where somebody said no.
        """
        self._clock.advance(61)  # a minute has 60 requests
        named = [f"{era} {name} {number} of {count}" for number in range(count)]
        tokens = [await planned(self._stage, "create_customer", name=customer) for customer in named]
        other = await planned(self._stage, "create_customer", name=f"not asked for by {name}")
        running, sent, began = asyncio.all_tasks(), len(writes(self._stage)), self._clock.monotonic()

        async with on_the_wire(self._server, era) as client:
            written = await KINDS[name](Scene(client, tuple(tokens), other, self._clock, self._stage))
        assert (self._written(sent), self._made(named)) == (written, written), named
        assert self._clock.monotonic() - began <= LONGEST + 1, named
        await self._lets_go(running, named)

        began = self._clock.monotonic()
        async with on_the_wire(self._server, era) as client:
            said = await client.apply(tokens)
            if said.is_question:
                said = await client.reply(said, YES)
            ended = [outcome["applied"] for outcome in said.answer.get("outcomes", [])]
            over = name in ENDING
            assert (ended, said.answer.get("error")) == (([], "declined_plan") if over else ([1] * count, None)), said
        there = 0 if over else count
        assert (self._written(sent), self._made(named), self._clock.monotonic()) == (there, there, began), named

    def _written(self, sent: int) -> int:
        return len(writes(self._stage)) - sent

    def _made(self, named: Sequence[str]) -> int:
        found = [customer["name"] for customer in live(self._stage.own.sandbox.tenant(), "customers")]
        return sum(found.count(name) for name in named)

    async def _lets_go(self, running: set[asyncio.Task[Any]], named: Sequence[str]) -> None:
        """Nothing goes on for the client that left, and nobody waits for time to pass."""
        if left := asyncio.all_tasks() - running:
            await asyncio.wait(left, timeout=60)
        assert (asyncio.all_tasks() - running, self._clock.due()) == (set(), None), named


@pytest.mark.parametrize("era", ["modern", pytest.param("legacy", marks=pytest.mark.soak)])
async def test_whatever_a_client_does_only_a_yes_writes_and_once_and_the_next_client_is_served_at_once(
    own: OwnSandbox, clock: ManualClock, era: Era
) -> None:
    async with staged(own) as stage:
        floor = Floor(stage, clock)
        for name in KINDS:
            for count in (1, 2):
                await floor.serves(era, name, count)


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_a_client_that_cannot_ask_writes_once_however_often_it_calls(own: OwnSandbox, era: Era) -> None:
    async with staged(own) as stage:
        server = server_of(stage)
        tokens = [await planned(stage, "create_customer", name=f"unasked {nr}") for nr in range(2)]
        async with on_the_wire(server, era, has_person=False) as client:
            for some in (tokens[:1], tokens, tokens):
                reply = await client.apply(some)
                assert [outcome["applied"] for outcome in reply.answer["outcomes"]] == [1] * len(some)
        assert len(writes(stage)) == 2
