"""The tables of the file are plain SQLModel classes: who reads them so gets moments, numbers and lists as they were."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from bench.data import NOON, variant
from sqlalchemy.exc import StatementError
from sqlmodel import Session, create_engine, select
from typed_orders import only_file

from cache_core.indexing import prepare
from cache_core.protocol import Batch
from cache_core.specs.variants import VARIANT
from cache_typed.backend import TypedBackend
from cache_typed.tables.variants import Variant


async def stored(directory: Path) -> Session:
    """Return a session on a cache of three variants."""
    cache = TypedBackend(directory)
    await cache.open()
    records = [variant(nr) for nr in (1, 2)] + [{"id": 3, "sku": "bare"}]
    prepared = await prepare(VARIANT, records, cache)
    await cache.apply(Batch(entity="variant", at=NOON, upserts=prepared.rows))
    await cache.close()
    return Session(create_engine(f"sqlite:///{only_file(directory)}"))


async def test_what_was_stored_comes_back_typed(tmp_path: Path) -> None:
    with await stored(tmp_path) as session:
        first, _, bare = session.exec(select(Variant).order_by(Variant.id)).all()  # pyright: ignore[reportArgumentType]  # ty: ignore[invalid-argument-type] - a column, for SQLModel
        assert first.updated_at == datetime(2025, 1, 2, 8, 1, 0, 1_000, tzinfo=UTC)
        assert (first.sales_price, first.purchase_price) == (Decimal("1.99"), Decimal(1))
        assert first.config_attributes == [{"config_name": "Colour", "config_value": "blue"}]
        assert (bare.updated_at, bare.sales_price, bare.config_attributes) == (None, None, None)


async def test_a_moment_is_compared_in_any_zone_and_must_name_one(tmp_path: Path) -> None:
    with await stored(tmp_path) as session:
        moment = datetime(2025, 1, 2, 8, 1, 0, 1_000, tzinfo=UTC).astimezone(timezone(timedelta(hours=2)))
        asked = select(Variant.id)
        assert session.exec(asked.where(Variant.updated_at == moment)).all() == [1]
        assert session.exec(asked.where(Variant.updated_at == None)).all() == [3]  # noqa: E711 - SQL
        assert session.exec(asked.where(Variant.sales_price == Decimal("2.99"))).all() == [2]
        naive = asked.where(Variant.updated_at == moment.replace(tzinfo=None))
        with pytest.raises(StatementError, match="a moment must say its time zone"):
            session.exec(naive).all()


async def test_a_row_that_is_changed_by_sqlmodel_is_stored_in_the_same_form(tmp_path: Path) -> None:
    with await stored(tmp_path) as session:
        row = session.exec(select(Variant).where(Variant.id == 1)).one()
        row.created_at, row.lead_time = datetime(2025, 3, 4, 5, 6, 7, 8_900, tzinfo=UTC), None
        row.config_attributes, row.purchase_price = [{"a": Decimal("1.50")}], Decimal("12.500")
        session.commit()
        session.expire_all()
        row = session.exec(select(Variant).where(Variant.id == 1)).one()
        assert row.created_at == datetime(2025, 3, 4, 5, 6, 7, 8_000, tzinfo=UTC)
        assert (row.config_attributes, str(row.purchase_price)) == ([{"a": Decimal("1.50")}], "12.500")
