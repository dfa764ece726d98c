"""`list_<plural>`: a page of rows under filters, newest first unless told otherwise."""

from collections.abc import Sequence

from cache_core.conditions import Order, Visibility, hold
from cache_core.protocol import Selection, Stored
from katana_mcp.descriptor import AnyTool, Entity, ToolSpec
from katana_mcp.operations.filters import needed, where
from katana_mcp.operations.rows import shown
from katana_mcp.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer, fitting, listed_of
from katana_mcp.tools.requests import ListRequest
from katana_mcp.tools.warnings import ToolWarning


def list_tool(entity: Entity) -> AnyTool | None:
    """Return the list tool of an entity, or None when it has no list request."""
    if entity.list_request is None:
        return None

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
        answer=listed_of(entity.summary.model),
        run=run,
    )


async def _list(entity: Entity, request: ListRequest, services: Services) -> Answer:
    (source,) = entity.sources
    now = await current(services, (source, *entity.reads, *needed(request)), (source,))
    stored, total, missing = await _rows(source, request, services)
    expanded = entity.expanded if getattr(request, "include_rows", False) else None
    rows = await shown(lambda each: expanded or entity.view(each), [(source, row) for row in stored], services)
    kept = fitting(rows)
    cut = len(kept) < len(rows)
    again = _window((request.page - 1) * request.limit, len(kept)) if cut else ""
    return now.answer(
        listed_of(entity.summary.model),
        *([_cut(len(kept), len(rows), again)] if cut else []),
        rows=kept,
        total=total,
        page=request.page,
        limit=request.limit,
        has_more=(request.page - 1) * request.limit + len(kept) < total,
        not_found=missing,
        next_actions=[again] if cut else [],
    )


async def _rows(
    source: str, request: ListRequest, services: Services
) -> tuple[Sequence[Stored], int, list[int] | None]:
    conditions = await where(request, services)
    visibility = Visibility(deleted=request.include_deleted)
    offset = (request.page - 1) * request.limit
    if request.ids is not None:
        found = await services.cache.get_many(source, request.ids)
        rows = [row for row in found.rows if hold(conditions, row.record)]
        missing = [each for each in found.missing if isinstance(each, int)]
        return rows[offset : offset + request.limit], len(rows), missing or None
    order = getattr(request, "order_by", None) or "-id"
    selection = Selection(
        conditions, Order(order.removeprefix("-"), order.startswith("-")), request.limit, offset, visibility
    )
    rows = await services.cache.select(source, selection)
    return rows, await services.cache.count(source, conditions, visibility), None


def _window(offset: int, fits: int) -> str:
    """Return the arguments that begin at the same row with pages that fit."""
    limit = next(size for size in range(fits, 0, -1) if offset % size == 0)
    return f"limit={limit}, page={offset // limit + 1}"


def _cut(kept: int, rows: int, again: str) -> ToolWarning:
    message = f"{kept} of the {rows} rows of this page fit into one answer; ask with {again}, and page on from there"
    return ToolWarning(severity="info", code=warning_codes.TRUNCATED_RESULT, message=message, field_path="limit")
