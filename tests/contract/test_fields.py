"""What stands in any searchable field of any entity is found whole and by each part, in the right soft states."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cache_core.conditions import EVERYTHING, Visibility
from cache_core.indexing import prepare
from cache_core.protocol import Batch, CacheBackend, Row, Search, Selection
from cache_core.records import values_at
from cache_core.search_rules import Tier, match, parse, tokens_of
from cache_core.spec import EntitySpec, Lookup, Place
from cache_core.specs import SPECS

from .strategies import ANY_TEXT
from .toys import moment

PARTS = ("00.4021.018.003", "Größe É", "AB-12", "漢字", "x_1", "Widget", "7")
VALUES = st.lists(st.sampled_from(PARTS) | ANY_TEXT, min_size=1, max_size=3).map(" / ".join).filter(tokens_of)
STATES = ({}, {"deleted_at": moment()}, {"archived_at": moment()})
BY_ID = {spec.name: spec for spec in SPECS}
few = settings(
    max_examples=5,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def at(path: str, value: object) -> dict[str, object]:
    """Return a record that holds the value at a path."""
    name, _, rest = path.partition(".")
    inner = at(rest, value) if rest else value
    return {name.removesuffix("[]"): [inner] if name.endswith("[]") else inner}


def places(spec: EntitySpec) -> Iterator[tuple[str | Lookup, str]]:
    """Yield each searchable field, own or borrowed: the place, and the field of whose record it is."""
    declared: Iterator[Place] = (place for group in spec.searchable.by_class() for place in group)
    for place in declared:
        if isinstance(place, str):
            yield place, place
        else:
            yield from ((place, field) for field in place.fields)


async def put(cache: CacheBackend, spec: EntitySpec, records: list[dict[str, object]]) -> tuple[Row, ...]:
    """Make the cache hold these records of the entity and no others; return their rows."""
    there = await cache.select(spec.name, Selection(limit=1_000, visibility=EVERYTHING))
    rows = (await prepare(spec, records, cache)).rows
    kept = {row.id for row in rows}
    gone = [row.id for row in there if row.id not in kept]
    await cache.apply(Batch(entity=spec.name, at=moment(), removed=gone))
    await cache.apply(Batch(entity=spec.name, at=moment(), upserts=rows))
    return rows


async def hold(cache: CacheBackend, spec: EntitySpec, value: str) -> tuple[tuple[Row, ...], int]:
    """Hold the value in each searchable field in turn, in each soft state; return the rows and how many fields."""
    lent: dict[str, list[dict[str, object]]] = {}
    records: list[dict[str, object]] = []
    fields = list(places(spec))
    for place, field in fields:
        for state in STATES:
            if isinstance(place, str):
                own = at(field, value)
            else:
                parents = lent.setdefault(place.entity, [])
                parents.append({"id": len(parents) + 1, **at(field, value)})
                own = at(place.path, len(parents))
            records.append({"id": len(records) + 1, **own, **state})
    for entity, parents in lent.items():
        await put(cache, BY_ID[entity], parents)
    return await put(cache, spec, records), len(fields)


async def found(cache: CacheBackend, spec: EntitySpec, text: str, visibility: Visibility) -> set[object]:
    """Return the ids found for certain."""
    result = await cache.search(spec.name, Search(text, 1_000, (), visibility))
    return {hit.row.id for hit in result.hits if hit.tier <= Tier.TOKENS}


@few
@given(value=VALUES, data=st.data())
async def test_a_value_in_any_searchable_field_is_found_whole_and_by_each_part(
    world_cache: CacheBackend, value: str, data: st.DataObject
) -> None:
    parts = tokens_of(value)[:16]
    start = data.draw(st.integers(0, len(parts) - 1))
    run = " ".join(parts[start : data.draw(st.integers(start + 1, len(parts)))])
    for spec in (
        candidate for candidate in SPECS if candidate.name in world_cache.entities and list(places(candidate))
    ):
        rows, fields = await hold(world_cache, spec, value)
        live = {row.id for row in rows if not row.deleted and not row.archived}
        assert len(live) == fields
        for text in {value, value.upper(), run, *parts}:
            matching = {row.id for row in rows if match(parse(text), row.text) is not None}
            assert matching == {row.id for row in rows}, (spec.name, text)
            assert await found(world_cache, spec, text, Visibility()) == live
        assert await found(world_cache, spec, run, Visibility(archived=True)) == {r.id for r in rows if not r.deleted}
        assert await found(world_cache, spec, run, Visibility(deleted=True)) == {r.id for r in rows if not r.archived}


def test_every_entity_that_a_person_searches_has_searchable_fields() -> None:
    assert {spec.name for spec in SPECS if not list(places(spec))} == {
        *("factory", "inventory_movement", "sales_return_row", "stock", "stocktake_row")
    }


@pytest.mark.parametrize("path", ["a", "a[]", "a.b", "a[].b"])
def test_a_record_is_made_by_its_path(path: str) -> None:
    assert list(values_at(at(path, "x"), path)) == ["x"]
