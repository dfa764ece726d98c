"""Sales order addresses as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class SalesOrderAddress(ReadModel):
    """The billing or shipping address of a sales order."""

    id: int | None = None
    sales_order_id: int | None = None
    entity_type: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    phone: str | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
