"""Products (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import Field

from katana_client.bodies.products import ProductCreateBody, ProductUpdateBody
from katana_client.collection import spec_of
from katana_client.models.products import Product
from katana_client.resource import Resource
from katana_client.resources.items import ItemUpdate, NewItem
from katana_client.resources.variants import NewVariant
from katana_client.wire import NonEmpty, Omittable, Rate


class ProductCreate(NewItem, ProductCreateBody):
    """A new product with at least one variant; it must be producible or purchasable."""

    variants: Annotated[list[NewVariant], Field(min_length=1)]
    category_name: Omittable[NonEmpty] = None
    purchase_uom_conversion_rate: Rate | None = None


class ProductUpdate(ItemUpdate, ProductUpdateBody):
    """A change of a product."""


class Products(Resource[Product, ProductCreate, ProductUpdate]):
    """`/products`."""

    spec = spec_of("products", Product, ProductCreate, ProductUpdate)
