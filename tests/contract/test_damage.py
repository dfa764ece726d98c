"""A cache file damaged in any way: it opens, what is broken is kept aside, and no answer is made of it.

SQLite keeps no checksums: a bit that flips inside a value leaves another value. Such a one is put right by the audit.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from cache_core.errors import CacheCorrupt
from cache_core.protocol import CacheBackend
from katana_mcp.caches.backends import Store

from .accounts import ENTITIES, Account, synced, text_is_right
from .backends import TOYS, Kind, plain
from .proofs import LEASE_RUNS_OUT, NOTHING, Rows, filled, held, mends, of_files

PAGE = 4096
DOUBTED = 20 * 60

type Damage = Callable[[Random, Path], None]


def garbage(random: Random, path: Path) -> None:
    """Overwrite a part, or all of it."""
    data = bytearray(path.read_bytes())
    size, start = random.choice((64, 512, PAGE, len(data))), random.randrange(len(data))
    data[start : start + size] = random.randbytes(min(size, len(data) - start))
    path.write_bytes(data)


def truncated(random: Random, path: Path) -> None:
    """Cut the end off."""
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data))])


def zeroed(random: Random, path: Path) -> None:
    """Empty some pages."""
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 2, 5))):
        start = random.randrange(len(data) // PAGE) * PAGE
        data[start : start + PAGE] = bytes(PAGE)
    path.write_bytes(data)


def stray_log(random: Random, path: Path) -> None:
    """Put a log beside it that is not its own."""
    header = random.choice((b"", bytes.fromhex("377f0682002de21800001000")))
    path.with_name(f"{path.name}-wal").write_bytes(header + random.randbytes(random.choice((0, 100, 3 * PAGE))))


def flipped(random: Random, path: Path) -> None:
    """Flip some bits."""
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((1, 5, 50))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A cache whose file was damaged, and what it held before."""

    cache: Store
    account: Account
    before: Rows

    async def is_read(self) -> str:
        """Open and read it; return what it came to: `right`, `wrong`, or the damage was noticed."""
        faults = await self.cache.faults()
        await self.cache.open()
        if not self.cache.set_aside:
            with suppress(CacheCorrupt):
                return "right" if await self.answers_right() else "wrong"
            await self.cache.close()
            await self.cache.open()
        else:
            assert faults
        assert all(aside.exists() for aside in self.cache.set_aside)
        assert self.cache.set_aside
        assert await held(self.cache) == NOTHING
        await mends(self.cache, self.account)
        return "noticed"

    async def answers_right(self) -> bool:
        """Return whether rows and searches are what they were."""
        with suppress(AssertionError, KeyError):
            assert await held(self.cache) == self.before
            await text_is_right(self.cache)
            return True
        return False


async def put_right(cache: CacheBackend, account: Account) -> bool:
    """Sync and audit, twice, for what is gone is doubted first; return whether all is as the source has it then."""
    for wait in (LEASE_RUNS_OUT, DOUBTED):
        account.clock.advance(wait)
        syncer = account.syncer(cache)
        await synced(syncer)
        for entity in ENTITIES:
            await syncer.audit(entity)
    return await held(cache) == {entity: account.source.rows(entity) for entity in ENTITIES}


async def tally(kind: Kind, root: Path, damage: Damage, seeds: range) -> Counter[str]:
    """Damage a sound file in many ways, each time anew; return how often it came to what."""
    account = Account(toys=120)
    before = await filled(kind, root / "sound", account)
    (path,) = [file for file in (root / "sound").rglob("*") if file.suffix in {".db", ".sqlite"}]
    came_to: Counter[str] = Counter()
    for seed in seeds:
        directory = root / "damaged"
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(root / "sound", directory)
        damage(Random(seed), directory / path.relative_to(root / "sound"))
        cache = plain(kind.name, TOYS, directory)
        try:
            found = await Damaged(cache, account, before).is_read()
            if found == "wrong":
                found = "wrong until the audit" if await put_right(cache, account) else "wrong for longer"
        except CacheCorrupt:
            found = "noticed by the sync"
        finally:
            await cache.close()
        came_to[found] += 1
    return came_to


@of_files
@pytest.mark.parametrize("damage", [garbage, truncated, zeroed, stray_log])
@pytest.mark.parametrize("files", [6, pytest.param(100, marks=pytest.mark.soak)])
async def test_a_damaged_file_is_noticed_and_made_anew_or_answers_right(
    kind: Kind, tmp_path: Path, damage: Damage, files: int
) -> None:
    came_to = await tally(kind, tmp_path, damage, range(files))
    assert came_to.keys() <= {"right", "noticed"}
    assert came_to["noticed"] > 0 or damage is stray_log


@of_files
@pytest.mark.parametrize("files", [20, pytest.param(100, marks=pytest.mark.soak)])
async def test_a_file_with_flipped_bits_opens_and_most_damage_is_noticed(
    kind: Kind, tmp_path: Path, files: int
) -> None:
    came_to = await tally(kind, tmp_path, flipped, range(files))
    assert came_to["noticed"] + came_to["noticed by the sync"] > files // 4
    assert came_to["wrong for longer"] <= max(1, files // 20)
