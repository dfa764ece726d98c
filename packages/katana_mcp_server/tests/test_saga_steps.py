"""A saga walked step by step: what is sent next, when a record is looked at again, and what stops it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from journal_plans import plan_of

from cache_core.protocol import OWN_WRITE_STANDS
from cache_core.records import iso
from cache_core.testing import ManualClock
from katana_client.exchange import Call, Reply
from katana_client.sending import Answer
from katana_client.testing import FakeClient, reply
from katana_mcp.journal.entries import GONE_AFTER, ActionState, Entry, Plan, PlanState, Progress, Resumed, Run
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking, info
from katana_mcp.writing import stale_looks
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEGUN, SAGA, AnyChange, Astray, Saga
from katana_mcp.writing.stepping import check_roll_back, look_back, rolled_back, saga_of, walk
from katana_mcp.writing.work import Work

RUN = Run(3, 1, "digest")
GOAL: JsonObject = {"goal": 3}
CLOCK = ManualClock()
SHOWN_LATE = "Katana has answered a step that it does not show yet; apply the same token again in a minute"


def step(name: str) -> Action:
    """Return a step, which is answered by its name."""
    return Action(title=f"do {name}", method="PATCH", path=f"/customers/{name}", body={"name": name}, entity="none")


def steps(names: str) -> list[Action]:
    """Return a step for each letter."""
    return [step(name) for name in names]


class Sending(FakeClient):
    """A client whose Katana does all steps but those that are refused."""

    def __init__(self, refused: str) -> None:
        def answer(call: Call) -> Reply:
            name = call.path.rpartition("/")[2]
            bad = reply({"statusCode": 422, "name": "UnprocessableEntityError", "message": "no"}, 422)
            return bad if name in refused else reply({"id": 1, "name": name})

        super().__init__(answer)

    async def send(self, call: Call) -> Answer:
        """Send one call."""
        return await self.sender.send(call)


@dataclass
class Stage:
    """A saga whose record is such that these steps are left at each look, the last ones for ever; and what is told.

    Attributes:
        left: the letters of the steps that are left at each look.
        refused: letters of steps that Katana refuses.
        ends: whether something is said at the end.
        trouble: raised at the look of this number.
        backwards: the steps that would lead back.
    """

    left: Sequence[str]
    refused: str = ""
    ends: bool = False
    trouble: tuple[int, Exception] | None = None
    backwards: str = ""
    looks: int = 0
    slept: list[float] = field(default_factory=list[float])
    replanned: list[tuple[int, list[object]]] = field(default_factory=list[tuple[int, list[object]]])
    found: list[int] = field(default_factory=list[int])
    noted: list[str] = field(default_factory=list[str])
    told: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])

    async def look(self, goal: JsonObject, services: Services) -> JsonObject:
        """Return the record, which is only the number of the look."""
        assert (goal["goal"], services.tenant) == (3, "factory")
        self.looks += 1
        assert self.looks < 50, "it goes on for ever"
        return {"look": self.looks}

    def rest(self, goal: JsonObject, record: JsonObject) -> Sequence[Action]:
        """Return the steps that are left."""
        number = cast("int", record["look"])
        if self.trouble is not None and self.trouble[0] == number:
            raise self.trouble[1]
        if goal.get(BACK):
            return steps(self.backwards)
        return steps(self.left[min(number, len(self.left)) - 1])

    async def ended(self, goal: JsonObject, services: Services) -> Sequence[ToolWarning]:
        """Return what is said at the end."""
        return [info("x", f"goal {goal['goal']} of {services.tenant}")]

    @property
    def saga(self) -> Saga:
        """The saga."""
        return Saga(self.look, self.rest, self.ended if self.ends else None)

    def now(self) -> datetime:
        """Return a time that stands."""
        return CLOCK.now()

    def monotonic(self) -> float:
        """Return a time that stands."""
        return CLOCK.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Note a pause."""
        self.slept.append(seconds)

    async def sending(self, run: Run, place: int, kept: str) -> None:
        """Note what is about to be sent."""
        assert (run, kept) == (RUN, "")
        self.told.append(("sending", place))

    async def done(self, run: Run, place: int, state: ActionState) -> None:
        """Note how it ended."""
        assert run == RUN
        self.told.append(("done", place, state.state))

    async def replan(self, run: Run, start: int, plan: Plan, found: ActionState | None) -> None:
        """Note what is planned anew, and which step was found done."""
        assert run == RUN
        self.found += [] if found is None else [start - 1]
        self.replanned.append((start, [action["title"] for action in plan.actions]))


def services(stage: Stage) -> Services:
    """Return services for a saga."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    parts = {
        **dict.fromkeys(needed),
        "client": Sending(stage.refused),
        "clock": stage,
        "journal": stage,
        "note": stage.noted.append,
        "fresh": SimpleNamespace(expire=list[str]().append),
        "syncer": SimpleNamespace(specs={}),
        "tenant": "factory",
    }
    return Services(**cast("dict[str, Any]", parts))


def plan(names: str = "abc", touches: Mapping[str, object] | None = None) -> Plan:
    """Return a plan of which these steps are foreseen."""
    foreseen = tuple(action.to_json() for action in steps(names))
    made = replace(plan_of("token", CLOCK), summary="order PO-7", actions=foreseen)
    return replace(made, touches={SAGA: GOAL} if touches is None else touches)


async def walked(stage: Stage, applied: str = "", **parts: object) -> Work:
    """Return the work of a saga that was walked, of which some steps were applied before."""
    work = Work(services(stage), 3, RUN, plan(), states=[ActionState("applied")] * len(applied))
    for name, value in parts.items():
        setattr(work, name, value)
    await walk(work, stage.saga)
    return work


def ends(work: Work) -> list[str]:
    """Return how the steps ended."""
    return [state.state for state in work.states]


def stopped(why: str) -> ToolWarning:
    """Return that a saga was stopped."""
    return advisory(warning_codes.UNEXPECTED_RESULT, f"stopped: {why}", "plan_tokens")


async def test_step_after_step_is_sent_until_nothing_is_left() -> None:
    stage = Stage(["abc", "bc", "c", ""], ends=True)
    work = await walked(stage)
    assert (ends(work), work.warnings) == (["applied"] * 3, [info("x", "goal 3 of factory")])
    assert stage.noted == ["step 1 of 3: do a", "step 2 of 3: do b", "step 3 of 3: do c"]
    every = ["do a", "do b", "do c"]
    assert stage.replanned == [(0, every), (1, every), (2, every), (3, every)]
    assert stage.told == [
        (what, nr, *state) for nr in range(3) for what, state in (("sending", ()), ("done", ("applied",)))
    ]
    assert stage.slept == [0.0] * 4


async def test_what_was_sent_longer_ago_than_a_read_may_lag_is_kept_no_longer() -> None:
    tick = int(CLOCK.monotonic()) - OWN_WRITE_STANDS - 1
    old = stale_looks.Sending(
        place=None,
        at=iso(CLOCK.now()),
        look="look",
        step="step",
        left=1,
        back=False,
        is_repeatable=False,
        tick=tick,
        boot=stale_looks.BOOT,
    )
    work = await walked(Stage(["a", ""]), sent=[old, replace(old, tick=tick + 2)])
    assert [sending.tick for sending in work.sent if sending.look == "look"] == [tick + 2]


async def test_what_is_left_after_a_step_may_be_planned_otherwise() -> None:
    stage = Stage(["abc", "xy", "y", ""])
    work = await walked(stage)
    assert ([action.title for action in work.actions], ends(work)) == (["do a", "do x", "do y"], ["applied"] * 3)
    assert stage.replanned[1] == (1, ["do a", "do x", "do y"])
    assert stage.noted[1] == "step 2 of 3: do x"


@pytest.mark.parametrize(
    ("applied", "back", "replanned", "warnings"),
    [
        ("", False, (0, ["do a", "do b", "do c"]), 1),
        ("a", False, (1, ["do a"]), 1),
        ("", True, (0, ["do a", "do b", "do c"]), 0),
    ],
)
async def test_where_nothing_is_left_nothing_is_sent(
    applied: str, back: bool, replanned: tuple[int, list[str]], warnings: int
) -> None:
    stage = Stage([""], ends=True)
    goal = {SAGA: {**GOAL, BACK: back}}
    work = await walked(stage, applied, plan=plan(touches=goal))
    assert (stage.told, stage.replanned, len(work.warnings)) == ([], [replanned], warnings)


async def test_a_saga_goes_on_after_what_was_applied_before() -> None:
    stage = Stage(["bc", "c", ""])
    work = await walked(stage, "a")
    assert (ends(work), work.warnings, stage.noted[0]) == (["applied"] * 3, [], "step 2 of 3: do b")
    assert stage.replanned[0] == (1, ["do a", "do b", "do c"])


@pytest.mark.parametrize(
    ("left", "tried", "back", "found"),
    [
        (["c", ""], True, False, [1]),
        ([""], True, False, [1]),
        (["c", ""], False, False, []),
        (["bc", "c", ""], True, False, []),  # it is left still, so it is sent again
        (["xy", "y", ""], True, False, []),  # no less is left
        ([""], True, True, []),
    ],
)
async def test_a_step_that_no_answer_told_of_counts_as_applied_once_the_record_shows_it(
    left: list[str], tried: bool, back: bool, found: list[int]
) -> None:
    stage = Stage(left, backwards="")
    before = plan(touches={SAGA: {**GOAL, BACK: back}})
    work = await walked(stage, "a", is_tried=tried, in_doubt=[ActionState("unknown")] if tried else [], plan=before)
    assert (stage.found, set(ends(work))) == (found, {"applied"})
    looked = [state.look_up for state in work.states if state.look_up is not None]
    assert looked == [{"found": "the record shows it", "confirmed": True}] * len(found)
    assert len(work.states) == len(work.actions)


async def test_the_first_step_that_is_not_applied_stops_it() -> None:
    stage = Stage(["abc", "bc", "c"], refused="b", ends=True)
    work = await walked(stage)
    assert (ends(work), work.warnings) == (["applied", "failed"], [])


@pytest.mark.parametrize(
    ("looks", "slept"),
    [
        (["ab", "ab", "b", ""], [0, 0, 1, 0]),
        (["ab", "ab", "ab", "ab", "ab", "b", ""], [0, 0, 1, 2, 4, 8, 0]),
    ],
)
async def test_a_step_that_does_not_show_yet_is_waited_for(looks: list[str], slept: list[float]) -> None:
    stage = Stage(looks)
    work = await walked(stage)
    assert (ends(work), work.warnings, stage.slept) == (["applied"] * 2, [], slept)


async def test_a_step_that_never_shows_is_not_sent_again() -> None:
    stage = Stage(["ab"])
    work = await walked(stage)
    assert (ends(work), work.warnings) == (["applied"], [stopped(SHOWN_LATE)])
    assert stage.slept == [0.0, 0.0, 1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("looks", "sent"),
    [
        # After the first step another one may be left, and even more of them than were foreseen.
        (["ab", *["xy"] * 5, "y", ""], "axy"),
        (["ab", *["xyz"] * 5, "yz", "z", ""], "axyz"),
        # After more steps it may be others, and more than were left then, but never more than once were.
        (["abc", "bc", *["xy"] * 5, "y", ""], "abxy"),
        (["abc", "bc", *["xyz"] * 5, "yz", "z", ""], "abxyz"),
        (["abc", "bc", "wxyz"], "ab"),
    ],
)
async def test_what_a_step_does_may_be_foreseen_only_in_part(looks: list[str], sent: str) -> None:
    stage = Stage(looks)
    work = await walked(stage)
    assert [action.title for action in work.actions[: len(work.states)]] == [f"do {name}" for name in sent]
    assert work.warnings == ([] if looks[-1] == "" else [stopped(SHOWN_LATE)])


async def test_steps_of_which_one_was_sent_before_are_not_sent_again() -> None:
    work = await walked(Stage(["abc", "bc", "ac"]))
    assert (ends(work), work.warnings) == (["applied"] * 2, [stopped(SHOWN_LATE)])


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Astray("somebody else changed it"), "somebody else changed it"),
        (Refused(blocking("not_found", "it is gone"), advisory("x", "y")), "it is gone"),
    ],
)
async def test_a_record_that_went_another_way_stops_it(error: Exception, why: str) -> None:
    stage = Stage(["ab", "b"], trouble=(2, error))
    work = await walked(stage)
    assert (ends(work), work.warnings) == (["applied"], [stopped(why)])


CHANGED = stopped("nothing of it was written, and the record was changed since; plan it again")


@pytest.mark.parametrize(
    ("is_untouched", "applied", "backwards", "warnings", "sent"),
    [
        (True, "", "z", [CHANGED], 0),
        (True, "", "", [], 1),
        (False, "", "z", [], 1),
        (True, "x", "z", [], 2),
    ],
)
async def test_what_was_begun_without_writing_anything_goes_on_only_from_where_it_was(
    is_untouched: bool, applied: str, backwards: str, warnings: list[ToolWarning], sent: int
) -> None:
    work = await walked(Stage(["a", ""], backwards=backwards), applied, is_untouched=is_untouched)
    assert (work.warnings, len(work.states)) == (warnings, sent)


@pytest.mark.parametrize(
    ("before", "is_untouched", "taken"),
    [
        (["planned", "planned"], True, []),
        (["failed", "not_tried"], True, []),
        (["applied", "planned"], False, ["applied"]),
        (["unknown", "not_tried"], False, []),
        (["applied", "failed", "applied"], False, ["applied"]),
        # What nobody saw the end of is looked up: nothing tells of these steps, so it is planned again.
        (["sending", "planned"], False, []),
        (["applied", "sending"], False, ["applied"]),
    ],
)
async def test_what_was_applied_before_is_taken_over(
    before: Sequence[Progress], is_untouched: bool, taken: list[str]
) -> None:
    stage = Stage([""])
    work = Work(services(stage), 3, RUN, plan())
    await look_back(work, Resumed(RUN, plan(), tuple(ActionState(state) for state in before)))
    assert (work.is_untouched, ends(work)) == (is_untouched, taken)
    assert work.plan.touches == {SAGA: GOAL if is_untouched else {**GOAL, BEGUN: True}}
    place = before.index("sending") if "sending" in before else None
    assert stage.told == ([] if place is None else [("done", place, "unknown")])


async def test_what_may_have_been_written_is_remembered_when_other_steps_take_its_place() -> None:
    begun = plan(touches={SAGA: {**GOAL, BEGUN: True}})
    work = Work(services(Stage([""], backwards="z")), 3, RUN, begun)
    await look_back(work, Resumed(RUN, begun, (ActionState("failed"), ActionState("not_tried"))))
    assert (work.is_untouched, work.plan) == (False, begun)


@pytest.mark.parametrize(
    ("left", "refused", "is_reached"), [(["a", ""], "", True), ([""], "", True), (["a"], "a", False)]
)
async def test_the_end_is_reached_where_nothing_is_left_to_do(left: list[str], refused: str, is_reached: bool) -> None:
    work = await walked(Stage(left, refused=refused))
    assert work.is_reached is is_reached


def kept(
    state: PlanState, *actions: Progress, touches: Mapping[str, object] | None = None, silent: bool = True
) -> Entry:
    """Return the entry of a saga, whose owner was not heard of for long."""
    beat = CLOCK.now() - GONE_AFTER if silent else CLOCK.now()
    states = tuple(ActionState(action) for action in actions)
    return Entry(id=3, plan=plan(touches=touches), state=state, actions=states, beat_at=beat)


BACKWARDS = {SAGA: {**GOAL, BACK: True}}


@pytest.mark.parametrize(
    ("entry", "is_saga", "may"),
    [
        (kept("finished", "applied", "failed"), True, True),
        (kept("finished", "applied", "applied"), True, False),
        (kept("claimed", "applied", "sending"), True, True),
        (kept("claimed", "applied", "sending", silent=False), True, True),
        (kept("claimed", "planned", silent=False), True, False),
        (kept("planned", "planned"), True, False),
        (kept("finished", "applied", "applied", touches=BACKWARDS), True, True),
        (kept("finished", "applied", "failed"), False, False),
        (kept("claimed", "applied", "sending", silent=False), False, False),
        (kept("finished", "applied", "applied", touches=BACKWARDS), False, False),
    ],
)
def test_only_a_saga_that_was_begun_and_is_not_done_can_be_rolled_back(entry: Entry, is_saga: bool, may: bool) -> None:
    parts = services(Stage([""]))._replace(clock=CLOCK)
    saga = Stage([""]).saga if is_saga else None
    if may:
        check_roll_back(entry, saga, parts)
        return
    why = "roll_back is for a correction that stopped halfway; this is not one, leave it out"
    with pytest.raises(Refused) as raised:
        check_roll_back(entry, saga, parts)
    assert raised.value.warnings == (blocking(warning_codes.INVALID_ARGUMENT, f"order PO-7: {why}", "roll_back"),)


def test_a_plan_that_is_rolled_back_has_what_was_before_as_its_goal() -> None:
    made = plan(touches={SAGA: GOAL, "named": {"variant": []}})
    back = rolled_back(made)
    touches: JsonObject = {SAGA: {"goal": 3, BACK: True}, "named": {"variant": []}}
    assert back == replace(made, summary="roll back: order PO-7", touches=touches)
    assert rolled_back(back) is back


@pytest.mark.parametrize(
    ("touches", "is_known", "is_saga"), [({SAGA: GOAL}, True, True), ({}, True, False), ({SAGA: GOAL}, False, False)]
)
def test_a_plan_is_a_saga_where_it_is_planned_as_one(
    touches: Mapping[str, object], is_known: bool, is_saga: bool
) -> None:
    saga = Stage([""]).saga
    changes = {"create_purchase_order": cast("AnyChange", SimpleNamespace(saga=saga))} if is_known else {}
    assert saga_of(kept("planned", touches=touches), changes) == (saga if is_saga else None)
