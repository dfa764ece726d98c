"""One backend made of several: each call goes to the backend of its entity, and all open and close together."""

import asyncio
from collections.abc import Sequence

import pytest

from cache_core.conditions import EVERYTHING, LIVE, OneOf
from cache_core.errors import CacheUnavailable, WrongCacheUse
from cache_core.indexing import prepare
from cache_core.leases import Claim, Lease
from cache_core.memory import MemoryBackend
from cache_core.protocol import (
    Applied,
    Batch,
    ByIds,
    Capability,
    EntityStatus,
    Quarantined,
    Read,
    Search,
    Selected,
    Selection,
    Standing,
    Stored,
    SyncState,
)
from cache_core.routed import RoutedBackend
from cache_core.spec import EntitySpec, Searchable

TOY, BOX, LID = (
    EntitySpec(name=name, collection=f"{name}s", searchable=Searchable(names=("name",)), key_path="code")
    for name in ("toy", "box", "lid")
)
AT = "2026-03-02T08:00:00.000Z"


class Noted(MemoryBackend):
    """A backend that notes what it is asked, and can fail to open."""

    def __init__(self, name: str, *specs: EntitySpec, log: list[str] | None = None) -> None:
        super().__init__(specs)
        self.name = name
        self.log = [] if log is None else log
        self.is_broken = False
        self.reads: list[list[Read]] = []

    def capabilities(self, entity: str) -> frozenset[Capability]:
        self._table(entity)
        return frozenset({Capability.TYPO})

    async def open(self) -> None:
        self.log.append(f"{self.name} opens")
        if self.is_broken:
            raise CacheUnavailable("the disk is full")

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.log.append(f"{self.name} closes")

    async def read(self, reads: Sequence[Read]) -> list[tuple[Stored, ...]]:
        self.reads.append(list(reads))
        return await super().read(reads)

    async def standings(self, entities: Sequence[str]) -> dict[str, Standing]:
        self.log.append(f"{self.name} tells of {', '.join(entities)}")
        return await super().standings(entities)


async def filled(backend: MemoryBackend, spec: EntitySpec, *names: str) -> Applied:
    """Store records with these names, numbered from 1."""
    records = [
        {"id": number, "name": name, "code": f"C-{name}", "updated_at": AT} for number, name in enumerate(names, 1)
    ]
    prepared = await prepare(spec, records, backend)
    poison = [Quarantined(9, "bad", "{}"), Quarantined(8, "worse", "{}")]
    state = SyncState(cursor=f"of {spec.name}")
    return await backend.apply(Batch(entity=spec.name, at=AT, upserts=prepared.rows, quarantine=poison, state=state))


async def routed() -> tuple[RoutedBackend, Noted, Noted]:
    """Return a routed backend, and the two filled ones that it is made of."""
    left, right = Noted("left", TOY, LID), Noted("right", BOX)
    await filled(left, TOY, "red car", "blue car", "ball")
    await filled(left, LID, "cap")
    await filled(right, BOX, "crate", "case")
    return RoutedBackend({"toy": left, "lid": left, "box": right}), left, right


async def test_it_holds_what_its_routes_name_and_nothing_else() -> None:
    backend, left, right = await routed()
    assert (backend.name, backend.entities) == ("routed", {"toy", "lid", "box"})
    assert (backend.backend_of("toy"), backend.backend_of("box")) == (left, right)
    with pytest.raises(WrongCacheUse, match=r"^no backend holds 'cup'$"):
        backend.backend_of("cup")
    with pytest.raises(WrongCacheUse, match=r"^'toy' is routed to right, which does not hold it$"):
        RoutedBackend({"box": right, "toy": right})


async def test_every_call_is_answered_by_the_backend_of_its_entity() -> None:
    backend, left, right = await routed()
    assert backend.capabilities("toy") == {Capability.TYPO}
    assert await backend.get_many("toy", [3, 7, 1]) == await left.get_many("toy", [3, 7, 1])
    fields = frozenset({"name"})
    assert [row.record for row in (await backend.get_many("box", [1], fields)).rows] == [{"name": "crate"}]
    assert await backend.find_by_key("box", "C-case") == await right.find_by_key("box", "C-case")
    match = (await backend.find_by_key("toy", "C-ball")).row
    assert match is not None
    assert match.id == 3
    assert [row.id for row in await backend.select("toy", Selection(limit=2))] == [3, 2]
    assert await backend.count("toy") == 3
    assert await backend.count("toy", (OneOf("name", ("ball",)),)) == 1
    result = await backend.search("toy", Search("car"))
    assert [hit.row.id for hit in result.hits] == [2, 1]
    assert await backend.suggest("toy", "bsll") == ("ball",)
    assert await backend.suggest("toy", "bsll", 0) == await left.suggest("toy", "bsll", 0)
    assert (await backend.state("toy")).cursor == "of toy"
    assert await backend.status("box") == EntityStatus("box", "right", 2, AT, SyncState(cursor="of box"), 2)
    assert [bad.id for bad in await backend.quarantined("toy")] == [8, 9]
    assert [bad.id for bad in await backend.quarantined("toy", 1)] == [8]
    with pytest.raises(WrongCacheUse, match=r"^no backend holds 'cup'$"):
        await backend.state("cup")


async def test_a_count_sees_what_its_visibility_shows() -> None:
    backend, left, _ = await routed()
    gone = await prepare(TOY, [{"id": 4, "name": "gone", "deleted_at": AT, "updated_at": AT}], left)
    await backend.apply(Batch(entity="toy", at=AT, upserts=gone.rows))
    assert await backend.count("toy", (), EVERYTHING) == 4
    assert await backend.count("toy", (), LIVE) == await backend.count("toy") == 3


async def test_writes_and_claims_reach_the_backend_of_their_entity() -> None:
    backend, left, right = await routed()
    assert await backend.apply(Batch(entity="box", at=AT, removed=[2, 5])) == Applied((2,), 0)
    assert await right.count("box") == 1
    lease = await backend.claim(Claim("toy", "me", AT, 10))
    assert lease == Lease("toy", "me", 1, AT, "2026-03-02T08:00:10.000Z")
    assert await left.claim(Claim("toy", "you", AT, 10)) == lease


async def test_reads_come_back_in_the_order_asked_each_backend_asked_once() -> None:
    backend, left, right = await routed()
    reads: list[Read] = [
        ByIds("box", [2]),
        ByIds("toy", [1, 9]),
        Selected("box", Selection(limit=1)),
        ByIds("lid", [1]),
    ]
    found = await backend.read(reads)
    assert [[row.record["name"] for row in rows] for rows in found] == [["case"], ["red car"], ["case"], ["cap"]]
    assert (left.reads, right.reads) == ([[reads[1], reads[3]]], [[reads[0], reads[2]]])
    assert await backend.read([]) == []


async def test_standings_come_in_the_order_asked_each_backend_asked_once() -> None:
    backend, left, right = await routed()
    standings = await backend.standings(["lid", "box", "toy"])
    assert list(standings.items()) == [
        ("lid", Standing(SyncState(cursor="of lid"), quarantined=True)),
        ("box", Standing(SyncState(cursor="of box"), quarantined=True)),
        ("toy", Standing(SyncState(cursor="of toy"), quarantined=True)),
    ]
    assert (left.log, right.log) == (["left tells of lid, toy"], ["right tells of box"])


async def test_each_backend_is_opened_and_closed_once() -> None:
    log: list[str] = []
    left, right = Noted("left", TOY, LID, log=log), Noted("right", BOX, log=log)
    backend = RoutedBackend({"toy": left, "box": right, "lid": left})
    await backend.open()
    assert log == ["left opens", "right opens"]
    log.clear()
    await backend.close()
    assert sorted(log) == ["left closes", "right closes"]


async def test_what_opened_before_a_failure_is_closed_again_and_nothing_else() -> None:
    log: list[str] = []
    backends = [Noted(name, spec, log=log) for name, spec in (("first", TOY), ("second", BOX), ("third", LID))]
    backends[1].is_broken = True
    backend = RoutedBackend({"toy": backends[0], "box": backends[1], "lid": backends[2]})
    with pytest.raises(CacheUnavailable, match=r"^the disk is full$"):
        await backend.open()
    assert log == ["first opens", "second opens", "first closes"]


async def test_who_is_cancelled_while_closing_leaves_none_open() -> None:
    log: list[str] = []
    backend = RoutedBackend({"toy": Noted("left", TOY, log=log), "box": Noted("right", BOX, log=log)})
    closing = asyncio.create_task(backend.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert sorted(log) == ["left closes", "right closes"]


async def test_after_a_reroute_the_new_backend_answers_and_all_are_closed_at_the_end() -> None:
    log: list[str] = []
    left, right = Noted("left", TOY, log=log), Noted("right", BOX, log=log)
    backend = RoutedBackend({"toy": left, "box": right})
    newer = Noted("newer", TOY, log=log)
    await filled(newer, TOY, "new")
    backend.reroute({"toy": newer})
    assert (backend.backend_of("toy"), backend.backend_of("box")) == (newer, right)
    assert await backend.count("toy") == 1
    await backend.close()
    assert sorted(log) == ["left closes", "newer closes", "right closes"]
