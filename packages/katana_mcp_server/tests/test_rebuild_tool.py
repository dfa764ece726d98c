"""`rebuild_cache`: a running server fetches its cache anew, and answers from the old data until that is complete."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog
from server_wire import live

from cache_core.records import iso
from katana_mcp.caches.rebuilding import BESIDE
from katana_mcp.configuration.backend_flags import FLAGS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, paced, staged
from katana_sandbox import Delay, Fault, ManualClock, Sandbox, SandboxConfig, Status

pytestmark = pytest.mark.threads

WHERE = ["files", "memory"]
LATER = 600.0
_TURNS = 1_000_000


def setup_in(where: str, tmp_path: Path, **flags: object) -> Setup:
    """Return a server that keeps its cache in files or in memory."""
    return Setup(cache_dir=tmp_path if where == "files" else None, flags=flags)


def rename(own: OwnSandbox) -> None:
    """Rename a product behind the back of every delta: its `updated_at` stays."""
    tenant = own.sandbox.tenant()
    tenant.edit("products", live(tenant, "products")[0]["id"], bump=False, name="Wheelbarrow")


async def found(stage: Stage) -> int:
    """Return how many items a search for the new name finds."""
    return (await stage.call("search_items", query="wheelbarrow"))["total"]


async def until(met: Callable[[], bool]) -> None:
    """Let others work until this is met."""
    for _ in range(_TURNS):
        if met():
            return
        await asyncio.sleep(0)
    pytest.fail("nothing came of it")


def building(directory: Path) -> bool:
    """Return whether new files are made beside the old ones."""
    return any(directory.rglob(BESIDE))


@pytest.mark.parametrize("where", ["files", pytest.param("memory", marks=pytest.mark.soak)])
@pytest.mark.parametrize("flag", [*FLAGS[-1:], *(pytest.param(flag, marks=pytest.mark.soak) for flag in FLAGS[:-1])])
async def test_the_next_read_sees_what_katana_holds_now_and_borrowed_text_follows(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, where: str, flag: str
) -> None:
    async with staged(own, setup_in(where, tmp_path, cache_backend=flag)) as stage:
        orders = await stage.call("list_sales_orders", limit=3)
        await stage.call("search_items", query="bike")
        rename(own)
        assert await found(stage) == 0
        asked = stage.requests()
        answer = await stage.call("rebuild_cache", entities=["product"])
        assert answer["entities"] == [{"entity": "product", "records": 23, "requests": 1}]
        assert stage.requests() == asked + 1
        assert await found(stage) > 1  # its variants too
        clock.advance(61)  # a minute has 60 requests
        every = {entity["entity"]: entity["records"] for entity in (await stage.call("rebuild_cache"))["entities"]}
        assert (every["variant"], every["product"]) == (172, 23)
        assert {entity["entity"] for entity in (await stage.call("cache_status"))["entities"]} - set(every) == {"stock"}
        assert await found(stage) > 1
        assert await stage.call("list_sales_orders", limit=3) == {**orders, "as_of": iso(clock.now())}


@pytest.mark.parametrize("where", WHERE)
async def test_with_katana_down_it_says_so_and_the_old_data_stays(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, where: str
) -> None:
    async with staged(own, setup_in(where, tmp_path)) as stage:
        before = await stage.call("search_items", query="bike")
        own.sandbox.faults.add(Fault("GET /variants", action=Status(503), times=None))
        refusal = await paced(clock, stage.refusal("rebuild_cache", entities=["products", "variants"]), 5)
        assert refusal["error"] == "rebuild_failed"
        message = refusal["warnings"][0]["message"]
        assert message.startswith("variant: Katana could not be read: ")
        assert message.endswith("the old data stays as it was")
        own.sandbox.faults.clear()
        assert (await stage.call("search_items", query="bike"))["rows"] == before["rows"]
        assert not building(tmp_path)
        await stage.call("rebuild_cache", entities=["variant"])


@pytest.mark.parametrize("where", WHERE)
async def test_reads_answer_from_the_old_data_meanwhile_and_a_second_call_is_refused(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, where: str
) -> None:
    async with staged(own, setup_in(where, tmp_path)) as stage:
        await stage.call("search_items", query="bike")
        rename(own)
        own.sandbox.faults.add(Fault("GET /products", action=Delay(20)))
        rebuild = asyncio.ensure_future(stage.call("rebuild_cache", entities=["product"]))
        asked = stage.requests()
        await until(lambda: stage.requests() > asked)
        assert await found(stage) == 0
        refusal = await stage.refusal("rebuild_cache")
        assert refusal["error"] == "rebuild_running"
        message = "another rebuild of this cache is under way; the old data stays as it was"
        assert refusal["warnings"][0]["message"] == message
        assert not rebuild.done()
        await paced(clock, rebuild, 1)
        assert await found(stage) > 1


async def test_two_servers_on_one_cache_rebuild_it_one_at_a_time_and_both_read_the_new(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    setup = setup_in("files", tmp_path)
    async with staged(own, setup) as first, staged(own, setup) as second:
        await first.call("search_items", query="bike")
        await second.call("search_items", query="bike")
        rename(own)
        own.sandbox.faults.add(Fault("GET /products", action=Delay(20)))
        rebuild = asyncio.ensure_future(first.call("rebuild_cache"))
        await until(lambda: building(tmp_path))
        assert (await second.refusal("rebuild_cache"))["error"] == "rebuild_running"
        await paced(clock, rebuild, 1)
        assert await found(second) > 1


async def test_a_listing_under_way_in_another_server_begins_again_after_the_swap(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    setup = setup_in("files", tmp_path)
    async with staged(own, setup) as first, staged(own, setup) as second:
        await first.call("search_customers", query="velo")
        clock.advance(LATER)
        own.sandbox.faults.add(Fault("GET /customers", action=Delay(20)))
        asked = first.requests()
        late = asyncio.ensure_future(second.call("search_customers", query="velo"))
        await until(lambda: first.requests() > asked)
        answer = await first.call("rebuild_cache", entities=["customer"])
        own.sandbox.tenant().create("customers", {"name": "Velo Wheelbarrow"})
        await paced(clock, late, 1)
        await paced(clock, clock.sleep(LATER), 10)
        await paced(clock, second.call("search_customers", query="velo"))
        assert (await second.call("search_customers", query="wheelbarrow"))["total"] == 1
        status = {entity["entity"]: entity for entity in (await second.call("cache_status"))["entities"]}
        assert status["customer"]["records"] == answer["entities"][0]["records"] + 1


async def test_progress_is_told_and_only_grows(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=600), clock=clock))
    reports: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        del total
        reports.append((progress, message))

    async with staged(own) as stage:
        await stage.client.call_tool("rebuild_cache", {"entities": ["variant"]}, progress_handler=note)
    assert [message for _, message in reports][:2] == ["syncing variants: 250/600", "syncing variants: 500/600"]
    assert [done for done, _ in reports] == sorted({done for done, _ in reports})


@pytest.mark.parametrize("when", ["files are made", "Katana is asked"])
async def test_a_call_that_its_client_gave_up_leaves_the_old_data(own: OwnSandbox, tmp_path: Path, when: str) -> None:
    async with staged(own, setup_in("files", tmp_path)) as stage:
        await stage.call("search_items", query="bike")
        own.sandbox.faults.add(Fault("GET /variants", action=Delay(20)))
        rename(own)
        asked = stage.requests()
        rebuild = asyncio.ensure_future(stage.call("rebuild_cache", entities=["product", "variant"]))
        await until(lambda: building(tmp_path) if when == "files are made" else stage.requests() == asked + 2)
        with structlog.testing.capture_logs() as logs:
            rebuild.cancel()
            await asyncio.gather(rebuild, return_exceptions=True)
            await until(lambda: any(log["event"] == "tool" for log in logs))
        assert [log["outcome"] for log in logs if log["event"] == "tool"] == ["given up"]
        await until(lambda: not building(tmp_path))
        assert await found(stage) == 0
        own.sandbox.faults.clear()
        await stage.call("rebuild_cache", entities=["product", "variant"])
        assert await found(stage) > 1


async def test_an_entity_that_does_not_exist_is_refused_naming_those_that_do(stage: Stage) -> None:
    for wrong in ("stock", "orders"):
        refusal = await stage.refusal("rebuild_cache", entities=["variant", wrong])
        (warning,) = refusal["warnings"]
        assert (warning["code"], warning["field_path"]) == ("invalid_argument", "entities")
        assert warning["message"].startswith(f"no entity is called '{wrong}' here; there are factory, location, ")
    near = await stage.refusal("rebuild_cache", entities=["varient"])
    assert near["warnings"][0]["message"] == "no entity is called 'varient' here; did you mean 'variant'?"
    assert stage.requests() == 0


async def test_with_sync_off_katana_is_not_asked(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"sync": "off"})) as stage:
        refusal = await stage.refusal("rebuild_cache")
        assert refusal["error"] == "rebuild_failed"
        message = "KATANA_SYNC is off, so Katana is not asked; the old data stays as it was"
        assert refusal["warnings"][0]["message"] == message
        assert stage.requests() == 0
