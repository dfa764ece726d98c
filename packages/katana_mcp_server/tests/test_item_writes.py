"""Services written through the server: found by SKU, read at once, looked up in the archive, taken back."""

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied, applied_in_time, counted, writes

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, ManualClock, Tenant

NEW: Wire = {"type": "service", "name": "Wheel truing", "sku": "TRUE-1", "sales_price": 12.5}
NAMED: Wire = {"type": "service", "item_id": "TRUE-1"}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def _done(stage: Stage, tool: str, **arguments: object) -> Payload:
    """Plan and apply; return the outcome: everything was applied."""
    preview = await stage.call(tool, **arguments)
    answer = await applied(stage, preview["plan_token"])
    assert (set(counted(answer["outcomes"][0])), answer["warnings"]) == ({"applied"}, []), answer
    return answer["outcomes"][0]


async def _shown(stage: Stage, service: int) -> Wire:
    """Return the head of a service as `get_item` shows it, with its SKU and price."""
    item = (await stage.call("get_item", item_id=service, item_type="service"))["item"]
    (row,) = item["rows"]
    head = {name: item.get(name) for name in ("name", "archived_at")}
    return {**head, **{name: row.get(name) for name in ("sku", "sales_price")}}


async def test_a_service_is_found_by_its_sku_changed_archived_read_at_once_and_taken_back(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = (await _done(stage, "create_item", **NEW))["id"]
    assert [row["item_id"] for row in (await stage.call("search_items", query="TRUE-1"))["rows"]] == [made]
    changed = await _done(stage, "modify_item", **NAMED, sku="TRUE-2", sales_price=None, is_archived=True)
    now = await _shown(stage, made)
    assert (now["sku"], now["sales_price"], bool(now["archived_at"])) == ("TRUE-2", None, True)
    assert (await stage.call("search_items", query="TRUE-2"))["rows"] == []
    clock.advance(61)
    await _done(stage, changed["revert"]["tool"], **changed["revert"]["arguments"])
    then = await _shown(stage, made)
    assert then == {"name": "Wheel truing", "archived_at": None, "sku": "TRUE-1", "sales_price": 12.5}
    gone = await _done(stage, "delete_item", **NAMED)
    assert "Wheel truing" not in {service["name"] for service in live(tenant, "services")}
    await _done(stage, gone["revert"]["tool"], **gone["revert"]["arguments"])
    (again,) = [service for service in live(tenant, "services") if service["name"] == "Wheel truing"]
    assert (again["variants"][0]["sku"], again["variants"][0]["sales_price"]) == ("TRUE-1", 12.5)


@pytest.mark.parametrize(
    "fields", [{"is_archived": True}, {"sku": "TRUE-2"}, {"sales_price": 3}], ids=lambda fields: next(iter(fields))
)
async def test_a_change_whose_answer_is_lost_is_found_in_the_form_in_which_the_record_holds_it(
    stage: Stage, tenant: Tenant, clock: ManualClock, fields: Wire
) -> None:
    tenant.create("services", {"name": "Wheel truing", "variants": [{"sku": "TRUE-1", "sales_price": 12.5}]})
    stage.own.sandbox.faults.add(Fault("PATCH *", action=Drop("after")))
    preview = await stage.call("modify_item", **NAMED, **fields)
    answer = await applied_in_time(stage, clock, preview["plan_token"])
    (outcome,) = answer["outcomes"]
    assert (outcome["applied"], outcome["actions"][0]["look_up"]["as_planned"]) == (1, 1)
    assert len(writes(stage)) == 1


async def test_a_deletion_of_what_is_archived_is_found_after_a_lost_answer(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = tenant.create("services", {"name": "Wheel truing", "variants": [{"sku": "TRUE-1"}]})
    tenant.edit("services", made["id"], True, archived_at="2026-03-01T08:00:00.000Z")
    stage.own.sandbox.faults.add(Fault("DELETE *", action=Drop("after")))
    preview = await stage.call("delete_item", **NAMED)
    answer = await applied_in_time(stage, clock, preview["plan_token"])
    assert counted(answer["outcomes"][0]) == {"applied": 1}


async def test_an_id_of_another_type_does_not_change_a_service_and_a_refusal_names_the_argument(
    stage: Stage, tenant: Tenant
) -> None:
    product = live(tenant, "products")[-1]
    for tool, more in (("modify_item", {"sku": "X"}), ("delete_item", {})):
        refusal = await stage.refusal(tool, type="service", item_id=product["id"], **more)
        assert [(warning["code"], warning["field_path"]) for warning in refusal["warnings"]] == [
            ("not_found", "item_id")
        ]
    made = tenant.create("services", {"name": "Wheel truing", "variants": [{"sku": "TRUE-1"}]})
    tenant.delete("services", made["id"])
    preview = await stage.call("modify_item", type="service", item_id=made["id"], sku="X")
    assert [(warning["code"], warning["field_path"]) for warning in preview["warnings"]] == [("not_found", "item_id")]
