"""Products: items made or bought to be sold, with their variants and options."""

from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.products import PRODUCT
from cache_typed.columns import number
from cache_typed.documents import flag, identity, part_of, whole
from cache_typed.mapping import PartMapping, TableMapping
from cache_typed.tables.items import Item, ItemConfig, ItemVariant


class Product(Item, table=True):
    """A product's header."""

    _fts_columns: ClassVar[Searchable] = PRODUCT.searchable

    id: int = identity()
    is_producible: bool | None = flag(index=True)
    is_purchasable: bool | None = flag(index=True)
    is_auto_assembly: bool | None = flag(index=True)
    lead_time: int | None = whole()
    minimum_order_quantity: Decimal | None = number()


class ProductVariant(ItemVariant, table=True):
    """A variant of a product."""

    __table_args__ = part_of("product.id")


class ProductConfig(ItemConfig, table=True):
    """An option of a product."""

    __table_args__ = part_of("product.id")


PRODUCT_TABLE = TableMapping(
    PRODUCT,
    Product,
    (PartMapping("variants", ProductVariant), PartMapping("configs", ProductConfig)),
    frozenset(Capability),
)
