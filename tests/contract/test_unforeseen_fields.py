"""Any JSON value in any field but the id costs that field alone: the record is kept as sent, found, listed and got."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import NoneType
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache_core.conditions import OneOf, Order
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, CacheBackend, Search, Selection
from cache_core.records import canonical, moment_in
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_typed.tables import TABLES
from katana_client.headers import read_cursor
from katana_client.page import Page, Shape, read_page
from katana_client.resources import Collections
from katana_client.wire import ReadModel, models_in, parts_of
from katana_mcp.caches.backends import BACKENDS

from .backends import World, plain
from .strategies import JSON
from .toys import exact, moment

EVERY = World(SPECS, TABLES, frozenset())
LISTED = tuple(spec for spec in SPECS if spec is not STOCK)
VALUES = JSON | st.sampled_from(
    ["", "null", "2026-03-01", "2026-03-01T10:00:00", 7, "7", {}, [], [{}], [[1]], "9" * 40]
)
SOFT_STATE = frozenset({"deleted_at", "archived_at"})
quick = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.fixture
async def caches(tmp_path: Path) -> AsyncGenerator[Sequence[CacheBackend]]:
    """Return each registered backend and the reference, all of which hold every entity."""
    every = [*(plain(name, EVERY, tmp_path) for name in BACKENDS), MemoryBackend(SPECS)]
    for cache in every:
        await cache.open()
    yield every
    for cache in every:
        await cache.close()


def model_of(spec: EntitySpec) -> type[ReadModel]:
    """Return the client's model of the entity's records."""
    return cast("type[ReadModel]", getattr(Collections, spec.collection).kind.spec.model)


def clean(model: type[ReadModel]) -> dict[str, object]:
    """Return a record in which every field has the form that is foreseen."""
    fields = {name: value(name, field.annotation) for name, field in model.model_fields.items()}
    return fields | dict.fromkeys(SOFT_STATE & fields.keys())


def value(name: str, annotation: object) -> object:
    """Return a value of the form that a field has."""
    plain_values: dict[object, object] = {int: 7, bool: True, Decimal: Decimal("1.50"), str: f"Blue {name}"}
    if annotation in plain_values:
        return plain_values[annotation]
    if "datetime" in repr(annotation) or getattr(annotation, "__name__", "") == "Moment":
        return moment()
    kind, nested = getattr(annotation, "__origin__", None), models_in(annotation, ReadModel)
    if kind is dict:
        return {}
    if kind is list:
        return [value(name, parts_of(annotation)[0])]
    if nested == [annotation]:
        return clean(nested[0])
    return value(name, next(part for part in parts_of(annotation) if part is not NoneType))


def read(spec: EntitySpec, record: Mapping[str, object]) -> Page[ReadModel]:
    """Return the record as the client reads it from a listing."""
    shape = Shape(model_of(spec), (spec.id_path,) if spec.id_path in model_of(spec).model_fields else ())
    return read_page(shape, [record], read_cursor({}), (1, 250))


@quick
@given(st.sampled_from(LISTED), st.data())
async def test_any_value_in_any_field_costs_that_field_alone(
    caches: Sequence[CacheBackend], spec: EntitySpec, data: st.DataObject
) -> None:
    await costs_its_field(caches, spec, data)


@pytest.mark.soak
@pytest.mark.parametrize("spec", LISTED, ids=lambda spec: spec.name)
@settings(quick, max_examples=300)
@given(st.data())
async def test_whatever_katana_sends_in_a_field_costs_that_field_alone(
    caches: Sequence[CacheBackend], spec: EntitySpec, data: st.DataObject
) -> None:
    await costs_its_field(caches, spec, data)


async def costs_its_field(caches: Sequence[CacheBackend], spec: EntitySpec, data: st.DataObject) -> None:
    """Draw a value for a field, of the record or of a row inside it, and require all answers but those of the field."""
    record = {"id": 7, **clean(model_of(spec))}
    places = [name for name in record if name != spec.id_path]
    name, sent = data.draw(st.sampled_from(places)), data.draw(VALUES)
    inside = record[name]
    if isinstance(inside, list) and inside and isinstance(inside[0], dict) and data.draw(st.booleans()):
        row = cast("dict[str, object]", inside[0])
        sent = [row | {data.draw(st.sampled_from([*row])): sent}, row]
    page = read(spec, record | {name: sent})
    assert not page.invalid, page.invalid[0].reason
    if name in SOFT_STATE and moment_in(page.valid_records[0][name]):
        return
    where = (OneOf("unheard_of", ("yes",)),)
    record = {**page.valid_records[0], "unheard_of": "yes"}
    for cache in caches:
        prepared = await prepare(spec, [record], cache)
        assert prepared.quarantine == ()
        await cache.apply(Batch(entity=spec.name, at=moment(), upserts=prepared.rows))
        (row,) = (await cache.get_many(spec.name, [spec.id_of(record) or 0])).rows
        assert exact(row.record) == exact(canonical(record))
        for order in (Order(name), Order("id")):
            assert [selected.id for selected in await cache.select(spec.name, Selection(where, order))] == [row.id]
        for place in (*spec.searchable.keys, *spec.searchable.names):
            text = record.get(place) if isinstance(place, str) and place != name else None
            if isinstance(text, str):
                assert row.id in {hit.row.id for hit in (await cache.search(spec.name, Search(text))).hits}
        await cache.apply(Batch(entity=spec.name, at=moment(), removed=[row.id]))


NOT_MOMENTS = ["", "yesterday", "~", "9999", "2026-03-01", "2026-03-01T10:00:00", 7, True, {}, []]


@pytest.mark.parametrize("sent", NOT_MOMENTS, ids=repr)
async def test_what_names_no_moment_is_no_version_and_no_deletion(sent: object) -> None:
    spec = next(spec for spec in LISTED if spec.name == "variant")
    record = {"id": 1, "sku": "A", "updated_at": sent, "deleted_at": sent, "archived_at": sent}
    (row,) = (await prepare(spec, [record], MemoryBackend(SPECS))).rows
    assert (row.version, row.deleted, row.archived) == (None, False, False)
