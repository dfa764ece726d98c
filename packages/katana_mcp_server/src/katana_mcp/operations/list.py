"""`list_<plural>`: a page of rows under filters, newest first unless told otherwise."""

from collections.abc import Sequence

from cache_core.conditions import Order, Visibility, hold
from cache_core.protocol import Selection, Stored
from katana_mcp.descriptor import AnyTool, Entity, ToolSpec
from katana_mcp.operations.filters import needed, where
from katana_mcp.operations.paging import offset, paged
from katana_mcp.operations.rows import shown
from katana_mcp.services import Services, current
from katana_mcp.tools.answers import Answer, listed_of
from katana_mcp.tools.requests import ListRequest


def list_tool(entity: Entity) -> AnyTool | None:
    """Return the list tool of an entity, or None when it has no list request."""
    if entity.list_request is None:
        return None
    answer = listed_of((entity.expanded or entity.summary).model)

    async def run(request: ListRequest, services: Services) -> Answer:
        return await _list(entity, request, services)

    return ToolSpec(
        name=f"list_{entity.plural}",
        toolset=entity.toolset,
        description=(
            f"List {entity.titles} with filters — pass `ids=[1,2,3]` to fetch a specific batch by ID "
            f"(cache-backed). {entity.notes.get('list', '')}"
        ).rstrip(),
        request=entity.list_request,
        answer=answer,
        run=run,
        reads=(*entity.sources, *entity.reads),
    )


async def _list(entity: Entity, request: ListRequest, services: Services) -> Answer:
    (source,) = entity.sources
    now = await current(services, (source, *entity.reads, *needed(request)), (source,))
    with now.refusals():
        stored, total, missing = await _rows(source, request, services)
    expanded = entity.expanded if getattr(request, "include_rows", False) else None
    rows = await shown(lambda each: expanded or entity.view(each), [(source, row) for row in stored], services)
    page = paged(f"list_{entity.plural}", request, rows, total, now)
    return now.answer(
        listed_of((expanded or entity.summary).model),
        *page.warnings,
        **page.fields,
        page=request.page,
        limit=request.limit,
        not_found=missing,
    )


async def _rows(
    source: str, request: ListRequest, services: Services
) -> tuple[Sequence[Stored], int, list[int] | None]:
    conditions = await where(request, services)
    visibility = Visibility(deleted=request.include_deleted)
    start = offset(request)
    if request.ids is not None:
        await services.fresh.read_missing(source, request.ids)
        found = await services.cache.get_many(source, request.ids)
        rows = [row for row in found.rows if hold(conditions, row.record)]
        missing = [each for each in found.missing if isinstance(each, int)]
        return rows[start : start + request.limit], len(rows), missing or None
    order = getattr(request, "order_by", None) or "-id"
    selection = Selection(
        conditions, Order(order.removeprefix("-"), order.startswith("-")), request.limit, start, visibility
    )
    rows = await services.cache.select(source, selection)
    return rows, await services.cache.count(source, conditions, visibility), None
