"""How a declared document is created, changed and deleted: each verb as a `Change`, all from the declaration."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from katana_mcp.descriptor import Verb
from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.checks import checks
from katana_mcp.documents.declaration import Writable
from katana_mcp.documents.gathering import expanded, gather, names_of
from katana_mcp.documents.reverting import one_way, way_back
from katana_mcp.documents.shown import changes, lines, summary
from katana_mcp.documents.states import names_in, transition
from katana_mcp.documents.steps import id_of, steps
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.names import text
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import HAVING, AnyChange, Change, Draft, name_lane, number_lane, record_lane
from katana_mcp.writing.numbers import Numbered
from katana_mcp.writing.stock_moves import described

CALLED = "others with the name"
"""The part of `touches` that holds the ids of other documents with the name of this one."""


def writes(doc: Writable) -> dict[Verb, AnyChange]:
    """Return how a document is written, by verb."""
    verbs: tuple[Verb, ...] = ("create", "modify", "delete")
    return {verb: _change(doc, verb) for verb in verbs}


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
    )


def _renumbered(facts: Facts, numbered: Numbered) -> Facts:
    return replace(facts, numbered=numbered)


def _checks(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Sequence[ToolWarning]:
    return checks(doc, transition(doc, verb, request, facts))


def plan(doc: Writable, verb: Verb, request: Request, facts: Facts) -> Draft:
    """Return the plan of a request; without actions where a name is not known."""
    change = transition(doc, verb, request, facts)
    sent, shown = steps(doc, change), lines(doc, change)
    numbered = facts.numbered
    return Draft(
        summary=summary(doc, change),
        actions=sent,
        touches=_touches(doc, change),
        lanes=tuple(_lanes(doc, change)),
        assigned={} if numbered is None else numbered.assigned(doc.key.name),
        id=None if change.before is None else id_of(change.before),
        number=doc.name(change.subject) if doc.key.prefix else None,
        status=text(change.subject, "status"),
        lines=tuple(line for each in shown.values() for line in each),
        totals=doc.totals(shown),
        currency=doc.currency(change),
        changes=tuple(changes(doc, change)),
        linked=doc.linked(change),
        stock=described(doc.moves(change), facts.levels),
        prior_state=None if change.before is None else {**_besides(doc, change.before), **(facts.record or {})},
        revert=way_back(doc, change, sent),
        one_way=one_way(doc, change) or "",
    )


def _besides(doc: Writable, document: State) -> State:
    """Return the parts of a document that its record does not hold."""
    return {each.held: document[each.held] for each in doc.parts if each.entity}


def _touches(doc: Writable, change: Transition) -> JsonObject:
    """Return what a plan depends on: the document, who else is called so, and all that the request names."""
    facts = change.facts
    found: dict[str, object] = {} if change.before is None else {"record": facts.record}
    known = [facts.one(entity, asked) for _, entity, asked in names_in(doc, change.asked)]
    named = [asdict(each) for each in known if each is not None]
    if named:
        found["named"] = named
    if change.after is not None:
        found[HAVING if doc.key.prefix else CALLED] = list(facts.others)
    return {**found, **doc.binds(change)}


def _lanes(doc: Writable, change: Transition) -> Sequence[str]:
    lanes = [] if change.before is None else [record_lane(doc.entity, id_of(change.before))]
    is_called = change.after is not None and (change.before is None or change.asked.get(doc.key.name) is not None)
    if is_called:
        name = doc.name(change.new)
        lanes.append(number_lane(doc.entity) if doc.key.prefix else name_lane(doc.entity, name))
    return lanes
