"""Sales orders as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.custom_fields import CustomFields
from katana_client.models.sales_order_addresses import SalesOrderAddress
from katana_client.models.sales_order_rows import SalesOrderRow
from katana_client.models.sales_order_shipping_fee import SalesOrderShippingFee
from katana_client.wire import Amount, Moment, ReadModel


class SalesOrder(ReadModel):
    """A sales order. `total` is with tax; states, availabilities and expected dates are computed by Katana.

    Reading one order may leave `addresses` out: list them with `sales_order_ids` (facts 5.7).
    """

    id: int | None = None
    customer_id: int | None = None
    order_no: str | None = None
    source: str | None = None
    order_created_date: Moment = None
    delivery_date: Moment = None
    picked_date: Moment = None
    location_id: int | None = None
    status: str | None = None
    currency: str | None = None
    conversion_rate: Amount = None
    conversion_date: Moment = None
    invoicing_status: str | None = None
    total: Amount = None
    total_in_base_currency: Amount = None
    additional_info: str | None = None
    customer_ref: str | None = None
    sales_order_rows: list[SalesOrderRow] | None = None
    ecommerce_order_type: str | None = None
    ecommerce_store_name: str | None = None
    ecommerce_order_id: str | None = None
    product_availability: str | None = None
    product_expected_date: Moment = None
    ingredient_availability: str | None = None
    ingredient_expected_date: Moment = None
    production_status: str | None = None
    tracking_number: str | None = None
    tracking_number_url: str | None = None
    billing_address_id: int | None = None
    shipping_address_id: int | None = None
    linked_manufacturing_order_id: int | None = None
    shipping_fee: SalesOrderShippingFee | None = None
    addresses: list[SalesOrderAddress] | None = None
    custom_fields: CustomFields = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class ReturnableItem(ReadModel):
    """What of an order can still be returned."""

    variant_id: int | None = None
    fulfillment_row_id: int | None = None
    available_for_return_quantity: Amount = None
    net_price_per_unit: Amount = None
    location_id: int | None = None
    quantity_sold: Amount = None
