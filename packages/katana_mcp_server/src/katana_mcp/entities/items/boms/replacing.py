"""`replace_ingredient`: one ingredient replaced by another in every bill of materials, product by product."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import Field

from cache_core.records import Record, canonical
from katana_mcp.documents.gathering import references
from katana_mcp.documents.transition import Facts
from katana_mcp.documents.usual_fields import Made, Reference
from katana_mcp.entities.items.boms.rows import (
    BOM_ROW,
    INGREDIENT,
    LANE,
    PRODUCT,
    below,
    ends_of,
    misfit,
    other_unit,
    rows_of,
    there_already,
)
from katana_mcp.entities.items.boms.writes import RowId
from katana_mcp.references import wording
from katana_mcp.references.display_names import VARIANT_ENTITIES, look_up
from katana_mcp.references.services import Services, current
from katana_mcp.references.wording import NamedRecord
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.argument_words import Words
from katana_mcp.tools.requests import NOT_EMPTY, WriteRequest
from katana_mcp.tools.warnings import ToolWarning, blocking, truncated
from katana_mcp.values import get_int, number
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Recognise, on_record
from katana_mcp.writing.change import USED, Change, Draft
from katana_mcp.writing.preview import PlanLine, Preview

TOOL = "replace_ingredient"
_READS = (BOM_ROW, *VARIANT_ENTITIES)


class ReplaceIngredientRequest(WriteRequest):
    """Arguments of `replace_ingredient`."""

    words: ClassVar[Words] = {
        **dict.fromkeys(("old_ingredient", "from_sku", "ingredient"), ("old",)),
        **dict.fromkeys(("new_ingredient", "to_sku", "replacement"), ("new",)),
        "bom_row_ids": ("row_ids",),
    }
    never_null: ClassVar[frozenset[str]] = frozenset({"quantity_factor", "row_ids"})

    old: Reference
    """The ingredient now: SKU or variant id."""
    new: Reference
    """What takes its place: SKU or variant id."""
    quantity_factor: Made | None = None
    """New quantity for one of the old; needed where their units differ."""
    row_ids: Annotated[list[RowId], Field(max_length=250), NOT_EMPTY] = Field(default_factory=list[str])
    """Only these `bom_row_id`s of `get_bom`; all rows that use it by default."""


class ReplaceIngredientResponse(Preview):
    """The answer of `replace_ingredient`; each line is a product."""

    rows_left: int | None = None
    """Rows that did not fit into this plan: the same call plans them once this one is applied."""


async def _gather(request: ReplaceIngredientRequest, services: Services) -> Facts:
    """Return both ingredients, and the rows that use the old one as they are now, no more than a plan may change."""
    await current(services, _READS, (BOM_ROW,))
    found = await references(services, [("variant", request.old), ("variant", request.new)])
    old = next(iter(found["variant", request.old].found), None)
    using = () if old is None else await rows_of(services, INGREDIENT, old.id)
    found = {**await references(services, [*ends_of(using)]), **found}
    over = [record.id for record in found["variant", request.new].found] + [get_int(row, PRODUCT) or 0 for row in using]
    goods = [one.id for named in found.values() for one in named.found]
    return Facts(
        references=found,
        beside={BOM_ROW: using, **await below(over, services)},
        names=await look_up(services.cache, {"variant": goods}),
        own=min(services.most_lines, services.most_writes),
        days=services.days,
    )


def _ends(request: ReplaceIngredientRequest, facts: Facts) -> tuple[NamedRecord | None, NamedRecord | None]:
    """Return both ingredients; the old one may be deleted."""
    old = facts.references["variant", request.old].found
    return (old[0] if len(old) == 1 else None, facts.references["variant", request.new].one)


def _meant(request: ReplaceIngredientRequest, facts: Facts) -> list[Record]:
    """Return the rows that are to change, however many there are."""
    using = facts.beside.get(BOM_ROW, ())
    return [row for row in using if not request.row_ids or row.get("id") in request.row_ids]


def _chosen(request: ReplaceIngredientRequest, facts: Facts) -> list[Record]:
    """Return those that this plan changes."""
    return _meant(request, facts)[: facts.own if isinstance(facts.own, int) else 0]


def _checks(request: ReplaceIngredientRequest, facts: Facts) -> list[ToolWarning]:
    return [*_named(request, facts), *_against(request, facts)]


def _named(request: ReplaceIngredientRequest, facts: Facts) -> Iterator[ToolWarning]:
    """Yield what is wrong with the names; what is replaced may well be archived or deleted."""
    for path, asked in (("old", request.old), ("new", request.new)):
        named = facts.references["variant", asked]
        yield from () if path == "old" and len(named.found) == 1 else wording.unnamed("variant", named, path)


def _against(request: ReplaceIngredientRequest, facts: Facts) -> Iterator[ToolWarning]:
    old, new = _ends(request, facts)
    if old is None or new is None:
        return
    using, meant, chosen = facts.beside.get(BOM_ROW, ()), _meant(request, facts), _chosen(request, facts)
    for nr, key in enumerate(request.row_ids):
        if key not in {row.get("id") for row in using}:
            message = f"row_ids[{nr}]: no row {key} uses {old.called}; `get_bom` with where_used shows those that do"
            yield blocking(warning_codes.UNKNOWN_ROW_ID, message, f"row_ids[{nr}]")
    if old.id == new.id or not using:
        message = "old and new are the same" if old.id == new.id else f"no bill of materials uses {old.called}"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, f"{message}: nothing would change", "old")
    if request.quantity_factor is None and meant:
        yield from other_unit(facts, old.id, new.id, "quantity_factor", "quantity_factor")
    for product in dict.fromkeys(get_int(row, PRODUCT) or 0 for row in chosen):
        yield from misfit(facts, new.id, product, "new")
        yield from there_already(facts, new.id, product, "new")
    if len(meant) > len(chosen):
        left = len(meant) - len(chosen)
        message = f"a plan changes {len(chosen)} rows at most here: {left} more use {old.called}"
        yield truncated(f"{message}; the same call plans them once this plan is applied")


def _plan(request: ReplaceIngredientRequest, facts: Facts) -> Draft:
    (old, new), chosen = _ends(request, facts), _chosen(request, facts)
    is_lawful = not any(check.severity == "blocking" for check in _checks(request, facts))
    was, becomes = (
        str(asked) if one is None else one.called for one, asked in ((old, request.old), (new, request.new))
    )
    products = len({row.get(PRODUCT) for row in chosen})
    sent = () if new is None or not is_lawful else tuple(_action(request, facts, row, (was, new)) for row in chosen)
    why, left = _no_way_back(request, old), len(_meant(request, facts)) - len(chosen)
    return Draft(
        summary=f"replace {was} by {becomes} in {so_many(products, 'product')}",
        actions=sent,
        touches={BOM_ROW: chosen, USED: {"variant": [asdict(record) for record in (old, new) if record is not None]}},
        lanes=(LANE,),
        own={"rows_left": left or None},
        lines=tuple(_line(request, facts, row, new) for row in chosen),
        prior_state={BOM_ROW: chosen},
        revert=None if why or old is None or new is None or not sent else _back(old, new, chosen),
        one_way=why,
    )


def _amount(request: ReplaceIngredientRequest, row: Record) -> Decimal | None:
    """Return how much of the new ingredient a row takes."""
    now = number(row, "quantity")
    return now if now is None or request.quantity_factor is None else now * request.quantity_factor


def _action(request: ReplaceIngredientRequest, facts: Facts, row: Record, ends: tuple[str, NamedRecord]) -> Action:
    old, new = ends
    key, body = str(row["id"]), dict[str, object]({INGREDIENT: new.id})
    if request.quantity_factor is not None:
        body["quantity"] = _amount(request, row)
    product = facts.with_id("variant", row.get(PRODUCT))
    called = row.get(PRODUCT) if product is None else product.called
    action = on_record(f"replace {old} by {new.called} in {called}", BOM_ROW, "bom_rows", key, canonical(body))
    look = Recognise(collection="bom_rows", filters={"id": key})
    return replace(action, expects={**action.expects, "id": key}, recognise=look)


def _line(request: ReplaceIngredientRequest, facts: Facts, row: Record, new: NamedRecord | None) -> PlanLine:
    product = facts.with_id("variant", row.get(PRODUCT))
    return PlanLine(
        row_id=str(row["id"]),
        change="update",
        variant_id=get_int(row, PRODUCT),
        sku=None if product is None else product.sku,
        name=None if product is None else product.name,
        quantity=_amount(request, row),
        unit=None if new is None else new.unit,
    )


def _no_way_back(request: ReplaceIngredientRequest, old: NamedRecord | None) -> str:
    """Return why nothing takes it back; nothing where the same tool does."""
    if old is not None and old.deleted:
        return f"{old.called} is deleted in Katana"
    return "" if request.quantity_factor is None else "quantities are multiplied, and Katana may keep fewer decimals"


def _back(old: NamedRecord, new: NamedRecord, chosen: Sequence[Record]) -> JsonObject:
    applied = [IfApplied(place, str(row["id"])) for place, row in enumerate(chosen)]
    return {"tool": TOOL, "arguments": {"old": new.id, "new": old.id, "row_ids": applied}}


REPLACING = Change(
    request=ReplaceIngredientRequest,
    gather=_gather,
    plan=_plan,
    checks=_checks,
    reads=_READS,
    answer=ReplaceIngredientResponse,
)
