"""Suppliers as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.supplier_addresses import SupplierAddress
from katana_client.wire import Moment, ReadModel


class Supplier(ReadModel):
    """A supplier; `currency` is an ISO 4217 code."""

    id: int | None = None
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    currency: str | None = None
    comment: str | None = None
    default_address_id: int | None = None
    addresses: list[SupplierAddress] | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
