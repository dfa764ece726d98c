"""A rebuild step by step: what is fetched where, what is swapped, and what is said where it cannot be."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from opened_shelves import OTHER
from rebuilt_shelves import SPEC, Account, FileShelf, finds, held, ids_of

from cache_core.errors import CacheUnavailable
from cache_core.files import private_file
from cache_core.locks import try_lock
from cache_core.routed import RoutedBackend
from cache_core.spec import Listed
from cache_core.specs import SPECS
from cache_core.sync import Progress
from cache_core.testing import FakeSource, ManualClock
from katana_mcp.caches.backends import ALWAYS
from katana_mcp.caches.cache_files import EVERY, LISTED, NotDone
from katana_mcp.caches.rebuilding import (
    BESIDE,
    LOCK,
    OpenCache,
    OwnRebuilder,
    RebuildRunning,
    Rebuilt,
    rebuild_files,
    rebuild_memory,
)
from katana_mcp.caches.stores import Stores
from katana_mcp.configuration.backend_flags import DEFAULTS
from katana_mcp.references.services import RebuiltEntity
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking

pytestmark = pytest.mark.threads

LOCATION, PRODUCT, VARIANT, COST = (SPEC[name] for name in ("location", "product", "variant", "additional_cost"))
TRIAL = f"compare:{ALWAYS}"
STAYS = "the old data stays as it was"
PARTLY = "the new data is not in place everywhere: rebuild again"
NORTH, SOUTH, WEST = ({"id": nr, "name": name} for nr, name in ((1, "North"), (2, "South"), (3, "West")))


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(tmp_path / "caches" / "account")


def mode_of(path: Path) -> int:
    """Return the mode of a directory."""
    return path.stat().st_mode & 0o777


async def test_what_katana_holds_now_takes_the_place_of_what_was_held(account: Account) -> None:
    await held(account.kept[ALWAYS], "location", NORTH, SOUTH, {"id": 9})
    account.put("location", SOUTH, WEST)
    account.kept[ALWAYS].set_aside = (account.directory / "typed-0.damaged",)
    account.directory.parent.mkdir(mode=0o755)
    rebuilt = await rebuild_files(account.files(), [LOCATION], account.source)
    assert rebuilt == Rebuilt((RebuiltEntity("location", 3, 2, 0, 1),), ("typed-0.damaged",))
    assert await ids_of(account.kept[ALWAYS]) == [2, 3]
    assert account.kept[ALWAYS].taken == [(account.directory / BESIDE, ["location"])]
    assert account.steps == [("location", 2, 2), ("swapping", 0, 1)]
    assert [mode_of(account.directory), mode_of(account.directory.parent)] == [0o700, 0o700]
    look = [f"{ALWAYS} look", f"{OTHER} look", f"{OTHER} close", f"{ALWAYS} close"]
    swap = [f"{ALWAYS} open", f"{ALWAYS} close"]
    build = [*look[:2], f"beside {ALWAYS} open", f"beside {ALWAYS} close", *look[2:]]
    assert account.log == [*look, *build, *swap, *look]


async def test_what_an_earlier_rebuild_left_beside_the_cache_is_gone_before_and_after(account: Account) -> None:
    beside, found = account.directory / BESIDE, list[bool]()
    beside.mkdir(parents=True)
    account.put("location", NORTH)

    def look(listed: Listed, number: int) -> None:
        del listed, number
        found.append(beside.exists())
        beside.mkdir()
        (beside / "typed.db").touch()

    account.source.before = look
    await rebuild_files(account.files(), [LOCATION], account.source)
    assert (found, beside.exists()) == ([False], False)


async def test_what_no_backend_holds_yet_was_nothing_before(account: Account) -> None:
    account.kept[OTHER].is_missing = True
    account.flag("location", OTHER)
    account.put("location", NORTH)
    rebuilt = await rebuild_files(account.files(), [LOCATION], account.source)
    assert rebuilt.entities == (RebuiltEntity("location", 0, 0, 0, 1),)
    assert (await ids_of(account.kept[OTHER]), account.kept[ALWAYS].taken) == (
        [1],
        [(account.directory / BESIDE, ["location"])],
    )


async def test_a_parallel_run_gets_the_same_in_both_backends(account: Account) -> None:
    account.flag("location", TRIAL)
    account.put("location", NORTH)
    account.put("additional_cost", {"id": 5, "name": "Freight"})
    await held(account.kept[OTHER], "location", SOUTH)
    rebuilt = await rebuild_files(account.files(), [LOCATION, COST], account.source)
    assert [(entity.entity, entity.before, entity.records) for entity in rebuilt.entities] == [
        ("location", 0, 1),
        ("additional_cost", 0, 1),
    ]
    for shelf, names in ((account.kept[ALWAYS], ["location", "additional_cost"]), (account.kept[OTHER], ["location"])):
        assert (await ids_of(shelf), shelf.taken) == ([1], [(account.directory / BESIDE, names)])
    assert account.steps[-2:] == [("swapping", 0, 2), ("swapping", 1, 2)]


@pytest.mark.parametrize(("file", "is_used"), [("other-0.db", True), ("other.db", False), ("typed-0.db", False)])
async def test_what_is_old_in_a_backend_of_before_goes_too(account: Account, file: str, is_used: bool) -> None:
    account.directory.mkdir(parents=True, mode=0o700)
    (account.directory / file).touch()
    await held(account.kept[OTHER], "location", SOUTH)
    account.put("location", NORTH)
    await rebuild_files(account.files(), [LOCATION], account.source)
    assert await ids_of(account.kept[OTHER]) == ([] if is_used else [2])
    assert (f"beside {OTHER} open" in account.log, f"beside {OTHER} close" in account.log) == (is_used, is_used)


async def test_text_that_others_borrow_is_made_again_where_they_were_not_swapped(account: Account) -> None:
    kept = account.kept[ALWAYS]
    await held(kept, "product", {"id": 1, "name": "Bike"})
    await held(kept, "variant", {"id": 11, "sku": "A", "product_id": 1})
    await held(kept, "location", NORTH)
    account.put("product", {"id": 1, "name": "Wheelbarrow"})
    await rebuild_files(account.files(), [PRODUCT], account.source)
    assert (kept.reindexed, await finds(kept, "variant", "wheelbarrow")) == (["variant"], 1)
    account.put("product", {"id": 1, "name": "Tandem"})
    account.put("variant", {"id": 11, "sku": "A", "product_id": 1})
    await rebuild_files(account.files(), [PRODUCT, VARIANT], account.source)
    assert (kept.reindexed, await finds(kept, "variant", "tandem")) == (["variant"], 1)


async def test_text_is_borrowed_from_what_the_account_holds(account: Account) -> None:
    await held(account.kept[ALWAYS], "product", {"id": 1, "name": "Bike"})
    account.put("variant", {"id": 11, "sku": "A", "product_id": 1})
    await rebuild_files(account.files(), [VARIANT], account.source)
    assert await finds(account.beside[ALWAYS], "variant", "bike") == 1
    assert await ids_of(account.beside[ALWAYS], "product") == []


async def undone(account: Account, why: str, specs: Sequence[str] = ("location",)) -> None:
    """Rebuild in vain: why is said, nothing stays beside, and what is open is closed."""
    with pytest.raises(NotDone) as caught:
        await rebuild_files(account.files(), [SPEC[name] for name in specs], account.source)
    assert str(caught.value) == why
    assert not (account.directory / BESIDE).exists()
    for name in (ALWAYS, f"beside {ALWAYS}"):
        assert account.log.count(f"{name} open") <= account.log.count(f"{name} close")


async def test_without_an_answer_of_katana_the_old_data_stays(account: Account) -> None:
    await held(account.kept[ALWAYS], "location", NORTH)
    account.source.broken["locations"] = "no answer"
    await undone(account, f"location: no answer; {STAYS}", ["additional_cost", "location"])
    assert (await ids_of(account.kept[ALWAYS]), account.kept[ALWAYS].taken) == ([1], [])


async def test_what_is_not_stored_whole_does_not_take_the_place_of_the_old(account: Account) -> None:
    account.put("location", NORTH)
    account.beside[ALWAYS].is_forgetful = True
    await undone(account, f"location was not stored whole; {STAYS}")
    assert account.kept[ALWAYS].taken == []


@pytest.mark.parametrize(
    ("shelf", "fails", "why"),
    [
        ("beside", "apply", f"location cannot be stored: its disk is full; {STAYS}"),
        ("beside", "open", f"its disk is full; {STAYS}"),
        ("kept", "open", f"its disk is full; {STAYS}"),
        ("kept", "take", f"its disk is full; {STAYS}"),
        ("other", "open", f"its disk is full; {PARTLY}"),
        ("other", "take", f"its disk is full; {PARTLY}"),
    ],
)
async def test_files_that_fail_leave_the_old_data_until_the_first_was_swapped(
    account: Account, shelf: str, fails: str, why: str
) -> None:
    account.put("location", NORTH)
    account.flag("location", TRIAL)
    failing: dict[str, FileShelf] = {"beside": account.beside[ALWAYS], "kept": account.kept[ALWAYS]}
    failing.get(shelf, account.kept[OTHER]).trouble[fails] = CacheUnavailable("its disk is full")
    await undone(account, why)
    assert len(account.kept[ALWAYS].taken) == (shelf == "other" or fails == "take")


async def test_two_rebuilds_of_one_cache_do_not_run_at_once(account: Account) -> None:
    account.directory.mkdir(parents=True, mode=0o700)
    with private_file(account.directory / LOCK).open("rb") as other:
        assert try_lock(other)
        with pytest.raises(RebuildRunning) as caught:
            await rebuild_files(account.files(), [LOCATION], account.source)
    assert str(caught.value) == f"another rebuild of this cache is under way; {STAYS}"
    assert account.source.requests == []
    await rebuild_files(account.files(), [LOCATION], account.source)


def asked_of(source: FakeSource) -> asyncio.Event:
    """Return what is set once Katana is asked."""
    asked = asyncio.Event()
    source.before = lambda listed, number: asked.set()
    return asked


async def stopped(rebuilding: "asyncio.Task[Rebuilt]", source: FakeSource) -> int:
    """Cancel a rebuild once Katana was asked; return how often it is asked afterwards."""
    await asked_of(source).wait()
    rebuilding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rebuilding
    asked = len(source.requests)
    for _ in range(20):
        await asyncio.sleep(0)
    return len(source.requests) - asked


@pytest.mark.parametrize("where", ["files", "memory"])
async def test_a_rebuild_that_is_given_up_asks_katana_nothing_more(account: Account, where: str) -> None:
    account.put("location", *({"id": nr, "name": str(nr)} for nr in range(1, 600)))
    old = RoutedBackend({"location": account.kept[ALWAYS]})
    work = (
        rebuild_files(account.files(), [LOCATION], account.source)
        if where == "files"
        else rebuild_memory(account.config(), [LOCATION], account.source, old)
    )
    assert await stopped(asyncio.create_task(work), account.source) == 0
    assert old.backend_of("location") is account.kept[ALWAYS]
    assert account.log.count("memory typed close") == account.log.count("memory typed open")


async def test_a_cache_in_memory_is_read_where_the_new_data_is(account: Account) -> None:
    old = account.kept[ALWAYS]
    for entity, record in (("product", {"id": 1, "name": "Bike"}), ("variant", {"id": 11, "product_id": 1})):
        await held(old, entity, record)
    cache = RoutedBackend(dict.fromkeys(("product", "variant", "location"), old))
    account.put("product", {"id": 1, "name": "Wheelbarrow"}, {"id": 2, "name": "Tandem"})
    rebuilt = await rebuild_memory(account.config(), [PRODUCT], account.source, cache)
    assert rebuilt == Rebuilt((RebuiltEntity("product", 1, 2, 0, 1),))
    fresh = account.memory[ALWAYS]
    assert [cache.backend_of(name) for name in ("product", "variant", "location")] == [fresh, old, old]
    assert (account.log, account.steps) == ([f"memory {ALWAYS} open"], [("product", 2, 2), ("variant", 1, 1)])
    assert await finds(cache, "variant", "wheelbarrow") == 1
    account.put("variant", {"id": 12, "sku": "B", "product_id": 2})
    await rebuild_memory(account.config(), [VARIANT], account.source, cache)
    assert await finds(cache, "variant", "tandem") == 1


async def test_a_cache_in_memory_is_read_as_before_where_it_cannot_be_rebuilt(account: Account) -> None:
    cache = RoutedBackend({"location": account.kept[ALWAYS]})
    account.source.down = "no answer"
    with pytest.raises(NotDone, match=f"^location: no answer; {STAYS}$"):
        await rebuild_memory(account.config(), [LOCATION], account.source, cache)
    assert cache.backend_of("location") is account.kept[ALWAYS]
    assert account.log == [f"memory {ALWAYS} open", f"memory {ALWAYS} close"]


def rebuilder(
    cache: RoutedBackend, source: FakeSource, directory: Path | None = None, closed: str | None = None
) -> OwnRebuilder:
    """Return the rebuilder of a server whose cache this is."""
    opened = OpenCache(
        cache=cache, directory=directory, flags=DEFAULTS, source=source, clock=source.clock, closed=closed
    )
    return OwnRebuilder(opened)


@pytest.mark.parametrize("where", ["files", "memory"])
async def test_a_server_rebuilds_its_own_cache_and_tells_how_far_it_is(tmp_path: Path, where: str) -> None:
    directory = tmp_path / "account" if where == "files" else None
    source, told = FakeSource(ManualClock()), list[Progress]()
    cache, _ = await Stores(DEFAULTS, None, source.clock).open(directory)
    source.put("location", NORTH, source.clock.now())
    source.put("location", SOUTH, source.clock.now())
    try:
        found = await rebuilder(cache, source, directory).rebuild(["locations", "tax_rate"], told.append)
        assert found == (RebuiltEntity("location", 0, 2, 0, 1), RebuiltEntity("tax_rate", 0, 0, 0, 1))
        assert await ids_of(cache) == [1, 2]
    finally:
        await cache.close()
    assert told == [
        Progress("location", 0, None),
        Progress("tax_rate", 0, None),
        Progress("location", 2, 2),
        Progress("tax_rate", 0, 0),
    ]


def refused(caught: pytest.ExceptionInfo[Refused]) -> tuple[ToolWarning, ...]:
    """Return what is said of a rebuild that was refused."""
    return tuple(caught.value.warnings)


async def test_a_server_says_why_it_does_not_rebuild(account: Account) -> None:
    cache, told = RoutedBackend({"location": account.kept[ALWAYS]}), list[Progress]()
    account.source.down = "no answer"
    with pytest.raises(Refused) as caught:
        await rebuilder(cache, account.source).rebuild(["location"], told.append)
    assert refused(caught) == (blocking(warning_codes.REBUILD_FAILED, f"location: no answer; {STAYS}"),)
    with pytest.raises(Refused) as caught:
        await rebuilder(cache, account.source, closed="sync is off").rebuild(["location"], told.append)
    assert refused(caught) == (blocking(warning_codes.REBUILD_FAILED, f"sync is off; {STAYS}"),)
    with pytest.raises(Refused) as caught:
        await rebuilder(cache, account.source).rebuild(["locatoin"], told.append)
    message = "no entity is called 'locatoin' here; did you mean 'location'?"
    assert refused(caught) == (blocking(warning_codes.INVALID_ARGUMENT, message, "entities"),)


async def test_a_server_rebuilds_once_at_a_time(account: Account) -> None:
    cache = RoutedBackend({"location": account.kept[ALWAYS]})
    own = rebuilder(cache, account.source)
    first = asyncio.create_task(own.rebuild(["location"], lambda progress: None))
    await asked_of(account.source).wait()
    with pytest.raises(Refused) as caught:
        await own.rebuild(["location"], lambda progress: None)
    message = f"another rebuild of this cache is under way; {STAYS}"
    assert refused(caught) == (blocking(warning_codes.REBUILD_RUNNING, message),)
    assert await first == (RebuiltEntity("location", 0, 0, 0, 1),)
    assert len(await own.rebuild(["location"], lambda progress: None)) == 1
    await cache.close()


def test_stock_alone_is_not_listed() -> None:
    assert (
        tuple(spec.name for spec in SPECS),
        tuple(spec.name for spec in SPECS if spec.name != "stock"),
    ) == (EVERY, LISTED)
