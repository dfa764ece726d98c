"""A server that begins with its cache full, as one sync at this moment would leave it, in a new file or in memory.

It is given only to an account that is, to the byte, the one that was synced, at the same moment and before any request;
every other one, and every one of a test marked `cold`, is synced by the server itself.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from contextvars import ContextVar
from functools import cache
from pathlib import Path

import pytest

from cache_core.specs import SPECS
from cache_core.specs.stock import STOCK
from cache_typed import schema
from cache_typed.mapping import TableMapping
from cache_typed.storage import FILE_NAME
from katana_client.transport import Transport
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.testing.idle_loop import IdleLoop

type MakeSandbox = Callable[[], OwnSandbox]

_HERE = ContextVar[OwnSandbox | None]("the sandbox behind the server that runs here", default=None)
_EMPTY = schema.empty_image


def start_warm(monkeypatch: pytest.MonkeyPatch, make: MakeSandbox) -> None:
    """Let servers begin with a full cache where their account is still what `make` returns."""
    transport = OwnSandbox.transport

    def noted(own: OwnSandbox) -> Transport:
        _HERE.set(own)
        return transport(own)

    def image(mappings: tuple[TableMapping, ...]) -> bytes:
        own = _HERE.get()
        account = own and _account(own)
        return _image(make) if account and account == _untouched(make) else _EMPTY(mappings)

    monkeypatch.setattr(OwnSandbox, "transport", noted)
    monkeypatch.setattr(schema, "empty_image", image)


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
def _image(make: MakeSandbox) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(_sync(make(), Path(directory)), loop_factory=IdleLoop)
        (path,) = Path(directory).rglob(FILE_NAME)
        return _in_memory(path)


async def _sync(own: OwnSandbox, directory: Path) -> None:
    """Sync every entity into a file below the directory."""
    settings = load(sandbox=True, api_key=own.api_key, cache_dir=directory, cache_backend="typed")
    tenant = connected(settings, Environment(transport=own.transport(), clock=own.sandbox.clock))
    _HERE.set(None)
    services = await tenant.services()
    await services.fresh.ensure([spec.name for spec in SPECS if spec is not STOCK])
    await tenant.close()


def _in_memory(path: Path) -> bytes:
    """Return a file as a database in memory takes it, without the leases of who filled it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("DELETE FROM cache_state WHERE entity LIKE 'lease of %'")
        connection.commit()
        return connection.serialize()
