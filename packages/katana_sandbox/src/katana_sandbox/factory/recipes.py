"""Operations of the made products, and what a manufacturing order copies from a variant."""

from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.factory.loader import DAY, Loader
from katana_sandbox.rules.manufacturing_costs import cost_per_unit
from katana_sandbox.rules.product_operations import RANK_STEP
from katana_sandbox.store.records import DELETED
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal, number

# Ids of work stations, which operators refer to.
_STATIONS = ((601, "Assembly bench"), (602, "Wheel stand"))
# Name, station, type, planned seconds, cost an hour (or, for the other types, a unit or an order).
type Work = tuple[str, int | None, str, int, int]
_BIKE: tuple[Work, ...] = (
    ("Frame preparation", 601, "process", 1200, 34),
    ("Assembly", 601, "process", 5400, 38),
    ("Quality check", None, "perUnit", 600, 6),
)
_WHEEL: tuple[Work, ...] = (("Truing set-up", 602, "setup", 1800, 30), ("Wheel building", 602, "process", 1500, 36))
_OTHER: tuple[Work, ...] = (("Assembly", 601, "process", 900, 38), ("Packing", None, "fixed", 300, 12))
_WORK = {"E-bikes": _BIKE, "Wheels": _WHEEL}


class Line(NamedTuple):
    """An ingredient: variant, quantity for one unit, price, notes."""

    variant_id: int
    quantity: Decimal
    price: Decimal
    notes: str | None


class Recipe(NamedTuple):
    """What one unit of a variant takes."""

    variant_id: int
    lines: tuple[Line, ...]
    operations: tuple[Record, ...]


def load_recipes(loader: Loader) -> list[Recipe]:
    """Give every variant that has a BOM its operations; the variants a workshop can make without serial numbers."""
    names = _load_names(loader)
    stores = loader.ctx.db.stores
    lines: dict[int, list[Record]] = {}
    for slot in range(len(stores["bom_rows"].keys)):
        row = stores["bom_rows"].record(slot)
        lines.setdefault(row["product_variant_id"], []).append(row)
    recipes: list[Recipe] = []
    for variant_id, rows in lines.items():
        product = loader.ctx.get("products", rows[0]["product_item_id"]) or {}
        if product.get("deleted_at") or product.get("archived_at") or product.get("serial_tracked"):
            continue
        operations = _load_operations(loader, variant_id, product, names)
        recipes.append(Recipe(variant_id, tuple(_line(loader, row) for row in rows), operations))
    return recipes


def _load_names(loader: Loader) -> dict[str, int]:
    life = loader.life(loader.now - 700 * DAY)
    for key, name in _STATIONS:
        loader.put("resources", {"name": name}, life, key=key)
    work = dict.fromkeys(entry[0] for entry in (*_BIKE, *_WHEEL, *_OTHER))
    return {name: loader.number("operations", {"name": name}, life) for name in work}


def _line(loader: Loader, row: Record) -> Line:
    store = loader.ctx.db.stores["variants"]
    slot = store.slot(row["ingredient_variant_id"])
    lives = slot is not None and not store.flags[slot] & DELETED
    price = loader.costs[row["ingredient_variant_id"]] if lives else Decimal(0)
    return Line(row["ingredient_variant_id"], as_decimal(row["quantity"]), price, row.get("notes"))


def _load_operations(loader: Loader, variant_id: int, product: Record, names: dict[str, int]) -> tuple[Record, ...]:
    stations = dict(_STATIONS)
    loaded: list[Record] = []
    life = loader.life(loader.now - loader.rng.randrange(20, 600) * DAY)
    for place, (name, station, kind, seconds, cost) in enumerate(_WORK.get(str(product["category_name"]), _OTHER)):
        fields: Record = {
            "product_id": product["id"],
            "product_variant_id": variant_id,
            "operation_id": names[name],
            "operation_name": name,
            "type": kind,
            "resource_id": station,
            "resource_name": None if station is None else stations[station],
            "cost_per_hour": cost,
            "cost_parameter": cost,
            "planned_cost_per_unit": 0,
            "planned_time_per_unit": seconds,
            "planned_time_parameter": seconds,
            "rank": (100 - place) * RANK_STEP,
            "group_boundary": None,
        }
        fields["planned_cost_per_unit"] = number(cost_per_unit(fields, Decimal(1)))
        loader.put("product_operation_rows", fields, life)
        loaded.append(fields)
    return tuple(loaded)
