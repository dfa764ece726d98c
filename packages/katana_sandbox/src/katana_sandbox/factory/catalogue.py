"""Products and materials with variants, recipes, stock and safety stock."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import count, islice, product, zip_longest
from typing import NamedTuple

from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.factory.names import BOUGHT, MADE, PARTS, Item
from katana_sandbox.factory.purchasing import price_per_unit, rate_of
from katana_sandbox.rules.safety_stock import STORE, level_key
from katana_sandbox.store.records import ARCHIVED
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.numbers import as_decimal, decimal_text

_AGE = 1000 * DAY
_TYPICAL_VARIANTS = 3
_ARCHIVED_EVERY = 19
_DELETED_EVERY = 29


class Sold(NamedTuple):
    """What an order needs to know of a variant."""

    variant_id: int
    price: float
    cost: float
    sku: str | None
    made: bool = False


class _Draft(NamedTuple):
    item: Item
    kind: str
    place: int
    series: int
    supplier: int
    life: Life


def load_catalogue(loader: Loader, suppliers: list[int], locations: list[int], variants: int | None) -> list[Sold]:
    """The items up to so many variants (None: one of each item); the variants that orders may sell."""
    sold: list[Sold] = []
    recipes: list[tuple[int, int]] = []
    parts: list[int] = []
    total = len(_all_items()) * _TYPICAL_VARIANTS if variants is None else variants
    for draft, combinations in _drafts(loader, suppliers, variants):
        item_id, ids = _load_item(loader, draft, combinations, locations, sold)
        lives = draft.series == 0 and draft.life.deleted is None
        if lives and draft.kind == "made":
            recipes += [(item_id, variant_id) for variant_id in ids]
        elif lives and draft.kind == "part":
            parts += ids
        loader.report("variants", min(total, len(loader.ctx.db.stores["variants"].keys)), total)
    _load_recipes(loader, recipes, parts)
    return sold


def _all_items() -> list[tuple[Item, str]]:
    kinds = ((PARTS, "part"), (MADE, "made"), (BOUGHT, "bought"))
    turns = zip_longest(*([(item, kind) for item in items] for items, kind in kinds))
    return [entry for turn in turns for entry in turn if entry is not None]


def _drafts(
    loader: Loader, suppliers: list[int], variants: int | None
) -> Iterator[tuple[_Draft, list[tuple[str, ...]]]]:
    items = _all_items()
    left = variants
    expected = len(items) if variants is None else max(1, variants // _TYPICAL_VARIANTS)
    for index in count():
        series, place = divmod(index, len(items))
        if (left is None and series) or left == 0:
            return
        item, kind = items[place]
        combinations = list(islice(product(*(values for _, values in item.options)), left))
        left = None if left is None else left - len(combinations)
        created = loader.now - _AGE + int(min(1.0, index / expected) * (_AGE - 30 * DAY)) + loader.rng.randrange(DAY)
        special = place == 0
        archived = not special and index % _ARCHIVED_EVERY == _ARCHIVED_EVERY // 2 + 1
        deleted = not special and index % _DELETED_EVERY == _DELETED_EVERY - 1
        life = loader.life(created, archived=archived, deleted=deleted)
        yield _Draft(item, kind, place, series, suppliers[place % len(suppliers)], life), combinations


def _load_item(
    loader: Loader, draft: _Draft, combinations: list[tuple[str, ...]], locations: list[int], sold: list[Sold]
) -> tuple[int, list[int]]:
    name = "materials" if draft.kind == "part" else "products"
    link = "material_id" if name == "materials" else "product_id"
    item_id = loader.ctx.db.next_id(name)
    configs = [
        {"id": loader.ctx.db.next_id("configs"), "name": option, "values": list(values), link: item_id}
        for option, values in draft.item.options
    ]
    header, cost = _item_fields(draft, name), Decimal(str(draft.item.cost))
    loader.put(name, {**header, "configs": configs}, draft.life, key=item_id)
    price = _purchase_price(loader, header, cost)
    ids: list[int] = []
    for number, values in enumerate(combinations):
        fields = _variant_fields(draft, number, values, price) | {link: item_id}
        retired = len(combinations) > 5 and number == len(combinations) - 1
        deleted = draft.life.deleted or (draft.life.updated if retired else None)
        life = Life(draft.life.created, draft.life.updated, None, deleted)
        variant_id = loader.number("variants", fields, life, ARCHIVED if draft.life.archived else 0)
        loader.costs[variant_id] = cost
        if not deleted:
            ids.append(variant_id)
            _load_stock(loader, draft, variant_id, locations)
        if draft.item.price > 0 and not deleted and not draft.life.archived and not draft.item.tracked:
            item, sku = draft.item, fields["sku"]
            shown = sku if isinstance(sku, str) else None
            sold.append(Sold(variant_id, item.price, item.cost, shown, draft.kind == "made"))
    return item_id, ids


def _item_fields(draft: _Draft, name: str) -> Record:
    item = draft.item
    bulk = draft.kind == "part" and item.uom == "pcs" and item.cost < 1
    fields: Record = {
        "name": item.name if not draft.series else f"{item.name}, series {draft.series + 1}",
        "uom": item.uom,
        "category_name": item.category,
        "default_supplier_id": None if draft.kind == "made" else draft.supplier,
        "type": name.removesuffix("s"),
        "is_sellable": item.price > 0,
        "purchase_uom": "box" if bulk else None,
        "purchase_uom_conversion_rate": decimal_text(11)(500) if bulk else None,
        "batch_tracked": item.tracked == "batch",
        "serial_tracked": item.tracked == "serial",
        "operations_in_sequence": False,
        "additional_info": f"Shelf {draft.place % 12 + 1}, keep dry" if draft.place % 5 == 0 else "",
        "custom_field_collection_id": None,
    }
    if name == "products":
        made = draft.kind == "made"
        fields |= {"is_producible": made, "is_purchasable": not made, "is_auto_assembly": item.category == "Kits"}
    return fields


def _purchase_price(loader: Loader, item: Record, cost: Decimal) -> int | float:
    """What a purchase unit costs in the currency of the supplier, as orders have it; without one, base currency."""
    supplier = loader.ctx.db.stores["suppliers"].get(item["default_supplier_id"] or 0)
    rate = Decimal(1) if supplier is None else rate_of(supplier)
    return price_per_unit(cost, as_decimal(item["purchase_uom_conversion_rate"] or 1), rate)


def _variant_fields(draft: _Draft, number: int, values: tuple[str, ...], price: float) -> Record:
    item = draft.item
    return {
        "sku": _sku(draft, number, values),
        "sales_price": item.price,
        "product_id": None,
        "material_id": None,
        "purchase_price": price,
        "type": "material" if draft.kind == "part" else "product",
        "internal_barcode": f"2{draft.series:05d}{draft.place:03d}{number:03d}" if draft.place % 3 == 0 else None,
        "registered_barcode": f"47{draft.series:04d}{draft.place:03d}{number:04d}" if draft.kind == "bought" else None,
        "supplier_item_codes": [] if draft.kind == "made" else [_supplier_code(draft, number)],
        "lead_time": None if draft.kind == "made" else 7 + draft.place % 21,
        "minimum_order_quantity": 10 if draft.kind == "part" and item.cost < 10 else None,
        "config_attributes": [
            {"config_name": option, "config_value": value}
            for (option, _), value in zip(item.options, values, strict=True)
        ],
        "custom_fields": None,
    }


def _sku(draft: _Draft, number: int, values: tuple[str, ...]) -> str | None:
    code = draft.item.code
    if code in {"NIPL", "CRTN"} or (code == "HLMT" and number == 3):
        return None
    if code in {"PADS", "PADO"}:
        return f"PAD-{draft.series}" if draft.series else "PAD"
    tail = "-".join("".join(part for part in value.upper() if part.isalnum())[:3] for value in values)
    stem = code if not draft.series else f"{code}-{draft.series:04d}"
    return f"{stem}-{tail}" if tail else stem


def _supplier_code(draft: _Draft, number: int) -> str:
    if draft.place == 0 and draft.series == 0:
        return f"00.4021.018.{number + 1:03d}"
    return f"{draft.series // 100:02d}.{4100 + draft.place:04d}.{draft.series % 100:03d}.{number + 1:03d}"


def _load_stock(loader: Loader, draft: _Draft, variant_id: int, locations: list[int]) -> None:
    rng = loader.rng
    scale = 400 if draft.item.cost < 1 else 60 if draft.kind == "part" else 9
    cost = Decimal(str(draft.item.cost))
    special = draft.place == 0 and draft.series == 0
    for place, share in enumerate((0.85, 0.3, 0.06)):
        if rng.random() < share or (special and place == 0):
            quantity = Decimal(rng.randint(1, scale) + 5 * special)
            loader.open_stock((variant_id, locations[place]), quantity, cost, draft.life.created)
    if draft.kind == "part" and rng.random() < 0.4:
        stamp = loader.text(draft.life.updated)
        pair = {"location_id": locations[0], "variant_id": variant_id}
        level = {**pair, "value": str(rng.randint(2, scale // 2)), "created_at": stamp, "updated_at": stamp}
        store = loader.ctx.db.stores[STORE]
        store.swap(level_key(variant_id, locations[0]), store.entry(level, encode(level)))


def _load_recipes(loader: Loader, made: list[tuple[int, int]], parts: list[int]) -> None:
    if not parts:
        return
    for item_id, variant_id in made:
        archived = (loader.ctx.get("products", item_id) or {}).get("archived_at") is not None
        for rank, ingredient in enumerate(loader.rng.sample(parts, min(6, len(parts)))):
            fields = {
                "product_variant_id": variant_id,
                "product_item_id": item_id,
                "ingredient_variant_id": ingredient,
                "quantity": loader.rng.choice((1, 1, 1, 2, 4, 0.5)),
                "notes": None,
                "rank": rank * 10000,
            }
            life = loader.life(loader.now - loader.rng.randrange(20, 700) * DAY)
            if not archived:
                loader.put("bom_rows", fields, life)
