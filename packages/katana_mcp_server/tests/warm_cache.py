"""A server that begins with its cache full, in a new file or in memory.

An account that is, to the byte, the one that was synced gets it as a sync at this moment would leave it. One that was
changed since gets it as a sync half an hour ago would have left it: its server reads what was changed. Every account
that was changed without a trace in `updated_at`, was asked already, or is of a test marked `cold`, is synced whole.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, cached_property, partial
from pathlib import Path

import pytest
from shared_files import Files, folder_of_the_run, made_once

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
from katana_sandbox import ManualClock
from katana_sandbox.store.records import GONE, Store

type MakeSandbox = Callable[[], OwnSandbox]

_TABLES = {
    FILE_NAME: "cache_state",
    legacy.FILE_NAME: "states",  # goes with cache_legacy
}
"""The files of a cache that are given to servers, and the table of each in which leases are."""

_AGE = timedelta(minutes=30)
"""Longer than any rows count as fresh, and too short for an audit."""

_HERE = ContextVar["_Start | None"]("the start of the server that runs here", default=None)
_EMPTY = schema.empty_image
_EMPTY_LEGACY = legacy.empty_image  # goes with cache_legacy


def start_warm(request: pytest.FixtureRequest, make: MakeSandbox) -> None:
    """Let servers begin with a full cache where their account is what `make` returns, or tells what was changed."""
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    folder, transport = folder_of_the_run(request), OwnSandbox.transport
    _HERE.set(None)  # a test that asks outside of a loop leaves its own to those after it

    def noted(own: OwnSandbox) -> Transport:
        _HERE.set(_Start(own, make, folder))
        return transport(own)

    def typed_image(mappings: tuple[TableMapping, ...]) -> bytes:
        return _file(FILE_NAME, partial(_EMPTY, mappings))

    monkeypatch.setattr(OwnSandbox, "transport", noted)
    monkeypatch.setattr(schema, "empty_image", typed_image)
    legacy_image = partial(_file, legacy.FILE_NAME, _EMPTY_LEGACY)  # goes with cache_legacy
    monkeypatch.setattr(legacy, "empty_image", legacy_image)  # goes with cache_legacy


def _file(name: str, empty: Callable[[], bytes]) -> bytes:
    """Return a file of the cache that the server that runs here begins with."""
    start = _HERE.get()
    if start is None or not start.is_first:
        return empty()
    age = start.age_of(name)
    return empty() if age is None else _images(start.make, age, start.folder)[name]


@dataclass
class _Start:
    """A server on a sandbox before its first request."""

    own: OwnSandbox
    make: MakeSandbox
    folder: Path | None
    given: set[str] = field(default_factory=set[str])

    @property
    def is_first(self) -> bool:
        """Whether nobody has asked the sandbox anything, or set it otherwise."""
        sandbox = self.own.sandbox
        return not len(sandbox.journal) and not sandbox.switches.changed() and self.own.api_key == sandbox.default_key

    def age_of(self, name: str) -> timedelta | None:
        """Return how old this file is that it begins with, as its others are; None where it begins with none."""
        if name in self.given:  # a further cache, and the account may have been changed since
            self.given.clear()
            self.__dict__.pop("_age", None)
        self.given.add(name)
        return self._age

    @cached_property
    def _age(self) -> timedelta | None:
        if _account(self.own) == _untouched_account(self.make):
            return timedelta()
        sandbox = _untouched(self.make).sandbox
        since, before = int(sandbox.now().timestamp() * 1000), sandbox.tenant().db.stores
        stores = self.own.sandbox.tenant().db.stores
        return _AGE if all(_are_told(store, before[name], since) for name, store in stores.items()) else None


def _account(own: OwnSandbox) -> object:
    """Return all that a sandbox holds, and its moment."""
    return own.sandbox.now(), own.sandbox.tenant().db.saved()


def _are_told(store: Store, before: Store, since: int) -> bool:
    """Return whether `updated_at` tells of every record that differs from what was before that moment."""
    if len(store.updated) < len(before.updated):
        return False
    for slot, updated in enumerate(store.updated):
        is_same = slot < len(before.updated) and _slot(store, slot) == _slot(before, slot)
        if not is_same and (updated < since or store.flags[slot] & GONE):
            return False
    return True


def _slot(store: Store, slot: int) -> tuple[bytes, int]:
    return store.raw(slot), store.flags[slot]


@cache
def _untouched(make: MakeSandbox) -> OwnSandbox:
    return make()


@cache
def _untouched_account(make: MakeSandbox) -> object:
    return _account(_untouched(make))


@cache
def _images(make: MakeSandbox, age: timedelta, folder: Path | None) -> Files:
    """Return the files of a full cache of that age, by their names; processes that have a folder share them."""
    if folder is None:
        return _synced(make, age)
    return made_once(folder / f"{make.__module__}-{age.seconds}", partial(_synced, make, age))


def _synced(make: MakeSandbox, age: timedelta) -> Files:
    with tempfile.TemporaryDirectory() as directory:
        with ThreadPoolExecutor(1) as beside:  # whoever asks may be a callback of a loop
            beside.submit(_fill, make(), age, Path(directory)).result()
        return {path.name: _in_memory(path) for path in Path(directory).rglob("*") if path.name in _TABLES}


def _fill(own: OwnSandbox, age: timedelta, directory: Path) -> None:
    for flag in (ALWAYS, *(name for name in BACKENDS if name != ALWAYS)):
        asyncio.run(_sync(own, age, directory, flag), loop_factory=IdleLoop)


async def _sync(own: OwnSandbox, age: timedelta, directory: Path, flag: str) -> None:
    """Sync every entity into files below the directory; a further backend is filled from what is there."""
    settings = load(sandbox=True, api_key=own.api_key, cache_dir=directory, cache_backend=flag)
    clock = ManualClock(own.sandbox.now() - age, auto=False)
    tenant = connected(settings, Environment(transport=own.transport(), clock=clock))
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
