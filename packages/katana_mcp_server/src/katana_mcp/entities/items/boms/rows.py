"""Rows of bills of materials: as they are now, as they are shown, and what of a new one does not fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.documents.gathering import Asked, references, rows_now
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.states import added_parts, changed_rows
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.references import wording
from katana_mcp.references.boms import rows_by_level
from katana_mcp.references.display_names import look_up
from katana_mcp.references.resolve import all_listed, resolved
from katana_mcp.references.services import Services, current
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, advisory, blocking
from katana_mcp.values import EMPTY, get_int, number
from katana_mcp.writing.preview import PlanLine

BOM_ROW, HELD = "bom_row", "bom_rows"
LANE = "bills of materials"
"""What every plan of one holds: two that are applied at once could make a circle that neither would make alone."""
PRODUCT, INGREDIENT = "product_variant_id", "ingredient_variant_id"
SUBJECT = "sku_or_variant_id"
"""The argument that names the product, or an ingredient."""
_ADDED = "add_rows"
_COPIED, _BELOW = "copied row", "row below"
_LEVELS = 20


async def find(services: Services, sku_or_id: int | str) -> Stored:
    """Return the variant that a SKU or an id names.

    Raises:
        Refused: nothing has it, several have, or it is a service.
    """
    (found,) = (await resolved(services, [("variant", sku_or_id)])).values()
    (named,) = await wording.variants(services, [sku_or_id])
    if len(found) != 1:
        raise Refused(*wording.unnamed("variant", named, SUBJECT))
    if get_int(found[0].record, "service_id") is not None:
        raise Refused(_no_product(str(sku_or_id)))
    return found[0]


async def rows_of(services: Services, end: str, variant: int) -> tuple[Record, ...]:
    """Return the rows that name a variant at one end, as they are in Katana now, in their order.

    Raises:
        Refused: Katana does not say.
    """
    found = await rows_now(services, BOM_ROW, (end, variant), **{end: variant})
    return tuple(sorted(found, key=lambda row: (get_int(row, PRODUCT) or 0, get_int(row, "rank") or 0, str(row["id"]))))


def ends_of(found: Sequence[Record]) -> Iterator[Asked]:
    """Yield the variants that rows name."""
    for row in found:
        yield from (("variant", key) for end in (PRODUCT, INGREDIENT) if (key := get_int(row, end)) is not None)


async def below(variants: Sequence[int], services: Services) -> dict[str, tuple[Record, ...]]:
    """Return the rows of these variants and of all that they are made of, as a plan keeps them.

    Raises:
        Refused: not all bills of materials are cached yet, so a circle would not be seen.
    """
    if not await all_listed(services, BOM_ROW):
        message = "the first sync of bills of materials is not finished, so a circle would not be seen: ask again later"
        raise Refused(blocking(warning_codes.COLD_CACHE, message))
    found, _ = await rows_by_level(variants, (PRODUCT, INGREDIENT), _LEVELS, services)
    return {_BELOW: tuple(row for level in found.values() for row in level)}


def holds(found: Sequence[Record], ingredient: int, product: int) -> bool:
    """Return whether an ingredient is a product, or is made of it at any level; `found` are the rows below it."""
    parts: dict[object, set[int]] = {}
    for row in found:
        parts.setdefault(row.get(PRODUCT), set()).add(get_int(row, INGREDIENT) or 0)
    seen, left = {ingredient}, [ingredient]
    while left:
        fresh = parts.get(left.pop(), set[int]()) - seen
        seen |= fresh
        left += fresh
    return product in seen


def read(variant: State, facts: Facts) -> State:
    """Return a variant with the rows that it is made of."""
    return {**variant, HELD: list(facts.beside.get(BOM_ROW, ()))}


async def gather(change: Transition, services: Services) -> Facts:
    """Return the facts with the rows of the product and of one that is copied, and what is below the ingredients."""
    await current(services, (BOM_ROW,), (BOM_ROW,))
    facts, source = change.facts, change.asked.get("copy_of")
    beside = {BOM_ROW: await rows_of(services, PRODUCT, get_int(change.old, "id") or 0)}
    named = {} if not isinstance(source, int | str) else await references(services, [("variant", source)])
    copied = next(iter(named.values())).one if named else None
    if copied is not None:
        beside[_COPIED] = await rows_of(services, PRODUCT, copied.id)
    held = [row for found in beside.values() for row in found]
    found = {**await references(services, [*ends_of(held)]), **named, **facts.references}
    by_id = {one.id: one for reference in found.values() for one in reference.found}
    found |= {("variant", key): wording.Named(key, (one,)) for key, one in by_id.items()}
    goods = [*by_id]
    beside |= await below(goods, services)
    names = await look_up(services.cache, {"variant": [*goods, change.old.get("id")]})
    return replace(facts, beside=beside, references=found, names=names)


def whole(request: Request, facts: Facts) -> Request:
    """Return a request with the rows of the product that it copies, without ingredients that are there already."""
    copied = [row for row in facts.beside.get(_COPIED, ()) if row.get(INGREDIENT) not in _has(facts)]
    if not copied:
        return request
    usual = {"sku_or_variant_id": 1, "quantity": 1}
    new = type(request).model_validate({SUBJECT: 1, _ADDED: [usual]})
    row, own = cast("list[Request]", getattr(new, _ADDED))[0], cast("list[Request]", getattr(request, _ADDED))
    return request.model_copy(update={_ADDED: [*own, *(row.model_copy(update=_again(record)) for record in copied)]})


def _has(facts: Facts) -> set[object]:
    return {row.get(INGREDIENT) for row in facts.beside.get(BOM_ROW, ())}


def _again(row: Record) -> Mapping[str, object]:
    noted = {"notes": row["notes"]} if row.get("notes") else {}
    return {"sku_or_variant_id": row.get(INGREDIENT), "quantity": number(row, "quantity"), **noted}


def is_product(change: Transition) -> bool:
    """Return whether the variant is one of a product: nothing else has a bill of materials."""
    return get_int(change.old, "product_id") is not None


def finish(row: State, variant: State, _: Facts) -> State:
    """Return a new row with the product that its variant belongs to, which Katana asks for."""
    return {**row, "product_item_id": variant.get("product_id")}


def line(change: Transition, row: State) -> PlanLine | None:
    """Return a row with its ingredient."""
    return goods_line(change, {**row, "variant_id": row.get(INGREDIENT)})


def binds(change: Transition) -> dict[str, object]:
    """Return what else a plan depends on: the rows of the product, and of one that is copied."""
    beside = change.facts.beside
    return {name: list(beside[name]) for name in (BOM_ROW, _COPIED) if name in beside}


def _product(change: Transition) -> Iterator[ToolWarning]:
    if not is_product(change):
        yield _no_product(str(change.old.get("sku") or change.old.get("id")))


def _no_product(called: str) -> ToolWarning:
    message = f"{SUBJECT}: {called} does not belong to a product: only products have a bill of materials"
    return blocking(warning_codes.NOT_PRODUCIBLE, message, SUBJECT)


def _copied(change: Transition) -> Iterator[ToolWarning]:
    """Yield what is wrong with the product to copy, and which of its ingredients are there already."""
    source, facts = change.asked.get("copy_of"), change.facts
    named = facts.references.get(("variant", source)) if isinstance(source, int | str) else None
    if named is None:
        return
    yield from wording.unnamed("variant", named, "copy_of")
    copied = facts.beside.get(_COPIED, ())
    if named.one is not None and not copied:
        message = f"copy_of: {named.one.called} has no bill of materials"
        yield blocking(warning_codes.NO_EFFECTIVE_CHANGE, message, "copy_of")
    there = [_called(facts, row.get(INGREDIENT)) for row in copied if row.get(INGREDIENT) in _has(facts)]
    if there:
        message = f"copy_of: left out, because the product already has them: {', '.join(there)}"
        yield advisory(warning_codes.DUPLICATE_ROW, message, "copy_of")


def _called(facts: Facts, variant: object) -> str:
    named = facts.with_id("variant", variant)
    return str(variant) if named is None else named.called


def _sent(change: Transition) -> Iterator[tuple[str, State]]:
    """Yield path and fields of each new row, and path and what differs of each that changes."""
    yield from ((path, row) for path, _, row in added_parts(change, HELD))
    yield from ((path, fields) for path, _, _, fields in changed_rows(change, HELD))


def _ingredients(change: Transition) -> Iterator[ToolWarning]:
    """Yield ingredients that are made of the product, services, had already, or of which it uses none."""
    facts, product = change.facts, get_int(change.old, "id") or 0
    for path, row in _sent(change):
        if (key := get_int(row, INGREDIENT)) is not None:
            yield from misfit(facts, key, product, f"{path}.sku_or_variant_id")
            yield from there_already(facts, key, product, f"{path}.sku_or_variant_id")
        if number(row, "quantity") == 0:  # Katana takes it
            message = f"{path}.quantity is 0: the product then uses none of this ingredient"
            yield advisory(warning_codes.INVALID_ARGUMENT, message, f"{path}.quantity")


def there_already(facts: Facts, ingredient: int, product: int, path: str) -> Iterator[ToolWarning]:
    """Yield that a product has an ingredient already, so it comes on top of what there is."""
    below = facts.beside.get(_BELOW, ())
    if any((row.get(PRODUCT), row.get(INGREDIENT)) == (product, ingredient) for row in below):
        message = f"{path}: {_called(facts, product)} has {_called(facts, ingredient)} already: it is then in two rows"
        yield advisory(warning_codes.DUPLICATE_ROW, message, path)


def misfit(facts: Facts, ingredient: int, product: int, path: str) -> Iterator[ToolWarning]:
    """Yield that something is no ingredient of a product: it is made of it, or it is a service."""
    called, made = _called(facts, ingredient), _called(facts, product)
    if holds(facts.beside.get(_BELOW, ()), ingredient, product):
        why = "a product is no ingredient of itself" if ingredient == product else f"{called} is made of {made}"
        yield blocking(warning_codes.CIRCULAR_BOM, f"{path}: {why}, so {made} would be part of itself", path)
    parent = facts.names.parent(facts.names.record("variant", ingredient) or EMPTY)
    if parent is not None and parent[0] == "service":
        message = f"{path}: {called} is a service: ingredients are materials and products"
        yield blocking(warning_codes.NOT_AN_INGREDIENT, message, path)


def _units(change: Transition) -> Iterator[ToolWarning]:
    """Yield that another ingredient is counted in another unit, and its quantity was not said."""
    for path, asked, before, fields in changed_rows(change, HELD):
        if INGREDIENT in fields and "quantity" not in asked:
            yield from other_unit(
                change.facts, before.get(INGREDIENT), fields[INGREDIENT], f"{path}.quantity", "quantity"
            )


def other_unit(facts: Facts, old: object, new: object, path: str, argument: str) -> Iterator[ToolWarning]:
    """Yield that two ingredients are counted in different units, so a quantity that stays would mean another one."""
    was, becomes = (facts.with_id("variant", variant) for variant in (old, new))
    if was is not None and becomes is not None and was.unit != becomes.unit:
        message = f"{path}: {was.called} is counted in {was.unit or 'no unit'}, {becomes.called} in {becomes.unit}"
        yield blocking(warning_codes.UNIT_MISMATCH, f"{message}: give {argument}", path)


RULES = (_product, _copied, _ingredients, _units)
