"""State files: all comes back, damaged and foreign files are refused, and writing is one step."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from katana_sandbox import BadState, Caller, ManualClock, Sandbox, SandboxConfig, Tenant
from katana_sandbox.registry import COLLECTIONS

from .manufacturing_floor import STEEL, WORKSHOP, gadget, header, ordered, produced, rows_of
from .serial_floor import ledger, made, ship, sold

FREE: dict[str, Any] = {"rate_limit": 0}


def everything(tenant: Tenant) -> dict[str, Any]:
    return {name: list(tenant.all(name)) for name in COLLECTIONS}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "shop.state"


async def test_everything_comes_back(sandbox: Sandbox, api: Caller, path: Path) -> None:
    variant = await gadget(api, sandbox.tenant())
    order = await ordered(api, variant)
    await produced(api, order, 1)
    bom_id = next(iter(sandbox.tenant().all("bom_rows")))["id"]
    assert (await api.delete(f"/bom_rows/{bom_id}")).status == 204
    sandbox.add_tenant("second", key="key-2", empty=True)
    sandbox.switches.set("replica_lag", 3)
    sandbox.save(path)
    copy = Sandbox.restore(path, clock=ManualClock())
    assert everything(copy.tenant()) == everything(sandbox.tenant())
    assert everything(copy.tenant("second")) == everything(sandbox.tenant("second"))
    assert copy.switches.changed() == {"rate_limit": 0, "replica_lag": 3}
    copy.switches.set("replica_lag", 0)
    sandbox.switches.set("replica_lag", 0)
    for path_, query in (("/variants", {"limit": 250}), ("/inventory_movements", {}), ("/sales_orders", {"page": 2})):
        assert (await copy.caller().get(path_, query)).raw == (await api.get(path_, query)).raw
    assert (await copy.caller("key-2").get("/customers")).rows == []


async def test_a_restored_account_goes_on_like_the_one_that_was_saved(
    sandbox: Sandbox, api: Caller, path: Path
) -> None:
    variant = await gadget(api, sandbox.tenant())
    order = await ordered(api, variant)
    await produced(api, order, 4, is_final=True)
    sandbox.save(path)
    copy = Sandbox.restore(path, clock=ManualClock())
    for caller in (api, copy.caller()):
        assert (await caller.patch(f"/manufacturing_orders/{order['id']}", {"status": "IN_PROGRESS"})).status == 200
        await ordered(caller, variant, 2)
        assert (await caller.post("/customers", {"name": "Neu"})).status == 200
        row = (await rows_of(caller, "recipe_rows", order))[0]
        assert row["total_consumed_quantity"] == 0
    assert await header(copy.caller(), order) == await header(api, order)
    assert everything(copy.tenant()) == everything(sandbox.tenant())


async def test_units_and_kits_are_undone_after_a_restore_as_before_it(
    sandbox: Sandbox, api: Caller, path: Path
) -> None:
    tenant = sandbox.tenant()
    sandbox.switches.set("serial_attach_mo", "mint")
    unit_of = await gadget(api, tenant, serial_tracked=True)
    unit = (await made(api, unit_of, "A"))[0]
    kit = await gadget(api, tenant, is_auto_assembly=True)
    before = tenant.get("inventory", (STEEL, WORKSHOP)), await ledger(api, unit)
    shipments = [
        (await ship(api, await sold(api, unit_of), serial_numbers=[unit])).body["id"],
        (await ship(api, await sold(api, kit))).body["id"],
    ]
    sandbox.save(path)
    copy = Sandbox.restore(path, clock=ManualClock())
    assert everything(copy.tenant()) == everything(tenant)
    again = copy.caller()
    assert (await ledger(again, unit))[0] is False
    for shipment in shipments:
        assert (await again.delete(f"/sales_order_fulfillments/{shipment}")).status == 204
    assert (copy.tenant().get("inventory", (STEEL, WORKSHOP)), await ledger(again, unit)) == before


async def test_the_clock_never_stands_before_the_file(sandbox: Sandbox, clock: ManualClock, path: Path) -> None:
    clock.advance(5000)
    sandbox.save(path)
    assert Sandbox.restore(path, clock=ManualClock()).now() == sandbox.now()
    late = ManualClock()
    late.advance(9000)
    assert Sandbox.restore(path, clock=late).clock_offset == 0


def flipped(raw: bytes) -> bytes:
    return raw[:5000] + bytes([raw[5000] ^ 1]) + raw[5001:]


def later_version(raw: bytes) -> bytes:
    return raw.replace(b"state 5\n", b"state 9\n", 1)


def cut(raw: bytes) -> bytes:
    return raw[:-1]


def cut_short(raw: bytes) -> bytes:
    return raw[:25]


def emptied(_raw: bytes) -> bytes:
    return b""


def of_another_program(_raw: bytes) -> bytes:
    return b'{"data": []}\n'


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (cut, "is damaged: its checksum does not fit"),
        (cut_short, "is damaged: its checksum does not fit"),
        (flipped, "is damaged: its checksum does not fit"),
        (emptied, "is no state file of the sandbox"),
        (of_another_program, "is no state file of the sandbox"),
        (later_version, "has state version 9, but this sandbox reads version 5"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_in_one_sentence(
    sandbox: Sandbox, path: Path, spoil: Callable[[bytes], bytes], sentence: str
) -> None:
    sandbox.save(path)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(BadState) as refused:
        Sandbox.restore(path)
    assert str(refused.value) == f"{path} {sentence}"


def test_a_missing_file_and_a_place_that_can_not_be_written_are_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(BadState, match="can not be read: No such file"):
        Sandbox.restore(tmp_path / "none")
    with pytest.raises(BadState, match="can not be written: No such file"):
        sandbox.save(tmp_path / "none" / "shop.state")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadState, match="can not be written"):
        sandbox.save(tmp_path / "folder")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_file_of_other_collections_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Sandbox(SandboxConfig(empty=True), clock=ManualClock()).save(path)
    monkeypatch.delitem(COLLECTIONS, "additional_costs")
    with pytest.raises(BadState, match="was written by a sandbox with other collections"):
        Sandbox.restore(path)


def test_the_old_file_stands_until_the_new_one_is_complete(sandbox: Sandbox, path: Path) -> None:
    sandbox.save(path)
    first = path.read_bytes()
    sandbox.tenant().edit("customers", 10000101, comment="changed")
    sandbox.save(path)
    assert path.read_bytes() != first
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
