"""What backends with files promise: rows outlive the object, files are private, damage is set aside."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from cache_core.errors import CacheCorrupt, CacheUnavailable
from cache_core.protocol import Batch, CacheBackend, Quarantined, SyncState

from .backends import TOYS, Kind
from .conftest import OpenCache
from .toys import found_ids, listing, moment, own_write, record_of, tag, toy

PAGE = 4096
pytestmark = pytest.mark.usefixtures("persistence")


def databases(directory: Path) -> list[Path]:
    """Return the database files under a directory, without logs, locks and what was set aside."""
    return [path for path in directory.rglob("*") if path.is_file() and path.suffix in {".sqlite", ".db"}]


def logs(directory: Path) -> dict[Path, bytes]:
    """Return what stands in the logs of the databases under a directory."""
    return {path: path.read_bytes() for path in directory.rglob("*-wal")}


def modes(directory: Path, predicate: Callable[[Path], bool]) -> set[str]:
    """Return the permissions of the paths under a directory for which a predicate holds."""
    return {oct(path.stat().st_mode & 0o777) for path in directory.rglob("*") if predicate(path)}


def move_and_link(directory: Path) -> None:
    """Put a symbolic link where the backend made its directory."""
    (made,) = [path for path in directory.iterdir() if path.is_dir()]
    made.rename(directory / "elsewhere")
    made.symlink_to(directory / "elsewhere")


async def test_a_new_object_sees_everything_that_was_stored(open_cache: OpenCache) -> None:
    first = await open_cache()
    state = SyncState(cursor=moment(3), deltas=2)
    quarantine = (Quarantined(9, "why", "{}"),)
    rows = (toy(1, name="kept", sku="K", codes=["c.1"]), toy(2, deleted_at=moment()))
    await first.apply(Batch(entity="toy", at=moment(), upserts=rows, state=state, quarantine=quarantine))
    await first.apply(listing(tag("a", "label"), entity="toy_tag"))
    await first.close()
    second = await open_cache()
    assert await record_of(second, 1) == rows[0].record
    assert await found_ids(second, "c-1") == await found_ids(second, "kept") == [1]
    assert (await second.find_by_key("toy", "K")).row is not None
    assert await second.state("toy") == state
    assert await second.quarantined("toy") == quarantine
    assert await record_of(second, "a", "toy_tag") == {"id": "a", "label": "label"}


@pytest.mark.usefixtures("one_file")
async def test_a_new_file_takes_up_nothing_that_a_removed_one_left(open_cache: OpenCache, tmp_path: Path) -> None:
    first = await open_cache()
    await first.apply(listing(toy(1)))
    left = logs(tmp_path)
    assert left
    await first.close()
    for path in databases(tmp_path):
        path.unlink()
    for path, data in left.items():
        path.write_bytes(data)
    second = await open_cache()
    assert await second.count("toy") == 0
    await second.apply(listing(toy(2, name="new")))
    assert await found_ids(second, "new") == [2]


async def test_an_own_write_still_stands_after_a_restart(open_cache: OpenCache) -> None:
    first = await open_cache()
    await first.apply(own_write(toy(1, name="own")))
    await first.close()
    second = await open_cache()
    await second.apply(listing(toy(1, name="listed"), at=60))
    assert (await record_of(second, 1))["name"] == "own"


async def test_two_objects_on_one_file_see_each_others_writes(open_cache: OpenCache) -> None:
    first, second = await open_cache(), await open_cache()
    for number in range(5):
        await first.apply(listing(toy(number, name="by first")))
        assert len(await found_ids(second, "first")) == number + 1
        await second.apply(listing(toy(100 + number, name="by second")))
        assert len(await found_ids(first, "second")) == number + 1


async def test_writers_of_two_objects_on_one_file_wait_for_each_other(open_cache: OpenCache) -> None:
    both = await open_cache(), await open_cache()
    rows = [[listing(toy(100 * number + index, name="same")) for index in range(40)] for number in range(2)]
    await asyncio.gather(*(cache.apply(batch) for cache, mine in zip(both, rows, strict=True) for batch in mine))
    assert [await cache.count("toy") for cache in both] == [80, 80]


async def test_open_and_close_may_be_called_twice(open_cache: OpenCache) -> None:
    cache = await open_cache()
    await cache.apply(listing(toy(1, name="kept")))
    await cache.open()
    assert await found_ids(cache, "kept") == [1]
    await cache.close()
    await cache.close()
    await cache.open()
    assert await found_ids(cache, "kept") == [1]


async def test_a_closed_cache_is_unavailable_not_empty(open_cache: OpenCache) -> None:
    cache = await open_cache()
    await cache.close()
    with pytest.raises(CacheUnavailable):
        await cache.get_many("toy", [1])
    with pytest.raises(CacheUnavailable):
        await cache.apply(listing(toy(1)))


async def test_directories_and_files_are_for_their_owner_alone(open_cache: OpenCache, tmp_path: Path) -> None:
    cache = await open_cache()
    await cache.apply(listing(toy(1)))
    assert databases(tmp_path)
    assert modes(tmp_path, Path.is_dir) == {"0o700"}
    assert modes(tmp_path, Path.is_file) == {"0o600"}


@pytest.mark.usefixtures("one_file")
async def test_a_symlinked_directory_is_refused(kind: Kind, open_cache: OpenCache, tmp_path: Path) -> None:
    await (await open_cache()).close()
    move_and_link(tmp_path)
    cache = kind.make(TOYS, tmp_path)
    with pytest.raises(CacheUnavailable):
        await cache.open()
    await cache.close()


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database " * 1_000)


def truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def header_only(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.usefixtures("one_file")
@pytest.mark.parametrize("damage", [garbage, truncated, header_only, emptied])
async def test_a_damaged_file_is_set_aside_and_made_anew(
    open_cache: OpenCache, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    first = await open_cache()
    await first.apply(listing(*(toy(number, name="old") for number in range(200))))
    await first.close()
    assert set_aside(first) == ()
    (path,) = databases(tmp_path)
    damage(path)
    second = await open_cache()
    assert await found_ids(second, "old") == []
    await second.apply(listing(toy(1, name="new")))
    assert await found_ids(second, "new") == [1]
    (aside,) = set_aside(second)
    assert ".damaged-" in aside.name
    assert aside.exists()
    await second.close()
    third = await open_cache()
    assert await found_ids(third, "new") == [1]
    assert set_aside(third) == ()


def set_aside(cache: CacheBackend) -> tuple[Path, ...]:
    """Return the damaged files that a backend says it has set aside, one or several."""
    aside: object = getattr(cache, "set_aside")  # noqa: B009 - beyond the core protocol
    several = aside if isinstance(aside, tuple) else (aside,)
    return tuple(path for path in several if isinstance(path, Path))


def page_damaged(path: Path, sound: bytes, number: int, fill: bytes) -> None:
    """Overwrite one page of the sound file; a log is not left to mend it."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    start = number * PAGE
    path.write_bytes(sound[:start] + fill * (PAGE // len(fill)) + sound[start + PAGE :])


@pytest.mark.usefixtures("one_file")
@pytest.mark.parametrize("fill", [b"\x00", b"\xff", b"junk"])
async def test_a_damaged_page_is_noticed_or_does_no_harm(kind: Kind, tmp_path: Path, fill: bytes) -> None:
    first = kind.make(TOYS, tmp_path)
    await first.open()
    rows = [toy(number, name="old", sku=f"S.{number}", codes=[f"c.{number}"]) for number in range(200)]
    await first.apply(listing(*rows))
    await first.close()
    (path,) = databases(tmp_path)
    sound = path.read_bytes()
    pages = len(sound) // PAGE
    for number in range(0, pages, max(1, pages // 10)):
        page_damaged(path, sound, number, fill)
        cache = kind.make(TOYS, tmp_path)
        await cache.open()
        try:
            answers = [await found_ids(cache, "old"), await found_ids(cache, "c-7")]
            assert answers == ([[], []] if set_aside(cache) else [list(range(200)), [7]])
        except CacheCorrupt:
            await cache.close()
            await cache.open()
            assert set_aside(cache)
            await cache.apply(listing(toy(1, name="new")))
            assert await found_ids(cache, "new") == [1]
        finally:
            await cache.close()


@pytest.mark.usefixtures("one_file")
async def test_a_stray_log_beside_a_good_file_does_no_harm(open_cache: OpenCache, tmp_path: Path) -> None:
    first = await open_cache()
    await first.apply(listing(toy(1, name="kept")))
    await first.close()
    (path,) = databases(tmp_path)
    path.with_name(path.name + "-wal").write_bytes(b"stray" * 2_000)
    second = await open_cache()
    assert await found_ids(second, "kept") == [1]
