"""How a declared document is created, changed and deleted: each verb as a `Change`, all from the declaration."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.binding import touches
from katana_mcp.documents.checks import checks
from katana_mcp.documents.declaration import Writable
from katana_mcp.documents.gathering import expanded, gather, names_of
from katana_mcp.documents.shown import changes, lines, summary
from katana_mcp.documents.states import transition
from katana_mcp.documents.steps import id_of, steps
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.undo_call import one_way, way_back
from katana_mcp.references.display_names import text
from katana_mcp.references.numbers import Numbered
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.change import AnyChange, Change, Draft, name_lane, number_lane, record_lane
from katana_mcp.writing.stock_moves import described


def writes(doc: Writable) -> dict[Verb, AnyChange]:
    """Return how a document is written, by verb."""
    verbs: tuple[Verb, ...] = ("create", "modify", "delete")
    return {verb: _change(doc, verb) for verb in verbs}


def completed(change: AnyChange, whole: Callable[[Request, Facts], Request]) -> AnyChange:
    """Return a change of which each request is completed by what was read, before a plan is made of it."""

    def plan_whole(request: Request, facts: Facts) -> Draft:
        return change.plan(whole(request, facts), facts)

    def check_whole(request: Request, facts: Facts) -> Sequence[ToolWarning]:
        return change.checks(whole(request, facts), facts)

    return replace(change, plan=plan_whole, checks=check_whole)


def _change(doc: Writable, verb: Verb) -> AnyChange:
    names = () if verb == "delete" else expanded(names_of(doc, verb))
    is_counted = verb == "create" and bool(doc.key.prefix)
    return Change(
        request=request_of(doc, verb),
        gather=partial(gather, doc, verb),
        plan=partial(plan, doc, verb),
        checks=partial(_checks, doc, verb),
        reads=(doc.entity, *names, *doc.reads.get(verb, ())),
        renumbered=_renumbered if is_counted else None,
        what=doc.what[verb],
        answer=doc.answers[verb],
    )


def _renumbered(facts: Facts, numbered: Numbered) -> Facts:
    return replace(facts, numbered=numbered)


def _checks(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Sequence[ToolWarning]:
    return checks(doc, transition(doc, verb, request, facts))


def plan(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Draft:
    """Return the plan of a request; without actions where a name is not known."""
    change = transition(doc, verb, request, facts)
    shown = draft(doc, change, summary(doc, change))
    if facts.deleted:
        return shown
    sent, numbered = steps(doc, change), facts.numbered
    return replace(
        shown,
        actions=sent,
        touches=touches(doc, change, shown.totals),
        assigned={} if numbered is None else numbered.assigned(doc.key.name),
        linked=doc.linked(change),
        stock=described(doc.moves(change), facts.levels),
        revert=way_back(doc, change, sent),
        one_way=one_way(doc, change) or "",
    )


def draft(doc: Writable, change: Transition, message: str) -> Draft:
    """Return what a person is shown of a document after a change, without what is sent; `message` sums it up."""
    shown = lines(doc, change)
    return Draft(
        summary=message,
        lanes=tuple(_lanes(doc, change)),
        id=None if change.before is None else id_of(change.before),
        number=doc.name(change.subject) if doc.key.prefix else None,
        status=text(change.subject, "status"),
        own=_ids(doc, change),
        lines=tuple(line for part_lines in shown.values() for line in part_lines),
        totals=doc.totals(shown),
        currency=doc.currency(change),
        changes=tuple(changes(doc, change)),
        prior_state=None if change.before is None else {**_besides(doc, change.before), **(change.facts.record or {})},
    )


def _ids(doc: Writable, change: Transition) -> dict[str, int]:
    """Return the ids of what a document names."""
    named = {field.name: change.subject.get(field.name) for field in doc.head if field.names}
    return {name: value for name, value in named.items() if isinstance(value, int)}


def _besides(doc: Writable, document: State) -> State:
    """Return the parts of a document that its record does not hold."""
    return {part.held: document[part.held] for part in doc.parts if part.entity}


def _lanes(doc: Writable, change: Transition) -> Sequence[str]:
    lanes = [] if change.before is None else [record_lane(doc.entity, id_of(change.before))]
    is_called = change.after is not None and (change.before is None or change.asked.get(doc.key.name) is not None)
    if is_called:
        name = doc.name(change.new)
        lanes.append(number_lane(doc.entity) if doc.key.prefix else name_lane(doc.entity, name))
    return [*lanes, *doc.lanes(change)]
