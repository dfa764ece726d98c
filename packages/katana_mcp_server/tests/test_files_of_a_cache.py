"""The cache of one account as work on it sees it: its backends, which of them is newest, and what cannot be opened."""

from pathlib import Path

import pytest
from opened_shelves import OTHER
from rebuilt_shelves import COMPLETE, SPEC, Account, held

from cache_core.errors import CacheUnavailable
from cache_core.protocol import SyncState
from katana_mcp.caches.backends import ALWAYS, BACKENDS, Make
from katana_mcp.caches.cache_files import (
    BadInput,
    CacheConfig,
    NotDone,
    age,
    chosen,
    looked_at,
    newest_of,
    opened,
    require_cache,
)
from katana_mcp.configuration.backend_flags import DEFAULTS


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(tmp_path / "caches" / "account")


def mode_of(path: Path) -> int:
    """Return the mode of a directory."""
    return path.stat().st_mode & 0o777


def test_an_entity_without_a_flag_stands_in_the_backend_that_holds_all(account: Account) -> None:
    account.flag("location", OTHER)
    assert [account.config().flag(name) for name in ("location", "additional_cost")] == [OTHER, ALWAYS]


def test_a_backend_is_alone_where_there_is_no_other(account: Account) -> None:
    def alone(*names: str) -> str | None:
        return CacheConfig(
            flags=account.flags, clock=account.clock, tell=lambda what, done, total: None, parts=account.parts(*names)
        ).alone

    assert [alone(OTHER), alone(ALWAYS, OTHER)] == [OTHER, None]


@pytest.mark.parametrize("looking", [None, True, False])
def test_each_backend_is_made_of_what_has_a_flag(account: Account, looking: bool | None) -> None:
    config = account.files()
    made = config.stores(account.directory) if looking is None else config.stores(account.directory, looking=looking)
    assert made == account.kept
    assert [shelf.is_looked_at for shelf in account.kept.values()] == [looking is True] * 2


@pytest.mark.parametrize(
    ("asked", "allowed", "names"),
    [
        (["variants", "location"], DEFAULTS, ["location", "variant"]),
        (["variant", "variants"], DEFAULTS, ["variant"]),
        ([], ("variant", "location"), ["location", "variant"]),
        ([], (), []),
    ],
)
def test_entities_are_chosen_in_the_order_of_their_parents(
    asked: list[str], allowed: tuple[str, ...], names: list[str]
) -> None:
    assert [spec.name for spec in chosen(asked, allowed)] == names


def test_a_name_of_no_allowed_entity_is_told_with_what_is_meant() -> None:
    with pytest.raises(BadInput) as caught:
        chosen(["variant", "locatoin"], ("variant", "location"))
    assert str(caught.value) == "no entity is called 'locatoin' here; did you mean 'location'?"
    with pytest.raises(BadInput) as caught:
        chosen(["sales_order"], ("variant", "location"))
    assert str(caught.value) == "no entity is called 'sales_order' here; there are location, variant"


async def test_what_there_is_is_looked_at_and_what_is_missing_or_damaged_is_told(account: Account) -> None:
    account.kept[OTHER].is_missing = True
    async with looked_at(account.files()) as stands:
        assert (stands.stores, stands.absent, stands.damaged) == ({ALWAYS: account.kept[ALWAYS]}, [OTHER], [])
        assert account.log == [f"{ALWAYS} look", f"{OTHER} look"]
    assert account.log[2:] == [f"{OTHER} close", f"{ALWAYS} close"]
    assert not account.directory.exists()
    account.kept[OTHER].is_missing, account.kept[OTHER].is_damaged = False, True
    async with looked_at(account.files()) as stands:
        assert (list(stands.stores), stands.absent, stands.damaged) == ([ALWAYS], [], ["other is damaged"])


async def test_backends_hold_the_entities_that_they_were_made_for(account: Account) -> None:
    async with looked_at(account.files()) as stands:
        assert stands.holding("location") == account.kept
        assert stands.holding("additional_cost") == {ALWAYS: account.kept[ALWAYS]}
        assert stands.holding("nothing") == {}


async def test_every_backend_is_open_for_work_and_closed_after_it(account: Account) -> None:
    account.directory.parent.mkdir(mode=0o755)
    async with opened(account.files()) as stores:
        assert (stores, account.log) == (account.kept, [f"{ALWAYS} open", f"{OTHER} open"])
        assert mode_of(account.directory.parent) == 0o700
    assert account.log[2:] == [f"{OTHER} close", f"{ALWAYS} close"]
    account.kept[OTHER].trouble["open"] = CacheUnavailable("its disk is full")
    with pytest.raises(CacheUnavailable, match=r"^its disk is full$"):
        async with opened(account.files()):
            pytest.fail("it was opened")
    assert account.log[4:] == [f"{ALWAYS} open", f"{OTHER} open", f"{OTHER} close", f"{ALWAYS} close"]


def test_there_is_no_work_on_what_was_never_cached(account: Account) -> None:
    with pytest.raises(NotDone) as caught:
        require_cache(account.files())
    assert str(caught.value) == f"nothing is cached for this account in {account.directory}"
    account.directory.parent.mkdir()
    account.directory.touch()
    with pytest.raises(NotDone):
        require_cache(account.files())
    account.directory.unlink()
    account.directory.mkdir()
    require_cache(account.files())


EARLY, LATE = "2025-01-01T00:00:00.000Z", "2025-01-02T00:00:00.000Z"


@pytest.mark.parametrize(
    ("state", "order"),
    [
        (SyncState(), ("", "")),
        (SyncState(cursor=EARLY), (EARLY, "")),
        (SyncState(completed_at=LATE), ("", LATE)),
        (SyncState(cursor=EARLY, completed_at=LATE), (EARLY, LATE)),
    ],
)
def test_sync_states_are_ordered_by_cursor_and_then_by_the_end_of_the_listing(
    state: SyncState, order: tuple[str, str]
) -> None:
    assert age(state) == order


@pytest.mark.parametrize(
    ("typed", "other", "newest"),
    [
        (SyncState(EARLY, EARLY), SyncState(LATE, EARLY), OTHER),
        (SyncState(LATE, EARLY), SyncState(EARLY, LATE), ALWAYS),
        (SyncState(EARLY, EARLY), SyncState(EARLY, LATE), OTHER),
        (SyncState(EARLY, LATE), SyncState(EARLY, EARLY), ALWAYS),
        (SyncState(EARLY, EARLY), SyncState(), ALWAYS),
        (SyncState(), SyncState(), OTHER),
    ],
)
async def test_an_entity_is_read_from_the_backend_that_completed_a_listing_last(
    account: Account, typed: SyncState, other: SyncState, newest: str
) -> None:
    await held(account.kept[ALWAYS], "location", state=typed)
    await held(account.kept[OTHER], "location", state=other)
    cache = await newest_of(account.kept.values())
    assert cache.backend_of("location") is account.kept[newest]
    assert cache.backend_of("additional_cost") is account.kept[ALWAYS]
    assert cache.entities == set(SPEC)


def test_the_states_of_listings_that_ended_are_told_by_their_age() -> None:
    assert age(COMPLETE) == (COMPLETE.cursor, COMPLETE.completed_at)


@pytest.mark.parametrize("name", list(BACKENDS))
async def test_a_backend_that_only_looks_makes_nothing(tmp_path: Path, name: str) -> None:
    make: Make = BACKENDS[name]
    specs = tuple(SPEC[entity] for entity in DEFAULTS)
    directory = tmp_path / "account"
    with pytest.raises(CacheUnavailable):
        await make(directory, specs, looking=True).open()
    assert not directory.exists()
    store = make(directory, specs)
    await store.open()
    await store.close()
    assert (store.name, directory.exists()) == (name, True)
