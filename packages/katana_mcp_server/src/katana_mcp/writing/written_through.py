"""What was written is in the cache at once: records, parts of documents, and the stock that they moved."""

from collections.abc import Collection, Mapping, Sequence

from cache_core.conditions import OneOf, Order, Where, Within
from cache_core.errors import CacheError, SourceUnavailable
from cache_core.protocol import Selection
from cache_core.records import RecordId, canonical, values_at
from cache_core.spec import EntitySpec
from cache_core.specs.inventory_movements import CAUSES, INVENTORY_MOVEMENT
from cache_core.specs.stock import STOCK
from cache_core.sync import Part, Syncer
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, info
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import Action

_FOR_STOCK = 5.0
"""Seconds that an outcome waits for the stock that was moved."""
_MOST_MOVEMENTS = 1_000
"""Movements that an outcome reads again at most: four requests."""
_UNTIL_AUDIT = "other balances may be old, and count undone movements, until an audit"
_SOLD, _BUILT, _CAUSE = "sales_order", "Production", "caused_by_resource_id"
"""What kits are built for, how their movements are called, and what names the order by which they were built."""


async def put_through(action: Action, state: ActionState, services: Services) -> list[ToolWarning]:
    """Let the cache show an applied action at once; return why it does not where that fails."""
    try:
        await _put(action, state.result or {}, services.syncer)
    except (SourceUnavailable, CacheError) as error:
        return [_not_shown(f"{action.title}: the cache does not show it yet ({error})")]
    return []


async def _put(action: Action, answer: JsonObject, syncer: Syncer) -> None:
    document = document_of(action, answer, syncer.specs)
    if action.entity not in syncer.specs:
        return
    if document is not None:
        await syncer.put_part(action.entity, document, part_of(action, answer))
    elif action.method == "DELETE":
        if action.record is not None:
            await syncer.delete_through(action.entity, action.record)
    elif answer:
        record = {**answer, **action.implies}
        children = syncer.specs[action.entity].children
        # An update may be answered with no rows at all, which says nothing of them.
        is_new = action.method == "POST" and action.record is None
        covered = [child for child in children if record.get(child) or (child in answer and is_new)]
        knows = None if is_new and len(covered) == len(children) else covered
        await syncer.write_through(action.entity, canonical(record), knows=knows, is_new=is_new)
        for name, entity in action.embeds.items():
            for row in rows(answer, name):
                await syncer.write_through(entity, canonical(row), is_new=True)


def document_of(action: Action, answer: JsonObject, specs: Mapping[str, EntitySpec]) -> RecordId | None:
    """Return the id of the document that an action changed a part of; None where it changed a whole record."""
    if action.part is None:
        return None
    parent = next(feed.parent for feed in specs[action.entity].feeds if feed.collection == action.part)
    found = answer.get(parent)
    return found if isinstance(found, int) else action.record


def part_of(action: Action, answer: JsonObject) -> Part:
    """Return the part that an action wrote, as Katana answered it."""
    gone = action.method == "DELETE"
    return Part(action.part or "", canonical({"id": action.row} if gone else answer), gone)


async def read_back(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
    """Read each document anew that applied actions changed in parts; return what the cache does not show yet."""
    specs = services.syncer.specs
    changed: dict[tuple[str, int], list[Part]] = {}
    gone = {
        (deletion.entity, deletion.record)
        for deletion, _ in done
        if deletion.method == "DELETE" and deletion.part is None
    }
    for action, state in done:
        answer = state.result or {}
        for entity, record in _written(action, answer, specs):
            is_led = (entity, record) == action.document
            if (specs[entity].feeds or is_led) and (entity, record) not in gone:
                parts = changed.setdefault((entity, record), [])
                parts += [part_of(action, answer)] if document_of(action, answer, specs) is not None else []
    warnings: list[ToolWarning] = []
    for (entity, record), parts in changed.items():
        try:
            await services.syncer.read_back(entity, record, _last(parts))
        except (SourceUnavailable, CacheError) as error:
            warnings.append(_not_shown(f"{entity} {record}: its totals could not be read again yet ({error})"))
    along = dict.fromkeys(entity for action, _ in done for entity in action.refreshes)
    unread = [entity for entity in along if not await services.fresh.read_newest(entity)]
    levels = sorted({variant for action, _ in done if action.entity == STOCK.name for variant in _levels(action)})
    if levels and (await services.stock.planning(_FOR_STOCK).read_again(levels)).reason:
        unread.append(STOCK.name)
    return [*warnings, *(_not_shown(f"{entity}s: related changes could not be read yet") for entity in unread)]


async def read_stock_back(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
    """Read the stock anew that applied actions moved, where it is cached; return that it is not shown yet."""
    if await services.stock.planning(_FOR_STOCK).read_moved(await _goods(done, services)):
        return []
    return [_not_shown("the stock that this changed could not be read again yet")]


async def read_ledger_back(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
    """Take the movements of deleted documents out of the ledger, and read those anew that changed with them.

    What is taken back leaves no trace, and Katana need not tell of the balances that follow it. Movements of documents
    that only changed are asked for as well; returned is that this could not be done.
    """
    try:
        is_read, is_whole = await _read_movements(done, services)
    except CacheError:
        is_read, is_whole = False, True
    late = "the stock ledger could not be read again yet: what was taken back may count in it until an audit"
    part = (
        f"more than {_MOST_MOVEMENTS:,} movements of the stock ledger change with this, and only those were read again"
    )
    return [
        *([] if is_read else [info(warning_codes.CACHE_WRITE_FAILED, late)]),
        *([] if is_whole else [advisory(warning_codes.LEDGER_IN_DOUBT, f"{part}: {_UNTIL_AUDIT}")]),
    ]


async def _read_movements(done: Sequence[tuple[Action, ActionState]], services: Services) -> tuple[bool, bool]:
    """Return whether all that was asked for was read again, and whether that was all that there is."""
    documents = {
        document
        for action, state in done
        if action.method != "POST"
        for document in _written(action, state.result or {}, services.syncer.specs)
    }
    deleted = {(action.entity, action.record) for action, _ in done if action.method == "DELETE" and not action.part}
    gone = await _caused(documents & deleted, services)
    changed = await _caused(documents - deleted, services)
    if any(entity == _SOLD for entity, _ in documents):
        changed |= await _caused(await _built_for({**gone, **changed}, services), services)
    after, is_whole = await _after({**gone, **changed}, services)
    for movement_id in gone:
        await services.syncer.delete_through(INVENTORY_MOVEMENT.name, movement_id)
    ids = [movement_id for movement_id in after if movement_id not in gone]
    is_read = not ids or await services.fresh.read_again(INVENTORY_MOVEMENT.name, ids, taken_back=changed)
    return is_read, is_whole and max(len(gone), len(changed)) <= _MOST_MOVEMENTS


type _Place = tuple[tuple[object, object], str]
"""The variant and location of a movement, and its date."""
type _Moved = dict[RecordId, _Place]
"""Movements by id."""


async def _caused(documents: Collection[tuple[str, int]], services: Services) -> _Moved:
    """Return the cached movements of these documents."""
    found: _Moved = {}
    for cause in {entity for entity, _ in documents}:
        kinds = OneOf("resource_type", tuple(kind for kind, entity in CAUSES.items() if entity == cause))
        ids = OneOf("caused_by_resource_id", tuple(record for entity, record in documents if entity == cause))
        found |= await _movements((kinds, ids), services)
    return found


async def _built_for(movements: _Moved, services: Services) -> set[tuple[str, int]]:
    """Return the orders by which Katana has built, on the spot, what these movements took: it takes kits apart again.

    Nothing but goods, place and moment tells them; one more that is read again costs nothing else.
    """
    variants = tuple({variant for (variant, _), _ in movements.values() if isinstance(variant, int)})
    dates = sorted(date for _, date in movements.values()) or [""]
    where = (OneOf("resource_type", (_BUILT,)), OneOf("variant_id", variants), Within(_DATE, dates[0], dates[-1]))
    selection = Selection(where, Order("id"), _MOST_MOVEMENTS, fields=_PLACE | {_CAUSE})
    made = [row.record for row in await services.cache.select(INVENTORY_MOVEMENT.name, selection)] if variants else []
    places = set(movements.values())
    causes = {get_int(record, _CAUSE) for record in made if _place(record) in places}
    return {(CAUSES[_BUILT], cause) for cause in causes if cause is not None}


async def _after(movements: _Moved, services: Services) -> tuple[list[RecordId], bool]:
    """Return these and the cached movements whose balances follow from them, and whether these are all."""
    if not movements:
        return [], True
    first: dict[tuple[object, object], str] = {}
    for pair, date in movements.values():
        first[pair] = min(first.get(pair, date), date)
    variants = tuple({variant for variant, _ in first if isinstance(variant, int)})
    later = (OneOf("variant_id", variants), Within(_DATE, min(first.values())))
    found = await _movements(later, services)
    ids = [movement_id for movement_id, (pair, date) in found.items() if pair in first and date >= first[pair]]
    return ids[:_MOST_MOVEMENTS], len(found) <= _MOST_MOVEMENTS


async def _movements(where: Where, services: Services) -> _Moved:
    selection = Selection(where, Order("id"), _MOST_MOVEMENTS + 1, fields=_PLACE)
    return {row.id: _place(row.record) for row in await services.cache.select(INVENTORY_MOVEMENT.name, selection)}


def _place(record: JsonObject) -> _Place:
    return (record.get("variant_id"), record.get("location_id")), text(record, _DATE) or ""


_DATE = "movement_date"
_PLACE = frozenset(("id", "variant_id", "location_id", _DATE))


def _levels(action: Action) -> list[int]:
    """Return the variants of which an action sets levels."""
    sent = action.body if isinstance(action.body, list) else [action.fields]
    return [key for record in sent if (key := get_int(record, "variant_id")) is not None]


async def _goods(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[int]:
    """Return the variants that the documents of applied actions name now."""
    specs, ids = services.syncer.specs, dict[str, set[int]]()
    for action, state in done:
        for entity, record in _written(action, state.result or {}, specs):
            if specs[entity].moves:
                ids.setdefault(entity, set()).add(record)
    found = dict[int, None]()
    for entity, records in ids.items():
        for row in (await services.cache.get_many(entity, list(records))).rows:
            values = (value for path in specs[entity].moves for value in values_at(row.record, path))
            found.update((value, None) for value in values if isinstance(value, int))
    return list(found)


def _written(action: Action, answer: JsonObject, specs: Mapping[str, EntitySpec]) -> list[tuple[str, int]]:
    """Return the documents that an action made or changed, itself or a part of it, by cache entity and id."""
    document = document_of(action, answer, specs)
    record = document if document is not None else action.record or answer.get("id")
    found = [(action.entity, record)] if isinstance(record, int) and action.entity in specs else []
    return [*found, *([] if action.document is None else [action.document])]


def _last(parts: Sequence[Part]) -> list[Part]:
    """Return the last state of each part."""
    return list({(part.collection, part.record.get("id")): part for part in parts}.values())


def _not_shown(what: str) -> ToolWarning:
    message = f"{what}; the next sync reads it"
    return info(warning_codes.CACHE_WRITE_FAILED, message)
