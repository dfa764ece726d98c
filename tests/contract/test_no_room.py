"""A disk that is full, or a file that can only be read: old rows are read, no cursor moves, and it recovers alone."""

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cache_core.errors import CacheUnavailable

from .accounts import ENTITIES, synced
from .backends import Kind
from .dying import Nursery, Order, account_after
from .fuses import connected_by
from .proofs import NOTHING, filled, held, mends, of_files, process, proves_sound

PAGE = 4096


class Protected(sqlite3.Connection):
    """A connection to a file that cannot be written."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as sqlite3 declares it
        if sql == "BEGIN IMMEDIATE":
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return super().execute(sql, parameters)


@of_files
@pytest.mark.parametrize("rounds", [0, 1], ids=["first sync", "delta"])
@pytest.mark.parametrize("stride", [pytest.param(31, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_a_sync_that_finds_no_room_at_any_page_keeps_what_was_there_and_ends_once_there_is_room(
    kind: Kind, tmp_path: Path, dying: Nursery, rounds: int, stride: int
) -> None:
    order = Order(kind.name, str(tmp_path / "tried"), rounds, toys=120)
    directory = Path(order.directory)
    before = await filled(kind, tmp_path / "sound", account_after(0, order.toys)) if rounds else NOTHING
    pages, how = stride - 1, "no room"
    while how == "no room":
        shutil.rmtree(directory, ignore_errors=True)
        if rounds:
            shutil.copytree(tmp_path / "sound", directory)
        how = dying.run(replace(order, room=pages * PAGE)).how
        account = account_after(rounds, order.toys)
        async with process(kind, directory) as cache:
            await proves_sound(cache, account, before)
            await mends(cache, account)
        pages += stride
    assert how == "complete"
    assert pages > stride


@of_files
async def test_a_file_that_can_only_be_read_answers_and_no_cursor_moves(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await filled(kind, tmp_path, account_after(0, 120))
    account = account_after(1, 120)
    async with process(kind, tmp_path) as cache:
        states = [await cache.state(entity) for entity in ENTITIES]
    with monkeypatch.context() as protected:
        connected_by(protected, Protected)
        async with process(kind, tmp_path) as cache:
            with pytest.raises(CacheUnavailable):
                await synced(account.syncer(cache))
            assert await held(cache) == before
            assert [await cache.state(entity) for entity in ENTITIES] == states
    async with process(kind, tmp_path) as cache:
        await proves_sound(cache, account, before)
        await mends(cache, account)
