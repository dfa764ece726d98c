"""Where cache files may stand: a private directory of real files. Refuses symlinks and foreign owners."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from cache_core.errors import CacheReadOnly, CacheUnavailable

_DIRECTORY = 0o700
_FILE = 0o600


def checked_directory(path: Path) -> Path:
    """Return the directory absolute; it may be missing. Nothing is made or changed.

    Raises:
        CacheUnavailable: it is a symlink, not a directory, below something that is none, or somebody else's.
    """
    target = path.expanduser().absolute()
    try:
        if target.is_symlink():
            raise CacheUnavailable(f"the cache directory {target} is a symbolic link; name a real directory")
        nearest = next(directory for directory in (target, *target.parents) if os.path.lexists(directory))
        status = nearest.stat()
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if nearest == target and is_foreign(status):
            raise CacheUnavailable(f"the cache directory {target} belongs to another user")
    except OSError as error:
        raise CacheUnavailable(f"the cache directory {target} cannot be used: {error.strerror}") from error
    return target


def private_directory(path: Path) -> Path:
    """Make the directory and its missing parents, readable by their owner alone, and return it absolute.

    Raises:
        CacheUnavailable: it is a symlink, not a directory, somebody else's, or cannot be made.
    """
    target = checked_directory(path)
    try:
        for missing in [directory for directory in (target, *target.parents) if not directory.exists()][::-1]:
            missing.mkdir(mode=_DIRECTORY, exist_ok=True)
        owner = target.stat()  # asked again: somebody else may have made it meanwhile
        if is_foreign(owner):
            raise CacheUnavailable(f"the cache directory {target} belongs to another user")
        if stat.S_IMODE(owner.st_mode) != _DIRECTORY:
            target.chmod(_DIRECTORY)
    except OSError as error:
        raise CacheUnavailable(f"the cache directory {target} cannot be used: {error.strerror}") from error
    return target


def private_file(path: Path) -> Path:
    """Make the file if need be, readable and writable by its owner alone, and return it.

    Raises:
        CacheReadOnly: it is there and may not be written.
        CacheUnavailable: it is a symlink or cannot be made.
    """
    try:
        # A file that is there is not opened: to close it here would drop the locks that SQLite holds on it.
        # Python has no file inherited that it opens.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE)
    except FileExistsError:
        _keep_private(path)
    except OSError as error:
        raise CacheUnavailable(f"the cache file {path} cannot be used: {error.strerror}") from error
    else:
        with os.fdopen(handle, "wb") as file:
            keep_private(file)
    return path


def open_in_place(path: Path) -> BinaryIO:
    """Open a file to read it, if it stands there itself.

    Raises:
        OSError: it is not there, or a symbolic link to elsewhere.
    """
    if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return open(path, "rb", opener=_without_following)


def _without_following(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def keep_private(file: BinaryIO) -> None:
    """Let the owner alone read and write an open file, where the system has such modes."""
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), _FILE)


def is_foreign(status: os.stat_result) -> bool:
    """Whether a file belongs to another user; where the system does not tell, its directories keep users apart."""
    return hasattr(os, "geteuid") and status.st_uid != os.geteuid()


def _keep_private(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise CacheUnavailable(f"the cache file {path} cannot be used: it is no regular file")
        if not os.access(path, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise CacheReadOnly(f"the cache file {path} can only be read")
        if stat.S_IMODE(mode) != _FILE:
            path.chmod(_FILE)
    except OSError as error:
        raise CacheUnavailable(f"the cache file {path} cannot be used: {error.strerror}") from error
