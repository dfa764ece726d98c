from collections import Counter

import pytest

from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, Search
from cache_core.readmix import KINDS, SAMPLE, Key, reads_of
from cache_core.records import encode
from cache_core.specs import SPECS
from cache_core.specs.customers import CUSTOMER
from cache_core.specs.materials import MATERIAL
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT

AT = "2026-03-02T08:00:00.000Z"


async def stocked(count: int) -> MemoryBackend:
    cache = MemoryBackend(SPECS)
    products: list[dict[str, object]] = [{"id": nr, "name": f"Trail Bicycle {nr}"} for nr in range(count)]
    variants: list[dict[str, object]] = [
        {"id": nr, "sku": f"BIKE-{nr:04}-XL", "product_id": nr, "updated_at": AT} for nr in range(count)
    ]
    customers: list[dict[str, object]] = [
        {"id": nr, "name": f"Fahrrad Meier {nr}", "addresses": [{"city": "Tallinn", "line_2": None}]}
        for nr in range(count)
    ]
    for spec, records in ((PRODUCT, products), (VARIANT, variants), (CUSTOMER, customers)):
        prepared = await prepare(spec, records, cache)
        await cache.apply(Batch(entity=spec.name, at=AT, upserts=prepared.rows))
    return cache


async def test_the_same_seed_asks_the_same_and_another_seed_something_else() -> None:
    cache = await stocked(40)
    first, again, other = [list(await reads_of(VARIANT, cache, 50, seed)) for seed in (1, 1, 2)]
    assert first == again
    assert first != other
    assert len(first) == 50


async def test_every_kind_of_read_comes() -> None:
    cache = await stocked(40)
    kinds = Counter(read.kind for read in await reads_of(VARIANT, cache, 2_000, 7))
    assert set(kinds) == {kind.name for kind in KINDS}


async def test_most_reads_find_something() -> None:
    cache = await stocked(40)
    found: Counter[bool] = Counter()
    for read in await reads_of(VARIANT, cache, 600, 3):
        answer = await read.ask(cache)
        if isinstance(read.question, Search | Key):
            found[bool(getattr(answer, "hits", None) or getattr(answer, "row", None))] += 1
    assert found[True] > found[False] > 0


async def test_names_are_those_that_a_parent_lends_and_filters_reach_into_children() -> None:
    cache = await stocked(40)
    asked = [read.question for read in await reads_of(VARIANT, cache, 500, 3) if "whole name" in read.kind]
    assert any(isinstance(question, Search) and "trail" in question.text.lower() for question in asked)
    filters = [str(read.question) for read in await reads_of(CUSTOMER, cache, 500, 3) if "filters" in read.kind]
    assert any("addresses[].city" in text for text in filters)
    assert not any("line_2" in text for text in filters)


async def test_an_entity_without_records_is_asked_too() -> None:
    cache = MemoryBackend(SPECS)
    for read in await reads_of(MATERIAL, cache, 50, 1):
        await read.ask(cache)


@pytest.mark.parametrize("count", [SAMPLE, SAMPLE + 1, SAMPLE * 3])
async def test_the_sample_is_bounded_and_spread(count: int) -> None:
    cache = await stocked(count)
    ids = {
        record_id for read in await reads_of(VARIANT, cache, 3_000, 5) if "ids" in read.kind for record_id in _ids(read)
    }
    sampled = {record_id for record_id in ids if record_id < count}
    assert len(sampled) <= SAMPLE
    assert max(sampled) - min(sampled) > count * 0.8


def _ids(read: object) -> tuple[int, ...]:
    question = getattr(read, "question", ())
    return tuple(value for value in question if isinstance(value, int))


async def test_kinds_tell_nothing_of_the_data() -> None:
    cache = await stocked(40)
    kinds = {read.kind for read in await reads_of(CUSTOMER, cache, 500, 3)}
    assert b"Meier" not in encode({"kinds": sorted(kinds)})
