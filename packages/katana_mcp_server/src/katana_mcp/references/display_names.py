"""Names for ids, looked up in one batch per entity: variant, customer, location, supplier."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import cast

from cache_core.conditions import EVERYTHING, OneOf, Order, Scalar
from cache_core.protocol import ByIds, CacheBackend, Read, Selected, Selection, Stored
from cache_core.records import Json, Record, RecordId, as_id, values_at
from cache_core.specs import SPECS
from katana_mcp.values import EMPTY, child, get_int, number, rows

FACTORY: tuple[str, ...] = tuple(spec.name for spec in SPECS if spec.name == "factory")
"""What the base currency is read from; nothing while the factory is not cached."""
CUSTOM_FIELDS: tuple[str, ...] = tuple(spec.name for spec in SPECS if spec.name == "custom_field_definition")
"""What custom fields are called by, and the choices of each."""
VARIANT_PARENTS = (("product_id", "product"), ("material_id", "material"), ("service_id", "service"))
"""The fields of a variant that name its item, and the cache entities of such items."""
VARIANT_ENTITIES: tuple[str, ...] = ("variant", *(entity for _, entity in VARIANT_PARENTS))
"""What SKU and name of a variant are read from."""


_ITEM = frozenset(
    (
        *("id", "name", "uom", "type", "category_name", "additional_info", "archived_at", "deleted_at"),
        *("batch_tracked", "serial_tracked", "is_sellable", "is_producible", "is_purchasable", "is_auto_assembly"),
        *("default_supplier_id", "purchase_uom", "purchase_uom_conversion_rate", "lead_time", "minimum_order_quantity"),
    )
)
_COMPANY = frozenset(("id", "name", "currency"))
READ_OF: Mapping[str, frozenset[str]] = {
    **{entity: _ITEM for _, entity in VARIANT_PARENTS},
    "customer": _COMPANY | {"discount_rate"},
    "supplier": _COMPANY | {"deleted_at"},
    "location": frozenset(("id", "name", "sales_allowed", "purchase_allowed", "manufacturing_allowed", "deleted_at")),
}
"""What is read of records that are looked up; the addresses of a customer, say, are not. Of others it is all."""
SHOWN_OF: Mapping[str, frozenset[str]] = {
    **READ_OF,
    "variant": frozenset(("id", "sku", "config_attributes", "deleted_at", *(path for path, _ in VARIANT_PARENTS))),
    "sales_order": frozenset(("id", "order_no", "customer_id")),
}
"""What is read where names are shown, and nothing is judged: of a variant no codes, prices and custom fields either."""


@dataclass(frozen=True, slots=True)
class Names:
    """Records by entity and id, in any soft state, each with what `READ_OF` says; what is unknown stays unnamed."""

    records: dict[tuple[str, RecordId], Record] = field(default_factory=dict[tuple[str, RecordId], Record])
    parts: dict[tuple[str, RecordId], list[Record]] = field(default_factory=dict[tuple[str, RecordId], list[Record]])
    """Records that belong to a row, in any soft state, by the entity and id of the row."""

    def record(self, entity: str, record_id: object) -> Record | None:
        """Return the record, or None when it is not known."""
        key = as_id(record_id)
        return None if key is None else self.records.get((entity, key))

    def of(self, entity: str) -> Iterator[Record]:
        """Yield the records of a cache entity."""
        return (record for (kind, _), record in self.records.items() if kind == entity)

    def name(self, entity: str, record_id: object) -> str | None:
        """Return the record's `name`, or None."""
        return text(self.record(entity, record_id), "name")

    def base_currency(self) -> str | None:
        """Return the currency of base amounts and of sales prices of items, or None when it is not known."""
        return text(next(self.of("factory"), None), "base_currency_code")

    def rate(self, tax_rate_id: object) -> Decimal | None:
        """Return a tax rate in percent, or None when it is not known."""
        return number(self.record("tax_rate", tax_rate_id) or EMPTY, "rate")

    def custom_field(self, definition_id: str, value: object) -> tuple[str, object]:
        """Return the label of a custom field, and of its choice where it has choices; what is not known stays."""
        definition = self.record(CUSTOM_FIELDS[0], definition_id) or EMPTY
        choices = rows(child(definition, "options") or EMPTY, "choices")
        chosen = (text(choice, "label") for choice in choices if choice.get("id") == value)
        return text(definition, "label") or definition_id, next(chosen, None) or value

    def sku(self, variant_id: object) -> str | None:
        """Return the variant's SKU, or None."""
        return text(self.record("variant", variant_id), "sku")

    def variant(self, variant_id: object) -> str | None:
        """Return the variant's display name, `Bike / L / Red`, or None when it is not known."""
        record = self.record("variant", variant_id)
        return None if record is None else self.display(record)

    def parent(self, variant: Record) -> tuple[str, int] | None:
        """Return the item that a variant belongs to as `(product | material | service, id)`, or None."""
        for path, entity in VARIANT_PARENTS:
            item_id = variant.get(path)
            if isinstance(item_id, int):
                return entity, item_id
        return None

    def item(self, variant: Record | None) -> Record | None:
        """Return the record of the item that a variant belongs to, or None when it is not known."""
        parent = self.parent(variant) if variant else None
        return self.record(*parent) if parent else None

    def display(self, variant: Record) -> str | None:
        """Return a variant's display name: its item's name, then ` / ` and each config value."""
        name = text(self.item(variant), "name")
        if name is None:
            return text(variant, "sku")
        values = [str(value) for value in values_at(variant, "config_attributes[].config_value")]
        return " / ".join([name, *values])


async def look_up(
    cache: CacheBackend,
    ids_by_entity: Mapping[str, Iterable[object]],
    at_hand: Iterable[tuple[str, Stored]] = (),
    *,
    item_suppliers: bool = True,
    only_shown: bool = False,
) -> Names:
    """Return names for the wanted ids; rows at hand, with their cache entity, are not asked for again.

    Items of variants come along; the suppliers of items (unless `item_suppliers` is false), the customers of sales
    orders, the factory, and all definitions of custom fields, where any are wanted. Of what is looked up `READ_OF`
    says what is read, or `SHOWN_OF` where `only_shown`.
    """
    reads = SHOWN_OF if only_shown else READ_OF
    names = Names({(entity, row.id): row.record for entity, row in at_hand})
    whole = [entity for entity in (*FACTORY, *CUSTOM_FIELDS) if entity in ids_by_entity and entity in cache.entities]
    # What owns the rows at hand is read with what they name; what owns that, afterwards.
    await _add(cache, names, reads, _joined(ids_by_entity, _owners(names, ids_by_entity)), whole)
    if "variant" in ids_by_entity:
        unknown = [
            variant_id
            for variant_id in ids_by_entity["variant"]
            if isinstance(variant_id, int) and names.record("variant", variant_id) is None
        ]
        found = await service_variants(cache, "id", unknown)
        names.records.update((("variant", row.id), row.record) for row in found)
    await _add(cache, names, reads, _owners(names, ids_by_entity))
    if item_suppliers and "supplier" in ids_by_entity:
        suppliers = [item.get("default_supplier_id") for item in names.records.values()]
        await _add(cache, names, reads, {"supplier": suppliers})
    return names


def _owners(names: Names, wanted: Container[str]) -> dict[str, list[object]]:
    """Return the ids of the items of variants and of the customers of sales orders that are there, where wanted."""
    owners: dict[str, list[object]] = {}
    if "variant" in wanted:
        variants = list(names.of("variant"))
        owners = {entity: [variant.get(path) for variant in variants] for path, entity in VARIANT_PARENTS}
    if "sales_order" in wanted:
        owners["customer"] = [order.get("customer_id") for order in names.of("sales_order")]
    return owners


def _joined(*by_entity: Mapping[str, Iterable[object]]) -> dict[str, list[object]]:
    joined: dict[str, list[object]] = {}
    for ids in by_entity:
        for entity, values in ids.items():
            joined.setdefault(entity, []).extend(values)
    return joined


_WHOLE = Selection(limit=100, visibility=EVERYTHING)
"""An account has one factory, and at most 50 definitions of custom fields."""


async def parts_of(
    cache: CacheBackend, entity: str, path: str, of: Sequence[tuple[str, Stored]]
) -> dict[tuple[str, RecordId], list[Record]]:
    """Return the records of a cache entity whose field at `path` names one of these rows, by the row's entity and id.

    They come in any soft state, in the order of their ids.
    """
    owners = {row.id: (source, row.id) for source, row in of}
    where = (OneOf(path, tuple(owners)),)
    parts: dict[tuple[str, RecordId], list[Record]] = {}
    for row in await cache.select(entity, Selection(where, Order("id"), _MOST_PARTS, visibility=EVERYTHING)):
        owner = as_id(row.record.get(path))
        if owner in owners:
            parts.setdefault(owners[owner], []).append(row.record)
    return parts


_MOST_PARTS = 1_000_000
"""More than a page of documents can have."""


async def service_variants(cache: CacheBackend, field_name: str, values: Sequence[Scalar]) -> list[Stored]:
    """Return the variants of services whose `id` or `sku` is one of these: they are kept inside their service."""
    if not values:
        return []
    where = (OneOf(f"variants[].{field_name}", tuple(values)),)
    found = await cache.select("service", Selection(where, limit=1_000, visibility=EVERYTHING))
    return [
        Stored(get_int(variant, "id") or 0, row.version, _of_service(variant, row.id), row.deleted, row.archived)
        for row in found
        for variant in rows(row.record, "variants")
        if variant.get(field_name) in values
    ]


def _of_service(variant: Record, service_id: RecordId) -> dict[str, Json]:
    return cast("dict[str, Json]", {**variant, "service_id": service_id})


async def _add(
    cache: CacheBackend,
    names: Names,
    read_of: Mapping[str, frozenset[str]],
    ids_by_entity: Mapping[str, Iterable[object]],
    whole: Iterable[str] = (),
) -> None:
    """Add the records of these ids that are not there yet, and all of some cache entities, read together."""
    reads: list[Read] = [Selected(entity, _WHOLE) for entity in whole]
    for entity, ids in ids_by_entity.items():
        asked = dict.fromkeys(key for value in ids if (key := as_id(value)) is not None)
        if missing := [record_id for record_id in asked if (entity, record_id) not in names.records]:
            reads.append(ByIds(entity, missing, read_of.get(entity)))
    if reads:
        for read, found in zip(reads, await cache.read(reads), strict=True):
            names.records.update(((read.entity, row.id), row.record) for row in found)


def titled(name: str) -> str:
    """Return the name of an entity or a collection in words."""
    return name.replace("_", " ")


def none_yet(titles: str) -> str:
    """Return what is said where an account has nothing of a kind."""
    return f"Katana holds no {titles} yet"


def text(record: Record | None, field_name: str) -> str | None:
    """Return a text field of a record, or None when it is absent, null or empty."""
    value = None if record is None else record.get(field_name)
    return value if isinstance(value, str) and value else None
