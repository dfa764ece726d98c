"""`modify_safety_stock`: how much of an item a location is to keep, and the bin that it belongs in.

Each request sets a value whatever it was, so that once more changes nothing. Katana makes a bin that is not there.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import batched

from katana_mcp.surface.operations.planning import planning_tool
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.workflows.safety_stock.checks import checks
from katana_mcp.workflows.safety_stock.levels import READS, Kept, KeptFacts, gather
from katana_mcp.workflows.safety_stock.request import ModifySafetyStockRequest, ModifySafetyStockResponse
from katana_mcp.writing.actions import Action, IfApplied, JsonObject, Recognise
from katana_mcp.writing.change import Change, Draft
from katana_mcp.writing.preview import FieldChange, PlanLine

TOOL = "modify_safety_stock"
_STOCK, _LISTING = "stock", "inventory"
_NONE = "(none)"
_AT_ONCE = 100
"""Bins that one request sets: a listing of so many variants still fits into one address."""


def _plan(request: ModifySafetyStockRequest, facts: KeptFacts) -> Draft:
    is_lawful = not any(check.severity == "blocking" for check in checks(request, facts))
    kept = [row for row in facts.kept(request) if row.has_amount or row.has_bin]
    sent = [*_sent(kept)] if is_lawful else []
    unknown = any(row.has_amount and row.old_amount is None for row in kept)
    return Draft(
        summary=_summary(kept),
        actions=tuple(action for action, _ in sent),
        touches={"levels": [_binding(row) for row in kept]},
        lanes=tuple(dict.fromkeys(f"levels of variant {row.goods.id}" for row in kept)),
        lines=tuple(_line(row) for row in kept),
        changes=tuple(change for row in kept for change in _changes(row)),
        prior_state={"levels": [_binding(row) for row in kept]},
        revert=None if unknown or not sent else _back(sent),
        one_way="Katana does not show the safety stock of some now" if unknown else "",
    )


def _summary(kept: Sequence[Kept]) -> str:
    if len(kept) == 1:
        called = f"{kept[0].called}: "
        changed = [
            f"{change.field.removeprefix(called)} {change.old or _NONE} → {change.new or _NONE}"
            for change in _changes(kept[0])
        ]
        return f"set {called}{', '.join(changed)}"
    amounts, bins = sum(row.has_amount for row in kept), sum(row.has_bin for row in kept)
    parts = [so_many(count, what) for count, what in ((amounts, "safety stock"), (bins, "default bin")) if count]
    return f"set {' and '.join(parts) or 'nothing'}"


def _binding(row: Kept) -> JsonObject:
    """Return what of a level the plan depends on."""
    old = None if row.old_amount is None else plain_number(row.old_amount)
    return {
        "variant_id": row.goods.id,
        "location_id": row.place.id,
        **({"safety_stock": old} if row.has_amount else {}),
        **({"default_bin": row.old_bin} if row.has_bin else {}),
    }


def _line(row: Kept) -> PlanLine:
    return PlanLine(
        change="update",
        variant_id=row.goods.id,
        sku=row.goods.sku,
        is_shared=row.goods.is_shared or None,
        name=row.goods.name,
        quantity=row.asked.safety_stock if row.has_amount else None,
        unit=row.goods.unit if row.has_amount else None,
        location=row.place.called,
    )


def _changes(row: Kept) -> Iterator[FieldChange]:
    if row.has_amount and row.asked.safety_stock is not None:
        old = None if row.old_amount is None else str(plain_number(row.old_amount))
        new = str(plain_number(row.asked.safety_stock))
        yield FieldChange(field=f"{row.called}: safety stock", old=old, new=new)
    if row.has_bin:
        yield FieldChange(field=f"{row.called}: default bin", old=row.old_bin, new=row.bin)


type _Sent = tuple[Action, Sequence[Kept]]


def _sent(kept: Sequence[Kept]) -> Iterator[_Sent]:
    """Yield each request with the rows that it is for."""
    for row in kept:
        if row.has_amount:
            yield _amount(row), (row,)
    for place in dict.fromkeys(row.place.id for row in kept):
        here = [row for row in kept if row.place.id == place and row.has_bin and row.bin is not None]
        for some in batched(here, _AT_ONCE):
            yield _bins(some), some
    for row in kept:
        if row.has_bin and row.bin is None:
            yield _no_bin(row), (row,)


def _amount(row: Kept) -> Action:
    amount = plain_number(row.asked.safety_stock or Decimal(0))
    return Action(
        title=f"set the safety stock of {row.called} to {amount}",
        method="POST",
        path="/inventory_safety_stock_levels",
        body={"variant_id": row.goods.id, "location_id": row.place.id, "value": amount},
        entity=_STOCK,
        record=row.goods.id,
        expects={"safety_stock_level": amount},
        recognise=_here(row),
        is_answered=False,
        answers_body=True,
        is_repeatable=True,
    )


def _bins(some: Sequence[Kept]) -> Action:
    (first, *others) = some
    one = f"the default bin of {first.called} to {first.bin}"
    what = f"{len(some)} default bins at {first.place.called}" if others else one
    rows = [
        {"variant_id": kept_row.goods.id, "location_id": kept_row.place.id, "bin_name": kept_row.bin}
        for kept_row in some
    ]
    expected = [{"variant_id": row["variant_id"], "default_storage_bin": {"bin_name": row["bin_name"]}} for row in rows]
    return Action(
        title=f"set {what}",
        method="POST",
        path="/variant_bin_locations",
        body=rows,
        entity=_STOCK,
        expects={"levels": expected},
        recognise=Recognise(
            collection=_LISTING,
            filters={"variant_id": [kept_row.goods.id for kept_row in some], "location_id": first.place.id},
        ),
        is_answered=False,
        answers_many=len(some),
        is_repeatable=True,
    )


def _no_bin(row: Kept) -> Action:
    return Action(
        title=f"take the default bin of {row.called} away",
        method="POST",
        path="/unlink_variant_bin_locations",
        body=[{"variant_id": row.goods.id, "location_id": row.place.id}],
        entity=_STOCK,
        record=row.goods.id,
        expects={"default_storage_bin": None},
        recognise=_here(row),
        is_answered=False,
        is_repeatable=True,
    )


def _here(row: Kept) -> Recognise:
    return Recognise(collection=_LISTING, filters={"variant_id": [row.goods.id], "location_id": row.place.id})


def _back(sent: Sequence[_Sent]) -> JsonObject:
    """Return the call that sets what was applied as it was before."""
    rows = [IfApplied(place, _before(action, row)) for place, (action, some) in enumerate(sent) for row in some]
    return {"tool": TOOL, "arguments": {"rows": rows}}


def _before(action: Action, row: Kept) -> JsonObject:
    pair = {"sku_or_variant_id": row.goods.id, "location_id": row.place.id}
    if action.answers_body:
        return {**pair, "safety_stock": None if row.old_amount is None else plain_number(row.old_amount)}
    return {**pair, "default_bin": row.old_bin}


SETTING = Change(
    request=ModifySafetyStockRequest,
    gather=gather,
    plan=_plan,
    checks=checks,
    reads=READS,
    answer=ModifySafetyStockResponse,
)
MODIFY_SAFETY_STOCK = planning_tool(
    TOOL,
    "inventory",
    "Plan to set the minimum stock of items at a location (safety stock, reorder point) and the "
    "default bin that they belong in; nothing is written.\n\n"
    "Shows each old and new value, and a `plan_token` for `apply_plan`.",
    SETTING,
)
