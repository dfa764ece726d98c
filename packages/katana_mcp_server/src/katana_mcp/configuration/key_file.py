"""The API key from where it is kept: a file of its own, where secret stores put it, or the system's keyring.

Refuses a file that other users of the machine may read, and two places at once.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from katana_mcp.configuration.key_ring import KEYRING, kept_key

KEY, FILE = "KATANA_API_KEY", "KATANA_API_KEY_FILE"
_MOST = 10_000


def with_key(given: Mapping[str, object]) -> dict[str, object]:
    """Return what was set, with the key of the file or the entry that was named.

    Raises:
        ValueError: two were given, or the one cannot be taken; one sentence, without the key.
    """
    places = {name: str(given.get(name) or "").strip() for name in _PLACES}
    named = [name for name, place in places.items() if place]
    if len(named) > 1:
        raise ValueError(f"{_PLACES[named[0]]} and {_PLACES[named[1]]} are both set: leave one of them out")
    if FILE in named:
        return {**given, KEY: read_key(Path(places[FILE]).expanduser().absolute())}
    return {**given, KEY: kept_key(places[KEYRING])} if KEYRING in named else dict(given)


_PLACES = {KEY: KEY, FILE: f"{FILE} (--api-key-file)", KEYRING: f"{KEYRING} (--api-key-keyring)"}
"""By the variable, how a sentence names it."""


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
