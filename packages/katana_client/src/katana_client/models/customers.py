"""Customers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.customer_addresses import CustomerAddress
from katana_client.wire import Amount, Moment, ReadModel


class Customer(ReadModel):
    """A customer; `discount_rate` in percent."""

    id: int | None = None
    name: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    email: str | None = None
    phone: str | None = None
    comment: str | None = None
    currency: str | None = None
    reference_id: str | None = None
    category: str | None = None
    discount_rate: Amount = None
    default_billing_id: int | None = None
    default_shipping_id: int | None = None
    addresses: list[CustomerAddress] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
