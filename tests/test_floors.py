"""The floors of the bench do the work that is held against them: they find what the caches find."""

from contextlib import closing
from pathlib import Path

import pytest
from bench import data
from bench.caches import opened, rates, stores
from bench.floor import VariantFloor

from cache_core.protocol import Search
from cache_core.specs.products import PRODUCT
from cache_core.specs.variants import VARIANT

VARIANTS = 400


@pytest.mark.parametrize("backend", ["typed", "legacy"])
async def test_a_word_finds_as_many_variants_in_the_floor_as_in_a_cache(tmp_path: Path, backend: str) -> None:
    products = data.pages(data.product(nr) for nr in range(1, data.product_of(VARIANTS) + 1))
    variants = [*data.pages(data.variant(nr) for nr in range(1, VARIANTS + 1))]
    words = [word.casefold() for nr in (1, 40, 80) for word in data.product_name(nr).split()]
    with closing(VariantFloor(tmp_path / "floor.db")) as floor:
        async with opened(tmp_path, VARIANTS) as caches:
            cache = caches[backend]
            await rates(stores({backend: cache}, PRODUCT), products, VARIANTS)
            await rates(stores({backend: cache}, VARIANT) | {"floor": floor.store}, variants, VARIANTS)
            found = {word: (await cache.search("variant", Search(word))).total for word in (*words, data.category(1))}
            plainly = {word: (await floor.search(word))[1] for word in found}
    assert found == plainly
    assert min(found.values()) > 0
    assert found[data.category(1)] > VARIANTS / 50
