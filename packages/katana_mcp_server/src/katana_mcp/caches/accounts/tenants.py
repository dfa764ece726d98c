"""Which cache a key's account has: a small table in the cache root, kept by all processes together.

It holds digests of keys, never keys. A table that cannot be read counts as empty, one that cannot be written is not
written: nothing worse follows than asking Katana again.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import structlog
from pydantic import BaseModel, Field, ValidationError

from cache_core.errors import CacheUnavailable
from cache_core.files import open_in_place, private_directory, private_file
from cache_core.locks import lock

_log = structlog.get_logger("katana_mcp.cache")

_MOST_BYTES = 2**20


class Oldest(BaseModel, frozen=True):
    """What tells an account from every other: its oldest location, by id and creation, at a base URL."""

    base: str
    id: int
    created_at: str


type _Digest = Annotated[str, Field(pattern="^[0-9a-f]{24}$")]
"""Names directories, so nothing else is taken from a file."""


class _Table(BaseModel):
    keys: dict[_Digest, _Digest] = Field(default_factory=dict[_Digest, _Digest])
    tenants: dict[_Digest, Oldest] = Field(default_factory=dict[_Digest, Oldest])


def identity(base_url: str, api_key: str) -> str:
    """Return the digest of base URL and key, which names what belongs to a key and never tells the key itself."""
    return hashlib.sha256(f"{base_url.rstrip('/')}\n{api_key}".encode()).hexdigest()[:24]


class Tenants:
    """The table `tenants.json` below a cache root.

    A tenant is named by the digest of its first key, and that is the name of its cache directory.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = root / "tenants.json"

    def of_key(self, digest: str) -> str | None:
        """Return the tenant of a key, or None for a key that was never checked."""
        return self._read().keys.get(digest)

    def oldest(self, tenant: str) -> Oldest | None:
        """Return the oldest location of a tenant, or None for one that was never checked."""
        return self._read().tenants.get(tenant)

    def join(self, digest: str, oldest: Oldest) -> str:
        """Note that the key's account has this oldest location; return its tenant, new or known."""

        def noted(table: _Table) -> str:
            same = (name for name, location in table.tenants.items() if location == oldest)
            tenant = table.keys.get(digest) or next(same, digest)
            table.keys[digest] = tenant
            table.tenants.setdefault(tenant, oldest)
            return tenant

        return self._changed(noted)

    def _read(self) -> _Table:
        try:
            with open_in_place(self._path) as file:
                return _Table.model_validate(json.loads(file.read(_MOST_BYTES)))
        except FileNotFoundError:
            return _Table()
        except (OSError, ValueError, RecursionError, ValidationError) as error:
            _log.warning("the table of tenants cannot be read", reason=type(error).__name__)
            return _Table()

    def _changed(self, change: Callable[[_Table], str]) -> str:
        try:
            private_directory(self._root)
            alone = private_file(self._root / "tenants.lock").open("r+b")
        except (CacheUnavailable, OSError) as error:
            _log.warning("the table of tenants cannot be written", reason=str(error))
            return change(self._read())
        with alone:
            lock(alone)
            table = self._read()
            before = table.model_dump_json()
            tenant = change(table)
            if table.model_dump_json() != before:
                self._write(table)
        return tenant

    def _write(self, table: _Table) -> None:
        beside = self._root / f"tenants.{secrets.token_hex(4)}.new"
        try:
            private_file(beside).write_text(table.model_dump_json(), encoding="utf-8")
            beside.replace(self._path)
        except (CacheUnavailable, OSError) as error:
            _log.warning("the table of tenants cannot be written", reason=str(error))
            with suppress(OSError):
                beside.unlink()
