"""Materials (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import Field

from katana_client.collection import Spec
from katana_client.custom_fields import CustomFieldInputs
from katana_client.filters import Filters
from katana_client.models.materials import Material
from katana_client.resource import Resource
from katana_client.resources.items import ITEM_FILTERS, ItemUpdate, NewItem
from katana_client.resources.variants import ConfigAttributeInput, InternalBarcode, LeadTime
from katana_client.wire import Omittable, Price, Quantity, Rate, WriteModel


class NewMaterialVariant(WriteModel):
    """A variant inside a new material; it takes no sales price."""

    sku: Omittable[str] = None
    purchase_price: Price | None = None
    internal_barcode: Omittable[InternalBarcode] = None
    registered_barcode: Omittable[InternalBarcode] = None
    supplier_item_codes: Omittable[list[str]] = None
    lead_time: LeadTime | None = None
    minimum_order_quantity: Quantity | None = None
    config_attributes: Omittable[Annotated[list[ConfigAttributeInput], Field(min_length=1)]] = None
    custom_fields: Omittable[CustomFieldInputs] = None


class MaterialCreate(NewItem):
    """A new material with at least one variant."""

    variants: Annotated[list[NewMaterialVariant], Field(min_length=1)]
    category_name: Omittable[str] = None
    purchase_uom_conversion_rate: Omittable[Rate] = None


class MaterialUpdate(ItemUpdate):
    """A change of a material."""


class Materials(Resource[Material, MaterialCreate, MaterialUpdate]):
    """`/materials`."""

    spec = Spec(
        name="materials",
        model=Material,
        create=MaterialCreate,
        update=MaterialUpdate,
        deletes=True,
        gets="path",
        keeps=("additional_info",),
        filters=Filters(single=ITEM_FILTERS, repeated=("ids", "extend")),
        get_filters=Filters(repeated=("extend",)),
    )
