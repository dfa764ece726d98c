"""A plan is checked on fresh facts before it is sent: what fits, what has changed, and why it may not be applied."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Self, cast

import pytest

from cache_core.protocol import Standing, SyncState
from cache_core.testing import ManualClock
from katana_mcp.journal.entries import GONE_AFTER, LIFE, ActionState, Answered, Entry, Plan, PlanState
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking, info
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import SAGA, USED, Change, Changes, Draft
from katana_mcp.writing.checking import Checked, check_again, declined, entry_of_token, is_free, refuse_over

CLOCK = ManualClock()
NUMBER = Numbered(number="PO-7")
TOOL = "create_purchase_order"


class Asked(Request):
    """What is asked for."""

    note: str


@dataclass(frozen=True)
class Facts:
    """What is read of Katana, and what is said against the plan then."""

    status: str = "open"
    price: int = 3
    title: str = "new order"
    number: Numbered = NUMBER
    warnings: tuple[ToolWarning, ...] = ()
    actions: int = 1
    saga: Mapping[str, object] | None = None


@dataclass
class Journal:
    """A journal that keeps why plans were refused, unless it is busy, and finds one entry."""

    found: Entry | None = None
    is_busy: bool = False
    noted: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    async def refused(self, entry: int, why: str) -> None:
        """Keep why."""
        if self.is_busy:
            raise JournalBusy("held")
        self.noted.append((entry, why))

    async def expire(self, entry: int) -> None:
        """Keep that it is over."""
        if self.is_busy:
            raise JournalBusy("held")
        self.noted.append((entry, "expired"))

    async def find(self, token: str) -> Entry | None:
        """Return the entry."""
        return self.found if token == "token" else None


@dataclass
class Reads:
    """Everything that gathering asks for; nothing is cold."""

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        """Return that all were read."""
        return dict.fromkeys(entities, Standing(SyncState(completed_at="2026"), quarantined=False))

    def waiting(self, seconds: Callable[[], float]) -> Self:
        """Return the same."""
        assert seconds() > 0
        return self

    def priority(self, priority: object) -> AbstractContextManager[None]:
        """Do nothing."""
        assert priority
        return nullcontext()


def services(**parts: object) -> Services:
    """Return services with these parts."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    reads = Reads()
    usual = {"cache": reads, "fresh": reads, "client": reads, "clock": CLOCK, "journal": Journal(), "tenant": "factory"}
    return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), **usual, "principal": "ann", **parts}))


def drafted(request: Asked, facts: Facts) -> Draft:
    """Return what is planned of these facts."""
    action = Action(
        title=facts.title,
        method="POST",
        path="/purchase_orders",
        entity="purchase_order",
        body={"order_no": facts.number.number, "price": facts.price, "note": request.note},
    )
    saga = {} if facts.saga is None else {SAGA: {**facts.saga, "number": facts.number.number}}
    return Draft(
        summary=f"order {facts.number.called}",
        actions=(action,) * facts.actions,
        touches={"order": {"status": facts.status}, USED: {"variant": [{"id": 7}, {"id": 8}]}} | saga,
        assigned=facts.number.assigned("order_no"),
        number=facts.number.number,
    )


def changes(facts: Callable[[], Facts], seen: list[Services] | None = None, *, counts: bool = True) -> Changes:
    """Return the one change that there is, which reads these facts."""

    async def gather(request: Asked, services: Services) -> Facts:
        assert request.note == "x"
        if seen is not None:
            seen.append(services)
        return facts()

    return {
        TOOL: Change(
            request=Asked,
            gather=gather,
            plan=drafted,
            checks=lambda _, facts: facts.warnings,
            renumbered=(lambda facts, number: replace(facts, number=number)) if counts else None,
        )
    }


def entry(facts: Facts, advisories: Sequence[str] | None = None, state: PlanState = "planned") -> Entry:
    """Return the entry of a plan that was made of these facts."""
    draft = drafted(Asked(note="x"), facts)
    plan = Plan(
        digest="digest",
        tool=TOOL,
        tenant="factory",
        principal="ann",
        created_at=CLOCK.now(),
        expires_at=CLOCK.now() + LIFE,
        summary=draft.summary,
        content=draft.content,
        actions=tuple(draft.sent),
        shown=draft.as_dict(advisories),
        request={"note": "x"},
        touches=draft.touches,
    )
    return Entry(id=3, plan=plan, state=state, actions=(ActionState(),) * len(plan.actions))


async def refusal(kept: Entry, known: Changes, **parts: object) -> tuple[list[ToolWarning], list[tuple[int, str]]]:
    """Return with which warnings a plan is refused, and what the journal keeps of it."""
    journal = Journal()
    with pytest.raises(Refused) as raised:
        await check_again(kept, services(**{"journal": journal, **parts}), known)
    return list(raised.value.warnings), journal.noted


def stale(why: str, summary: str = "order PO-7") -> ToolWarning:
    """Return that a plan does not fit any more."""
    again = f"plan it again with {TOOL}"
    message = f"{summary}: not applied, because of a change after the preview: {why}; {again}"
    return blocking(warning_codes.STALE_PLAN, message, "plan_tokens")


async def test_a_plan_that_fits_is_sent_as_it_was_kept_and_reads_anew_what_it_takes_from() -> None:
    kept, seen = entry(Facts()), list[Services]()
    checked = await check_again(kept, services(), changes(Facts, seen))
    assert checked == Checked(kept.plan, [])
    assert checked.plan is kept.plan
    assert [one.anew for one in seen] == [{"variant": [7, 8]}]


async def test_a_plan_that_takes_from_nothing_reads_nothing_anew() -> None:
    kept, seen = entry(Facts()), list[Services]()
    bare = replace(kept, plan=replace(kept.plan, touches={}))
    with pytest.raises(Refused):
        await check_again(bare, services(), changes(lambda: Facts(status="done"), seen))
    assert [one.anew for one in seen] == [{}]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (Facts(status="done"), "order.status: open → done"),
        (Facts(price=4), "new order.price: 3 → 4"),
        (Facts(status="done", price=4), "new order.price: 3 → 4, order.status: open → done"),
        (Facts(title="another"), "a record that the plan uses was changed"),
        (Facts(actions=2), "a record that the plan uses was changed"),
    ],
)
async def test_what_has_changed_since_the_preview_is_told_and_kept(facts: Facts, why: str) -> None:
    warning = stale(why)
    assert await refusal(entry(Facts()), changes(lambda: facts)) == ([warning], [(3, warning.message)])


async def test_a_refusal_that_the_journal_cannot_keep_is_told_all_the_same() -> None:
    warnings, _ = await refusal(entry(Facts()), changes(lambda: Facts(price=4)), journal=Journal(is_busy=True))
    assert warnings == [stale("new order.price: 3 → 4")]


async def test_a_tool_that_is_gone_applies_no_plan() -> None:
    warning = stale(f"{TOOL} is no longer there")
    assert await refusal(entry(Facts()), {}) == ([warning], [(3, warning.message)])


async def test_what_speaks_against_a_plan_by_now_refuses_it() -> None:
    against = [blocking("not_found", "no such supplier", "rows"), blocking("no_change", "nothing to do")]
    facts = Facts(warnings=(advisory("x", "late"), *against))
    warning = stale("no such supplier")
    assert await refusal(entry(Facts()), changes(lambda: facts)) == ([warning, *against], [(3, warning.message)])


async def test_what_is_no_longer_there_refuses_a_plan_and_what_cannot_be_read_says_only_that() -> None:
    def failing(code: str) -> Callable[[], Facts]:
        def read() -> Facts:
            raise Refused(blocking(code, "no such order"), advisory("x", "y"))

        return read

    warning = stale("no such order")
    gone = [blocking(warning_codes.NOT_FOUND, "no such order"), advisory("x", "y")]
    assert await refusal(entry(Facts()), changes(failing(warning_codes.NOT_FOUND))) == (
        [warning, *gone],
        [(3, warning.message)],
    )
    unread = [blocking(warning_codes.KATANA_UNAVAILABLE, "no such order"), advisory("x", "y")]
    assert await refusal(entry(Facts()), changes(failing(warning_codes.KATANA_UNAVAILABLE))) == (unread, [])


async def test_only_what_was_not_said_before_is_said_now() -> None:
    warnings = (advisory("a", "old"), advisory("b", "at 2026-03-02T00:00:00Z"), advisory("c", "new"), info("d", "e"))
    checked = await check_again(
        entry(Facts(), ["old", "at 2026-03-02"]), services(), changes(lambda: Facts(warnings=warnings))
    )
    assert checked.warnings == [advisory("c", "new")]
    first = await check_again(entry(Facts()), services(), changes(lambda: Facts(warnings=warnings[:1])))
    assert first.warnings == [advisory("a", "old")]


async def test_a_plan_that_became_too_large_is_refused() -> None:
    message = "the plan has 1 requests, but only 0 may be sent in a minute (KATANA_MCP_MAX_WRITES_PER_MINUTE)"
    large = blocking(warning_codes.PLAN_TOO_LARGE, f"{message}: plan it in parts")
    assert await refusal(entry(Facts()), changes(Facts), most_writes=0) == ([large], [])


OPEN = Numbered(number="PO-7", is_open=True)


@pytest.mark.parametrize(
    ("saga", "touched"),
    [(None, "PO-7"), ({"goal": 1}, "PO-9")],
)
async def test_a_number_that_was_left_open_is_the_next_free_one_by_now(
    saga: Mapping[str, object] | None, touched: str
) -> None:
    shown = Facts(number=OPEN, saga=saga and {})
    kept = entry(shown, ["old"])
    now = Facts(number=Numbered(number="PO-9", is_open=True), saga=saga and {})
    checked = await check_again(kept, services(), changes(lambda: now))
    final = drafted(Asked(note="x"), replace(now, number=Numbered(number="PO-9")))
    touches = final.touches if saga else kept.plan.touches
    assert checked.plan == replace(
        kept.plan,
        summary="order PO-9",
        actions=tuple(final.sent),
        shown=replace(final, assigned={"order_no": "PO-9"}).as_dict(["old"]),
        touches=touches,
    )
    assert cast("dict[str, Any]", touches).get(SAGA, {"number": "PO-7"})["number"] == touched


async def test_a_number_that_cannot_be_chosen_again_is_compared_as_it_is() -> None:
    kept = entry(Facts(number=OPEN))
    now = Facts(number=Numbered(number="PO-9", is_open=True))
    warnings, _ = await refusal(kept, changes(lambda: now, counts=False))
    assert warnings == [stale("new order.order_no: PO-7 → PO-9", "order PO-7 (the next free number as of now)")]
    same = await check_again(kept, services(), changes(lambda: Facts(number=OPEN), counts=False))
    assert same.plan is kept.plan


EXPIRED = blocking(
    warning_codes.EXPIRED_PLAN,
    f"order PO-7: the plan has expired and nothing was written; plan it again with {TOOL}",
    "plan_tokens",
)


async def test_an_expired_plan_is_not_checked() -> None:
    late = ManualClock(CLOCK.now() + LIFE)
    kept = entry(Facts())
    assert await refusal(kept, changes(Facts), clock=late) == ([EXPIRED], [(kept.id, "expired")])
    assert await refusal(kept, changes(Facts), clock=late, journal=Journal(is_busy=True)) == ([EXPIRED], [])


@pytest.mark.parametrize(
    ("after", "must_confirm", "answer", "code"),
    [
        (LIFE - timedelta(seconds=1), False, None, None),
        (LIFE, False, None, warning_codes.EXPIRED_PLAN),
        (timedelta(0), True, "accepted", None),
        (timedelta(0), True, None, warning_codes.CONFIRMATION_REQUIRED),
        (timedelta(0), True, "asked", warning_codes.CONFIRMATION_REQUIRED),
        (timedelta(0), False, "asked", None),
    ],
)
async def test_a_plan_that_is_over_or_has_no_yes_is_refused(
    after: timedelta, must_confirm: bool, answer: Answered | None, code: str | None
) -> None:
    parts = services(clock=ManualClock(CLOCK.now() + after), must_confirm=must_confirm)
    kept = replace(entry(Facts()), answer=answer)
    if code is None:
        await refuse_over(kept, parts)
        return
    with pytest.raises(Refused) as raised:
        await refuse_over(kept, parts)
    unconfirmed = (
        "order PO-7: KATANA_MCP_CONFIRM=required: a person must confirm, and this client cannot ask one: nothing was "
        "written; apply the same token from a client that can ask the user (elicitation)"
    )
    warning = EXPIRED if code == warning_codes.EXPIRED_PLAN else blocking(code, unconfirmed, "plan_tokens")
    assert raised.value.warnings == (warning,)


def test_a_plan_that_a_person_declined_is_over() -> None:
    message = f"order PO-7: a person declined it and nothing was written; plan it again with {TOOL}"
    assert declined(entry(Facts()).plan) == blocking(warning_codes.DECLINED_PLAN, message, "plan_tokens")


@pytest.mark.parametrize(
    ("state", "sent", "silent", "free"),
    [
        ("planned", False, timedelta(0), True),
        ("claimed", False, GONE_AFTER, True),
        ("claimed", False, GONE_AFTER - timedelta(seconds=1), False),
        ("claimed", True, GONE_AFTER, False),
        ("finished", False, GONE_AFTER, False),
        ("expired", False, GONE_AFTER, False),
    ],
)
def test_a_plan_is_free_that_nobody_claimed_or_whose_owner_is_gone_and_sent_nothing(
    state: PlanState, sent: bool, silent: timedelta, free: bool
) -> None:
    kept = entry(Facts(), state=state)
    actions = (ActionState("sending" if sent else "planned"),)
    assert is_free(replace(kept, actions=actions, beat_at=CLOCK.now() - silent), services()) is free


@pytest.mark.parametrize(
    ("token", "tenant", "principal", "is_found"),
    [
        ("token", "factory", "ann", True),
        ("other", "factory", "ann", False),
        ("token", "another", "ann", False),
        ("token", "factory", "bob", False),
    ],
)
async def test_a_token_is_good_for_the_caller_and_the_account_that_it_was_given_to(
    token: str, tenant: str, principal: str, is_found: bool
) -> None:
    kept = entry(Facts())
    parts = services(journal=Journal(kept), tenant=tenant, principal=principal)
    if is_found:
        assert await entry_of_token(token, parts) is kept
        return
    message = "no plan of this account and caller has this token: plan it again and use the new token"
    with pytest.raises(Refused) as raised:
        await entry_of_token(token, parts)
    assert raised.value.warnings == (blocking(warning_codes.UNKNOWN_PLAN, message, "plan_tokens"),)
    with pytest.raises(Refused) as raised:
        await entry_of_token(token, parts._replace(sandbox=True))
    ends = "a sandbox that a server starts for itself ends with it, and so do its plans"
    assert raised.value.warnings == (blocking(warning_codes.UNKNOWN_PLAN, f"{message}; {ends}", "plan_tokens"),)
