"""`search_<plural>`: the best rows for a text that a person typed, or an empty state that helps."""

from collections.abc import Mapping, Sequence

from pydantic import create_model

from cache_core.conditions import Visibility
from cache_core.protocol import Hit, Search, SearchResult
from cache_core.search_rules import Tier, parse
from katana_mcp.references.display_names import none_yet
from katana_mcp.references.services import Current, Services, as_it_stands, current
from katana_mcp.references.suggestions import near_misses
from katana_mcp.surface.descriptor import AnyTool, Entity, ToolSpec
from katana_mcp.surface.operations import coded
from katana_mcp.surface.operations.match_labels import left_out, matched, partial_matches
from katana_mcp.surface.operations.measures import written_otherwise
from katana_mcp.surface.operations.merging_hits import comparable, ranked
from katana_mcp.surface.operations.paging import offset, page_of, paged
from katana_mcp.surface.operations.rows import Sourced, read_of, to_answers
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, Empty, found_of
from katana_mcp.tools.requests import ForgivingSearchRequest, SearchRequest
from katana_mcp.tools.warnings import Refused, blocking
from katana_mcp.writing.under_way import NONE_KEPT, kept_lanes, states_between

REACH = 1_000
"""Rows, best first, that the pages of a search reach."""


def search_tool(entity: Entity) -> AnyTool | None:
    """Return the search tool of an entity, or None when nothing of it is searched."""
    if not entity.searched:
        return None

    async def run(request: SearchRequest, services: Services) -> Answer:
        return await _search(entity, request, services)

    return ToolSpec(
        name=f"search_{entity.plural}",
        toolset=entity.toolset,
        description=_description(entity),
        request=_request(entity),
        answer=found_of(entity.row.model),
        run=run,
        reads=(*entity.sources, *entity.reads),
    )


def _request(entity: Entity) -> type[SearchRequest]:
    """Return what the search takes; where it forgives, its query says so."""
    narrowed = entity.search_request or SearchRequest
    if not entity.forgiving:
        return narrowed
    if entity.search_request is None:
        return ForgivingSearchRequest
    return create_model(narrowed.__name__, __base__=(ForgivingSearchRequest, narrowed), __doc__=narrowed.__doc__)


def _description(entity: Entity) -> str:
    note = entity.notes.get("search", "")
    places = ", ".join(entity.searched)
    return (
        f"Search {entity.titles} by any text a person would type.\n\n"
        f"Pass one text as ``query`` — looked for in {places}; half its words must match. {note}"
    ).rstrip()


async def _search(entity: Entity, request: SearchRequest, services: Services) -> Answer:
    if not parse(request.query).tokens:
        message = f"query {request.query[:40]!r} holds no letter and no digit to search for"
        raise Refused(blocking(warning_codes.NOTHING_TO_SEARCH, message, "query"))
    now = await _current(entity, request, services)
    kept = await kept_lanes(services) if entity.changes_in_steps else NONE_KEPT
    request = request.model_copy(update={"query": await coded.number_alone(entity, request.query, services)})
    searches, results, hits = await _found_as_written(_searches(entity, request), services)
    is_missed = now.warming is None and await coded.is_missed(entity, request.query, rows_of(hits), services)
    written = await coded.looked_up(entity, request.query, services) if is_missed else None
    if written is not None:
        searches = {source: search._replace(text=written) for source, search in searches.items()}
        results, hits = await _found(searches, services)
        is_missed = await coded.is_missed(entity, written, rows_of(hits), services)

    async def render(first: int, last: int) -> list[Answer]:
        return await to_answers(entity.view, rows_of(hits[first:last]), services)

    asked = await page_of(f"search_{entity.plural}", request, services, render)
    if asked.first >= len(hits) >= REACH:
        message = f"page: a search reaches the first {REACH} rows; ask with more words"
        raise Refused(blocking(warning_codes.INVALID_ARGUMENT, message, "page"))
    hits_of_page = hits[asked.first : asked.last]
    rows_of_page = rows_of(hits_of_page)
    rows = await render(asked.first, asked.last)
    total = sum(result.total for result in results.values())
    # While rows may be missing, nothing found says nothing about what there is.
    empty = None if hits or now.warming else await _empty(entity, request, searches, services)
    page = paged(asked, rows, total, now)
    if page.end >= REACH and "next_actions" in page.fields:
        page.fields["next_actions"] = [
            f"search_{entity.plural}(...) with more words: pages reach the first {REACH} rows"
        ]
    shown = [(source, row.id) for source, row in rows_of_page[: page.end - asked.first]]
    between = await states_between(shown, kept, services)
    warnings = [
        *between,
        *page.warnings,
        *left_out(request.query),
        *partial_matches(entity.titles, request.query, hits_of_page),
    ]
    return now.answer(
        found_of(entity.row.model),
        *([await coded.missed(entity, written or request.query, rows_of_page, services)] if is_missed else []),
        *warnings,
        **(
            {"next_actions": [*(await _archived(entity, request, searches, services)), *_next_actions(entity, empty)]}
            if empty
            else {}
        ),
        **page.fields,
        matched=matched(request.query, hits_of_page[: page.end - asked.first]),
        total_is_lower_bound=any(result.cut for result in results.values()) or None,
        empty=empty,
    )


async def _current(entity: Entity, request: SearchRequest, services: Services) -> Current:
    """Return how current the rows are; nothing is waited for where Katana has just given what has the code."""
    reads, began = (*entity.sources, *entity.reads), services.clock.monotonic()
    if await coded.brought_first(entity, _searches(entity, request), services):
        return await as_it_stands(services, reads, services.brief(began))
    return await current(services.waited(services.clock.monotonic() - began), reads, entity.sources)


def _searches(entity: Entity, request: SearchRequest) -> Mapping[str, Search]:
    """Return what each cache entity is searched for."""
    limit = min(offset(request) + request.limit, REACH)
    visibility = Visibility(archived=getattr(request, "include_archived", False))
    narrowed = dict.fromkeys(entity.sources, ()) if entity.searching is None else entity.searching(request)
    return {
        source: Search(request.query, limit, where, visibility, fields=read_of(entity.view(source)))
        for source, where in narrowed.items()
    }


async def _found_as_written(
    searches: Mapping[str, Search], services: Services
) -> tuple[Mapping[str, Search], Mapping[str, SearchResult], Sequence[tuple[str, Hit]]]:
    """Return what was searched for and what was found, measures written otherwise where only so every word is found."""
    found = await _found(searches, services)
    texts = () if _has_every_word(found[1]) else written_otherwise(next(iter(searches.values())).text)
    for text in texts:
        others = {source: search._replace(text=text) for source, search in searches.items()}
        results, hits = await _found(others, services)
        if _has_every_word(hits):
            return others, results, hits
    return searches, *found


def _has_every_word(hits: Sequence[tuple[str, Hit]]) -> bool:
    return bool(hits) and hits[0][1].tier <= Tier.TOKENS


async def _found(
    searches: Mapping[str, Search], services: Services
) -> tuple[Mapping[str, SearchResult], Sequence[tuple[str, Hit]]]:
    """Return what each cache entity has for its search, and the hits of all, best first.

    What only comes near is not shown beside what was asked for, so it is not looked for behind it.
    """
    results: dict[str, SearchResult] = {}
    for source, search in searches.items():
        is_found = any(result.hits and result.hits[0].tier <= Tier.TOKENS for result in results.values())
        results[source] = await services.cache.search(source, search._replace(near=not is_found))
    shown = comparable(results)
    return shown, await ranked(next(iter(searches.values())).text, shown, services)


def rows_of(hits: Sequence[tuple[str, Hit]]) -> list[Sourced]:
    """Return the rows of hits, each with its cache entity."""
    return [(source, hit.row) for source, hit in hits]


async def _empty(entity: Entity, request: SearchRequest, searches: Mapping[str, Search], services: Services) -> Empty:
    records = [
        await services.cache.count(source, search.where, search.visibility) for source, search in searches.items()
    ]
    near = [await near_misses(services, source, request.query) for source in searches]
    suggestions = list(dict.fromkeys(suggestion for suggested in near for suggestion in suggested))
    return Empty(
        searched=request.query,
        fields=list(entity.searched),
        records=sum(records),
        did_you_mean=suggestions[:5],
    )


async def _archived(
    entity: Entity, request: SearchRequest, searches: Mapping[str, Search], services: Services
) -> list[str]:
    """Return the call that finds what is archived, where a search that found nothing left that out."""
    if getattr(request, "include_archived", True):
        return []
    visibility = Visibility(archived=True)
    found = [
        await services.cache.search(source, search._replace(visibility=visibility, limit=1, near=False))
        for source, search in searches.items()
    ]
    count = sum(result.total for result in found)
    call = f"search_{entity.plural}(query={request.query!r}, include_archived=True)"
    return [f"{call}: {count} {'is' if count == 1 else 'are'} archived"] if count else []


def _next_actions(entity: Entity, empty: Empty) -> list[str]:
    if empty.did_you_mean:
        return [f"search_{entity.plural}(query={empty.did_you_mean[0]!r})"]
    if not empty.records:
        return [none_yet(entity.titles)]
    several = len(parse(empty.searched).tokens) > 1
    return ["search with fewer or shorter words" if several else _ONE_WORD]


_ONE_WORD = "search with the first letters of the word; of a code, any four characters in a row are enough"
