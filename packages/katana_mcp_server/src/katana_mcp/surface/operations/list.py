"""`list_<plural>`: a page of rows under filters, newest first unless told otherwise."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from cache_core.conditions import Order, Where, hold
from cache_core.protocol import Selected, Selection
from cache_core.records import Json, Record, RecordId
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.live_lookups import Asked
from katana_mcp.references.services import Current, Services, current
from katana_mcp.surface.descriptor import AnyTool, Entity, SingleRows, ToolSpec, View
from katana_mcp.surface.operations.filters import needed, texts_of, used_paths, where
from katana_mcp.surface.operations.nothing import nothing_listed, visibility_of
from katana_mcp.surface.operations.open_values import unknown_values
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.operations.partial_names import completed
from katana_mcp.surface.operations.rows import Sourced, read_of, to_answers
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, first_of, listed_of
from katana_mcp.tools.requests import ListRequest
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.values import rows as rows_of
from katana_mcp.writing.under_way import NONE_KEPT, kept_lanes, states_between

REACH = 10_000
"""Rows that the pages of a list reach where they are merged from several cache entities."""


def list_tool(entity: Entity) -> AnyTool | None:
    """Return the list tool of an entity, or None when it has no list request."""
    if entity.list_request is None:
        return None
    views = _views(entity, entity.list_request())

    async def run(request: ListRequest, services: Services) -> Answer:
        return await _list(entity, request, services)

    return ToolSpec(
        name=f"list_{entity.plural}",
        toolset=entity.toolset,
        description=(
            f"List {entity.titles} with filters — pass `ids=[1,2,3]` to fetch a specific batch by ID "
            f"(cache-backed). {entity.notes.get('list', '')}{_windows(entity.list_request)}"
        ).rstrip(),
        request=entity.list_request,
        answer=listed_of((entity.expanded or next(iter(views.values()))).model),
        run=run,
        reads=_reads(entity, views),
    )


def _windows(request: type[ListRequest]) -> str:
    """Return what is true of every window of dates, once for all of them."""
    dated = any(name.endswith("_from") for name in request.model_fields)
    return " `_from` and `_to` are inclusive; a date is a whole day." if dated else ""


def _views(entity: Entity, request: ListRequest) -> Mapping[str, View]:
    """Return how the rows look, by the cache entity that they come from."""
    if entity.listing is not None:
        return entity.listing(request)
    if entity.single_rows is not None and getattr(request, "rows_only", False):
        return dict.fromkeys(entity.sources, entity.single_rows.view)
    expanded = entity.expanded if getattr(request, "include_rows", False) else None
    return {source: expanded or entity.view(source) for source in entity.sources}


def _reads(entity: Entity, views: Mapping[str, View]) -> tuple[str, ...]:
    shown = (name for view in views.values() for name in (*view.names, *view.parts))
    named = shown if entity.listing else (*entity.reads, *(part for view in views.values() for part in view.parts))
    return tuple(dict.fromkeys((*views, *named)))


async def _list(entity: Entity, request: ListRequest, services: Services) -> Answer:
    views = _views(entity, request)
    now = await current(services, (*_reads(entity, views), *needed(request)), views)
    kept = await kept_lanes(services) if entity.changes_in_steps else NONE_KEPT
    with now.refusals():
        request, notices = await completed(request, services, next(iter(views)) if len(views) == 1 else None)
        find = partial(_found, views, request, services, entity.single_rows)
        found = await find()
        names = _names(tuple(views), request, services)
        if not found.total and now.warming is None and names and await services.lookups.ask(names):
            found = await find()
        # While rows may be missing, nothing found says nothing about what there is.
        nothing = None if found.total or now.warming else await nothing_listed(tuple(views), request, services)
        if nothing is not None and nothing.spelt:
            found = await find(nothing.spelt)
            services.lookups.understood(names if found.total else ())

        async def render(first: int, last: int) -> list[Answer]:
            return await to_answers(lambda source: views[source], await found.window(first, last), services)

        asked = await page_of(f"list_{entity.plural}", request, services, render)
        if len(views) > 1 and asked.first >= REACH:
            message = f"page: the pages of several types reach the first {REACH} rows; name one type"
            raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "page"))
    empty = nothing if nothing is not None and not found.total else None
    page = paged(asked, await render(asked.first, asked.last), found.total, now)
    if len(views) > 1 and page.end >= REACH and "next_actions" in page.fields:
        page.fields["next_actions"] = [
            f"list_{entity.plural}(..., type=...): the pages of several types reach the first {REACH} rows"
        ]
    if empty is not None:
        page.fields["next_actions"] = empty.next_actions(entity)
    return now.answer(
        listed_of(next(iter(views.values())).model),
        *notices,
        *await unknown_values(request, tuple(views), services),
        *_unread(tuple(views), request, now, services),
        *(await states_between(await _shown(found, asked.first, page.end), kept, services) if kept else ()),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=found.missing,
        empty=empty.empty if empty else None,
    )


def _names(sources: Sequence[str], request: ListRequest, services: Services) -> Sequence[Asked]:
    """Return the names that filters want to the letter, by which Katana may be asked."""
    keys = {source: services.syncer.specs[source].key_path for source in sources}
    return [(source, value) for path, value in texts_of(request).values() for source in sources if keys[source] == path]


@dataclass(frozen=True, slots=True)
class _Found:
    """The rows that meet the filters.

    Attributes:
        total: how many there are.
        window: gives those from one index to another.
        missing: ids asked for that do not exist.
    """

    total: int
    window: Callable[[int, int], Awaitable[Sequence[Sourced]]]
    missing: list[int] | None = None


async def _shown(found: _Found, first: int, last: int) -> list[tuple[str, RecordId]]:
    return [(source, row.id) for source, row in await found.window(first, last)]


async def _found(
    views: Mapping[str, View],
    request: ListRequest,
    services: Services,
    single: SingleRows | None,
    spelt: Mapping[str, list[str]] | None = None,
) -> _Found:
    sources, conditions = tuple(views), await where(request, services, spelt)
    if single is not None and getattr(request, "rows_only", False):
        return await _single_rows(sources[0], single, request, conditions, services)
    if request.ids is not None:
        found = await _by_ids(sources, request.ids, services)
        rows = [sourced for sourced in found.values() if hold(conditions, sourced[1].record)]
        return _Found(len(rows), _of(rows), [record_id for record_id in request.ids if record_id not in found] or None)
    visibility, order = visibility_of(request), _order(sources, request)

    def reading(source: str, first: int, last: int) -> Selected:
        fields = read_of(views[source])
        fields = None if fields is None else fields | {order.field}
        return Selected(source, Selection(conditions, order, last - first, first, visibility, fields=fields))

    async def read(reads: Sequence[Selected]) -> list[Sourced]:
        found = await services.cache.read(reads)
        return [(asked.entity, row) for asked, rows in zip(reads, found, strict=True) for row in rows]

    async def one_source(first: int, last: int) -> Sequence[Sourced]:
        return await read([reading(sources[0], first, last)])

    async def merged(first: int, last: int) -> Sequence[Sourced]:
        rows = await read([reading(source, 0, min(last, REACH)) for source in sources])
        return _merged(rows, order)[first : min(last, REACH)]

    total = sum([await services.cache.count(source, conditions, visibility) for source in sources])
    return _Found(total, one_source if len(sources) == 1 else merged)


async def _single_rows(
    source: str, single: SingleRows, request: ListRequest, conditions: Where, services: Services
) -> _Found:
    """Return the rows of the documents that meet the filters, in the order of their documents.

    Raises:
        Refused: more documents than are looked through.
    """
    missing: list[int] | None = None
    if request.ids is not None:
        by_id = await _by_ids((source,), request.ids, services)
        documents = [row for _, row in by_id.values() if hold(conditions, row.record)]
        missing = [record_id for record_id in request.ids if record_id not in by_id] or None
    else:
        selection = Selection(conditions, _order((source,), request), REACH + 1, 0, visibility_of(request))
        documents = await services.cache.select(source, selection)
    if len(documents) > REACH:
        message = f"rows_only: more than {REACH:,} {titled(source)}s have such rows; narrow the filters"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "rows_only"))
    stem = f"{single.path}[]."
    own = [
        replace(condition, field=condition.field.removeprefix(stem))
        for condition in conditions
        if condition.field.startswith(stem)
    ]
    row_conditions = [*own, *(single.open if getattr(request, "open", None) else ())]
    rows = [
        (source, document._replace(record=_with_row(document.record, row)))
        for document in documents
        for row in rows_of(document.record, single.path)
        if hold(row_conditions, row)
    ]
    return _Found(len(rows), _of(rows), missing)


def _with_row(document: Record, row: Record) -> dict[str, Json]:
    return cast("dict[str, Json]", {**document, "row": row})


def _of(rows: Sequence[Sourced]) -> Callable[[int, int], Awaitable[Sequence[Sourced]]]:
    async def window(first: int, last: int) -> Sequence[Sourced]:
        return rows[first:last]

    return window


def _order(sources: Sequence[str], request: ListRequest) -> Order:
    key = getattr(request, "order_by", None) or ("-id" if len(sources) == 1 else "-created_at")
    return Order(key.removeprefix("-"), key.startswith("-"))


def _unread(sources: Sequence[str], request: ListRequest, now: Current, services: Services) -> list[ToolWarning]:
    """Return what filters and order could not read of the rows."""
    order = [] if request.ids is not None else [_order(sources, request).field]
    paths = list(used_paths(request, services.clock.now()))
    own = [*(path for entity, path in paths if entity is None), *order]
    used = dict.fromkeys(sources, own)
    for entity, path in paths:
        if entity is not None:
            used[entity] = [*used.get(entity, ()), path]
    return unread_warnings(now, used)


def _merged(rows: Sequence[Sourced], order: Order) -> list[Sourced]:
    """Return the rows in one order by a text or a moment: as each cache entity has it, nulls last, ties by id."""

    def standing(sourced: Sourced) -> tuple[bool, str, int | str, str]:
        value = text(sourced[1].record, order.field)
        return ((value is None) is not order.descending, value or "", sourced[1].id, sourced[0])

    return sorted(rows, key=standing, reverse=order.descending)


async def _by_ids(sources: Sequence[str], ids: Sequence[int], services: Services) -> dict[int, Sourced]:
    """Return the rows by id, in the order asked.

    Raises:
        Refused: several cache entities have a record with one of the ids.
    """
    found = [(source, row) for source in sources for row in (await services.cache.get_many(source, ids)).rows]
    missing = set(ids) - {row.id for _, row in found}
    if missing and await services.lookups.ask([(source, unknown) for source in sources for unknown in missing]):
        found = [(source, row) for source in sources for row in (await services.cache.get_many(source, ids)).rows]
    by_id: dict[int | str, list[Sourced]] = {}
    for sourced in found:
        by_id.setdefault(sourced[1].id, []).append(sourced)
    shared = [
        f"{record_id} ({', '.join(source for source, _ in rows)})" for record_id, rows in by_id.items() if len(rows) > 1
    ]
    if shared:
        message = f"ids: several types have {first_of(sorted(shared), 5)}; name one type"
        raise Refused(blocking(warning_codes.AMBIGUOUS_NAME, message, "ids"))
    return {record_id: by_id[record_id][0] for record_id in ids if record_id in by_id}
