"""Which movements a list query means, found without building those it does not."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal  # noqa: TC003 - evaluated in casts
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.store.movements import OPENING, Movement, Posted
from katana_sandbox.store.select import Condition, Selection
from katana_sandbox.wire.times import ms_of


def found_ids(ctx: Context, selection: Selection) -> Sequence[int]:
    """The ids of the movements a selection means, oldest first; remembered until the ledger changes."""
    movements = ctx.db.movements
    if selection == Selection(deleted=selection.deleted, archived=selection.archived):
        return movements.ids
    remembered = movements.remembered.get(selection)
    if remembered is not None and remembered[0] == movements.version:
        return remembered[1]
    found = sorted(_find(ctx, selection))
    if len(movements.remembered) >= movements.REMEMBER:
        movements.remembered.clear()
    movements.remembered[selection] = (movements.version, found)
    return found


def _find(ctx: Context, selection: Selection) -> Iterator[int]:
    conditions = {condition.field: condition for condition in selection.conditions}
    narrow = _narrow(ctx, selection, conditions)
    if narrow is not None:
        yield from (entry.id for entry in narrow if _fits(entry, selection))
        return
    yield from (entry.id for entry in ctx.db.movements.later() if _fits(entry, selection))
    others = [name for name in conditions if name not in {"location_id", "resource_type"}]
    kind = conditions.get("resource_type")
    if others or (kind is not None and OPENING not in kind.values):
        return
    place = conditions.get("location_id")
    where = None if place is None else int(cast("Decimal", place.values[0]))
    for opening_id, created in ctx.db.movements.openings.at(where):
        if selection.created.holds(created) and selection.updated.holds(created):
            yield opening_id


def _narrow(ctx: Context, selection: Selection, conditions: dict[str, Condition]) -> Iterable[Posted] | None:
    movements = ctx.db.movements
    if selection.ids is not None:
        keys = dict.fromkeys(selection.ids)
        return [entry for key in keys if isinstance(key, int) and (entry := movements.get(key)) is not None]
    variants = conditions.get("variant_id")
    if variants is not None:
        return _of_variants(ctx, variants)
    kind = conditions.get("resource_type")
    resource = conditions.get("resource_id") or conditions.get("caused_by_resource_id")
    if resource is None:
        return None
    key = int(cast("Decimal", resource.values[0]))
    if kind is not None and OPENING not in kind.values and "resource_id" in conditions:
        return movements.of_source((str(kind.values[0]), key))
    return [*(entry for entry in movements.later()), *_openings(ctx, key)]


def _of_variants(ctx: Context, variants: Condition) -> Iterator[Posted]:
    for value in dict.fromkeys(variants.values):
        for location in ctx.db.stores["locations"].keys:
            if isinstance(location, int):
                yield from ctx.db.movements.of_pair(int(cast("Decimal", value)), location)


def _openings(ctx: Context, variant_id: int) -> Iterator[Posted]:
    for location in ctx.db.stores["locations"].keys:
        if isinstance(location, int):
            yield from (entry for entry in ctx.db.movements.of_pair(variant_id, location) if _is_opening(entry))


def _is_opening(entry: Posted) -> bool:
    return entry.movement.resource_type == OPENING and entry.movement.caused_by_resource_id is None


def _fits(entry: Posted, selection: Selection) -> bool:
    for moment, span in ((entry.created_at, selection.created), (entry.updated_at, selection.updated)):
        if not span.open and not span.holds(ms_of(moment) or 0):
            return False
    return all(_holds(condition, entry.movement) for condition in selection.conditions)


def _holds(condition: Condition, movement: Movement) -> bool:
    held = getattr(movement, condition.field)
    if condition.field == "caused_by_resource_id" and held is None:
        held = movement.resource_id
    return condition.matches({condition.field: held})
