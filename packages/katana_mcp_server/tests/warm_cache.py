"""A server that begins with its cache full, as one sync at this moment would leave it, in a new file or in memory.

It is given only to an account that is, to the byte, the one that was synced, at the same moment and before any request;
every other one, and every one of a test marked `cold`, is synced by the server itself.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path

import pytest

from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_legacy import storage as legacy  # goes with cache_legacy
from cache_typed import schema
from cache_typed.mapping import TableMapping
from cache_typed.storage import FILE_NAME
from katana_client.transport import Transport
from katana_mcp.caches.backends import ALWAYS, BACKENDS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.testing.idle_loop import IdleLoop

type MakeSandbox = Callable[[], OwnSandbox]

_TABLES = {
    FILE_NAME: "cache_state",
    legacy.FILE_NAME: "states",  # goes with cache_legacy
}
"""The files of a cache that are given to servers, and the table of each in which leases are."""

_HERE = ContextVar[OwnSandbox | None]("the sandbox behind the server that runs here", default=None)
_EMPTY = schema.empty_image
_EMPTY_LEGACY = legacy.empty_image  # goes with cache_legacy


def start_warm(monkeypatch: pytest.MonkeyPatch, make: MakeSandbox) -> None:
    """Let servers begin with a full cache where their account is still what `make` returns."""
    transport = OwnSandbox.transport

    def noted(own: OwnSandbox) -> Transport:
        _HERE.set(own)
        return transport(own)

    def typed_image(mappings: tuple[TableMapping, ...]) -> bytes:
        return _file(make, FILE_NAME, partial(_EMPTY, mappings))

    monkeypatch.setattr(OwnSandbox, "transport", noted)
    monkeypatch.setattr(schema, "empty_image", typed_image)
    legacy_image = partial(_file, make, legacy.FILE_NAME, _EMPTY_LEGACY)  # goes with cache_legacy
    monkeypatch.setattr(legacy, "empty_image", legacy_image)  # goes with cache_legacy


def _file(make: MakeSandbox, name: str, empty: Callable[[], bytes]) -> bytes:
    """Return a file of the full cache where the account of the server that runs here is untouched."""
    return _images(make)[name] if _is_untouched(make) else empty()


def _is_untouched(make: MakeSandbox) -> bool:
    """Return whether the account of the server that runs here is what `make` returns."""
    own = _HERE.get()
    account = own and _account(own)
    return bool(account) and account == _untouched(make)


def _account(own: OwnSandbox) -> object:
    """Return all that a sandbox holds, and its moment, or None once it was asked or set otherwise."""
    sandbox = own.sandbox
    if len(sandbox.journal) or sandbox.switches.changed() or own.api_key != sandbox.default_key:
        return None
    return sandbox.now(), sandbox.tenant().db.saved()


@cache
def _untouched(make: MakeSandbox) -> object:
    return _account(make())


@cache
def _images(make: MakeSandbox) -> Mapping[str, bytes]:
    """Return the files of a full cache, by their names."""
    with tempfile.TemporaryDirectory() as directory:
        with ThreadPoolExecutor(1) as beside:  # whoever asks may be a callback of a loop
            beside.submit(_fill, make(), Path(directory)).result()
        return {path.name: _in_memory(path) for path in Path(directory).rglob("*") if path.name in _TABLES}


def _fill(own: OwnSandbox, directory: Path) -> None:
    for flag in (ALWAYS, *(name for name in BACKENDS if name != ALWAYS)):
        asyncio.run(_sync(own, directory, flag), loop_factory=IdleLoop)


async def _sync(own: OwnSandbox, directory: Path, flag: str) -> None:
    """Sync every entity into files below the directory; a further backend is filled from what is there."""
    settings = load(sandbox=True, api_key=own.api_key, cache_dir=directory, cache_backend=flag)
    tenant = connected(settings, Environment(transport=own.transport(), clock=own.sandbox.clock))
    _HERE.set(None)
    services = await tenant.services()
    await services.fresh.ensure([spec.name for spec in SPECS if spec is not STOCK])
    await tenant.close()


def _in_memory(path: Path) -> bytes:
    """Return a file as a database in memory takes it, without the leases of who filled it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"DELETE FROM {_TABLES[path.name]} WHERE entity LIKE 'lease of %'")
        connection.commit()
        return connection.serialize()
