"""What a plan of a document needs: the document, others that are called like it, and all that the request names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from cache_core.conditions import EVERYTHING, OneOf, Order
from cache_core.protocol import Selection, Stored
from cache_core.records import Record, RecordId, canonical
from katana_client.errors import KatanaError
from katana_client.filters import FilterValue
from katana_mcp.documents.binding import used
from katana_mcp.documents.custom_fields import definitions
from katana_mcp.documents.declaration import Writable
from katana_mcp.documents.states import named_in, names_in, part_id, transition
from katana_mcp.documents.transition import Facts, Transition
from katana_mcp.references.display_names import VARIANT_ENTITIES, text, titled
from katana_mcp.references.item_codes import Owners, other_owners
from katana_mcp.references.resolve import (
    as_they_are_now,
    live_record,
    live_with_key,
    named_first,
    one_record,
    read_anew,
    resolved,
    unasked,
)
from katana_mcp.references.services import Services, current
from katana_mcp.references.wording import Named, given_or_next, named, variants
from katana_mcp.surface.descriptor import Verb
from katana_mcp.surface.operations.get import of_ids, rows_beside
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused
from katana_mcp.values import get_int, id_in, number, rows
from katana_mcp.writing.duplicates import Repeated, lines_of, possible_duplicates
from katana_mcp.writing.meaning import holds, model_of

if TYPE_CHECKING:
    from katana_mcp.writing.lost_answers import Listing

type Asked = tuple[str, int | str]


async def gather(doc: Writable, verb: Verb, request: Request, services: Services) -> Facts:
    """Read what a plan needs; changes nothing."""
    await read_anew(services, services.anew)
    asked = named_in(request)
    entities = names_of(doc, "create" if verb == "create" else "modify")
    subject = () if verb == "create" else (doc.entity,)
    named_goods = [value for entity, value in _named_in(doc, asked) if entity == "variant"] if verb == "create" else []
    began = services.clock.monotonic()
    without = await _read_first(named_goods, services)
    main = [entity for entity in (*subject, *entities) if entity not in without]
    left = services.waited(services.clock.monotonic() - began)
    await current(left, (doc.entity, *expanded(entities), *doc.reads.get(verb, ())), main, without)
    if verb == "delete":
        await _check_alone(doc, asked[doc.id], services)
    found = await (_of_new if verb == "create" else _of_old)(doc, asked, services)
    facts = replace(found, days=services.days, definitions=await definitions(doc, asked, services))
    change = transition(doc, verb, request, facts)
    if change.before is None and doc.parties:
        facts = replace(facts, repeated=await possible_duplicates(_likeness(doc, change), services))
    facts = await doc.gather(replace(change, facts=facts), services)
    records = used(doc, transition(doc, verb, request, facts))
    unread = [record for record in records if facts.with_id(*record) is None]
    return replace(facts, references={**facts.references, **await references(services, unread)})


def names_of(doc: Writable, verb: Verb) -> tuple[str, ...]:
    """Return the cache entities of what a request may name."""
    fields = [*doc.head, *(field for part in doc.parts if verb == "create" or part.collection for field in part.fields)]
    return tuple(dict.fromkeys(field.names for field in fields if field.names and verb in field.verbs))


def expanded(entities: Iterable[str]) -> tuple[str, ...]:
    """Return what these entities are read from: variants with their items."""
    return tuple(name for entity in entities for name in (VARIANT_ENTITIES if entity == "variant" else (entity,)))


async def _read_first(goods: Sequence[int | str], services: Services) -> Sequence[str]:
    """Return what a new document does not wait for: goods, where Katana has all that it names before their listing.

    Only a live variant's SKU and an id mean nothing else; what else a text may name is known once all are listed.
    """
    found = await named_first(goods, services) if goods else None
    if found is None or any(not _is_sku(query, rows) for query, rows in found.items() if isinstance(query, str)):
        return ()
    by_id = [row for query, rows in found.items() if isinstance(query, int) for row in rows]
    skus = list(dict.fromkeys(sku for row in by_id if (sku := text(row.record, "sku"))))
    # Others may share the SKU of what is named by id, which is to be told.
    return VARIANT_ENTITIES if not skus or await services.fresh.read_keys_again("variant", skus) else ()


def _is_sku(query: str, found: Sequence[Stored]) -> bool:
    return all(row.record.get("sku") == query and not (row.deleted or row.archived) for row in found)


async def _of_new(doc: Writable, asked: Mapping[str, object], services: Services) -> Facts:
    given, name = asked.get(doc.key.name), doc.key.name
    called = given if isinstance(given, str) else None
    facts = Facts()
    if doc.key.prefix:
        facts = Facts(numbered=await given_or_next(services, doc.entity, called, name, doc.key.prefix))
    elif called is not None:
        taken = await live_with_key(services, doc.entity, called)
        namesakes = await _ever_called(doc, called, services)
        facts = Facts(taken=taken, namesakes=tuple(sorted({*taken, *namesakes})))
    return replace(facts, references=await references(services, _named_in(doc, asked), doc.codes))


async def _ever_called(doc: Writable, called: str, services: Services) -> tuple[int, ...]:
    """Return the ids of the cached documents that have this name, deleted ones too."""
    selection = Selection((OneOf(doc.key.name, (called,)),), Order("id"), _MOST, visibility=EVERYTHING)
    return tuple(row.id for row in await services.cache.select(doc.entity, selection) if isinstance(row.id, int))


_MOST = 10_000


async def _check_alone(doc: Writable, subject: object, services: Services) -> None:
    """Have Katana say who has a name by which something is to be deleted: the cache may not know of the second yet.

    Raises:
        Refused: Katana does not say.
    """
    if isinstance(subject, str) and not doc.key.prefix and doc.find is None and id_in(subject) is None:
        await live_with_key(services, doc.entity, subject)


async def _of_old(doc: Writable, asked: Mapping[str, object], services: Services) -> Facts:
    subject, called = asked[doc.id], asked.get(doc.key.name)
    stored = await live_record(
        services, doc.entity, await _found(doc, subject if isinstance(subject, int) else str(subject), services)
    )
    having = await live_with_key(services, doc.entity, called) if isinstance(called, str) else ()
    return Facts(
        record=stored.record,
        deleted=stored.deleted,
        taken=tuple(record_id for record_id in having if record_id != stored.id),
        references=await references(services, _named_in(doc, asked), doc.codes),
    )


async def _found(doc: Writable, subject: int | str, services: Services) -> Stored:
    if doc.find is not None:
        return await doc.find(services, subject)
    return await one_record(services, doc.entity, subject, doc.key.words)


def _named_in(doc: Writable, asked: Mapping[str, object]) -> list[Asked]:
    return [(entity, value) for _, entity, value in names_in(doc, asked)]


async def references(services: Services, asked: Sequence[Asked], codes: Sequence[str] = ()) -> dict[Asked, Named]:
    """Return what is named by id or name, by what names it; Katana is asked at once for all that is not cached.

    Args:
        services: the tenant's services.
        asked: entities, each with an id or a name.
        codes: what variants may be called by besides their SKU and id.
    """
    goods = [value for entity, value in dict.fromkeys(asked) if entity == "variant"]
    owners = await other_owners(goods, services, codes)
    if owners and services.anew:
        owners = await _owners_now(goods, services, codes)
    if asked:
        await resolved(services, asked, [("variant", owner) for owner in owners])
    found: dict[Asked, Named] = {}
    if goods:
        found |= {("variant", variant.asked): variant for variant in await variants(services, goods, owners)}
    for entity, value in dict.fromkeys(asked):
        if entity != "variant":
            found[entity, value] = await named(services, entity, value)
    return found


async def _owners_now(goods: Sequence[int | str], services: Services, codes: Sequence[str]) -> Owners:
    """Return the same for an apply, for which another may have been given the code a moment ago.

    Raises:
        Refused: Katana does not say.
    """
    if not await services.fresh.read_newest("variant"):
        raise Refused(unasked("which variants have the codes of the rows now"))
    return await other_owners(goods, services, codes)


async def rows_now(
    services: Services, entity: str, mine: tuple[str, int], **filters: FilterValue
) -> tuple[Record, ...]:
    """Return the rows of a document as they are in Katana now: those that are cached, and any other that it lists.

    Args:
        services: of the tenant.
        entity: of the rows.
        mine: the field in which each names its document, and the id of that.
        filters: what narrows Katana's listing to them.

    Raises:
        Refused: Katana does not say.
    """
    name, key = mine
    where, collection = of_ids(name, key), services.syncer.specs[entity].collection
    cached = await rows_beside(services, entity, where)
    listing = cast("Listing", getattr(services.client, collection))
    try:
        listed = [canonical(record) async for page in listing.pages(**filters) for record in page.valid_records]
    except KatanaError:
        raise Refused(unasked(f"which {titled(entity)}s {key} has now")) from None
    stored, shown, model = _by_id(cached), _by_id(listed), model_of(collection)
    same = {
        record_id for record_id in stored.keys() & shown.keys() if holds(model, shown[record_id], stored[record_id])
    }
    unlike = [record_id for record_id in stored | shown if record_id not in same]
    if not unlike:
        return tuple(cached)
    leaves_trace = "deleted_at" in model.model_fields
    gone = {
        record_id
        for record_id in stored
        if not (leaves_trace or record_id in shown or services.syncer.wrote(entity, record_id))
    }
    await as_they_are_now(services, entity, [record_id for record_id in unlike if record_id not in gone])
    return tuple(row for row in await rows_beside(services, entity, where) if part_id(row) not in gone)


def _by_id(found: Iterable[Record]) -> dict[RecordId, Record]:
    return {part_id(row): row for row in found}


def _likeness(doc: Writable, change: Transition) -> Repeated:
    held = doc.parts[0].held
    moved = rows(change.new, held)
    return Repeated(
        entity=doc.entity,
        number=doc.key.name,
        rows=held,
        party={name: get_int(change.new, name) for name in doc.parties},
        lines=lines_of((get_int(row, "variant_id"), number(row, "quantity")) for row in moved),
    )
