"""A new key of an account finds its cache again, a key of another account never does; a second key carries listings."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from cache_jobs import job_on

from katana_mcp.caches.accounts.tenants import Oldest, Tenants, identity
from katana_mcp.commands.cache.rebuild import rebuild
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load
from katana_mcp.server.application import application
from katana_mcp.server.wiring import Environment
from katana_mcp.testing import Payload, Setup, Stage, paced, payload_of, staged, within
from katana_sandbox import Fault, ManualClock, Sandbox, Status
from katana_sandbox.journal import key_digest

pytestmark = pytest.mark.threads

ADDRESS = "https://api.katanamrp.com/v1"
NEW, OTHER, SYNC = "a-new-key-of-the-account", "a-key-of-another-account", "a-second-key"
DOWN = Fault("*", action=Status(503), times=None)


def _setup(root: Path, key: str | None = None, **flags: object) -> Setup:
    return Setup(cache_dir=root, api_key=key, flags=flags)


async def _customers(own: OwnSandbox, setup: Setup, seconds: float = 10) -> tuple[Payload, list[str]]:
    """Search the customers in a server of its own, in that time; return the answer and what Katana was asked."""
    before = len(own.sandbox.journal)
    async with staged(own, setup) as stage:
        answer = await _searched(stage, seconds)
    return answer, [request.path.removeprefix("/v1/") for request in list(own.sandbox.journal)[before:]]


async def _searched(stage: Stage, seconds: float = 10) -> Payload:
    result = await within(_clock(stage.own), seconds, stage.result("search_customers", {"query": "velo"}))
    return payload_of(result)


def _clock(own: OwnSandbox) -> ManualClock:
    clock = own.sandbox.clock
    assert isinstance(clock, ManualClock)
    return clock


def _another_account(own: OwnSandbox, key: str = OTHER) -> None:
    other = own.sandbox.add_tenant("other", seed=99, key=key)
    for customer in list(other.all("customers")):
        other.edit("customers", customer["id"], name="a stranger", company="a stranger")
    for address in list(other.all("customer_addresses")):
        other.edit("customer_addresses", address["id"], company="a stranger")


def _names(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()}


def _caches(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.is_dir())


async def test_two_sandboxes_of_one_seed_are_two_accounts(tmp_path: Path, clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(clock=clock))
    twin = own.sandbox.add_tenant("twin", key=OTHER)
    clock.advance(60 * 60)
    later = OwnSandbox(Sandbox(clock=clock))
    shops = (own.sandbox.tenant(), twin, later.sandbox.tenant())
    oldest = [next(iter(shop.all("locations"))) for shop in shops]
    assert len({(place["id"], place["name"]) for place in oldest}) == 1
    assert len({place["created_at"] for place in oldest[:2]}) == 2
    assert oldest[0]["created_at"] != oldest[2]["created_at"]
    await _customers(own, _setup(tmp_path))
    await _customers(own, _setup(tmp_path, OTHER))
    assert _caches(tmp_path) == sorted([identity(ADDRESS, own.api_key), identity(ADDRESS, OTHER)])


async def test_a_restored_sandbox_is_the_account_that_was_saved(tmp_path: Path, clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(clock=clock))
    await _customers(own, _setup(tmp_path / "cache"))
    own.sandbox.add_key(NEW)
    own.sandbox.save(tmp_path / "shop.state")
    clock.advance(60)
    again = OwnSandbox(Sandbox.restore(tmp_path / "shop.state", clock=clock))
    await _customers(again, _setup(tmp_path / "cache", NEW))
    assert _caches(tmp_path / "cache") == [identity(ADDRESS, own.api_key)]


async def test_a_rotated_key_finds_the_cache_of_its_account(own: OwnSandbox, tmp_path: Path) -> None:
    own.sandbox.add_key(NEW)
    first, _ = await _customers(own, _setup(tmp_path))
    rotated, asked = await _customers(own, _setup(tmp_path, NEW))
    assert rotated == first
    assert asked == ["locations"]
    assert _caches(tmp_path) == [identity(ADDRESS, own.api_key)]
    assert (await _customers(own, _setup(tmp_path, NEW)))[1] == []


async def test_a_rotated_key_finds_the_cache_after_the_oldest_location_was_deleted(
    own: OwnSandbox, tmp_path: Path
) -> None:
    own.sandbox.add_key(NEW)
    await _customers(own, _setup(tmp_path))
    oldest = next(iter(own.sandbox.tenant().all("locations")))
    own.sandbox.tenant().edit("locations", oldest["id"], deleted_at="2026-03-01T00:00:00.000Z")
    assert (await _customers(own, _setup(tmp_path, NEW)))[1] == ["locations"]


async def test_a_key_of_another_account_sees_no_row_of_this_one(own: OwnSandbox, tmp_path: Path) -> None:
    _another_account(own)
    mine, _ = await _customers(own, _setup(tmp_path))
    theirs, asked = await _customers(own, _setup(tmp_path, OTHER))
    assert mine["total"] > 0
    assert theirs["total"] == 0
    assert "customers" in asked
    assert _caches(tmp_path) == sorted([identity(ADDRESS, own.api_key), identity(ADDRESS, OTHER)])


async def test_a_known_key_needs_nobody_to_answer(own: OwnSandbox, tmp_path: Path) -> None:
    first, _ = await _customers(own, _setup(tmp_path))
    own.sandbox.faults.add(DOWN)
    answer, asked = await _customers(own, _setup(tmp_path))
    assert answer["rows"] == first["rows"]
    assert asked == []


@pytest.mark.parametrize("trouble", [Status(503), Status(401)])
async def test_a_key_that_katana_does_not_confirm_has_its_own_cache_and_joins_at_a_later_start(
    trouble: Status, own: OwnSandbox, tmp_path: Path
) -> None:
    own.sandbox.add_key(NEW)
    first, _ = await _customers(own, _setup(tmp_path))
    own.sandbox.faults.add(Fault("*", action=trouble, times=None))
    lonely, _ = await _customers(own, _setup(tmp_path, NEW))
    assert lonely.get("total", 0) == 0
    assert _caches(tmp_path) == sorted([identity(ADDRESS, own.api_key), identity(ADDRESS, NEW)])
    own.sandbox.faults.clear()
    assert (await _customers(own, _setup(tmp_path, NEW)))[0]["rows"] == first["rows"]


async def test_an_own_cache_answers_soon_while_the_key_cannot_be_checked(own: OwnSandbox, tmp_path: Path) -> None:
    first, _ = await _customers(own, _setup(tmp_path))
    (tmp_path / "tenants.json").unlink()
    own.sandbox.faults.add(DOWN)
    answer, _ = await _customers(own, _setup(tmp_path), 2.5)
    assert answer["rows"] == first["rows"]


def _garbage(path: Path) -> None:
    path.write_text('{"keys": {')


def _traversal(path: Path) -> None:
    tenant = json.loads(path.read_text())["keys"]
    path.write_text(json.dumps({"keys": dict.fromkeys(tenant, "../../outside"), "tenants": {}}))


def _symlink(path: Path) -> None:
    elsewhere = path.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("spoil", [_garbage, _traversal, _symlink, _directory])
async def test_a_spoilt_table_costs_one_request(spoil: Callable[[Path], None], own: OwnSandbox, tmp_path: Path) -> None:
    first, _ = await _customers(own, _setup(tmp_path))
    spoil(tmp_path / "tenants.json")
    answer, asked = await _customers(own, _setup(tmp_path))
    assert answer == first
    assert asked == ["locations"]
    assert identity(ADDRESS, own.api_key) in _caches(tmp_path)


def test_keys_that_come_at_once_join_one_tenant_and_none_is_lost(tmp_path: Path) -> None:
    keys = [f"{index:024x}" for index in range(40)]
    oldest = Oldest(base="b", id=1, created_at="2020-01-01T00:00:00Z")
    joined: list[str] = []

    def join(mine: list[str]) -> None:
        joined.extend(Tenants(tmp_path).join(key, oldest) for key in mine)

    threads = [threading.Thread(target=join, args=(keys[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(joined)) == 1
    assert {Tenants(tmp_path).of_key(key) for key in keys} == set(joined)
    assert _names(tmp_path) == {"tenants.json", "tenants.lock"}


@pytest.mark.parametrize(
    "different", [{"id": 2}, {"created_at": "2020-01-01T00:00:01Z"}, {"base": "another"}], ids=["id", "moment", "base"]
)
def test_an_account_is_told_by_id_and_creation_at_one_address(different: dict[str, object], tmp_path: Path) -> None:
    oldest = Oldest(base="b", id=1, created_at="2020-01-01T00:00:00Z")
    table = Tenants(tmp_path)
    assert table.join("a" * 24, oldest) == "a" * 24
    assert table.join("b" * 24, oldest.model_copy(update=different)) == "b" * 24
    assert table.join("c" * 24, oldest) == "a" * 24


async def _used_keys(own: OwnSandbox, setup: Setup) -> tuple[dict[str, set[str]], Payload]:
    """Let a server list and read stock; return which key asked for what, and the server's status."""
    async with staged(own, setup) as stage:
        await _searched(stage)
        variant = next(iter(own.sandbox.tenant().all("variants")))
        arguments = {"skus_or_variant_ids": [variant["id"]]}
        await paced(_clock(own), stage.result("check_inventory", arguments))
        status = await stage.call("cache_status")
    used: dict[str, set[str]] = {}
    for request in own.sandbox.journal:
        used.setdefault(request.path.removeprefix("/v1/"), set()).add(request.key)
    return used, status


@pytest.mark.parametrize("kept", [True, False])
async def test_listings_go_through_the_second_key_and_what_people_wait_for_through_the_first(
    kept: bool, own: OwnSandbox, tmp_path: Path
) -> None:
    own.sandbox.add_key(SYNC)
    setup = Setup(cache_dir=tmp_path if kept else None, flags={"sync_api_key": SYNC})
    used, status = await _used_keys(own, setup)
    assert used["customers"] == {key_digest(SYNC)}
    assert used["variants"] == {key_digest(SYNC), key_digest(own.api_key)}, "listed, and asked for by a SKU"
    assert used["inventory"] == {key_digest(own.api_key)}
    assert "notices" not in status
    budgets = {f"budget-{identity(ADDRESS, api_key)}.sqlite" for api_key in (own.api_key, SYNC)}
    assert kept == (budgets <= _names(tmp_path))


async def test_a_rebuild_goes_through_the_second_key_and_says_when_it_cannot(own: OwnSandbox, tmp_path: Path) -> None:
    own.sandbox.add_key(SYNC)
    for second, used, notes in ((SYNC, SYNC, 0), ("a-key-that-katana-refuses", own.api_key, 1)):
        before = len(own.sandbox.journal)
        report = await rebuild(job_on(own, tmp_path, sync_api_key=second), ["customer"])
        asked = [request for request in list(own.sandbox.journal)[before:] if request.path == "/v1/customers"]
        assert {entry.key for entry in asked} == {key_digest(used)}
        assert sum("KATANA_SYNC_API_KEY" in note for note in report.notes) == notes


async def test_a_second_key_that_is_known_costs_no_request(own: OwnSandbox, tmp_path: Path) -> None:
    own.sandbox.add_key(SYNC)
    await _customers(own, _setup(tmp_path, sync_api_key=SYNC))
    assert (await _customers(own, _setup(tmp_path, sync_api_key=SYNC)))[1] == []


@pytest.mark.parametrize("is_stored", [True, False])
async def test_a_second_key_of_another_account_is_refused_and_fetches_nothing(
    is_stored: bool, own: OwnSandbox, tmp_path: Path
) -> None:
    _another_account(own)
    if is_stored:
        await _customers(own, _setup(tmp_path, OTHER))
    before = len(own.sandbox.journal)
    async with staged(own, _setup(tmp_path, sync_api_key=OTHER)) as stage:
        refusals = [await _searched(stage) for _ in range(3)]
    assert {refusal["error"] for refusal in refusals} == {"wrong_account"}
    assert OTHER not in str(refusals)
    asked = [request.path for request in list(own.sandbox.journal)[before:]]
    assert set(asked) == {"/v1/locations"}
    assert len(asked) == (1 if is_stored else 2)


async def test_a_second_key_that_katana_does_not_confirm_is_not_used_and_that_is_said(
    own: OwnSandbox, tmp_path: Path
) -> None:
    used, status = await _used_keys(own, _setup(tmp_path, sync_api_key="a-key-that-katana-refuses"))
    assert used["customers"] == {key_digest(own.api_key)}
    assert "KATANA_SYNC_API_KEY" in status["notices"][0]


@pytest.mark.parametrize(
    ("second", "said"),
    [("", "is blank"), ("  ", "is blank"), (" the-key ", "same key"), ("two\nlines", "KATANA_SYNC_API_KEY")],
)
def test_a_second_key_that_makes_no_sense_stops_the_start_with_one_sentence(
    second: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_API_KEY", "the-key")
    monkeypatch.setenv("KATANA_SYNC_API_KEY", second)
    with pytest.raises(SettingsError, match=said) as refused:
        application(load(_env_file=None), Environment(in_memory=True))
    assert "KATANA_SYNC_API_KEY" in str(refused.value)
    assert "two" not in str(refused.value)
    assert "\n" not in str(refused.value)
