"""`get_<entity>`: one whole document, by id or business key; what it holds is said by the entity."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import Field

from cache_core.conditions import OneOf, Order, Where
from cache_core.protocol import Selected, Selection, Stored
from cache_core.records import Json, Record
from cache_core.spec import EntitySpec
from katana_mcp.references.display_names import text, titled
from katana_mcp.references.resolve import one_record
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import AnyTool, Entity, ToolSpec, View
from katana_mcp.surface.operations.rows import Sourced, to_answers
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import ENVELOPE_BYTES, Answer, Envelope, size_of
from katana_mcp.tools.outgoing import LONGEST_TEXT, MAX_ANSWER_BYTES
from katana_mcp.tools.requests import PageNumber, Request
from katana_mcp.tools.warnings import ToolWarning, advisory, truncated
from katana_mcp.writing.under_way import NONE_KEPT, kept_lanes, states_between


class DocumentRequest(Request):
    """What every get takes beside the id of its document."""

    rows_page: Annotated[PageNumber, Field()] = 1
    """Page of the rows, up to 50 per page."""


class DocumentAnswer(Envelope):
    """What every get answers beside its document."""

    rows_page: int = 1
    rows_have_more: bool = False


type RelatedRows = Mapping[str, list[Record] | int]
"""Rows that Katana keeps beside a document, or their number, by the name under which they join its record."""


async def _nothing(_: Record, __: object, ___: Services) -> RelatedRows:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What varies between documents.

    Attributes:
        source: the cache entity.
        toolset: the group of the tool.
        key: the business key, in words.
        what: what the document holds, for the description.
        reads: further cache entities that the answer reads.
        request: the arguments.
        answer: the shape of the answer.
        holds: the key of the answer that the document stands under.
        view: how the document is shown.
        views: the same by the request, for each cache entity that the document may come from.
        find: finds the document where it may come from several.
        paged: its lists that come in pages.
        beside: reads rows that the record does not embed, as far as the request asks for them.
        tool: its name where that is not `get_<source>`.
        cross_reference: the second paragraph of its description where it has no list as partner.
        costs: what it reads that its list does not, where that is worth a thought.
        changes_in_steps: whether plans of many steps change it, as of its entity.
    """

    source: str
    toolset: str
    key: str
    what: str
    reads: tuple[str, ...]
    request: type[DocumentRequest]
    answer: type[DocumentAnswer]
    holds: str = "order"
    view: View
    views: Callable[[Any], Mapping[str, View]] | None = None
    find: Callable[[Any, Services], Awaitable[Sourced]] | None = None
    paged: tuple[str, ...] = ("rows",)
    beside: Callable[[Record, Any, Services], Awaitable[RelatedRows]] = _nothing
    tool: str | None = None
    cross_reference: str | None = None
    costs: str = ""
    changes_in_steps: bool = False


_ROWS_PER_PAGE = (50, 20, 10, 5, 2)


def get_tool(entity: Entity) -> AnyTool | None:
    """Return the entity's get tool, or None when it has none."""
    return entity.get


def document_tool(document: Document) -> AnyTool:
    """Return the tool that gets a document."""

    async def run(request: DocumentRequest, services: Services) -> Answer:
        return await _get(document, request, services)

    return ToolSpec(
        name=_name(document),
        toolset=document.toolset,
        description=_description(document),
        request=document.request,
        answer=document.answer,
        run=run,
        reads=(*_views(document, document.request.model_construct()), *document.reads),
    )


def _name(document: Document) -> str:
    return document.tool or f"get_{document.source}"


def _views(document: Document, request: DocumentRequest) -> Mapping[str, View]:
    return {document.source: document.view} if document.views is None else document.views(request)


async def rows_beside(services: Services, entity: str, where: Where, order: str = "id") -> list[Record]:
    """Return the live rows of another cache entity that belong to a document, `-rank` for descending.

    One more than `_MOST` comes where there are more, which the answer tells.
    """
    return (await all_beside(services, {entity: (where, order)}))[entity]


async def all_beside(services: Services, wanted: Mapping[str, tuple[Where, str]]) -> dict[str, list[Record]]:
    """Return the live rows of several cache entities that belong to a document, each as `rows_beside` does."""
    reads = [
        Selected(entity, Selection(where, Order(order.removeprefix("-"), order.startswith("-")), _MOST + 1))
        for entity, (where, order) in wanted.items()
    ]
    found = await services.cache.read(reads)
    return {read.entity: [row.record for row in rows] for read, rows in zip(reads, found, strict=True)}


_MOST = 10_000


def of_ids(path: str, *ids: int | None) -> Where:
    """The field is one of these ids."""
    return (OneOf(path, tuple(dict.fromkeys(record_id for record_id in ids if record_id is not None))),)


async def _get(document: Document, request: DocumentRequest, services: Services) -> Answer:
    views = _views(document, request)
    now = await current(services, (*views, *document.reads), views)
    kept = await kept_lanes(services) if document.changes_in_steps else NONE_KEPT
    with now.refusals():
        source, stored = await _found(document, request, services)
    beside = cast("dict[str, Json]", await document.beside(stored.record, request, services))
    whole = stored._replace(record={**stored.record, **beside})
    (answer,) = await to_answers(lambda entity: views[entity], [(source, whole)], services)
    asked = {name: getattr(answer, name) for name in document.paged}
    lists: dict[str, list[Answer]] = {name: rows for name, rows in asked.items() if rows is not None}
    size = _rows_per_page(answer.model_copy(update={name: [] for name in lists}), list(lists.values()))
    first = (request.rows_page - 1) * size
    more = any(first + size < len(rows) for rows in lists.values())
    page = {name: rows[first : first + size] for name, rows in lists.items()}
    on = f"{_name(document)}({document.source}_id={stored.id}, rows_page={request.rows_page + 1})"
    fields: dict[str, object] = {
        document.holds: answer.model_copy(update=page),
        "rows_page": request.rows_page,
        "rows_have_more": more,
        "next_actions": [on] if more else [],
    }
    warnings = [
        *await states_between([(source, stored.id)], kept, services),
        *_deleted_warning(document, stored, services.syncer.specs[source]),
        *_cut(beside),
    ]
    return now.answer(document.answer, *warnings, **fields)


def _cut(beside: Mapping[str, Json]) -> list[ToolWarning]:
    long = [name for name, value in beside.items() if isinstance(value, list) and len(value) > _MOST]
    return [
        truncated(f"of the {titled(name)}s the first {_MOST + 1} are shown, and there may be more") for name in long
    ]


def _rows_per_page(header: Answer, lists: list[list[Answer]]) -> int:
    """Return with how many rows of each list all pages of the document fit into an answer."""
    # What a header's texts take beyond half of the answer is cut, so that there is room for rows.
    room = MAX_ANSWER_BYTES - ENVELOPE_BYTES - min(size_of(header, LONGEST_TEXT), MAX_ANSWER_BYTES // 2)
    sizes = [[size_of(row) + 1 for row in rows] for rows in lists]
    longest = max(map(len, sizes), default=0)

    def fits(rows: int) -> bool:
        starts = range(0, longest, rows)
        return all(sum(sum(size[start : start + rows]) for size in sizes) <= room for start in starts)

    return next((count for count in _ROWS_PER_PAGE if fits(count)), 1)


async def _found(document: Document, request: DocumentRequest, services: Services) -> Sourced:
    if document.find is not None:
        return await document.find(request, services)
    asked = getattr(request, f"{document.source}_id")
    return document.source, await one_record(services, document.source, asked, document.key)


def _deleted_warning(document: Document, stored: Stored, spec: EntitySpec) -> list[ToolWarning]:
    if not (stored.deleted or stored.archived):
        return []
    state = "deleted" if stored.deleted else "archived"
    key = text(stored.record, spec.key_path) if spec.key_path else None
    called = f"{titled(document.source)} {key or stored.id}"
    message = f"{called} was {state} in Katana at {text(stored.record, f'{state}_at')}"
    code = warning_codes.DELETED_ITEM if stored.deleted else warning_codes.ARCHIVED_ITEM
    return [advisory(code, message)]


def _description(document: Document) -> str:
    """Return what it gets, and the cross-reference to its list partner."""
    title = titled(document.source)
    partner = (
        f"For multiple {title}s at once, use ``list_{document.source}s(ids=[...])`` — it returns a JSON envelope of "
        "rows and supports all the same filters."
    )
    costs = f" {document.costs}" if document.costs else ""
    return f"Get one {title} {document.what}.\n\n{document.cross_reference or partner}{costs}"
