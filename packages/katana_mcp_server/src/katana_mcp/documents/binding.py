"""What a plan is bound to: its document, who else is called so, what it comes to, and records that it takes from."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from katana_mcp.documents.declaration import Field, Writable
from katana_mcp.documents.states import names_in
from katana_mcp.documents.transition import State, Transition
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.change import HAVING, USED
from katana_mcp.writing.totals import NO_TOTALS, Totals

CALLED = "others with the name"
"""The part of `touches` that holds the ids of other documents with the name of this one."""


def used(doc: Writable, change: Transition) -> list[tuple[str, int]]:
    """Return each record that a plan takes from, by cache entity and id: what is named or sent, and prices."""
    asked = [(entity, change.facts.one(entity, value)) for _, entity, value in names_in(doc, change.asked)]
    named = [(entity, record.id) for entity, record in asked if record is not None]
    return list(dict.fromkeys([*named, *_items_of(doc, change), *_sent(doc, change), *doc.uses(change)]))


def _items_of(doc: Writable, change: Transition) -> Iterator[tuple[str, int]]:
    """Yield the items by whose names variants are named: a variant does not say how its item is called."""
    for _, entity, value in names_in(doc, change.asked):
        record = change.facts.references.get((entity, value))
        if record is not None and record.item is not None:
            yield record.item


def _sent(doc: Writable, change: Transition) -> Iterator[tuple[str, int]]:
    """Yield what the fields that are sent name: a default tax rate is among them, though nobody asked for it."""
    states: list[tuple[Sequence[Field], State]] = [(doc.head, change.head)]
    for part in doc.parts:
        diff = change.sent[part.held]
        states += [(part.fields, row) for row in (*diff.adds, *diff.updates.values())]
    for fields, state in states:
        values = [(field.names, state.get(field.name)) for field in fields if field.names]
        yield from ((entity, value) for entity, value in values if isinstance(value, int))


def touches(doc: Writable, change: Transition, totals: Totals) -> JsonObject:
    """Return what a plan depends on; stock is only shown, and not in it."""
    facts = change.facts
    found: dict[str, object] = {} if change.before is None else {"record": facts.record}
    records: dict[str, list[object]] = {}
    for entity, key in used(doc, change):
        record = facts.with_id(entity, key)
        records.setdefault(entity, []).append({"id": key} if record is None else asdict(record))
    if records:
        found[USED] = records
    if totals != NO_TOTALS:
        found["amounts"] = asdict(totals)
    if change.after is not None:
        found[HAVING if doc.key.prefix else CALLED] = list(facts.others)
    return {**found, **doc.binds(change)}
