"""`get_bom`: what variants are made of, level by level, or what they are used in; a cycle ends where it closes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from cache_core.protocol import Stored
from cache_core.records import Record, RecordId
from katana_mcp.references.boms import rows_by_level
from katana_mcp.references.display_names import SHOWN_OF, VARIANT_ENTITIES, Names, look_up, text
from katana_mcp.references.services import Services, current
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.operations.filters import spelling
from katana_mcp.surface.operations.paging import page_of, paged
from katana_mcp.surface.unread import unread_warnings
from katana_mcp.tools.answers import Answer, Envelope, Number
from katana_mcp.tools.requests import WHOLE, ListLimit, PageNumber, Request, SkusOrVariantIds
from katana_mcp.tools.warnings import ToolWarning, truncated
from katana_mcp.values import get_int, number
from katana_mcp.workflows.variants import NotFound, beside, resolve

_READS = (*VARIANT_ENTITIES, "bom_row")
_MOST_LINES = 5_000

type Direction = Literal["components", "where_used"]


class GetBomRequest(Request):
    """Arguments of `get_bom`."""

    skus_or_variant_ids: SkusOrVariantIds
    """SKUs (texts) or variant ids (integers), mixed freely, at most 250; the order is kept."""
    direction: Annotated[Direction, spelling(Direction)] = "components"
    """What the variant is made of, or the products that it goes into."""
    levels: Annotated[int, Field(ge=1, le=20), WHOLE] = 20
    """Levels to follow; 1 is the BOM itself, without those of its subassemblies."""
    limit: ListLimit = 100
    """Lines per page."""
    page: PageNumber = 1


class BomLine(Answer):
    """A line of an indented BOM; lines of level 0 are the variants asked for."""

    level: int
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    uom: str | None = None
    parent_variant_id: int | None = None
    """The line above it in the tree."""
    bom_row_id: str | None = None
    quantity: Number | None = None
    """Of the ingredient for one unit of the product, in the ingredient's unit."""
    total_quantity: Number | None = None
    """Over all levels to here, for one unit of the final product."""
    notes: str | None = None
    cycle: bool | None = None
    """It is part of itself; its lines are not repeated."""
    archived: bool | None = None
    deleted: bool | None = None


class BomAnswer(Envelope):
    """The answer of `get_bom`."""

    rows: list[BomLine]
    total: int | None = None
    page: int
    limit: int
    has_more: bool | None = None
    total_is_lower_bound: bool | None = None
    not_found: list[NotFound]
    without: list[int] | None = None
    """Variants asked for that have no BOM, or are used in none."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line before it has names."""

    level: int
    variant_id: int
    row: Record | None = None
    parent: int | None = None
    total: Decimal | None = Decimal(1)
    cycle: bool = False


@dataclass(slots=True)
class _Tree:
    """BOM rows by the variant that they are looked up from, and the lines drawn of them.

    Attributes:
        ends: the fields of a row that name the variant above and the one below.
        rows: by the variant above, in their order.
        lines: depth first.
        cut: whether there was more than fits into `_MOST_LINES`, or than was read.
    """

    ends: tuple[str, str]
    rows: Mapping[int, Sequence[Record]]
    lines: list[_Line] = field(default_factory=list[_Line])
    cut: bool = False

    def draw(self, line: _Line, levels: int, above: frozenset[int] = frozenset()) -> None:
        """Add a line and everything below it."""
        if len(self.lines) >= _MOST_LINES:
            self.cut = True
            return
        self.lines.append(line)
        if line.cycle or line.level >= levels:
            return
        path = above | {line.variant_id}
        for row in self.rows.get(line.variant_id, ()):
            below = get_int(row, self.ends[1])
            if below is not None:
                per_unit = number(row, "quantity")
                total = None if per_unit is None or line.total is None else line.total * per_unit
                child = _Line(line.level + 1, below, row, line.variant_id, total, below in path)
                self.draw(child, levels, path)


async def _run(request: GetBomRequest, services: Services) -> Answer:
    now = await current(services, _READS, ("bom_row",))
    resolved = await resolve(request.skus_or_variant_ids, services)
    asked = [variant.id for variant in resolved.variants if isinstance(variant.id, int)]
    product, ingredient = "product_variant_id", "ingredient_variant_id"
    ends = (product, ingredient) if request.direction == "components" else (ingredient, product)
    read, cut = await rows_by_level(asked, ends, request.levels, services)
    tree = _Tree(ends, read, cut=cut)
    for variant_id in asked:
        tree.draw(_Line(0, variant_id), request.levels)
    said = beside(resolved)

    async def render(first: int, last: int) -> list[Answer]:
        return await _to_answers(tree.lines[first:last], services)

    lines = await page_of("get_bom", request, services, render, said.parts)
    page = paged(lines, await render(lines.first, lines.last), len(tree.lines), now, beside=said.parts)
    page.fields.setdefault("next_actions", resolved.next_actions)
    return now.answer(
        BomAnswer,
        *said.warnings,
        *([_cut(len(tree.lines))] if tree.cut else []),
        *unread_warnings(now, {"bom_row": (product, ingredient, "quantity")}),
        *page.warnings,
        **page.fields,
        total_is_lower_bound=tree.cut or None,
        page=request.page,
        limit=request.limit,
        not_found=said.not_found,
        without=None if cut else [variant_id for variant_id in asked if variant_id not in tree.rows] or None,
    )


async def _to_answers(lines: Sequence[_Line], services: Services) -> list[Answer]:
    asked = list(dict.fromkeys(line.variant_id for line in lines))
    stored = (await services.cache.get_many("variant", asked, SHOWN_OF["variant"])).rows
    variants: dict[RecordId, Stored] = {row.id: row for row in stored}
    ids_by_entity = {"variant": [line.variant_id for line in lines]}
    names = await look_up(services.cache, ids_by_entity, [("variant", row) for row in stored])
    return [_to_answer(line, variants.get(line.variant_id), names) for line in lines]


def _to_answer(line: _Line, variant: Stored | None, names: Names) -> Answer:
    row = line.row
    return BomLine(
        level=line.level,
        variant_id=line.variant_id,
        sku=names.sku(line.variant_id),
        name=names.variant(line.variant_id),
        uom=text(names.item(names.record("variant", line.variant_id)), "uom"),
        parent_variant_id=line.parent,
        bom_row_id=text(row, "id"),
        quantity=number(row, "quantity") if row else None,
        total_quantity=line.total if row else None,
        notes=text(row, "notes"),
        cycle=line.cycle or None,
        archived=(variant is not None and variant.archived) or None,
        deleted=(variant is not None and variant.deleted) or None,
    )


def _cut(lines: int) -> ToolWarning:
    return truncated(f"the first {lines} lines could be read, there are more; ask for fewer variants or levels")


GET_BOM = ToolSpec(
    name="get_bom",
    toolset="manufacturing",
    description=(
        "Get the bills of materials of product variants, all levels down, or where variants are used.\n\n"
        "Pass a list of SKUs (texts) or variant ids (integers) to ``skus_or_variant_ids`` — mix freely. Lines are "
        "indented by `level`; `total_quantity` adds up over the levels."
    ),
    request=GetBomRequest,
    answer=BomAnswer,
    run=_run,
    reads=_READS,
)
