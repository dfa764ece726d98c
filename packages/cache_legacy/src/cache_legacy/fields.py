"""`IndexFields`: which fields of a record fill the four index columns; no other text of a row is written."""

from dataclasses import dataclass

from cache_core.search_rules import Sources
from cache_core.spec import EntitySpec, sources_of


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

    def by_class(self) -> Sources:
        """Return the sources in the order of `WeightClass`."""
        return (self.sku_key, self.name_key, self.extras_keys, self.name2_key)


def index_fields(spec: EntitySpec) -> IndexFields:
    """Return the index fields of an entity, from `EntitySpec.searchable`."""
    searchable = spec.searchable
    return IndexFields(
        sku_key=sources_of(searchable.keys),
        name_key=sources_of(searchable.names),
        name2_key=sources_of(searchable.related),
        extras_keys=sources_of(searchable.extras),
    )
