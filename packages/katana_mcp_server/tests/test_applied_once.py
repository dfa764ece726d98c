"""A plan applied on a real journal before a Katana that is played: what is sent, waited for, refused and told."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

import pytest
from journal_plans import hasty
from structlog.testing import capture_logs

from katana_client import Priority
from katana_client.exchange import Call, Reply
from katana_client.sending import Answer
from katana_client.testing import FakeClient, listing, reply
from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Claimed, Entry, Plan, Run, digest_of
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.journal.file import JournalFile
from katana_mcp.journal.journal import Journal
from katana_mcp.references.services import Services
from katana_mcp.testing import within
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking, info
from katana_mcp.writing.actions import Action, JsonObject, Recognise
from katana_mcp.writing.applying import OWNER, applied
from katana_mcp.writing.change import SAGA, Change, Changes, Draft, Saga
from katana_mcp.writing.outcome import PlanOutcome
from katana_sandbox import ManualClock

TOOL = "create_customer"
GONE = GONE_AFTER.total_seconds()


def action(name: str) -> Action:
    """Return the making of a customer, which is looked up by its name."""
    return Action(
        title=f"make {name}",
        method="POST",
        path="/customers",
        body={"name": name},
        entity="none",
        expects={"name": name},
        recognise=Recognise(collection="customers", filters={"name": name}),
    )


@dataclass
class Katana:
    """Katana and the cache before it: they do what is asked, but for names that are refused, and slow ones.

    Attributes:
        clock: moved by hand.
        refused: names that Katana refuses.
        sent: the names that were sent.
        room: in how many seconds there is room for so many requests.
        reads: seconds that it takes to read what a plan depends on.
        fresh_warnings: what fresh facts say besides.
        goods: whether the stock that was moved can be read.
        rows: what listings hold.
        expired: what the next read asks for, and how many writes were sent by then.
    """

    clock: ManualClock
    refused: str = ""
    sent: list[str] = field(default_factory=list[str])
    slow: Mapping[str, float] = field(default_factory=dict[str, float])
    room: Callable[[int], float] = lambda _: 0.0
    reads: float = 0.0
    fresh_warnings: tuple[ToolWarning, ...] = ()
    goods: bool = True
    rows: Sequence[object] = ()
    expired: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    specs: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        self._client = FakeClient(self._answer)
        self.customers = self._client.customers
        self.budget = self

    def _answer(self, call: Call) -> Reply:
        if call.method == "GET":
            return listing(self.rows, call)
        name = str(cast("Mapping[str, object]", call.body)["name"])
        self.sent.append(name)
        bad = {"statusCode": 422, "name": "UnprocessableEntityError", "message": "no"}
        return reply(bad, 422) if name in self.refused else reply({"id": ord(name), "name": name})

    async def send(self, call: Call) -> Answer:
        """Send one call."""
        name = str(cast("Mapping[str, object]", call.body)["name"])
        if name in self.slow:
            await self.clock.sleep(self.slow[name])
        return await self._client.sender.send(call)

    def room_in(self, count: int, priority: Priority) -> float:
        """Return in how many seconds there is room."""
        assert priority is Priority.WRITE
        return self.room(count)

    def expected(self, priority: Priority) -> float:
        """Return in how many seconds a request finds a place."""
        assert priority is Priority.WRITE
        return 0.0

    def priority(self, priority: Priority) -> AbstractContextManager[None]:
        """Do nothing."""
        assert priority is Priority.WRITE
        return nullcontext()

    async def standings(self, entities: Sequence[str]) -> dict[str, object]:
        """Return nothing."""
        assert not entities
        return {}

    def waiting(self, seconds: Callable[[], float]) -> Self:
        """Return the same."""
        assert seconds() > 0
        return self

    def planning(self, seconds: float) -> Self:
        """Return the same."""
        assert seconds > 0
        return self

    def expire(self, entity: str) -> None:
        """Note that the next read of an entity asks Katana, after so many writes."""
        self.expired.append((entity, len(self.sent)))

    async def read_newest(self, entity: str) -> bool:
        """Return that it could not be read."""
        assert entity == "variant"
        return False

    async def read_moved(self, variants: Sequence[int]) -> bool:
        """Return whether the stock could be read."""
        assert list(variants) == []
        return self.goods


def drafted(names: str, **more: Any) -> Draft:  # noqa: ANN401 - fields of a draft
    """Return the plan to make customers with these names."""
    return Draft(summary=f"customers {names}", actions=tuple(map(action, names)), lanes=("order 1",), **more)


class Asked(Request):
    """What is asked for."""

    names: str


@dataclass
class Stage:
    """A journal in a file, Katana, and the plans of one caller."""

    file: JournalFile
    katana: Katana
    noted: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    saga: Saga | None = None
    stock: tuple[str, ...] = ()
    touches: JsonObject = field(default_factory=dict[str, object])
    parts: dict[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        self.journal = Journal(self.file)

    @property
    def services(self) -> Services:
        """The services of the caller."""
        clock, katana = self.katana.clock, self.katana
        needed = [name for name in Services._fields if name not in Services._field_defaults]
        ports = dict.fromkeys(("client", "cache", "fresh", "stock", "syncer"), katana)
        usual = {"journal": self.journal, "tenant": "factory", "principal": "ann", "clock": clock, "note": self.note}
        return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), **ports, **usual, **self.parts}))

    def note(self, text: str) -> None:
        """Keep what is waited for, and when that was told."""
        self.noted.append((self.katana.clock.monotonic(), text))

    @property
    def changes(self) -> Changes:
        """The one tool that there is."""

        async def gather(request: Asked, services: Services) -> str:
            await services.clock.sleep(self.katana.reads)
            return request.names

        def plan(request: Asked, names: str) -> Draft:
            assert request.names == names
            return drafted(names, stock=self.stock, touches=self.touches)

        def checks(request: Asked, names: str) -> Sequence[ToolWarning]:
            assert request.names == names
            return self.katana.fresh_warnings

        return {TOOL: Change(request=Asked, gather=gather, plan=plan, checks=checks, saga=self.saga)}

    def planned(self, token: str, names: str, **more: object) -> Entry:
        """Keep a plan, and return its entry."""
        draft, now = drafted(names, stock=self.stock, touches=self.touches), self.katana.clock.now()
        plan = Plan(
            digest=digest_of(token),
            tool=TOOL,
            tenant="factory",
            principal="ann",
            created_at=now,
            expires_at=now + LIFE,
            summary=draft.summary,
            content=draft.content,
            actions=tuple(draft.sent),
            shown=draft.as_dict(None),
            request={"names": names},
            touches=draft.touches,
            lanes=draft.lanes,
        )
        self.file.add(replace(plan, **cast("dict[str, Any]", more)))
        return self.entry(token)

    def entry(self, token: str) -> Entry:
        """Return the entry of a token."""
        found = self.file.find(token)
        assert found is not None
        return found

    async def timed[T](self, work: Awaitable[T], seconds: float = 70) -> T:
        """Return what the work gives, as time passes."""
        return await within(self.katana.clock, seconds, work)

    async def apply(self, token: str, *, roll_back: bool = False) -> PlanOutcome:
        """Apply a plan."""
        return await self.timed(applied(token, self.services, self.changes, roll_back=roll_back))

    async def refusal(self, token: str) -> tuple[ToolWarning, ...]:
        """Return why a plan is not applied."""
        with pytest.raises(Refused) as raised:
            await self.apply(token)
        return raised.value.warnings

    def claimed(self, token: str, *, sends: bool = False) -> Run:
        """Let another server claim a plan, and begin to send it."""
        claim = self.file.claim(token, "another")
        assert isinstance(claim, Claimed)
        if sends:
            self.file.sending(claim.run, 0)
        return claim.run


@contextmanager
def opened(directory: Path) -> Generator[Stage]:
    """Open a journal of no plans, with time that is moved by hand."""
    clock = ManualClock(auto=False)
    with closing(JournalFile(directory / "journal.sqlite", clock)) as file:
        yield Stage(file, Katana(clock))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Stage]:
    hasty(monkeypatch)
    with opened(tmp_path) as stage:
        yield stage


def ended(outcome: PlanOutcome) -> tuple[str, list[str]]:
    """Return the message of an outcome, and how its actions ended."""
    return outcome.message, [one.state for one in outcome.actions]


async def test_a_plan_is_sent_in_its_order_kept_and_told_and_never_sent_again(stage: Stage) -> None:
    stage.planned("token", "ab")
    with capture_logs() as logs:
        outcome = await stage.apply("token")
    assert (ended(outcome), outcome.warnings) == (("applied: customers ab", ["applied"] * 2), [])
    assert stage.katana.sent == ["a", "b"]
    entry = stage.entry("token")
    assert (entry.state, entry.owner, [one.result for one in entry.actions]) == (
        "finished",
        OWNER,
        [{"id": 97, "name": "a"}, {"id": 98, "name": "b"}],
    )
    assert [await stage.apply("token"), PlanOutcome.model_validate(entry.outcome)] == [outcome, outcome]
    assert stage.katana.sent == ["a", "b"]
    assert stage.katana.expired == [("inventory_movement", 1), ("inventory_movement", 2)]
    counts = {"applied": 2, "failed": 0, "unknown": 0, "not_tried": 0, "ids": [97, 98]}
    who = {"principal": "ann", "tool": TOOL, "plan": digest_of("token")[:12], "entry": 1}
    assert logs == [{"event": "plan ended", "log_level": "info", **who, **counts}]
    assert await stage.journal.take_lanes(["factory: order 1"], "me") is None, "its lanes are free again"


async def test_the_first_action_that_is_not_applied_stops_the_rest(stage: Stage) -> None:
    stage.planned("token", "abc")
    stage.katana.refused = "b"
    message = "not fully applied: customers abc (1 applied, 1 failed, 1 not tried)"
    assert ended(await stage.apply("token")) == (message, ["applied", "failed", "not_tried"])
    assert stage.katana.sent == ["a", "b"]


async def test_what_fresh_facts_say_and_what_is_not_shown_yet_is_told(stage: Stage) -> None:
    stage.stock = ("FORK at North: 2 → 1",)
    stage.katana.fresh_warnings, stage.katana.goods = (advisory("x", "late"),), False
    stage.planned("token", "a")
    message = "the stock that this changed could not be read again yet; the next sync reads it"
    late = info(warning_codes.CACHE_WRITE_FAILED, message)
    assert (await stage.apply("token")).warnings == [advisory("x", "late"), late]


async def test_stock_that_no_plan_moves_is_not_read(stage: Stage) -> None:
    stage.katana.goods = False
    stage.planned("token", "a")
    assert (await stage.apply("token")).warnings == []


UNKNOWN = "no plan of this account and caller has this token: plan it again and use the new token"
EXPIRED = f"customers a: the plan has expired and nothing was written; plan it again with {TOOL}"
DECLINED = f"customers a: a person declined it and nothing was written; plan it again with {TOOL}"
FULL = "0 writes a minute are allowed (KATANA_MCP_MAX_WRITES_PER_MINUTE) and all are used: nothing was written"
UNCONFIRMED = (
    "customers a: KATANA_MCP_CONFIRM=required: a person must confirm, and this client cannot ask one: nothing was "
    "written; apply the same token from a client that can ask the user (elicitation)"
)


async def test_a_plan_that_may_not_be_sent_is_refused_with_the_reason(stage: Stage) -> None:
    entry = stage.planned("token", "a")
    assert await stage.refusal("other") == (blocking(warning_codes.UNKNOWN_PLAN, UNKNOWN, "plan_tokens"),)
    stage.parts = {"must_confirm": True}
    assert await stage.refusal("token") == (blocking(warning_codes.CONFIRMATION_REQUIRED, UNCONFIRMED, "plan_tokens"),)
    stage.parts = {}
    stage.file.answered([entry.id], "declined")
    assert await stage.refusal("token") == (blocking(warning_codes.DECLINED_PLAN, DECLINED, "plan_tokens"),)
    stage.planned("second", "a")
    stage.katana.clock.advance(LIFE.total_seconds())
    assert await stage.refusal("second") == (blocking(warning_codes.EXPIRED_PLAN, EXPIRED, "plan_tokens"),)
    assert stage.katana.sent == []


async def test_writes_beyond_the_minute_are_refused(stage: Stage) -> None:
    stage.parts = {"most_writes": 1}
    for token in ("one", "two"):
        stage.planned(token, "a")
    await stage.apply("one")
    (warning,) = await stage.refusal("two")
    assert (warning.code, stage.katana.sent) == (warning_codes.TOO_MANY_WRITES, ["a"])


RUNNING = "customers ab: it is being applied; ask again with the same token to learn the outcome"


def running(more: str = "") -> ToolWarning:
    """Return that a plan is being applied."""
    return blocking(warning_codes.PLAN_RUNNING, f"{RUNNING}{more}", "plan_tokens")


@pytest.mark.parametrize(("touches", "more"), [({}, ""), ({SAGA: {}}, " (0 of 2 steps are done)")])
async def test_a_plan_that_another_applies_is_waited_for_forty_seconds(
    stage: Stage, touches: JsonObject, more: str
) -> None:
    stage.touches = touches
    stage.planned("token", "ab")
    run = stage.claimed("token", sends=True)

    async def beat() -> None:
        while True:
            await stage.katana.clock.sleep(5)
            stage.file.heartbeat(run)

    beating = asyncio.ensure_future(beat())
    assert await stage.refusal("token") == (running(more),)
    beating.cancel()
    assert round(stage.katana.clock.monotonic(), 3) == 40
    text = f"waiting: {RUNNING}{more}"
    assert [(at // 5, said) for at, said in stage.noted] == [(nr, text) for nr in range(8)]
    assert stage.katana.sent == []


async def test_the_outcome_of_another_is_told_as_soon_as_it_is_there(stage: Stage) -> None:
    stage.planned("token", "a")
    run = stage.claimed("token", sends=True)

    async def finish() -> None:
        await stage.katana.clock.sleep(3)
        stage.file.done(run, 0, ActionState("applied", {"id": 5}))
        stage.file.finish(run, PlanOutcome.of(1, stage.entry("token").plan, [ActionState("applied")], []).model_dump())

    finishing = asyncio.ensure_future(finish())
    assert ended(await stage.apply("token")) == ("applied: customers a", ["applied"])
    await finishing
    assert (stage.katana.clock.monotonic() < 3.2, stage.katana.sent) == (True, [])


async def test_a_plan_is_applied_once_its_lanes_are_free(stage: Stage) -> None:
    stage.planned("token", "a")
    await stage.journal.take_lanes(["factory: order 1"], "another")

    async def leave() -> None:
        await stage.katana.clock.sleep(7)
        await stage.journal.leave_lanes("another")

    leaving = asyncio.ensure_future(leave())
    assert ended(await stage.apply("token"))[1] == ["applied"]
    await leaving
    why = "customers a: not applied yet, because another plan for the same record is being applied (order 1)"
    again = "nothing was written, apply it again with the same token"
    assert [(at // 5, text) for at, text in stage.noted] == [(nr, f"waiting: {why}; {again}") for nr in range(2)]


@pytest.mark.parametrize(("seconds", "looks", "notes"), [(1.5, 1, 1), (2.0, 1, 1), (5.0, 3, 1), (7.5, 4, 2)])
async def test_room_for_all_that_a_plan_needs_is_waited_for_two_seconds_at_a_time(
    stage: Stage, seconds: float, looks: int, notes: int
) -> None:
    asked = list[int]()

    def room(count: int) -> float:
        asked.append(count)
        return max(0.0, seconds - stage.katana.clock.monotonic())

    stage.katana.room = room
    stage.planned("token", "ab")
    assert ended(await stage.apply("token"))[1] == ["applied"] * 2
    assert (asked[:looks], round(stage.katana.clock.monotonic(), 3)) == ([4] * looks, seconds)
    assert len([text for _, text in stage.noted if "Katana's 60 requests" in text]) == notes


async def test_facts_that_find_no_room_let_go_of_the_lanes(stage: Stage) -> None:
    stage.katana.reads = 3
    stage.katana.room = lambda count: 9.0 if count == 1 else 0.0
    stage.planned("token", "a")
    (warning,) = await stage.refusal("token")
    message = "customers a: not applied yet, because Katana's 60 requests of the minute are used up"
    assert (warning.code, warning.message.partition(":")[0], stage.katana.sent) == (
        warning_codes.KATANA_UNAVAILABLE,
        "customers a",
        [],
    )
    assert warning.message.startswith(message)
    assert await stage.journal.take_lanes(["factory: order 1"], "me") is None


async def test_a_plan_that_does_not_fit_any_more_lets_go_of_the_lanes(stage: Stage) -> None:
    stage.planned("token", "a", request={"names": "b"})
    (warning,) = await stage.refusal("token")
    assert (warning.code, stage.katana.sent) == (warning_codes.STALE_PLAN, [])
    assert await stage.journal.take_lanes(["factory: order 1"], "me") is None


async def test_an_end_that_the_journal_cannot_keep_is_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(run: Run, outcome: JsonObject) -> None:
        raise JournalBusy(f"held at {run.entry} with {len(outcome)} fields")

    stage.planned("token", "a")
    monkeypatch.setattr(stage.journal, "finish", busy)
    outcome = await stage.apply("token")
    (warning,) = outcome.warnings
    assert (warning.code, warning.severity, warning.message[:9], ended(outcome)[1]) == (
        warning_codes.JOURNAL_UNAVAILABLE,
        "advisory",
        "held at 1",
        ["applied"],
    )
