"""Supplier addresses as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class SupplierAddress(ReadModel):
    """The address of a supplier."""

    id: int | None = None
    supplier_id: int | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
