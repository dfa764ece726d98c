"""Variants by what others call them: barcodes, codes of suppliers, texts of custom fields and exact names.

Reads the cache alone. Refuses what is like a code or a name: only what is one, but for how it is written.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cache_core.conditions import CustomValue, OneOf, Order
from cache_core.protocol import Search, Selection, Stored
from cache_core.records import Record
from cache_core.search_rules import Tier, normalised
from katana_mcp.references.display_names import (
    CUSTOM_FIELDS,
    VARIANT_ENTITIES,
    VARIANT_PARENTS,
    Names,
    look_up,
    service_variants,
    text,
)
from katana_mcp.references.resolve import EXPLAINED, all_listed, cached_variants
from katana_mcp.references.services import Services, current
from katana_mcp.references.suggestions import same
from katana_mcp.values import get_int, get_strs, rows

SKU, ID = "SKU", "id"
BARCODE, SUPPLIER_CODE, CUSTOM_FIELD, NAME = "barcode", "supplier item code", "custom field", "name"
CODES = (BARCODE, CUSTOM_FIELD, NAME)
"""What a document may call a good by besides its SKU and its id."""
BOUGHT = (BARCODE, SUPPLIER_CODE, CUSTOM_FIELD, NAME)
"""The same where goods are bought."""
_BARCODES = ("internal_barcode", "registered_barcode")
_KINDS = ("ProductVariant", "MaterialVariant", "ServiceVariant")
_TEXT = "shortText"
_CUSTOM = "custom_fields"
_BETWEEN = " / "
_MOST, _HITS = 10_000, 200


@dataclass(frozen=True, slots=True)
class Owner:
    """A live variant that has a code or a name, and what that is of it: `barcode`, `custom field Customer code`."""

    row: Stored
    by: str

    @property
    def id(self) -> int:
        """Its id."""
        return get_int(self.row.record, "id") or 0


type Owners = Mapping[int | str, tuple[Owner, ...]]
"""Live variants by the texts that they are called, each once, whatever it is called so by."""


type _Having = dict[str, tuple[Owner, ...]]


async def other_owners(asked: Iterable[int | str], services: Services, codes: Collection[str]) -> Owners:
    """Return the live variants that texts name otherwise than by SKU; nothing while not all variants are cached.

    A text that is a SKU is looked for among barcodes alone: a SKU is never anything else, which is to be told.

    Args:
        asked: what a document calls its goods; ids are theirs already.
        services: the tenant's services.
        codes: of `CODES` and the like, what counts.
    """
    texts = [term for term in dict.fromkeys(asked) if isinstance(term, str) and term.strip()]
    if not texts or not codes or not await all_listed(services, *VARIANT_ENTITIES):
        return {}
    cached = await cached_variants(texts, services)
    left = [term for term in texts if not any(_is_sku(row, term) for row in cached.get(term, ()))]
    found = [await _by_barcode(texts, services)]
    if SUPPLIER_CODE in codes:
        found.append(await _by_supplier_code(left, services))
    if CUSTOM_FIELD in codes:
        found.append(await _by_custom_field([term for term in left if _is_code(term)], services))
    if NAME in codes:
        found.append(await _by_name(left, services))
    return {term: owners for term in texts if (owners := _unique_owners(having.get(term, ()) for having in found))}


def called_by(asked: int | str, variant: Record, owners: Sequence[Owner] = ()) -> str:
    """Return what of a variant an id or a text is."""
    if isinstance(asked, int):
        return ID
    if same(text(variant, "sku") or "", asked):
        return SKU
    return next((owner.by for owner in owners if owner.id == variant.get("id")), ID)


def _is_sku(row: Stored, asked: str) -> bool:
    return not (row.deleted or row.archived) and same(text(row.record, "sku") or "", asked)


def _is_code(asked: str) -> bool:
    """Return whether a text may be a code: a word without a digit stands in a custom field by what it means."""
    return any(character.isdigit() for character in asked)


def _unique_owners(found: Iterable[Sequence[Owner]]) -> tuple[Owner, ...]:
    owners: dict[int, Owner] = {}
    for some in found:
        for owner in some:
            owners.setdefault(owner.id, owner)
    return tuple(owners.values())


def _spelt(asked: str) -> tuple[str, ...]:
    """Return how a code may be written: as it is, and without blanks around it in capitals or small letters."""
    bare = asked.strip()
    return tuple(dict.fromkeys((asked, bare, bare.upper(), bare.lower())))


def _forms(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for term in texts for form in _spelt(term)))


def _having(texts: Sequence[str], called: Iterable[tuple[Stored, str, str]]) -> _Having:
    """Return who has each text, of those that are called something by something: to the letter before otherwise."""
    by_text: dict[str, list[tuple[str, Owner]]] = {}
    for row, name, by in called:
        by_text.setdefault(name.strip().casefold(), []).append((name, Owner(row, by)))
    found: _Having = {}
    for term in texts:
        having = by_text.get(term.strip().casefold(), [])
        exact = [owner for name, owner in having if name == term]
        found[term] = tuple(exact or [owner for _, owner in having])
    return found


async def _by_barcode(texts: Sequence[str], services: Services) -> _Having:
    called: list[tuple[Stored, str, str]] = []
    for name in _BARCODES:
        where = (OneOf(name, _forms(texts)),)
        stored = await services.cache.select("variant", Selection(where, Order("id"), _MOST))
        called += [(row, str(row.record[name]), BARCODE) for row in stored]
    return _having(texts, called)


async def _by_supplier_code(texts: Sequence[str], services: Services) -> _Having:
    found: _Having = {}
    for term in texts:
        result = await services.cache.search("variant", Search(term.strip(), limit=_HITS))
        hits = [hit.row for hit in result.hits if hit.tier is Tier.EXACT]
        called = [
            (row, code, SUPPLIER_CODE) for row in hits for code in get_strs(row.record, "supplier_item_codes") or ()
        ]
        found |= _having([term], called)
    return found


async def _by_custom_field(texts: Sequence[str], services: Services) -> _Having:
    """Return who has each text in a custom field for texts, in either form that accounts have."""
    if not texts:
        return {}
    labels = await _labels(services)
    forms, called = _forms(texts), list[tuple[Stored, str, str]]()
    for where in (OneOf(f"{_CUSTOM}[].field_value", forms), CustomValue(_CUSTOM, tuple(labels), forms)):
        if not isinstance(where, CustomValue) or labels:
            called += [
                (row, value, f"{CUSTOM_FIELD} {label}")
                for row in await _with_custom(where, services)
                for label, value in _custom_texts(row.record, labels)
            ]
    return _having(texts, called)


async def _with_custom(where: OneOf | CustomValue, services: Services) -> list[Stored]:
    """Return the variants that meet a condition on their custom fields, those of services too."""
    found = [*await services.cache.select("variant", Selection((where,), Order("id"), _MOST))]
    inside = (
        CustomValue(f"variants[].{where.field}", where.names, where.values)
        if isinstance(where, CustomValue)
        else OneOf(f"variants[].{where.field}", where.values)
    )
    sold = await services.cache.select("service", Selection((inside,), Order("id"), _MOST))
    return [*found, *await _variants_of(sold, services)]


async def _variants_of(sold: Sequence[Stored], services: Services) -> list[Stored]:
    ids = [
        key for row in sold for variant in rows(row.record, "variants") if (key := get_int(variant, "id")) is not None
    ]
    return await service_variants(services.cache, "id", ids)


async def _labels(services: Services) -> dict[str, str]:
    """Return the labels of the fields that hold texts of variants, by their ids."""
    await current(services, CUSTOM_FIELDS, ())
    stored = [
        row.record for field in CUSTOM_FIELDS for row in await services.cache.select(field, Selection(limit=_MOST))
    ]
    texts = [record for record in stored if record.get("entity_type") in _KINDS and record.get("field_type") == _TEXT]
    return {str(definition["id"]): text(definition, "label") or str(definition["id"]) for definition in texts}


def _custom_texts(variant: Record, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each custom field that holds one."""
    held = variant.get(_CUSTOM)
    if isinstance(held, Mapping):
        values = cast("Mapping[str, object]", held)
        pairs = [(label, values.get(key)) for key, label in labels.items()]
    else:
        pairs = [(text(row, "field_name"), row.get("field_value")) for row in rows(variant, _CUSTOM)]
    yield from ((label or _CUSTOM, value) for label, value in pairs if isinstance(value, str) and value)


async def _by_name(texts: Sequence[str], services: Services) -> _Having:
    """Return who is called each text, as a variant or as its item; of some in any spelling."""
    found = await _by_exact_name(texts, services)
    for term in [term for term in texts if not found.get(term)][:EXPLAINED]:
        found[term] = await _by_spelt_name(term, services)
    return found


async def _by_exact_name(texts: Sequence[str], services: Services) -> _Having:
    named = tuple(dict.fromkeys(start for term in texts for start in _starts(term)))
    found: list[Stored] = []
    for path, entity in VARIANT_PARENTS if named else ():
        items = await services.cache.select(entity, Selection((OneOf("name", named),), Order("id"), _MOST))
        if entity == "service":
            found += await _variants_of(items, services)
        elif items:
            where = (OneOf(path, tuple(item.id for item in items)),)
            found += await services.cache.select("variant", Selection(where, Order("id"), _MOST))
    names = await _names_of(found, services)
    by_name: dict[str, list[Owner]] = {}
    for row in found:
        for name in _called(row.record, names):
            by_name.setdefault(name, []).append(Owner(row, NAME))
    return {term: tuple(by_name.get(term.strip(), ())) for term in texts}


def _starts(asked: str) -> Iterator[str]:
    """Yield what of a text may be the name of an item: `Bike / L` is the variant L of a Bike, or an item called so."""
    parts = asked.strip().split(_BETWEEN)
    yield from (_BETWEEN.join(parts[:end]) for end in range(1, len(parts) + 1))


async def _by_spelt_name(asked: str, services: Services) -> tuple[Owner, ...]:
    """Return who is called a text but for case, accents and separators; nobody where the search sees not all."""
    meant = normalised(asked)
    result = await services.cache.search("variant", Search(asked, limit=_HITS))
    if not meant or result.cut or result.total > len(result.hits):
        return ()
    stored = [hit.row for hit in result.hits]
    names = await _names_of(stored, services)
    return tuple(
        Owner(row, NAME) for row in stored if meant in {normalised(name) for name in _called(row.record, names)}
    )


async def _names_of(found: Sequence[Stored], services: Services) -> Names:
    at_hand = [("variant", row) for row in found]
    return await look_up(services.cache, {"variant": [row.id for row in found]}, at_hand)


def _called(variant: Record, names: Names) -> set[str]:
    """Return what a variant is called by name: its item, and itself with each config value."""
    return {name for name in (text(names.item(variant), "name"), names.display(variant)) if name}
