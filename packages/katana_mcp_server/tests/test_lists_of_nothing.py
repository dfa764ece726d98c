"""What is said of a list that holds nothing: the whole answer of a small account, and what to ask next."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest

from cache_core.conditions import Visibility
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.filters import Moment, at_least, exactly, not_before
from katana_mcp.surface.operations.nothing import NothingListed, nothing_listed, visibility_of
from katana_mcp.tools.answers import Empty
from katana_mcp.tools.days import days_in
from katana_mcp.tools.requests import ListRequest

ENTITY = Entity(name="sales_order", plural="sales_orders", toolset="sales", sources=("sales_order",), searched=())


class Asked(ListRequest):
    """Filters of a list."""

    include_deleted: bool = False
    include_archived: bool = False
    include_rows: bool = False
    rows_only: bool = False
    order_by: str | None = None
    name: Annotated[str | None, exactly("name")] = None
    code: Annotated[str | None, exactly("code")] = None
    total_from: Annotated[int | None, at_least("total")] = None
    created_from: Annotated[Moment | None, not_before("created_at")] = None


def empty(*fields: str, records: int = 3, searched: str = "no filter", near: Sequence[str] = ()) -> Empty:
    """Return what is answered."""
    return Empty(searched=searched, fields=list(fields), records=records, did_you_mean=list(near))


@pytest.mark.parametrize(
    ("found", "near", "actions"),
    [
        (empty("name"), {"name": ["Bolt", "Bolts"], "code": ["B"]}, ["name='Bolt'", "code='B'"]),
        (empty("name", records=0), {}, None),
        (empty(), {}, []),
        (empty("ids"), {}, []),
        (empty("ids", "name"), {}, [""]),
        (empty("name"), {}, [""]),
    ],
)
def test_what_to_ask_next_is_what_was_near_or_fewer_filters(
    found: Empty, near: Mapping[str, Sequence[str]], actions: list[str] | None
) -> None:
    ends = [
        f"list_sales_orders(..., {end})" if end else "list_sales_orders(...) with fewer filters"
        for end in actions or ()
    ]
    expected = ["Katana holds no sales orders yet"] if actions is None else ends
    assert NothingListed(found, near, {}).next_actions(ENTITY) == expected


def test_a_list_shows_the_soft_states_that_it_is_asked_for() -> None:
    assert visibility_of(Asked(include_deleted=True)) == Visibility(deleted=True)
    assert visibility_of(Asked(include_archived=True)) == Visibility(archived=True)
    assert visibility_of(ListRequest()) == Visibility()


class Account:
    """A cache in which every search finds the same names."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.counted: list[object] = []

    async def count(self, entity: str, where: object, visibility: Visibility) -> int:
        """Return how many records an entity has."""
        self.counted.append((entity, where, visibility))
        return {"product": 3, "material": 4}[entity]

    async def suggest(self, _: str, __: str, ___: int) -> list[str]:
        """Suggest nothing."""
        return []

    async def search(self, _: str, __: object) -> SimpleNamespace:
        """Return a hit for each name."""
        rows = [SimpleNamespace(record={"name": name, "code": f"{name}!"}) for name in self.names]
        return SimpleNamespace(hits=[SimpleNamespace(row=row) for row in rows])


async def listed(account: Account, **asked: object) -> NothingListed:
    """Return what is known of a list that holds nothing."""
    services = cast("Any", SimpleNamespace(cache=account, days=days_in("Europe/Riga")))
    return await nothing_listed(("product", "material"), Asked.model_validate(asked), services)


async def test_filters_are_told_with_how_many_records_there_are() -> None:
    account = Account()
    window = {"limit": 5, "page": 2, "order_by": "x", "include_rows": True, "rows_only": True, "include_deleted": True}
    found = await listed(
        account, **window, include_archived=True, ids=[4], total_from=0, created_from="2026-03-01T00:00:00Z"
    )
    searched = "ids=[4], total_from=0, created_from='2026-03-01T02:00:00+02:00'"
    assert found == NothingListed(empty("ids", "total_from", "created_from", records=7, searched=searched), {}, {})
    everything = Visibility(deleted=True, archived=True)
    assert account.counted == [(name, (), everything) for name in ("product", "material")]
    assert (await listed(account)).empty == empty(records=7)


@pytest.mark.parametrize(("length", "is_cut"), [(293, False), (294, True)])
async def test_three_hundred_characters_of_the_filters_are_told(length: int, is_cut: bool) -> None:
    name = "x" * length
    whole = f"name='{name}'"
    assert (len(whole) > 300) == is_cut
    assert (await listed(Account(), name=name)).empty.searched == (f"{whole[:300]}…" if is_cut else whole)


async def test_three_near_texts_are_offered_each_once() -> None:
    account = Account("Bolt A", "Bolt B", "Bolt C", "Bolt D")
    found = await listed(account, name="Bolt E", code="Bolt F!")
    names, codes = ["Bolt A", "Bolt B", "Bolt C"], ["Bolt A!", "Bolt B!", "Bolt C!"]
    assert (found.near, found.spelt) == ({"name": names, "code": codes}, {})
    assert found.empty.did_you_mean == [*names, *codes]


async def test_texts_that_differ_in_case_alone_are_taken_in_place_of_what_was_asked() -> None:
    account = Account("BOLT", "Bolts", "bolt ")
    other = await listed(account, name="bolt")
    assert (other.near, other.spelt, other.empty.did_you_mean) == ({}, {"name": ["BOLT", "bolt "] * 2}, [])
    exact = await listed(account, name="BOLT")
    assert (exact.near, exact.spelt) == ({}, {})
    far = await listed(Account("Wheel"), name="bolt")
    assert (far.near, far.spelt) == ({}, {})
