"""Materials: items bought and used up, with their variants and options."""

from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.materials import MATERIAL
from cache_typed.documents import identity, part_of
from cache_typed.mapping import PartMapping, TableMapping
from cache_typed.tables.items import Item, ItemConfig, ItemVariant


class Material(Item, table=True):
    """A material's header."""

    _fts_columns: ClassVar[Searchable] = MATERIAL.searchable

    id: int = identity()


class MaterialVariant(ItemVariant, table=True):
    """A variant of a material."""

    __table_args__ = part_of("material.id")


class MaterialConfig(ItemConfig, table=True):
    """An option of a material."""

    __table_args__ = part_of("material.id")


MATERIAL_TABLE = TableMapping(
    MATERIAL,
    Material,
    (PartMapping("variants", MaterialVariant), PartMapping("configs", MaterialConfig)),
    frozenset(Capability),
)
