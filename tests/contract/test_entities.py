"""Every backend gives the answers of the reference for the nine entities that have a flag."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache_core.conditions import EVERYTHING, Order
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, CacheBackend, Search, Selection
from cache_core.records import Record, projected
from cache_core.spec import EntitySpec

from .backends import CATALOGUE, Kind
from .entities import NINE, TEXT, comparable, conditions_on, records
from .oracle import is_lawful
from .strategies import VISIBILITIES
from .toys import exact, moment

PARENTS: dict[str, Sequence[Record]] = {
    "supplier": [{"id": nr, "name": f"Lieferant {nr} Süd"} for nr in (1, 2)],
    "product": [
        {"id": 1, "name": "Blue Widget"},
        {"id": 2, "name": "Tür", "archived_at": moment()},
        {"id": 3, "name": None, "deleted_at": moment()},
    ],
    "material": [{"id": 1, "name": "Stahlrohr"}],
}
relaxed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=5,
)


@pytest.fixture
async def pair(kind: Kind, tmp_path: Path) -> AsyncGenerator[tuple[CacheBackend, CacheBackend]]:
    """Return a backend and the reference, both with the parents that the others borrow from."""
    both = (kind.make(CATALOGUE, tmp_path), MemoryBackend(NINE))
    for cache in both:
        await cache.open()
        for entity, parents in PARENTS.items():
            await put(cache, next(spec for spec in NINE if spec.name == entity), parents)
    yield both
    for cache in both:
        await cache.close()


async def put(cache: CacheBackend, spec: EntitySpec, given_records: Sequence[Record]) -> None:
    """Store records as sync does."""
    prepared = await prepare(spec, given_records, cache)
    await cache.apply(Batch(entity=spec.name, at=moment(), upserts=prepared.rows, quarantine=prepared.quarantine))


async def hold_only(cache: CacheBackend, spec: EntitySpec, given_records: Sequence[Record]) -> None:
    """Make the cache hold these records of the entity and no others."""
    there = await cache.select(spec.name, Selection(limit=1_000, visibility=EVERYTHING))
    await cache.apply(Batch(entity=spec.name, at=moment(), removed=[row.id for row in there]))
    await put(cache, spec, given_records)


def paths_of(drawn: Sequence[Record]) -> set[str]:
    """Return the paths of fields that a projection can name: of records, and of their rows."""
    found = {name for record in drawn for name in record}
    lists = [(name, value) for record in drawn for name, value in record.items() if isinstance(value, list | dict)]
    rows = [(name, row) for name, value in lists for row in (value if isinstance(value, list) else [value])]
    return found | {f"{name}[].{inner}" for name, row in rows if isinstance(row, dict) for inner in row}


@pytest.mark.parametrize("spec", NINE, ids=lambda spec: spec.name)
@relaxed
@given(st.data())
async def test_every_answer_is_that_of_the_reference(
    pair: tuple[CacheBackend, CacheBackend], spec: EntitySpec, data: st.DataObject
) -> None:
    await agree(pair, spec, data)


async def agree(pair: tuple[CacheBackend, CacheBackend], spec: EntitySpec, data: st.DataObject) -> None:
    """Draw records and questions, and require one answer of both backends."""
    drawn = data.draw(records(spec))
    where = tuple(data.draw(st.lists(conditions_on(spec), max_size=2)))
    order = Order(data.draw(st.sampled_from(sorted(comparable(spec)))), descending=data.draw(st.booleans()))
    shown, text = data.draw(VISIBILITIES), data.draw(TEXT)
    fields = frozenset(data.draw(st.sets(st.sampled_from(["id", *sorted(paths_of(drawn))]), max_size=8)))
    keys = [str(record.get(spec.key_path or "")) for record in drawn]
    answers: list[tuple[object, ...]] = []
    for cache in pair:
        await hold_only(cache, spec, drawn)
        found = await cache.get_many(spec.name, [*(spec.id_of(record) or 0 for record in drawn), 9, "9"])
        answers.append(
            (
                exact([row.record for row in found.rows]),
                found.missing,
                [(row.deleted, row.archived, row.version) for row in found.rows],
                [row.id for row in await cache.select(spec.name, Selection(where, order, 4, 1, shown))],
                await cache.count(spec.name, where, shown),
                [await cache.find_by_key(spec.name, key) for key in keys],
                (await cache.quarantined(spec.name), (await cache.status(spec.name)).records),
            )
        )
        whole = Selection(where, order, 4, 1, shown)
        some = [row.record for row in await cache.select(spec.name, whole._replace(fields=fields))]
        every = [row.record for row in await cache.select(spec.name, whole)]
        assert exact(some) == exact([projected(record, fields) for record in every])
        parts = await cache.get_many(spec.name, [row.id for row in found.rows], fields)
        assert exact([row.record for row in parts.rows]) == exact([projected(r.record, fields) for r in found.rows])
    assert answers[0] == answers[1]
    for conditions in ((), where):
        search = Search(text, 5, conditions, shown)
        assert is_lawful(*[await cache.search(spec.name, search) for cache in pair])
