"""Services as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.custom_fields import CustomFields
from katana_client.wire import Amount, Moment, ReadModel


class ServiceVariant(ReadModel):
    """The variant of a service; `/variants` does not serve it."""

    id: int | None = None
    sku: str | None = None
    sales_price: Amount = None
    default_cost: Amount = None
    service_id: int | None = None
    type: str | None = None
    custom_fields: CustomFields = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class Service(ReadModel):
    """A service: always available, never in stock."""

    id: int | None = None
    name: str | None = None
    uom: str | None = None
    category_name: str | None = None
    is_sellable: bool | None = None
    type: str | None = None
    additional_info: str | None = None
    custom_field_collection_id: int | None = None
    variants: list[ServiceVariant] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    archived_at: Moment = None
    deleted_at: Moment = None
