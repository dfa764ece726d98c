"""Products as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.items import ItemConfig
from katana_client.models.variants import Variant
from katana_client.wire import Amount, Linked, Moment, ReadModel


class Product(ReadModel):
    """A product."""

    id: int | None = None
    name: str | None = None
    uom: str | None = None
    category_name: str | None = None
    is_sellable: bool | None = None
    default_supplier_id: int | None = None
    additional_info: str | None = None
    batch_tracked: bool | None = None
    purchase_uom: str | None = None
    purchase_uom_conversion_rate: Amount = None
    custom_field_collection_id: int | None = None
    variants: list[Variant] | None = None
    configs: list[ItemConfig] | None = None
    supplier: Linked = None
    type: str | None = None
    is_producible: bool | None = None
    is_purchasable: bool | None = None
    is_auto_assembly: bool | None = None
    serial_tracked: bool | None = None
    operations_in_sequence: bool | None = None
    lead_time: Amount = None
    minimum_order_quantity: Amount = None
    created_at: Moment = None
    updated_at: Moment = None
    archived_at: Moment = None
    deleted_at: Moment = None
