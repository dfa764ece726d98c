"""Sales order rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.custom_fields import CustomFields
from katana_client.models.tracking import BatchTransaction, Traceability
from katana_client.wire import Amount, Linked, Moment, ReadModel


class Attribute(ReadModel):
    """A key and its value on a row."""

    key: str | None = None
    value: str | None = None


class SerialNumberTransaction(ReadModel):
    """A serial number put on (1) or taken off (0) a row."""

    serial_number_id: int | None = None
    quantity: int | None = None


class SalesOrderRow(ReadModel):
    """A row. `total` is without tax; `total_discount` is for the whole row.

    A null `location_id` means the order's.
    `variant` comes with `extend=["variant"]` only.
    """

    id: int | None = None
    sales_order_id: int | None = None
    quantity: Amount = None
    variant_id: int | None = None
    tax_rate_id: int | None = None
    tax_rate: Amount = None
    location_id: int | None = None
    product_availability: str | None = None
    product_expected_date: Moment = None
    price_per_unit: Amount = None
    price_per_unit_in_base_currency: Amount = None
    total: Amount = None
    total_in_base_currency: Amount = None
    total_discount: Amount = None
    cogs_value: Amount = None
    attributes: list[Attribute] | None = None
    batch_transactions: list[BatchTransaction] | None = None
    serial_numbers: list[int] | None = None
    serial_number_transactions: list[SerialNumberTransaction] | None = None
    linked_manufacturing_order_id: int | None = None
    conversion_rate: Amount = None
    conversion_date: Moment = None
    custom_fields: CustomFields = None
    sku: str | None = None
    traceability: list[Traceability] | None = None
    variant: Linked = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
