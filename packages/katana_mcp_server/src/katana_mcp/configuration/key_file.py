"""The API key from a file of its own, where secret stores put it. Refuses what other users of the machine may read."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

KEY, FILE = "KATANA_API_KEY", "KATANA_API_KEY_FILE"
_MOST = 10_000


def with_key(given: Mapping[str, object]) -> dict[str, object]:
    """Return what was set, with the key of the file that was named.

    Raises:
        ValueError: a key and a file were given, or the file cannot be taken; one sentence, without the key.
    """
    named = given.get(FILE)
    if named is None or not str(named).strip():
        return dict(given)
    if str(given.get(KEY) or "").strip():
        raise ValueError(f"{KEY} and {FILE} (--api-key-file) are both set: leave one of them out")
    return {**given, KEY: read_key(Path(str(named).strip()).expanduser().absolute())}


def read_key(path: Path) -> str:
    """Return the key that a file holds, without blanks around it.

    Raises:
        ValueError: it cannot be read, others may read it, or it holds no key.
    """
    where = f"{FILE} (--api-key-file): {path}"
    try:
        with path.open("rb") as file:
            _refuse_if_shared(os.fstat(file.fileno()), where)
            held = file.read(_MOST + 1)
    except FileNotFoundError:
        raise ValueError(f"{where} does not exist") from None
    except IsADirectoryError:
        raise ValueError(f"{where} is a directory: name the file that holds the key") from None
    except OSError as error:
        raise ValueError(f"{where} cannot be read: {error.strerror}") from None
    try:
        key = held.decode("utf-8").strip()
    except UnicodeDecodeError:
        key = ""
    if not key or len(held) > _MOST or len(key.splitlines()) > 1:
        raise ValueError(f"{where} must hold the key alone, in one line")
    return key


def _refuse_if_shared(status: os.stat_result, where: str) -> None:
    """Refuse a file that another user of the machine may read; where the system does not tell, nothing is known."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid not in {os.geteuid(), 0}:
        raise ValueError(f"{where} belongs to another user of this machine")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ValueError(f"{where} can be read by other users of this machine: chmod 600 it")
