"""Services: sold and bought, never in stock, each with its one variant.

Rendered by scripts/render_tables.py: change the facts of katana_schema, or tables.toml.
"""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_core.specs.services import SERVICE
from cache_typed.columns import moment, nested, number
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping


class Service(Document, table=True):
    """A service: always available, never in stock."""

    _fts_columns: ClassVar[Searchable] = SERVICE.searchable

    id: int = identity()
    name: str | None = text()
    uom: str | None = text()
    category_name: str | None = text(index=True)
    is_sellable: bool | None = flag(index=True)
    type: str | None = text()
    additional_info: str | None = text()
    custom_field_collection_id: int | None = whole()
    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    archived_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
    custom_fields: object | None = nested()
    cache_count_variants: int | None = whole()


class ServiceVariant(Part, table=True):
    """The variant of a service; `/variants` does not serve it."""

    __table_args__ = part_of("service.id")

    id: int | None = whole(index=True)
    sku: str | None = text(index=True)
    sales_price: Decimal | None = number()
    default_cost: Decimal | None = number()
    service_id: int | None = whole()
    type: str | None = text()
    custom_fields: object | None = nested()
    created_at: datetime | None = moment()
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()


SERVICE_TABLE = TableMapping(
    SERVICE,
    Service,
    (PartMapping("variants", ServiceVariant),),
    guesses=frozenset(Capability),
)
