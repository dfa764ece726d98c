"""A write that is planned: its tool, all that its preview says, what the journal keeps, and when there is no token."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Self

import pytest
from small_account import AS_OF, Account, Fresh

from cache_core.records import iso
from cache_core.testing import START
from katana_client import Priority
from katana_mcp.journal.entries import LIFE, Plan, digest_of
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.planning import (
    WRITING,
    changes_of,
    planning_tool,
    tool_name,
    workflow_tools,
    write_tool,
)
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.writing.actions import Action
from katana_mcp.writing.change import Change, Draft
from katana_mcp.writing.preview import FieldChange, PlanLine, Preview

TOOL = "create_customer"
READ_ONLY = "; read-only mode: it cannot be applied here"
UNWRITTEN = "; nothing is written before apply_plan"


class Asked(Request):
    """What is asked for."""

    name: str = "Ann"
    note: str | None = None
    expected_arrival_date: datetime | None = None


class Shown(Preview):
    """A preview with a field of its own."""

    rank: int | None = None


class Patient(Fresh):
    """Reads that a plan waits for."""

    def waiting(self, seconds: Callable[[], float]) -> Self:
        """Return the same."""
        assert seconds() == 35
        return self


@dataclass
class Journal:
    """Plans that were kept, unless it is broken."""

    kept: list[Plan] = field(default_factory=list[Plan])
    is_broken: bool = False

    async def kept_lanes(self) -> dict[str, int]:
        """Return that nobody keeps a lane."""
        if self.is_broken:
            raise JournalBusy("the journal is busy")
        return {}

    async def add(self, plan: Plan) -> None:
        """Keep a plan."""
        if self.is_broken:
            raise JournalBusy("the journal is busy")
        self.kept.append(plan)


def in_turn(priority: Priority) -> AbstractContextManager[None]:
    """Let requests of a plan go first."""
    assert priority is Priority.WRITE
    return nullcontext()


MAKE = Action(title="make Ann", method="POST", path="/customers", body={"name": "Ann"}, entity="customer")
BACK: dict[str, object] = {"tool": "delete_customer", "arguments": {"id": 1}}
DRAFT = Draft(summary="new customer Ann", actions=(MAKE,), revert=BACK)


@dataclass
class Desk:
    """Where a plan is made.

    Attributes:
        account: what it is made of.
        journal: where it is kept.
        draft: the plan.
        warnings: what speaks against it.
        takes: seconds that it takes to read what it needs.
        refusal: why it cannot be read.
    """

    account: Account = field(default_factory=Account)
    journal: Journal = field(default_factory=Journal)
    draft: Draft = DRAFT
    warnings: Sequence[ToolWarning] = ()
    takes: float = 0
    refusal: ToolWarning | None = None

    def __post_init__(self) -> None:
        self.account.fresh = Patient(self.account.clock)
        self.account.parts |= {"journal": self.journal, "client": SimpleNamespace(priority=in_turn), "principal": "bob"}

    @property
    def change(self) -> Change[Asked, int]:
        """The one change that there is."""

        async def gather(request: Asked, services: Services) -> int:
            self.account.clock.advance(self.takes)
            if self.refusal is not None:
                raise Refused(self.refusal)
            assert services.tenant == "factory"
            return len(request.name)

        def plan(request: Asked, facts: int) -> Draft:
            assert len(request.name) == facts
            return self.draft

        def checks(request: Asked, facts: int) -> Sequence[ToolWarning]:
            assert len(request.name) == facts
            return self.warnings

        return Change(request=Asked, gather=gather, plan=plan, checks=checks, reads=("customer",), answer=Shown)

    async def ask(self, **asked: object) -> Shown:
        """Return the preview."""
        tool = planning_tool(TOOL, "sales", "", self.change)
        answer = await tool.run(Asked.model_validate(asked), self.account.services)
        assert isinstance(answer, Shown)
        return answer


def said(answer: Preview) -> dict[str, Any]:
    """Return all that a preview holds."""
    return answer.model_dump(mode="json", exclude_none=True)


def refused(answer: Shown, message: str, warnings: Sequence[ToolWarning]) -> bool:
    """Return whether a preview has no token, says this, and warns of that."""
    has_no_token = (answer.plan_token, answer.expires_at, answer.next_actions) == (None, None, [])
    return has_no_token and (answer.message, answer.warnings) == (message, list(warnings))


def described(tool: Any) -> dict[str, object]:  # noqa: ANN401 - a tool of any request
    """Return a tool without what it does."""
    return {item.name: getattr(tool, item.name) for item in fields(tool) if item.name != "run"}


def test_the_tools_of_an_entity_plan_what_it_can_be_written_by() -> None:
    change, other = replace(Desk().change, what=" with its address"), Desk().change
    entity = Entity(
        name="sales_order",
        plural="sales_orders",
        toolset="sales",
        sources=("sales_order",),
        searched=(),
        writes={"create": change, "delete": other},
        workflows={"ship_it": (other, "Ship it.")},
        notes={"create": "A note."},
    )
    shared = {
        "toolset": "sales",
        "request": Asked,
        "answer": Shown,
        "reads": ("customer",),
        "open_world": True,
        "read_only": True,
        "destructive": False,
        "plans": True,
        "on_request": False,
        "shows_dates": True,
    }
    ends = "nothing is written.\n\nShows its requests and a `plan_token` for `apply_plan`."
    made = {verb: write_tool(verb, entity) for verb in WRITING}
    assert (tuple(made), made["modify"]) == (("create", "modify", "delete"), None)
    assert described(made["create"]) == {
        **shared,
        "name": "create_sales_order",
        "description": f"Plan to create one sales order with its address; {ends} A note.",
    }
    assert described(made["delete"]) == {
        **shared,
        "name": "delete_sales_order",
        "description": f"Plan to delete one sales order; {ends}",
    }
    (workflow,) = workflow_tools(entity)
    assert described(workflow) == {**shared, "name": "ship_it", "description": "Ship it."}
    assert tool_name("modify", entity) == "modify_sales_order"
    everything: Mapping[str, object] = changes_of((entity, replace(entity, name="x", workflows={})))
    assert everything == {
        "create_sales_order": change,
        "delete_sales_order": other,
        "create_x": change,
        "delete_x": other,
        "ship_it": other,
    }


async def test_a_preview_shows_the_whole_plan_and_a_token_for_it() -> None:
    late = advisory("late", "due 2026-03-01T12:00:00.000Z")
    note = ToolWarning(severity="info", code="note", message="by the way")
    draft = replace(
        DRAFT,
        id=4,
        number="C-4",
        status="open",
        own={"rank": 3, "unknown": 1},
        lines=(PlanLine(sku="BOLT", quantity=Decimal("2.5")),),
        changes=(FieldChange(field="note", new="x"),),
        linked=("PO-1",),
        lanes=("customer 4",),
        touches={"customer": {"id": 4}},
        stock=("BOLT at North: 2 → 4.5",),
    )
    desk = Desk(draft=draft, warnings=(late, note))
    answer = await desk.ask(name="Bea", note=None)
    token = answer.plan_token
    assert token is not None
    assert said(answer) == {
        "as_of": AS_OF,
        "warnings": [warning.model_dump(mode="json", exclude_none=True) for warning in (late, note)],
        "next_actions": [f"apply_plan(plan_tokens=['{token}'])"],
        "is_preview": True,
        "message": f"stock of BOLT at North: 2 → 4.5. new customer Ann{UNWRITTEN}",
        "id": 4,
        "number": "C-4",
        "status": "open",
        "stock": ["BOLT at North: 2 → 4.5"],
        "lines": [{"sku": "BOLT", "quantity": 2.5}],
        "changes": [{"field": "note", "new": "x"}],
        "linked": ["PO-1"],
        "requests": [{"title": "make Ann", "method": "POST", "path": "/customers", "body": '{"name":"Ann"}'}],
        "plan_token": token,
        "expires_at": iso(START + LIFE),
        "rank": 3,
    }
    days = desk.account.services.days
    assert desk.journal.kept == [
        Plan(
            digest=digest_of(token),
            tool=TOOL,
            tenant="factory",
            principal="bob",
            created_at=START,
            expires_at=START + LIFE,
            summary="new customer Ann",
            content=draft.content,
            actions=(MAKE.to_json(),),
            shown=draft.as_dict([days.in_words(late.message)]),
            request={"name": "Bea", "note": None},
            touches={"customer": {"id": 4}},
            lanes=("customer 4",),
        )
    ]


async def test_a_preview_without_rows_and_changes_leaves_them_out() -> None:
    answer = await Desk().ask()
    assert (answer.lines, answer.changes, answer.rank, answer.warnings) == (None, None, None, [])
    assert answer.message == f"new customer Ann{UNWRITTEN}"


async def test_what_is_not_there_is_said_before_what_moves() -> None:
    short = [advisory("insufficient_stock", "BOLT: 2 short"), advisory("other", "late")]
    desk = Desk(
        draft=replace(DRAFT, stock=("NUT: 2 → 1",)), warnings=[*short, advisory("insufficient_stock", "NUT: 1")]
    )
    message = f"BOLT: 2 short; NUT: 1. stock of NUT: 2 → 1. new customer Ann{UNWRITTEN}"
    assert (await desk.ask()).message == message


async def test_what_speaks_against_a_plan_leaves_it_without_a_token_and_without_requests() -> None:
    against = [advisory("x", "late"), blocking("y", "no such thing", "name"), blocking("z", "nor this")]
    desk = Desk(warnings=against)
    answer = await desk.ask()
    assert refused(answer, "cannot be applied: no such thing", against)
    assert (answer.requests, desk.journal.kept) == ([], [])


async def test_a_plan_that_sends_nothing_has_no_token() -> None:
    desk = Desk(draft=replace(DRAFT, actions=(), revert=None))
    assert refused(await desk.ask(), f"new customer Ann{UNWRITTEN}", [])
    assert desk.journal.kept == []


async def test_where_nothing_is_ever_written_a_plan_is_shown_without_a_token() -> None:
    desk = Desk()
    desk.account.parts["read_only"] = True
    answer = await desk.ask()
    assert refused(answer, f"new customer Ann{READ_ONLY}", [])
    assert (len(answer.requests), desk.journal.kept) == (1, [])


@pytest.mark.parametrize(("why", "told"), [("", ""), ("it is gone", " (it is gone)")], ids=["no reason", "reason"])
async def test_a_plan_without_a_way_back_says_so(why: str, told: str) -> None:
    answer = await Desk(draft=replace(DRAFT, revert=None, one_way=why)).ask()
    message = f"this cannot be fully undone{told}: there will be no revert"
    assert answer.warnings == [advisory("no_way_back", message)]
    assert answer.plan_token is not None


async def test_a_plan_that_cannot_be_kept_has_no_token() -> None:
    desk = Desk(journal=Journal(is_broken=True))
    warning = blocking("journal_unavailable", "the journal is busy")
    assert refused(await desk.ask(), "cannot be applied: the journal is busy", [warning])


async def test_a_plan_that_is_too_large_or_cannot_be_read_whole_has_no_token() -> None:
    desk = Desk(draft=replace(DRAFT, lines=(PlanLine(), PlanLine())))
    desk.account.parts["most_lines"] = 1
    message = "the plan has 2 lines, but a plan may have only 1 (KATANA_MCP_MAX_PLAN_LINES): plan it in parts"
    assert refused(await desk.ask(), f"cannot be applied: {message}", [blocking("plan_too_large", message)])
    long = replace(DRAFT, actions=(replace(MAKE, body={"name": "x" * 40_000}),))
    answer = await Desk(draft=long).ask()
    (warning,) = answer.warnings
    assert warning.message.endswith("so it cannot be shown completely: plan it in parts, or do it in Katana")
    assert refused(answer, f"cannot be applied: {warning.message}", [blocking("plan_too_large", warning.message)])


@pytest.mark.parametrize(("status", "is_told"), [("RECEIVED", False), ("open", True), (None, True)])
async def test_goods_expected_in_the_past_are_told_unless_they_came(status: str | None, *, is_told: bool) -> None:
    desk = Desk(draft=replace(DRAFT, status=status))
    answer = await desk.ask(expected_arrival_date=START - timedelta(days=3))
    assert [warning.code for warning in answer.warnings] == (["past_arrival_date"] if is_told else [])


@pytest.mark.parametrize(("takes", "wait"), [(0, 0.8), (0.5, 0.3), (3, 0)])
async def test_a_plan_waits_a_moment_for_its_rows_and_judges_by_them(takes: float, wait: float) -> None:
    desk = Desk(warnings=[blocking("not_found", "no Ann")], takes=takes)
    desk.account.clock.advance(50)
    desk.account.warming("customer")
    message = "no Ann among the records cached so far (1/5); ask again in a moment"
    answer = await desk.ask()
    assert [(warning.code, warning.message) for warning in answer.warnings if warning.severity == "blocking"] == [
        ("cold_cache", message)
    ]
    assert (answer.message, answer.warming) == (f"cannot be applied: {message}", "1/5")
    assert desk.account.fresh.ensured == [(("customer",), pytest.approx(wait), ())]


async def test_a_refusal_says_how_current_the_rows_are() -> None:
    desk = Desk(refusal=blocking("not_found", "no Ann", "name"))
    with pytest.raises(Refused) as refusal:
        await desk.ask()
    assert refusal.value.warnings == (blocking("not_found", "no Ann", "name"),)
    assert refusal.value.envelope == {"as_of": AS_OF}
    assert desk.account.fresh.ensured == [(("customer",), 0, ())]
