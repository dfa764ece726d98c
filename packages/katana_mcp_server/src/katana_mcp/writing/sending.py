"""One planned action sent once, and the truth about how it ended. Never sends anything twice."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, cast

from cache_core.errors import CacheError, SourceUnavailable
from cache_core.protocol import own_write_stands
from cache_core.records import RecordId, as_id, canonical, is_set, iso, values_at
from cache_core.spec import EntitySpec
from cache_core.specs.stock import STOCK
from cache_core.sync import Part, Syncer
from katana_client import KatanaClient
from katana_client.answers import rows_of
from katana_client.errors import InvalidRequest, KatanaError, KatanaUnavailable, RateLimited, RequestRejected
from katana_client.exchange import Body, Call
from katana_client.filters import FilterValue
from katana_client.normalise import normalise
from katana_client.page import Page
from katana_client.sending import Answer
from katana_client.wire import ReadModel
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, info
from katana_mcp.values import get_int, rows
from katana_mcp.writing.actions import SAFE_AGAIN, Action
from katana_mcp.writing.meaning import all_same, differing, holds, model_of
from katana_mcp.writing.preview import value_in_words

if TYPE_CHECKING:
    from katana_client.collection import Collection

_CERTAINLY_NOT = (RequestRejected, RateLimited, KatanaUnavailable, InvalidRequest)
"""Katana refused it, or it never left."""
_OK, _NO_CONTENT = 200, 204
_FOR_STOCK = 5.0
"""Seconds that an outcome waits for the stock that was moved."""


class Listing(Protocol):
    """A collection that can be listed."""

    spec: Any

    async def page(self, number: int, **filters: FilterValue) -> Page[Any]:
        """Return one page."""
        ...

    def pages(self, **filters: FilterValue) -> AsyncIterator[Page[Any]]:
        """Yield all pages."""
        ...


async def send(action: Action, answers: Mapping[int, JsonObject], client: KatanaClient) -> ActionState:
    """Send an action, and look up what became of it where no answer says so.

    Args:
        action: what to send.
        answers: of the actions before it, for its references.
        client: sends.
    """
    try:
        action = action.resolved(answers)
    except LookupError as error:
        return ActionState("failed", error=lacking(error))
    try:
        answer = await client.send(Call(action.method, action.path, (), cast("Body | None", action.body)))
    except _CERTAINLY_NOT as error:
        return ActionState("failed", error=str(error))
    except KatanaError as error:
        return await look_up_in_katana(action, client, str(error))
    record = _record(action, answer.value, client) if action.is_answered else None
    if _is_katanas(action, answer, record):
        return ActionState("applied", record)
    why = f"Katana's answer ({answer.reply.status}) does not show what was written"
    return await look_up_in_katana(action, client, why, is_said=True)


def _is_katanas(action: Action, answer: Answer, record: JsonObject | None) -> bool:
    """Return whether an answer says that it was done: a page of a gateway comes with the same status.

    Katana answers a deletion with 204 and nothing, anything else with a record that has an id, or with the ids that it
    was sent. What a 200 says of a deletion, or leaves out, anybody may have said: it is believed when the record is
    gone.
    """
    if action.answers_many and action.is_answered:
        made = [as_id(row.get("id")) for row in rows_of(answer)]
        return len(made) == action.answers_many and None not in made
    is_empty = answer.reply.status == _NO_CONTENT and answer.reply.complete and not answer.reply.body.strip()
    if action.answers_ids:
        return is_empty or _holds_all_ids(action, answer)
    if action.answers_body:
        return answer.reply.status == _OK and holds(model_of(action.collection), action.fields, _fields(answer))
    if action.method == "DELETE" or not action.is_answered:
        return is_empty
    return record is not None and as_id(record.get("id")) is not None


def _holds_all_ids(action: Action, answer: Answer) -> bool:
    """Return whether an answer lists all the ids that were sent, among others maybe."""
    sent, listed = (fields.get(action.answers_ids) for fields in (action.fields, _fields(answer)))
    if answer.reply.status != _OK or not isinstance(listed, list):
        return False
    listed_ids = {as_id(value) for value in cast("list[object]", listed)}
    return all(as_id(value) in listed_ids for value in cast("list[object]", sent))


def _fields(answer: Answer) -> JsonObject:
    return cast("JsonObject", answer.value) if isinstance(answer.value, dict) else {}


def lacking(error: LookupError) -> str:
    """Return why an action was not sent whose references lead nowhere."""
    return f"an earlier answer of Katana does not contain the value it needs: {error}"


async def look_up_in_katana(action: Action, client: KatanaClient, why: str, *, is_said: bool = False) -> ActionState:
    """Return how an action ended whose outcome nobody saw: applied where Katana shows it, else unknown.

    Katana's listings can lag minutes behind a write, so one that does not show it proves nothing. What is deleted may
    leave no trace: where the answer was a success, a listing that counts none is believed. So is one of all that is
    live, where it leaves out a record that is old enough to be on every replica. What lies in several rows, and may
    be repeated, was done where each of them shows it.

    Args:
        action: what was sent, or may have been.
        client: reads.
        why: what is known of the failure.
        is_said: whether a status said that it was done.
    """
    look = action.recognise
    if look is None:
        message = "this action cannot be looked up in Katana"
        message = f"{message}; {SAFE_AGAIN}" if action.is_repeatable else message
        return ActionState("unknown", error=why or None, look_up={"found": message})
    filters = cast("dict[str, FilterValue]", dict(look.filters))
    listing = cast("Listing", getattr(client, look.collection))
    if action.method == "DELETE" and "include_deleted" in listing.spec.filters:
        filters["include_deleted"] = True  # what a listing leaves out may be there: only a tombstone proves a deletion
    if "include_archived" in listing.spec.filters:
        filters["include_archived"] = True  # what is archived is there all the same
    asked = f"GET /{look.collection} {', '.join(f'{name}={value}' for name, value in filters.items())}".rstrip()
    try:
        page = await listing.page(1, **filters)
    except KatanaError as error:
        return ActionState("unknown", error=why or None, look_up={"asked": asked, "error": str(error)})
    own_id = listing.spec.key[0]
    rows = [record for record in page.valid_records if record.get(own_id) not in look.besides]
    if action.answers_many:
        return _many_looked_up(action, [canonical(row) for row in rows], asked, why)
    fitting = [row for row in rows if _fits(action, canonical(row))]
    look_up = {"asked": asked, "rows": len(rows), "as_planned": len(fitting)}
    if action.is_repeatable and rows and len(fitting) == len(rows):
        return ActionState("applied", None, None, look_up)  # one row for each place: all are as planned
    is_gone = is_said and action.method == "DELETE" and page.total_records == 0
    is_gone = is_gone or (bool(look.since) and _is_left_out(action, page, client.clock.now()))
    if len(fitting) == 1 or is_gone:
        return ActionState("applied", None if action.method == "DELETE" else canonical(fitting[0]), None, look_up)
    return ActionState("unknown", None, why, look_up)


def _is_left_out(action: Action, page: Page[Any], now: datetime) -> bool:
    """Return whether a whole listing lacks what was deleted, which was made so long ago that none lags behind that."""
    made = "" if action.recognise is None else action.recognise.since
    is_whole = page.total_records == page.count == len(page.valid_records)
    is_there = any(as_id(record.get("id")) == action.record for record in page.valid_records)
    return action.method == "DELETE" and is_whole and not is_there and not own_write_stands(made, iso(now))


def _many_looked_up(action: Action, found: Sequence[JsonObject], asked: str, why: str) -> ActionState:
    """Return how an action ended that makes many records: applied where each of them is there, once."""
    (expected,) = (cast("list[JsonObject]", value) for value in action.expects.values())
    model = _looked_up_as(action)
    mine = [row for row in found if any(holds(model, record, row) for record in expected)]
    look_up = {"asked": asked, "rows": len(found), "as_planned": len(mine)}
    is_there = all_same(model, [*expected], [*mine])
    return ActionState("applied", None, None, look_up) if is_there else ActionState("unknown", None, why, look_up)


def _fits(action: Action, found: JsonObject) -> bool:
    if action.pending and found.get(action.pending) is True:
        return True
    return is_as_planned(action, found) and (action.method != "DELETE" or is_set(found, "deleted_at"))


def is_as_planned(action: Action, found: JsonObject) -> bool:
    """Return whether a record is what an action was to make of it, each field compared by what it is."""
    return holds(_looked_up_as(action), action.expects, found)


def _looked_up_as(action: Action) -> type[ReadModel]:
    """Return the declaration of what the listing that tells of an action holds."""
    return model_of(action.collection if action.recognise is None else action.recognise.collection)


def surprises(action: Action, state: ActionState) -> list[ToolWarning]:
    """Return what Katana's answer says otherwise than was planned."""
    found = (state.result or {}) if action.is_answered else {}
    return [
        advisory(
            warning_codes.UNEXPECTED_RESULT,
            f"{action.title}: {name} is {value_in_words(found[name])}, not {value_in_words(action.expects[name])}",
        )
        for name in (differing(model_of(action.collection), action.expects, found) if found else ())
    ]


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
        await syncer.delete_through(action.entity, action.record or 0)
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
    return [*warnings, *(_not_shown(f"{entity}s: what changed along could not be read yet") for entity in unread)]


async def read_stock_back(done: Sequence[tuple[Action, ActionState]], services: Services) -> list[ToolWarning]:
    """Read the stock anew that applied actions moved, where it is cached; return that it is not shown yet."""
    if await services.stock.planning(_FOR_STOCK).read_moved(await _goods(done, services)):
        return []
    return [_not_shown("the stock that this changed could not be read again yet")]


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
    message = f"{what}; the next sync brings it"
    return info(warning_codes.CACHE_WRITE_FAILED, message)


def _record(action: Action, value: object, client: KatanaClient) -> JsonObject | None:
    if not isinstance(value, dict):
        return None
    collection = cast("Collection", getattr(client, action.collection))
    return canonical(normalise(cast("dict[str, object]", value), collection.spec.model))
