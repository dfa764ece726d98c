"""`search_<plural>`: the best rows for a text that a person typed, or an empty state that helps."""

from collections.abc import Sequence

from cache_core.protocol import Hit, Search, SearchResult
from cache_core.text import parse
from katana_mcp.descriptor import AnyTool, Entity, ToolSpec
from katana_mcp.near import near_misses
from katana_mcp.operations.rows import shown
from katana_mcp.services import Current, Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Empty, fitting, found_of
from katana_mcp.tools.requests import SearchRequest
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking


def search_tool(entity: Entity) -> AnyTool | None:
    """Return the search tool of an entity."""

    async def run(request: SearchRequest, services: Services) -> Answer:
        return await _search(entity, request, services)

    return ToolSpec(
        name=f"search_{entity.plural}",
        toolset=entity.toolset,
        description=_description(entity),
        request=SearchRequest,
        answer=found_of(entity.summary.model),
        run=run,
    )


def _description(entity: Entity) -> str:
    note = entity.notes.get("search", "")
    places = ", ".join(entity.searched)
    return (
        f"Search {entity.titles} by any text a person would type.\n\n"
        f"Pass one text as ``query`` — it is looked for in {places}; several words must all match. {note}"
    ).rstrip()


async def _search(entity: Entity, request: SearchRequest, services: Services) -> Answer:
    if not parse(request.query).tokens:
        message = f"query {request.query[:40]!r} holds no letter and no digit to search for"
        raise Refused(blocking(warning_codes.NOTHING_TO_SEARCH, message, "query"))
    now = await current(services, (*entity.sources, *entity.reads), entity.sources)
    search = Search(request.query, limit=request.limit)
    results = [(source, await services.cache.search(source, search)) for source in entity.sources]
    hits = [(source, hit) for source, result in results for hit in result.hits]
    rows = await shown(entity.view, [(source, hit.row) for source, hit in hits], services)
    ranked = sorted(zip(hits, rows, strict=True), key=lambda each: _rank(each[0][1]))
    return await _answer(entity, request, services, (now, results, [row for _, row in ranked[: request.limit]]))


def _rank(hit: Hit) -> tuple[int, int]:
    """How sources are merged; within one source the cache's order by name stands."""
    return (hit.tier, hit.place)


async def _answer(
    entity: Entity,
    request: SearchRequest,
    services: Services,
    found: tuple[Current, Sequence[tuple[str, SearchResult]], list[Answer]],
) -> Answer:
    now, results, rows = found
    # While rows may be missing, nothing found says nothing about what there is.
    empty = None if rows or now.warming else await _empty(entity, request, services)
    kept = fitting(rows)
    return now.answer(
        found_of(entity.summary.model),
        *([_cut(len(kept), len(rows))] if len(kept) < len(rows) else []),
        rows=kept,
        total=sum(result.total for _, result in results),
        total_is_lower_bound=any(result.cut for _, result in results) or None,
        empty=empty,
        next_actions=_next_actions(entity, empty) if now.warming is None else [],
    )


def _cut(kept: int, rows: int) -> ToolWarning:
    message = f"the best {kept} of {rows} rows fit into one answer; ask for fewer, or with more words"
    return ToolWarning(severity="info", code=warning_codes.TRUNCATED_RESULT, message=message, field_path="limit")


async def _empty(entity: Entity, request: SearchRequest, services: Services) -> Empty:
    records = [await services.cache.count(source) for source in entity.sources]
    near = [await near_misses(services, source, request.query) for source in entity.sources]
    suggestions = list(dict.fromkeys(each for suggested in near for each in suggested))
    return Empty(
        searched=request.query,
        fields=list(entity.searched),
        records=sum(records),
        did_you_mean=suggestions[:5],
    )


def _next_actions(entity: Entity, empty: Empty | None) -> list[str]:
    if empty is None:
        return []
    if empty.did_you_mean:
        return [f"search_{entity.plural}(query={empty.did_you_mean[0]!r})"]
    return ["search with fewer or shorter words: each word must match the start of a word"]
