"""Factory as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Moment, ReadModel


class LegalAddress(ReadModel):
    """Where the company is registered."""

    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class Factory(ReadModel):
    """The account's settings. All base amounts are in `base_currency_code`; there is no id.

    `default_so_delivery_time` and `default_po_lead_time` are days, as text.
    """

    name: str | None = None
    address: str | None = None
    currency: str | None = None
    timezone: str | None = None
    legal_address: LegalAddress | None = None
    legal_name: str | None = None
    display_name: str | None = None
    base_currency_code: str | None = None
    default_so_delivery_time: str | None = None
    default_po_lead_time: str | None = None
    default_manufacturing_location_id: int | None = None
    default_purchases_location_id: int | None = None
    default_sales_location_id: int | None = None
    inventory_closing_date: Moment = None
