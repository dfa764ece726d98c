"""The toy entities as tables of the typed backend."""

from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from cache_core.protocol import Capability
from cache_core.spec import Searchable
from cache_typed.columns import moment, nested, number, order_of
from cache_typed.documents import Document, Part, flag, identity, part_of, text, whole
from cache_typed.mapping import PartMapping, TableMapping

from .toys import OWNER, TAG, TOY


class ToyOwner(Document, table=True):
    """Owners: nothing but columns."""

    _fts_columns: ClassVar[Searchable] = OWNER.searchable

    id: int = identity()
    name: str | None = text(index=True)
    updated_at: datetime | None = moment(index=True)


class Toy(Document, table=True):
    """Toys: every kind of column, and `second_name` and `barcode` without one."""

    _fts_columns: ClassVar[Searchable] = TOY.searchable

    id: int = identity()
    sku: str | None = text(index=True)
    name: str | None = text()
    codes: object | None = nested()
    owner_id: int | None = whole(index=True)
    status: str | None = text(index=True)
    amount: Decimal | None = number()
    amount_order: str | None = order_of("amount", index=True)
    count: int | None = whole()
    flag: bool | None = flag()
    due: datetime | None = moment(index=True)
    updated_at: datetime | None = moment(index=True)
    deleted_at: datetime | None = moment()
    archived_at: datetime | None = moment()
    cache_count_rows: int | None = whole()


class ToyRow(Part, table=True):
    """Rows of a toy."""

    __table_args__ = part_of("toy.id")

    item_id: int | None = whole(index=True)
    note: str | None = text()


class ToyTag(Document, table=True):
    """Tags: ids are texts."""

    _fts_columns: ClassVar[Searchable] = TAG.searchable

    cache_nr: int = identity()
    id: str | None = text(index=True)
    label: str | None = text()


TOY_TABLES = (
    TableMapping(OWNER, ToyOwner),
    TableMapping(TOY, Toy, (PartMapping("rows", ToyRow),), frozenset(Capability)),
    TableMapping(TAG, ToyTag),
)
