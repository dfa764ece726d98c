"""Which entities a command is for: those that are named, by either of their names, parents first."""

import pytest

from cache_core.specs import SPECS
from katana_mcp.caches.cache_files import BadInput, chosen

ALL = {spec.name for spec in SPECS}
EVERY = tuple(spec.name for spec in SPECS)


def names(asked: list[str], allowed: set[str] = ALL) -> tuple[str, ...]:
    """Return the names of the entities that are chosen."""
    return tuple(spec.name for spec in chosen(asked, allowed))


def test_an_entity_is_named_by_its_own_name_or_by_its_collection_and_parents_come_first() -> None:
    assert names(["variants", "product", "variant"]) == tuple(name for name in EVERY if name in {"variant", "product"})
    assert names([]) == EVERY
    assert names([], {"variant"}) == ("variant",)


@pytest.mark.parametrize("count", [1, 10, 11])
def test_ten_names_that_are_none_are_told(count: int) -> None:
    wrong = [f"nothing{number}" for number in range(count)]
    with pytest.raises(BadInput) as refused:
        names(["variant", *wrong])
    shown = ", ".join(f"'{name}'" for name in wrong[:10])
    assert str(refused.value).startswith(f"no entity is called {shown} here; ")
    with pytest.raises(BadInput, match="no entity is called 'product' here"):
        names(["product"], {"variant"})
