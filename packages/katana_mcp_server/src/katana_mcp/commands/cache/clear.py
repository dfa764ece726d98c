"""`clear`: this account's cache files go, and nothing else. Refuses while a server uses them."""

import re
import secrets
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from cache_core.files import private_directory
from katana_mcp.caches.cache_files import BadInput, NotDone
from katana_mcp.caches.rebuilding import BESIDE, LOCK
from katana_mcp.commands.cache.job import Job, Report
from katana_mcp.commands.cache.screen import confirmed, format_size, is_interactive, size
from katana_mcp.tools.answers import so_many

# Files of a backend that is gone are ours too.
_FILES = re.compile(
    r"(typed-\d+|legacy-v\d+|comparisons)\.(db|sqlite|lock)([.-].*)?"
    rf"|opened\.json(\.[0-9a-f]+\.new)?|{re.escape(LOCK)}"
)
_DIRECTORIES = re.compile(rf"{BESIDE}|checked-.*")
_ASIDE = ".cleared-"
_DATABASES = re.compile(r".*\.(db|sqlite)")


async def clear(job: Job, *, yes: bool) -> Report:
    """Delete what the cache has written into this account's directory, after a confirmation."""
    directory = job.directory
    stays = _end_earlier(directory)
    if not _is_there(directory):
        notes = (f"nothing is cached for this account in {directory}", *stays)
        return Report({"deleted": [], "kept": [], "stays": stays}, notes=notes, fine=not stays)
    private_directory(directory)
    found = sorted(directory.iterdir())
    ours = [path for path in found if _is_ours(path)]
    kept = [path.name for path in found if path not in ours]
    _refuse_in_use(ours)
    weight = sum(size(our) for our in ours)
    question = f"Delete {so_many(len(ours), 'cache file')} ({format_size(weight)}) in {directory}?"
    if not yes and not await _agreed(question):
        names = [path.name for path in found]
        return Report({"deleted": [], "kept": names, "stays": stays}, notes=(*stays, "nothing was deleted"), fine=False)
    # A server may have started while the question stood.
    _refuse_in_use(ours)
    stays += _delete(directory)
    deleted = so_many(len(ours), "file")
    notes = [f"deleted {deleted} ({format_size(weight)}) in {directory}; a server fetches everything anew"]
    if kept:
        notes.append(f"left alone, not ours: {', '.join(kept)}")
    names = [our.name for our in ours]
    return Report(
        {"deleted": names, "bytes": weight, "kept": kept, "stays": stays}, notes=(*notes, *stays), fine=not stays
    )


def _delete(directory: Path) -> list[str]:
    """Put the cache out of the way at once, then delete it: half of a cache must never be opened."""
    aside = directory.with_name(f"{directory.name}{_ASIDE}{secrets.token_hex(4)}")
    try:
        directory.rename(aside)
    except OSError as error:
        raise NotDone(f"{directory} cannot be cleared: {error.strerror}; nothing was deleted") from error
    return _empty(aside, directory)


def _end_earlier(directory: Path) -> list[str]:
    """End what a clearing that was killed has left; return what stays all the same."""
    left = sorted(directory.parent.glob(f"{directory.name}{_ASIDE}*"))
    return [
        message for aside in left if aside.is_dir() and not aside.is_symlink() for message in _empty(aside, directory)
    ]


def _empty(aside: Path, directory: Path) -> list[str]:
    """Bring back what is not ours, then delete the rest; return what cannot be, a sentence each."""
    stays: list[str] = []
    try:
        for path in sorted(aside.iterdir(), key=_is_ours):
            stays += _settled(path, directory)
        if not stays:
            aside.rmdir()
    except FileNotFoundError:
        pass  # another clearing was faster
    except OSError as error:
        stays.append(f"{aside} stays: {error.strerror}")
    return stays


def _settled(left: Path, directory: Path) -> list[str]:
    try:
        if _is_ours(left):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        elif (private_directory(directory) / left.name).exists(follow_symlinks=False):
            return [f"{left} stays: its name is taken in {directory}"]
        else:
            left.rename(directory / left.name)
    except OSError as error:
        return [f"{left} stays: {error.strerror}"]
    return []


def _is_there(directory: Path) -> bool:
    return directory.is_dir()


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    return (_DIRECTORIES if path.is_dir() else _FILES).fullmatch(path.name) is not None


async def _agreed(question: str) -> bool:
    if not is_interactive():
        raise BadInput("nobody can be asked here: say --yes to delete the cache")
    return await confirmed(question)


def _refuse_in_use(paths: list[Path]) -> None:
    for path in paths:
        if _DATABASES.fullmatch(path.name) and _is_in_use(path):
            raise NotDone(f"a server is using {path.name}: stop it first; nothing was deleted")


def _is_in_use(path: Path) -> bool:
    """Return whether another connection is open: only the last one may leave the write-ahead log."""
    there = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(there, timeout=0, isolation_level=None, uri=True)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
    return False
