"""The typed backend gives the answers of the reference for what it alone holds: orders, their rows, and stock."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.memory import MemoryBackend
from cache_core.protocol import CacheBackend, Search, Selection
from cache_core.records import Record
from cache_core.spec import EntitySpec
from cache_typed.backend import TypedBackend

from .entities import ALL, DOCUMENTS, INSIDE, conditions_among, records
from .test_entities import PARENTS, agree, hold_only, put, relaxed
from .toys import moment

LENDING: dict[str, Sequence[Record]] = {
    **PARENTS,
    "location": [{"id": nr, "name": f"Werk {nr}"} for nr in (1, 2)],
    "customer": [{"id": 1, "name": "Müller", "company": "A-1"}],
    "variant": [{"id": nr, "sku": f"00.4021.{nr}", "supplier_item_codes": ["SUP-1"]} for nr in (1, 2)],
    "sales_order": [{"id": 1, "order_no": "SO-1"}, {"id": 2, "deleted_at": moment()}],
    "purchase_order": [{"id": 1, "order_no": "PO-1"}, {"id": 2, "deleted_at": moment()}],
    "manufacturing_order": [{"id": 1, "order_no": "MO-1"}, {"id": 2, "deleted_at": moment()}],
}


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncGenerator[tuple[CacheBackend, CacheBackend]]:
    """Return the typed backend and the reference, both with what documents borrow from."""
    both = (TypedBackend(tmp_path), MemoryBackend(ALL))
    for cache in both:
        await cache.open()
        for entity, parents in LENDING.items():
            await put(cache, next(spec for spec in ALL if spec.name == entity), parents)
    yield both
    for cache in both:
        await cache.close()


@pytest.mark.parametrize("spec", DOCUMENTS, ids=lambda spec: spec.name)
@relaxed
@given(st.data())
async def test_every_answer_about_a_document_is_that_of_the_reference(
    pair: tuple[CacheBackend, CacheBackend], spec: EntitySpec, data: st.DataObject
) -> None:
    await agree(pair, spec, data)


async def test_true_is_not_the_id_of_record_one(pair: tuple[CacheBackend, CacheBackend]) -> None:
    spec = next(document for document in DOCUMENTS if document.name == "sales_order")
    for cache in pair:
        await put(cache, spec, [{"id": 7, "customer_id": True}])
        assert not (await cache.search(spec.name, Search("Müller"))).hits


ROWS = tuple(spec for spec in DOCUMENTS if spec.name in INSIDE)


@pytest.mark.parametrize("spec", ROWS, ids=lambda spec: spec.name)
@relaxed
@given(st.data())
async def test_a_condition_on_rows_means_what_the_reference_says(
    pair: tuple[CacheBackend, CacheBackend], spec: EntitySpec, data: st.DataObject
) -> None:
    drawn = data.draw(records(spec))
    asked = data.draw(st.lists(conditions_among(INSIDE[spec.name]), min_size=1, max_size=5))
    answers: list[list[object]] = []
    for cache in pair:
        await hold_only(cache, spec, drawn)
        answers.append([await cache.count(spec.name, (condition,)) for condition in asked])
        listed = await cache.select(spec.name, Selection(tuple(asked[:2])))
        answers[-1].append([row.id for row in listed])
    assert answers[0] == answers[1]
