"""What products and materials share on the wire: the header, and the options nested in it (facts 3.2, 4.1)."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.filters import ARCHIVED, DATES, DELETED
from katana_client.wire import (
    Category,
    Configs,
    NonEmpty,
    Omittable,
    Rate,
    Ref,
    Unit,
    WriteModel,
)

ITEM_FILTERS = (
    *DATES,
    *DELETED,
    *ARCHIVED,
    "name",
    "uom",
    "category_name",
    "is_sellable",
    "default_supplier_id",
    "batch_tracked",
    "purchase_uom",
    "purchase_uom_conversion_rate",
)


class NewConfig(WriteModel):
    """An option of a new item."""

    name: str
    values: list[str]


class ConfigChange(WriteModel):
    """An option of an item; matched by id, else by name, else new."""

    id: Omittable[Ref] = None
    name: Omittable[str] = None
    values: list[str]


class NewItem(WriteModel):
    """A new item."""

    name: NonEmpty
    uom: Omittable[Unit] = None
    is_sellable: Omittable[bool] = None
    default_supplier_id: Omittable[Ref] = None
    additional_info: Omittable[str] = None
    batch_tracked: Omittable[bool] = None
    purchase_uom: Unit | None = None
    custom_field_collection_id: Ref | None = None
    configs: Configs[NewConfig] = None


class ItemUpdate(WriteModel):
    """A change of an item. `configs` is the whole new list; variants are changed through `/variants`."""

    name: Omittable[Annotated[str, StringConstraints(min_length=1, max_length=256)]] = None
    uom: Omittable[Unit] = None
    category_name: Category | None = None
    is_sellable: Omittable[bool] = None
    default_supplier_id: Ref | None = None
    additional_info: NonEmpty | None = None
    batch_tracked: Omittable[bool] = None
    purchase_uom: Unit | None = None
    purchase_uom_conversion_rate: Rate | None = None
    custom_field_collection_id: Ref | None = None
    configs: Configs[ConfigChange] = None
    is_archived: Omittable[bool] = None
