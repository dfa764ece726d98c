"""`IndexFields`: which fields of a record fill the four index columns, from what is declared searchable."""

from dataclasses import dataclass

from cache_core.spec import EntitySpec, Place


@dataclass(frozen=True, slots=True)
class IndexFields:
    """The source fields of one entity; a borrowed field is named by its entity: `product.name`.

    Attributes:
        sku_key: sources of `sku`, the business keys.
        name_key: sources of `name`.
        name2_key: sources of `name2`, texts of related records.
        extras_keys: sources of `extras`, everything else a person may search by.
    """

    sku_key: tuple[str, ...]
    name_key: tuple[str, ...]
    name2_key: tuple[str, ...]
    extras_keys: tuple[str, ...]


def index_fields(spec: EntitySpec) -> IndexFields:
    """Return the index fields of an entity, from `EntitySpec.searchable`."""
    searchable = spec.searchable
    return IndexFields(
        sku_key=_names(searchable.keys),
        name_key=_names(searchable.names),
        name2_key=_names(searchable.related),
        extras_keys=_names(searchable.extras),
    )


def _names(places: tuple[Place, ...]) -> tuple[str, ...]:
    names: list[str] = []
    for place in places:
        if isinstance(place, str):
            names.append(place.removesuffix("[]"))
        else:
            names.extend(f"{place.entity}.{field}" for field in place.fields)
    return tuple(names)
