"""Records become rows: what they borrow is read in one go and no more of it than is lent, and the loop goes on."""

import asyncio
from collections.abc import Sequence
from typing import override

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Batch, ByIds, Read, Stored
from cache_core.records import values_at
from cache_core.search_rules import normalised
from cache_core.spec import Lookup, Parents, search_text, texts_at
from cache_core.specs.materials import MATERIAL
from cache_core.specs.products import PRODUCT
from cache_core.specs.purchase_orders import PURCHASE_ORDER
from cache_core.specs.variants import VARIANT

AT = "2026-01-31T12:00:00Z"


class Noting(MemoryBackend):
    """A cache that notes what is read of it together."""

    def __init__(self) -> None:
        super().__init__([PRODUCT, MATERIAL, VARIANT])
        self.reads: list[Sequence[Read]] = []

    @override
    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        self.reads.append(reads)
        return await super().read(reads)


async def test_rows_read_what_their_parents_lend_in_one_go() -> None:
    cache = Noting()
    product = {"id": 7, "name": "Bike", "uom": "pcs", "deleted_at": None, "variants": [{"id": 1, "sku": "B-1"}]}
    rows = (await prepare(PRODUCT, [product], cache)).rows
    await cache.apply(Batch(entity="product", at=AT, upserts=rows))
    cache.reads.clear()
    variants = [{"id": 1, "sku": "B-1", "product_id": 7}, {"id": 2, "sku": "M-2", "material_id": 9}]
    prepared = await prepare(VARIANT, variants, cache)
    lent = frozenset(("name", "category_name", "additional_info", "deleted_at", "archived_at"))
    assert cache.reads == [[ByIds("product", [7], lent), ByIds("material", [9], lent)]]
    assert prepared.parents == {("product", 7): {"name": "Bike", "deleted_at": None}}
    assert [row.text.names for row in prepared.rows] == ["bike", ""]
    await prepare(VARIANT, [{"id": 3, "sku": "S-3"}], cache)
    assert len(cache.reads) == 1


async def test_what_waits_for_the_loop_is_let_in_while_a_page_becomes_rows() -> None:
    turns = 0

    async def beside() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(beside())
    rows = (await prepare(VARIANT, [{"id": nr, "sku": f"S-{nr}"} for nr in range(1, 251)], Noting())).rows
    other.cancel()
    assert [row.id for row in rows] == list(range(1, 251))
    assert turns >= 10  # Five steps each of checking the records and of making them into rows.


PARENTS: Parents = {
    ("product", 7): {"id": 7, "name": "Bike", "category_name": "", "additional_info": ["red", None, 5]},
    ("product", "7"): {"id": "7", "name": "A text as id"},
    ("variant", 1): {"id": 1, "sku": "B-1", "supplier_item_codes": ["00.4021", "x"]},
    ("variant", 2): {"id": 2, "sku": None},
    ("supplier", 3): {"id": 3, "name": "Smith", "email": "a@b.example"},
}


@pytest.mark.parametrize("value", [None, "", "A-1", 5, True, ["A", None, "B"], [], {"x": "y"}, [["deep"]]])
@pytest.mark.parametrize("parent", [None, 7, "7", True, [7, 8], {"id": 7}, 99, "\ud800"], ids=repr)
def test_a_text_is_read_at_its_place_whatever_stands_there(value: object, parent: object) -> None:
    order = {"order_no": value, "supplier_id": 3, "additional_info": value}
    ordered = [{"variant_id": 1}, {"variant_id": 2}, {"variant_id": parent}]
    records = (
        (VARIANT, {"id": 1, "sku": value, "product_id": parent, "supplier_item_codes": value, "internal_barcode": ""}),
        (VARIANT, {"id": 1, "config_attributes": [{"config_value": value}, {}, value]}),
        (PURCHASE_ORDER, {"id": 2, **order, "purchase_order_rows": ordered}),
        (PURCHASE_ORDER, {"id": 2, **order, "purchase_order_rows": value}),
    )
    for spec, record in records:
        expected = [
            " ".join(
                dict.fromkeys(
                    words
                    for place in places
                    for part in ([place] if isinstance(place, str) else _each(place))
                    for text in texts_at(part, record, PARENTS)
                    if (words := normalised(text))
                )
            )
            for places in spec.searchable.by_class()
        ]
        assert list(search_text(spec.searchable, record, PARENTS).by_class()) == expected


_LEAVES = st.none() | st.booleans() | st.integers(0, 9) | st.text("ab", max_size=2)
_ROW = st.dictionaries(st.sampled_from(("city", "zip")), _LEAVES | st.lists(_LEAVES, max_size=3))
_VALUES = _LEAVES | _ROW | st.lists(_LEAVES | _ROW | st.lists(_LEAVES, max_size=2), max_size=4)


@given(st.dictionaries(st.sampled_from(("name", "rows")), _VALUES))
@example({"rows": ["a", {"city": "b"}, {"city": None}, {"city": ["a", None, 5]}, None, [{"city": "c"}]]})
def test_the_texts_at_a_place_are_the_values_there(record: dict[str, object]) -> None:
    for place in ("name", "name[]", "rows[]", "rows.city", "rows[].city", "rows[].city[]", "rows[].zip.a"):
        values = values_at(record, place)
        expected = [
            value if isinstance(value, str) else "" if isinstance(value, dict) else str(value) for value in values
        ]
        assert list(texts_at(place, record, {})) == expected, place


def _each(place: Lookup) -> list[Lookup]:
    """Return a lookup for each field that is borrowed: texts of one source stand together."""
    return [Lookup(place.path, place.entity, (field,)) for field in place.fields]
