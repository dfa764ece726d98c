"""The factory: one record, the account's settings; nothing of it is searched.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime

from cache_core.specs.factory import FACTORY
from cache_typed.columns import moment, nested
from cache_typed.documents import Document, identity, text, whole
from cache_typed.mapping import TableMapping


class Factory(Document, table=True):
    """The account's settings. All base amounts are in `base_currency_code`; there is no id."""

    id: int = identity()
    name: str | None = text()
    address: str | None = text()
    currency: str | None = text()
    timezone: str | None = text()
    legal_address: object | None = nested()
    legal_name: str | None = text()
    display_name: str | None = text()
    base_currency_code: str | None = text()
    default_so_delivery_time: str | None = text()
    default_po_lead_time: str | None = text()
    default_manufacturing_location_id: int | None = whole()
    default_purchases_location_id: int | None = whole()
    default_sales_location_id: int | None = whole()
    inventory_closing_date: datetime | None = moment()


FACTORY_TABLE = TableMapping(
    FACTORY,
    Factory,
)
