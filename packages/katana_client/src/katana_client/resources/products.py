"""Products (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import Field

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.products import Product
from katana_client.resource import Resource
from katana_client.resources.items import ITEM_FILTERS, ItemUpdate, NewItem
from katana_client.resources.variants import NewVariant
from katana_client.wire import NonEmpty, Omittable, Rate


class ProductCreate(NewItem):
    """A new product with at least one variant; it must be producible or purchasable."""

    variants: Annotated[list[NewVariant], Field(min_length=1)]
    category_name: Omittable[NonEmpty] = None
    purchase_uom_conversion_rate: Rate | None = None
    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None


class ProductUpdate(ItemUpdate):
    """A change of a product."""

    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None


class Products(Resource[Product, ProductCreate, ProductUpdate]):
    """`/products`."""

    spec = Spec(
        name="products",
        model=Product,
        create=ProductCreate,
        update=ProductUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(
            single=(
                *ITEM_FILTERS,
                "is_producible",
                "is_purchasable",
                "is_auto_assembly",
                "serial_tracked",
                "operations_in_sequence",
            ),
            repeated=("ids", "extend"),
        ),
        get_filters=Filters(repeated=("extend",)),
    )
