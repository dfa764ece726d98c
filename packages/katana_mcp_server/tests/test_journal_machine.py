"""Any history of owners, crashes and clocks leaves a journal as a model of it, and sends no action twice."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from journal_plans import OUTCOME, hasty, plan_of

from cache_core.testing import ManualClock
from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Broken, Claimed, Run, Settled
from katana_mcp.journal.errors import ClaimLost, JournalError, WrongOrder
from katana_mcp.journal.file import JournalFile

GONE, LIVES, ACTIONS = GONE_AFTER.total_seconds(), LIFE.total_seconds(), 2
OWNERS = st.integers(0, 2)
TOKENS = st.sampled_from(["first", "second"])
PLACES = st.integers(0, ACTIONS - 1)
ENDED: tuple[Settled, ...] = ("applied", "failed", "unknown")
QUICK = settings(
    phases=(Phase.explicit, Phase.generate),
    max_examples=8,
    stateful_step_count=30,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
WHOLE = settings(QUICK, phases=tuple(Phase), max_examples=1_500, stateful_step_count=60, derandomize=False)


@dataclass
class Model:
    """What one plan is meant to be; times are seconds of the wall."""

    made: float
    state: str = "planned"
    holder: Run | None = None
    beat: float = 0.0
    is_broken: bool = False
    actions: list[str] = field(default_factory=lambda: ["planned"] * ACTIONS)

    def claim(self, now: float) -> str:
        """Return the name of the answer."""
        if self.state == "finished":
            return "Finished"
        if self.state == "claimed" and abs(now - self.beat) < GONE:
            return "Running"
        if any(action != "planned" for action in self.actions):
            return "Broken"
        if self.state == "expired" or not self.made - GONE < now < self.made + LIVES:
            self.state = "expired"
            return "Expired"
        return "Claimed"

    def take(self, run: Run, now: float, *, is_broken: bool) -> None:
        """Give the plan to a run."""
        self.state, self.holder, self.beat, self.is_broken = "claimed", run, now, is_broken

    def may(self, run: Run, *, lawful: bool, now: float) -> type[JournalError] | None:
        """Return what is to be raised, or take the sign of life."""
        if self.state != "claimed" or self.holder != run:
            return ClaimLost
        if not lawful:
            return WrongOrder
        self.beat = now
        return None


class Histories(RuleBasedStateMachine):
    """Three processes with a journal each on one file; a run outlives its process, as a message in flight would."""

    runs: Bundle[tuple[str, Run]] = Bundle("runs")

    @initialize()
    def begins(self) -> None:
        """Keep two plans."""
        self.kept = TemporaryDirectory()
        self.clock = ManualClock()
        self.files = [JournalFile(Path(self.kept.name) / "journal-x.sqlite", self.clock) for _ in range(3)]
        self.models: dict[str, Model] = {}
        self.sent: Counter[tuple[str, int]] = Counter()
        for token in ("first", "second"):
            self.files[0].add(plan_of(token, self.clock, ACTIONS))
            self.models[token] = Model(self.now)

    def teardown(self) -> None:
        """Close all."""
        for file in self.files:
            file.close()
        self.kept.cleanup()

    @property
    def now(self) -> float:
        """The wall time."""
        return self.clock.now().timestamp()

    @rule(seconds=st.sampled_from([1, GONE - 1, GONE, LIVES / 2, -1, -GONE, -LIVES]))
    def clock_moves(self, seconds: float) -> None:
        """Let time pass, or have the clock set back."""
        self.clock.jump(seconds)

    @rule(owner=OWNERS)
    def crashes(self, owner: int) -> None:
        """Start a process anew."""
        self.files[owner].close()

    @rule(target=runs, owner=OWNERS, token=TOKENS)
    def claims(self, owner: int, token: str) -> tuple[str, Run] | MultipleResults[tuple[str, Run]]:
        """Claim a plan."""
        model = self.models[token]
        expected = model.claim(self.now)
        answer = self.files[owner].claim(token, str(owner))
        assert type(answer).__name__ == expected
        if not isinstance(answer, Claimed | Broken):
            return multiple()
        if isinstance(answer, Broken):
            assert answer.sending == (model.actions.index("sending") if "sending" in model.actions else None)
        model.take(answer.run, self.now, is_broken=isinstance(answer, Broken))
        return token, answer.run

    @rule(owner=OWNERS, held=runs)
    def beats(self, owner: int, held: tuple[str, Run]) -> None:
        """Give a sign of life."""
        token, run = held
        raised = self.models[token].may(run, lawful=True, now=self.now)
        self.meets(raised, lambda: self.files[owner].heartbeat(run))

    @rule(owner=OWNERS, held=runs, place=PLACES)
    def sends(self, owner: int, held: tuple[str, Run], place: int) -> None:
        """Send an action."""
        token, run = held
        model = self.models[token]
        before = set(ENDED).issuperset(model.actions[:place])
        lawful = not model.is_broken and before and model.actions[place] == "planned"
        raised = model.may(run, lawful=lawful, now=self.now)
        if self.meets(raised, lambda: self.files[owner].sending(run, place)):
            self.sent[token, place] += 1
            model.actions[place] = "sending"

    @rule(owner=OWNERS, held=runs, place=PLACES, ended=st.sampled_from(ENDED))
    def ends(self, owner: int, held: tuple[str, Run], place: int, ended: Settled) -> None:
        """End an action."""
        token, run = held
        model = self.models[token]
        raised = model.may(run, lawful=model.actions[place] == "sending", now=self.now)
        if self.meets(raised, lambda: self.files[owner].done(run, place, ActionState(ended))):
            model.actions[place] = ended

    @rule(owner=OWNERS, held=consumes(runs))
    def finishes(self, owner: int, held: tuple[str, Run]) -> None:
        """Finish a plan."""
        token, run = held
        model = self.models[token]
        raised = model.may(run, lawful="sending" not in model.actions, now=self.now)
        if self.meets(raised, lambda: self.files[owner].finish(run, OUTCOME)):
            model.state = "finished"
            model.actions = ["not_tried" if action == "planned" else action for action in model.actions]

    def meets(self, raised: type[JournalError] | None, work: Callable[[], None]) -> bool:
        """Do the work as the model says that it goes; return whether it was done."""
        if raised is None:
            work()
            return True
        with pytest.raises(raised):
            work()
        return False

    @invariant()
    def is_as_the_model_says(self) -> None:
        """Compare each plan with its model."""
        for token, model in self.models.items():
            entry = self.files[0].find(token)
            assert entry is not None
            assert (entry.state, [action.state for action in entry.actions]) == (model.state, model.actions)
            assert (entry.outcome is not None) == (model.state == "finished")
        assert not self.sent or max(self.sent.values()) == 1


def test_a_history_is_as_the_model_says_and_sends_no_action_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)
    run_state_machine_as_test(Histories, settings=QUICK)


@pytest.mark.soak
def test_any_history_is_as_the_model_says_and_sends_no_action_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)
    run_state_machine_as_test(Histories, settings=WHOLE)
