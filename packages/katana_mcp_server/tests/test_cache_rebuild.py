"""Rebuilding and moving a cache while servers use it, Katana fails, or the files cannot be used."""

import asyncio
import inspect
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from cache_jobs import job_on
from other_backend import OTHER, TRIAL, two_backends
from server_wire import live
from tests.contract.fuses import Fuse, fuses

from cache_core.errors import CacheUnavailable
from cache_core.indexing import row_of
from cache_core.protocol import Batch, Search
from cache_core.records import iso
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from katana_mcp.caches.backends import ALWAYS, BACKENDS, Make, Store
from katana_mcp.caches.cache_files import LISTED, NotDone, opened
from katana_mcp.caches.rebuilding import BESIDE, STAYS
from katana_mcp.caches.stores import PARTS, Stores
from katana_mcp.commands.cache.clear import clear
from katana_mcp.commands.cache.compare import More, compare
from katana_mcp.commands.cache.job import Job
from katana_mcp.commands.cache.migrate import migrate
from katana_mcp.commands.cache.rebuild import rebuild
from katana_mcp.commands.cache.status import status
from katana_mcp.commands.cache.verify import verify
from katana_mcp.configuration.backend_flags import FLAGS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, paced, staged, unstuck
from katana_sandbox import Action, EmptyPage, Fault, ManualClock, Status, Truncate

pytestmark = [pytest.mark.cold, pytest.mark.threads]
ITEMS = ("product", "variant")


async def held(job: Job, entity: str) -> tuple[int, object]:
    """Return how many records the cache holds of an entity, and when they were listed."""
    data = (await status(job, [entity], quarantine=False)).data
    found, *_ = cast("list[dict[str, Any]]", data["entities"])
    return found["records"], found.get("completed_at")


def rename(own: OwnSandbox, name: str) -> None:
    """Rename a product that has variants."""
    tenant = own.sandbox.tenant()
    tenant.edit("products", live(tenant, "products")[0]["id"], name=name)


async def found(job: Job, entity: str, text: str) -> int:
    """Return how many records a search finds in the backend that the flag names."""
    async with opened(job) as stores:
        return (await stores[job.flag(entity).removeprefix("compare:")].search(entity, Search(text))).total


class Stopped(BaseException):
    """Ctrl-C."""


class NoRoom(CacheUnavailable):
    """A disk that is full."""

    def __init__(self) -> None:
        super().__init__("no room is left")


class Fused:
    """A backend whose every use burns a fuse, but for its end."""

    def __init__(self, store: Store, fuse: Fuse, error: type[BaseException]) -> None:
        self._store = store
        self._fuse = fuse
        self._error = error

    def __getattr__(self, name: str) -> object:
        member: Any = getattr(self._store, name)
        if not inspect.iscoroutinefunction(member) or name == "close":
            return member

        async def counted(*arguments: object) -> object:
            self._fuse.burn(self._error())
            return await member(*arguments)

        return counted


def on_fuse(job: Job, fuse: Fuse, error: type[BaseException] = asyncio.CancelledError) -> Job:
    """Return the same job with backends on a fuse: it stops at their k-th use, as by Ctrl-C."""

    def fused(make: Make) -> Make:
        def made(directory: Path | None, specs: tuple[EntitySpec, ...], *, looking: bool = False) -> Store:
            return cast("Store", Fused(make(directory, specs, looking=looking), fuse, error))

        return made

    backends = {name: fused(make) for name, make in BACKENDS.items()}
    return replace(job, parts=replace(PARTS, backends=backends))


async def test_a_rebuild_brings_what_katana_holds_and_drops_what_it_does_not(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    job = job_on(own, tmp_path)
    await unstuck(own.sandbox.clock, rebuild(job, []))
    clock.advance(10)
    tenant = own.sandbox.tenant()
    gone = next(tenant.all("customers"))
    tenant.delete("customers", gone["id"], hard=True)
    before, listed = await held(job, "customer")
    assert (await rebuild(job, ["customers"])).fine
    after, again = await held(job, "customer")
    assert (after, str(again) > str(listed)) == (before - 1, True)
    assert (await verify(job, [])).fine


async def test_a_rebuild_of_all_drops_what_katana_does_not_hold_of_any_entity(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    job, phantom = job_on(own, tmp_path), 2_000_000_000
    holder = {spec.name: job.flag(spec.name).removeprefix("compare:") for spec in SPECS}
    async with opened(job) as stores:
        for spec in SPECS:
            rows = (row_of(spec, {spec.id_path: phantom}, {}),)
            await stores[holder[spec.name]].apply(Batch(entity=spec.name, at=iso(clock.now()), upserts=rows))
    await unstuck(own.sandbox.clock, rebuild(job, []))
    async with opened(job) as stores:
        found = {name: await stores[store].get_many(name, [phantom]) for name, store in holder.items()}
    assert [name for name, matches in found.items() if matches.rows] == ["stock"]


@pytest.mark.parametrize("flag", [*FLAGS[-1:], *(pytest.param(flag, marks=pytest.mark.soak) for flag in FLAGS[:-1])])
async def test_entities_that_share_a_file_keep_what_they_hold(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, flag: str
) -> None:
    job = job_on(own, tmp_path, cache_backend=flag)
    await unstuck(own.sandbox.clock, rebuild(job, []))
    kept = {entity: await held(job, entity) for entity in LISTED if entity not in ITEMS}
    clock.advance(61)  # a minute has 60 requests
    rename(own, "Renamed Wheelbarrow")
    requests = len(own.sandbox.journal)
    await rebuild(job, ITEMS)
    assert len(own.sandbox.journal) == requests + len(ITEMS)
    assert {entity: await held(job, entity) for entity in kept} == kept
    assert (await verify(job, [])).fine


async def test_text_that_others_borrow_follows_a_rebuild_of_the_lender_alone(own: OwnSandbox, tmp_path: Path) -> None:
    job = job_on(own, tmp_path)
    await unstuck(own.sandbox.clock, rebuild(job, []))
    rename(own, "Renamed Wheelbarrow")
    assert await found(job, "variant", "wheelbarrow") == 0
    await rebuild(job, ["product"])
    assert await found(job, "variant", "wheelbarrow") > 0


async def test_text_is_borrowed_from_what_is_cached_when_the_borrower_alone_is_rebuilt(
    own: OwnSandbox, tmp_path: Path
) -> None:
    rename(own, "Renamed Wheelbarrow")
    job = job_on(own, tmp_path)
    await rebuild(job, ["product"])
    await rebuild(job, ["variant"])
    assert await found(job, "variant", "wheelbarrow") > 0


@two_backends
async def test_what_the_other_backend_held_cannot_come_back(own: OwnSandbox, tmp_path: Path) -> None:
    job = job_on(own, tmp_path, cache_backend="typed")
    await unstuck(own.sandbox.clock, rebuild(job, []))
    await migrate(job, ["product"], OTHER)
    rename(own, "Renamed Wheelbarrow")
    await rebuild(job, ["product"])
    assert await held(job_on(own, tmp_path, cache_backend=OTHER), "product") == (0, None)


async def test_a_running_server_reads_the_new_data_with_its_next_read(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        await stage.call("search_items", query="bike")
        rename(own, "Renamed Wheelbarrow")
        assert (await stage.call("search_items", query="wheelbarrow"))["total"] == 0
        job = job_on(own, tmp_path)
        assert (await held(job, "product"))[0] > 0
        await unstuck(own.sandbox.clock, rebuild(job, []))
        assert (await stage.call("search_items", query="wheelbarrow"))["total"] > 0
        assert (await verify(job, [])).fine
        assert (await stage.call("list_sales_orders", limit=1))["rows"]


@pytest.mark.parametrize(
    ("path", "action"),
    [
        ("variants", EmptyPage()),
        pytest.param("locations", Status(503), marks=pytest.mark.soak),
        pytest.param("variants", Status(503), marks=pytest.mark.soak),
        pytest.param("variants", Status(401), marks=pytest.mark.soak),
        pytest.param("variants", Truncate(), marks=pytest.mark.soak),
        pytest.param("sales_orders", Status(503), marks=pytest.mark.soak),
    ],
)
async def test_with_the_api_down_at_any_listing_the_old_data_stays_and_it_says_so(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, path: str, action: Action
) -> None:
    job = job_on(own, tmp_path)
    await paced(clock, rebuild(job, []), 5)
    before = {entity: await held(job, entity) for entity in LISTED}
    clock.advance(10)
    rename(own, "Renamed Wheelbarrow")
    own.sandbox.faults.add(Fault(f"GET /{path}", action=action, times=None))
    with pytest.raises(NotDone, match=r"the old data stays as it was$"):
        await paced(clock, rebuild(job, []), 5)
    assert {entity: await held(job, entity) for entity in LISTED} == before
    assert not (job.directory / BESIDE).exists()
    own.sandbox.faults.clear()
    await paced(clock, rebuild(job, []), 5)
    assert await found(job, "variant", "wheelbarrow") > 0


async def test_what_cannot_be_removed_after_a_rebuild_is_left_there(
    own: OwnSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = shutil.rmtree

    def held_open(path: Path, *, ignore_errors: bool = False) -> None:
        removed(path / "typed-0", ignore_errors=ignore_errors)  # as where another program has a file of it open

    job = job_on(own, tmp_path)
    tenant = own.sandbox.tenant()
    await rebuild(job, ["customer"])
    before, _ = await held(job, "customer")
    tenant.create("customers", {"name": "Wheelbarrow Ltd"})
    monkeypatch.setattr(shutil, "rmtree", held_open)
    await rebuild(job, ["customer"])
    assert (await held(job, "customer"))[0] == before + 1


async def test_what_a_killed_rebuild_left_beside_the_cache_gets_into_no_other(own: OwnSandbox, tmp_path: Path) -> None:
    job = job_on(own, tmp_path)
    tenant = own.sandbox.tenant()
    gone = tenant.create("customers", {"name": "Wheelbarrow Ltd"})
    await rebuild(job, ["customer"])
    before, _ = await held(job, "customer")
    await asyncio.to_thread(shutil.copytree, job.directory, tmp_path / "copy")
    await asyncio.to_thread(shutil.move, tmp_path / "copy", job.directory / BESIDE)
    tenant.delete("customers", gone["id"], hard=True)
    await rebuild(job, ["customer"])
    assert (await held(job, "customer"))[0] == before - 1
    assert await found(job, "customer", "wheelbarrow") == 0


@two_backends
@pytest.mark.parametrize("stride", [80, pytest.param(1, marks=pytest.mark.soak)])
async def test_checking_and_comparing_that_are_stopped_at_any_step_can_be_repeated(
    own: OwnSandbox, tmp_path: Path, stride: int
) -> None:
    job = job_on(own, tmp_path, cache_backend=ALWAYS)
    await rebuild(job, ["location"])
    await migrate(job, ["location"], OTHER)
    before, stopped = await held(job, "location"), 0
    for fuse in fuses(stride):
        try:
            await verify(on_fuse(job, fuse), ["location"])
            await compare(on_fuse(job, fuse), ["location"], More(run=5))
        except asyncio.CancelledError:
            stopped += 1
        assert not list(job.directory.glob("checked-*"))
        assert await held(job, "location") == before
    assert stopped > 1
    assert (await verify(job, ["location"])).fine
    (location,) = cast("list[dict[str, Any]]", (await compare(job, ["location"], More(run=5))).data["entities"])
    assert (location["mismatches"], location["errors"]) == (0, 0)


@two_backends
async def test_clearing_that_is_stopped_at_any_file_leaves_all_or_nothing_and_can_be_repeated(
    own: OwnSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_on(own, tmp_path, cache_backend=ALWAYS, cache_backend_location=OTHER)
    apart = ("location", "customer")
    await rebuild(job, apart)
    before = [await held(job, entity) for entity in apart]
    (job.directory / "notes.txt").write_text("mine")
    (job.directory / BESIDE).mkdir()
    (job.directory / f"{BESIDE}/part.db").touch()
    sound, ends = await asyncio.to_thread(shutil.copytree, job.directory, tmp_path / "sound"), list[str]()
    for fuse in fuses():
        await asyncio.to_thread(shutil.rmtree, job.directory)
        await asyncio.to_thread(shutil.copytree, sound, job.directory)
        with monkeypatch.context() as patch, suppress(Stopped):
            stopped_at_files(patch, fuse)
            await clear(job, yes=True)
        there = [await held(job, entity) for entity in apart]
        assert there in (before, [(0, None), (0, None)])
        ends.append("all" if there == before else "nothing")
        assert await asyncio.to_thread(lambda: len(list(tmp_path.rglob("notes.txt")))) == 2
        cache, notices = await Stores(job.flags, None, own.sandbox.clock).open(job.directory)
        assert notices == ()
        assert (await cache.state("customer")).completed_at == (before[1][1] if there == before else None)
        await cache.close()
        await clear(job, yes=True)
        assert [path.name for path in job.directory.iterdir()] == ["notes.txt"]
        assert [path.name for path in job.directory.parent.glob(f"{job.directory.name}*")] == [job.directory.name]
    assert len(ends) > 3
    assert ends[-1] == "nothing"


def stopped_at_files(patch: pytest.MonkeyPatch, fuse: Fuse) -> None:
    """Stop after the k-th change that Python makes to a directory."""

    def counted(change: Callable[..., None]) -> Callable[..., None]:
        def changed(*given: object, **named: object) -> None:
            change(*given, **named)
            fuse.burn(Stopped())

        return changed

    for name in ("rename", "unlink", "rmdir", "mkdir"):
        patch.setattr(os, name, counted(getattr(os, name)))


@pytest.mark.parametrize("stride", [30, pytest.param(1, marks=pytest.mark.soak)])
async def test_whichever_use_of_the_files_fails_it_says_what_became_of_the_old_data(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, stride: int
) -> None:
    job = job_on(own, tmp_path)
    await rebuild(job, ["customer"])
    kept, partly = "; the old data stays as it was", "; the new data is not in place everywhere: rebuild again"
    ends: list[str] = []
    for fuse in fuses(stride):
        before = await held(job, "customer")
        own.sandbox.tenant().create("customers", {"name": "Wheelbarrow Ltd"})
        (ended,) = await asyncio.gather(
            paced(clock, rebuild(on_fuse(job, fuse, NoRoom), ["customer"]), 5), return_exceptions=True
        )
        ends.append(str(ended))
        if ends[-1].endswith(kept):
            assert await held(job, "customer") == before
        elif not ends[-1].endswith(partly):
            assert (await held(job, "customer"))[0] == sum(1 for _ in own.sandbox.tenant().all("customers"))
    assert ends[0] == f"no room is left{kept}"
    assert sum(end.endswith((kept, partly)) for end in ends) >= len(ends) * 3 // 4


@two_backends
@pytest.mark.parametrize(("failing", "message"), [(0, STAYS), (1, "not in place everywhere: rebuild again")])
async def test_a_swap_that_fails_says_whether_it_had_begun(
    own: OwnSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, message: str
) -> None:
    async def full(*_: object) -> None:
        raise NoRoom

    job = job_on(own, tmp_path, cache_backend_location=OTHER)
    await rebuild(job, ["customer"])
    monkeypatch.setattr(type(list(BACKENDS.values())[failing](None, ())), "take", full)
    with pytest.raises(NotDone, match=f"^no room is left; .*{message}$"):
        await rebuild(job, ["customer"])


@two_backends
async def test_a_rebuild_tells_of_each_backend_that_is_swapped(own: OwnSandbox, tmp_path: Path) -> None:
    steps: list[tuple[str, int, int | None]] = []

    def note(what: str, done: int, total: int | None) -> None:
        steps.append((what, done, total))

    job = job_on(own, tmp_path, cache_backend_location=OTHER)
    await rebuild(job, ["customer"])
    await rebuild(replace(job, tell=note), ["customer"])
    swapped = [step for step in steps if step[0] == "swapping"]
    assert swapped == [("swapping", nr, len(swapped)) for nr in range(len(swapped))] != []


@two_backends
async def test_a_moved_cache_is_searched_alike_and_a_newer_one_is_left_as_it_is(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    job = job_on(own, tmp_path, cache_backend=ALWAYS)
    await unstuck(own.sandbox.clock, rebuild(job, []))
    await migrate(job, [], OTHER)
    on_other = job_on(own, tmp_path, cache_backend=OTHER)
    assert await found(job, "variant", "bike") == await found(on_other, "variant", "bike") > 0
    clock.advance(60)
    rename(own, "Renamed Wheelbarrow")
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": ALWAYS})) as stage:
        clock.advance(600)
        await stage.call("search_items", query="wheelbarrow")
    report = await migrate(job, ["product"], "typed")
    (product,) = cast("list[dict[str, Any]]", report.data["entities"])
    assert product["result"] == f"{ALWAYS} is newer than {OTHER}: left as it is"
    assert await found(job, "variant", "wheelbarrow") > 0


async def test_with_one_backend_left_there_is_nothing_to_compare_or_to_move(own: OwnSandbox, tmp_path: Path) -> None:
    both = job_on(own, tmp_path, cache_backend=ALWAYS)
    job = replace(both, parts=replace(PARTS, backends={ALWAYS: BACKENDS[ALWAYS]}))
    await rebuild(job, ["variant"])
    assert await held(job, "variant") == await held(both, "variant") != (0, None)
    note = f"only the {ALWAYS} backend is left: there is nothing"
    for report, what in (
        (await verify(job, []), "to compare"),
        (await compare(job, [], More(run=10)), "to compare"),
        (await migrate(job, [], None), "to move"),
    ):
        assert report.notes == (f"{note} {what}",)
        assert (report.fine, report.data["entities"]) == (True, [])


async def test_a_second_rebuild_at_the_same_time_is_refused(own: OwnSandbox, tmp_path: Path) -> None:
    job = job_on(own, tmp_path)
    ended = await asyncio.gather(rebuild(job, []), rebuild(job, []), return_exceptions=True)
    refused = [result for result in ended if isinstance(result, NotDone)]
    assert [str(error) for error in refused] == [
        "another rebuild of this cache is under way; the old data stays as it was"
    ]
    assert (await held(job, "variant"))[0] == 172


@two_backends
async def test_looking_checking_and_comparing_ask_katana_nothing_while_a_server_runs(
    own: OwnSandbox, tmp_path: Path
) -> None:
    async with staged(own, Setup(cache_dir=tmp_path, flags={"cache_backend": TRIAL})) as stage:
        await stage.call("search_items", query="bike")
        await stage.call("list_sales_orders", limit=1)
        asked = stage.requests()
        job = job_on(own, tmp_path, cache_backend=TRIAL)
        shown = cast("list[dict[str, Any]]", (await status(job, ["variant"], quarantine=False)).data["entities"])
        assert [(row["backend"], row["records"]) for row in shown] == [(OTHER, 172), (ALWAYS, 172)]
        assert (await verify(job, [])).fine
        report = await compare(job, ["variant"], More(run=100))
        assert stage.requests() == asked
        await stage.call("search_items", query="bike")
    (variant,) = cast("list[dict[str, Any]]", report.data["entities"])
    assert (variant["generated"], variant["mismatches"], variant["errors"], variant["verified"]) == (100, 0, 0, 1)


async def test_an_unfinished_listing_shows_how_far_it_is(own: OwnSandbox, clock: ManualClock, tmp_path: Path) -> None:
    tenant = own.sandbox.tenant()
    for nr in range(250):
        tenant.create("customers", {"name": f"Customer {nr}"})
    own.sandbox.faults.add(Fault("GET /customers", nth=2, action=Status(401), times=None))
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        await paced(clock, stage.call("search_customers", query="customer"))
    job = job_on(own, tmp_path)
    shown = await status(job, ["customer"], quarantine=False)
    assert shown.sheets[0].lines[0].cells[-1] == "250/290"
    assert (await held(job, "customer"))[1] is None
