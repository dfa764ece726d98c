"""Customer addresses as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class CustomerAddress(ReadModel):
    """An address of a customer; the first of each type is the default."""

    id: int | None = None
    customer_id: int | None = None
    entity_type: str | None = None
    default: bool | None = None
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
