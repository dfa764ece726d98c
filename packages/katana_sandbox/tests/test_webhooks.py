"""Webhooks: what they hear, signed and tried again, and what is left of it in the log (facts 3.8, October 6.9)."""

import asyncio
import base64
import csv
import hashlib
import hmac
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, Tenant
from katana_sandbox.courier import send_to_loopback
from katana_sandbox.events import EVENTS

from .manufacturing_floor import gadget, ordered, produced
from .stock_room import adjust, location, material, sold

URL = "https://shop.example/katana"


class Receiver:
    """Hears deliveries and answers with the statuses it is given, then 200."""

    def __init__(self, clock: ManualClock) -> None:
        self.statuses: list[int | None] = []
        self.heard: list[tuple[float, Mapping[str, str], dict[str, Any]]] = []
        self.raw = b""
        self._clock = clock

    async def send(self, _url: str, headers: Mapping[str, str], body: bytes) -> int | None:
        self.raw = body
        self.heard.append((self._clock.monotonic(), headers, json.loads(body)))
        return self.statuses.pop(0) if self.statuses else 200

    @property
    def actions(self) -> list[str]:
        return [body["action"] for _, _, body in self.heard]


@pytest.fixture
def receiver(sandbox: Sandbox, clock: ManualClock) -> Receiver:
    found = Receiver(clock)
    sandbox.courier.send = found.send
    return found


async def subscribe(api: Caller, *events: str, **more: object) -> dict[str, Any]:
    answer = await api.post("/webhooks", {"url": URL, "subscribed_events": events or EVENTS, **more})
    assert answer.status == 200, answer.raw
    return answer.body


async def export(api: Caller, **wanted: object) -> list[dict[str, str]]:
    answer = await api.post("/webhook_logs_export", wanted)
    head, _, content = answer.body["url"].partition(",")
    assert head == "data:text/csv;base64"
    return list(csv.DictReader(io.StringIO(base64.b64decode(content).decode())))


def test_there_are_69_events() -> None:
    assert (len(EVENTS), len(set(EVENTS))) == (69, 69)


async def test_a_webhook_hears_of_what_it_subscribes_to_signed(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    hook = await subscribe(api, "sales_order.created")
    order = sold(tenant, material(tenant, 5), 2)
    await api.patch(f"/sales_orders/{order['id']}", {"customer_ref": "R"})
    await sandbox.courier.join()
    ((_, headers, body),) = receiver.heard
    assert body == {
        "resource_type": "sales_order",
        "action": "sales_order.created",
        "webhook_id": hook["id"],
        "object": {
            "id": str(order["id"]),
            "status": "NOT_SHIPPED",
            "href": f"http://sandbox/v1/sales_orders/{order['id']}",
        },
    }
    signed = hmac.new(hook["token"].encode(), receiver.raw, hashlib.sha256).hexdigest()
    assert (headers["x-sha2-signature"], "X-Katana-Retry-Num" in headers) == (signed, False)
    assert (len(hook["token"]), int(hook["token"], 16) > 0) == (16, True)


async def test_other_users_are_heard_and_what_is_gone_has_no_address(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    await subscribe(api, "material.updated", "material.deleted")
    key = tenant.get("variants", material(tenant))["material_id"]
    tenant.edit("materials", key, name="Other")
    tenant.delete("materials", key)
    await sandbox.courier.join()
    assert receiver.actions == ["material.updated", "material.deleted"]
    assert ["href" in body["object"] for _, _, body in receiver.heard] == [True, False]


async def test_a_refused_write_is_not_heard(sandbox: Sandbox, api: Caller, receiver: Receiver) -> None:
    await subscribe(api)
    rows = [{"variant_id": 10000106, "quantity": 1}, {"variant_id": 999999, "quantity": 1}]
    assert (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": rows})).status == 422
    await sandbox.courier.join()
    assert receiver.heard == []


async def test_documents_say_how_far_they_are(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    variant = await gadget(api, tenant)
    order = await ordered(api, variant)
    lines = [{"variant_id": material(tenant), "quantity": 4, "price_per_unit": 1}]
    supplier = next(tenant.all("suppliers"))["id"]
    header = {"supplier_id": supplier, "location_id": location(tenant), "purchase_order_rows": lines}
    bought = (await api.post("/purchase_orders", header)).body
    actions = ("manufacturing_order.done", "purchase_order.received", "purchase_order_row.received")
    await subscribe(api, *actions, "purchase_order.partially_received", "product_recipe_row.deleted", "bom_row.deleted")
    await produced(api, order, 1, is_final=True)
    row = bought["purchase_order_rows"][0]["id"]
    for quantity in (1, 3):
        await api.post("/purchase_order_receive", {"purchase_order_row_id": row, "quantity": quantity})
    await api.delete(f"/bom_rows/{(await api.get('/bom_rows', {'product_variant_id': variant})).rows[0]['id']}")
    await sandbox.courier.join()
    more = ("purchase_order_row.received", "purchase_order.partially_received", "bom_row.deleted")
    assert sorted(receiver.actions) == sorted((*actions, *more, "product_recipe_row.deleted"))


async def test_stock_is_heard_when_it_moves_and_when_it_runs_out(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    variant = material(tenant, 5)
    await subscribe(api, *(event for event in EVENTS if event.startswith("current_inventory.")))
    adjust(tenant, variant, -2)
    await sandbox.courier.join()
    assert receiver.actions == ["current_inventory.material_updated"]
    adjust(tenant, variant, -3)
    await sandbox.courier.join()
    assert receiver.actions[1:] == ["current_inventory.material_updated", "current_inventory.material_out_of_stock"]
    assert {body["object"]["id"] for _, _, body in receiver.heard} == {str(variant)}


async def test_a_delivery_is_tried_three_times_more(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    hook = await subscribe(api, "material.created")
    receiver.statuses = [500, None, 404, 204]
    material(tenant)
    await sandbox.courier.join()
    assert [at for at, _, _ in receiver.heard] == [0, 30, 150, 1050]
    assert [headers.get("X-Katana-Retry-Num") for _, headers, _ in receiver.heard] == [None, "1", "2", "3"]
    tried = await export(api, webhook_id=hook["id"])
    assert [(row["status_code"], row["delivered"]) for row in tried] == [(code, "False") for code in ("500", "", "404")]
    done = await export(api, delivered=True)
    assert [(row["status_code"], row["retry"], row["event"]) for row in done] == [("204", "3", "material.created")]
    assert await export(api, status_code=404, created_at_min=done[0]["created_at"]) == []


@pytest.mark.parametrize(("most", "enabled"), [(0, True), (2, False)])
async def test_a_webhook_that_never_answers_is_switched_off_where_switched(
    sandbox: Sandbox, tenant: Tenant, receiver: Receiver, most: int, enabled: bool
) -> None:
    api = sandbox.caller()
    sandbox.switches.set("webhook_disable_after", most)
    hook = await subscribe(api, "material.created")
    receiver.statuses = [500] * 8
    for _ in range(3):
        material(tenant)
        await sandbox.courier.join()
    assert len(receiver.heard) == (9 if enabled else 8)
    assert (await api.get(f"/webhooks/{hook['id']}")).body["enabled"] is enabled


async def test_a_webhook_is_changed_listed_and_deleted(
    sandbox: Sandbox, api: Caller, tenant: Tenant, receiver: Receiver
) -> None:
    first, hook = await subscribe(api), await subscribe(api, "material.created", description="D", enabled=False)
    assert (hook["enabled"], hook["description"], hook["subscribed_events"]) == (False, "D", ["material.created"])
    assert (await api.get("/webhooks")).ids == [hook["id"], first["id"]]
    assert (await api.get("/webhooks", {"enabled": "false"})).ids == [hook["id"]]
    assert (await api.delete(f"/webhooks/{first['id']}")).status == 204
    assert (await api.get("/webhooks", {"url": URL})).ids == [hook["id"]]
    material(tenant)
    await sandbox.courier.join()
    assert receiver.heard == [], "one is deleted, the other off"
    changed = (await api.patch(f"/webhooks/{hook['id']}", {"enabled": True})).body
    assert changed == {**hook, "enabled": True, "updated_at": changed["updated_at"]}
    material(tenant)
    await sandbox.courier.join()
    assert receiver.actions == ["material.created"]


@pytest.mark.parametrize(
    "body",
    [
        {"url": "http://shop.example/katana", "subscribed_events": ["material.created"]},
        {"url": URL, "subscribed_events": []},
        {"url": URL, "subscribed_events": ["moon.full"]},
        {"url": URL},
    ],
)
async def test_a_webhook_needs_https_and_events_that_there_are(api: Caller, body: dict[str, object]) -> None:
    assert (await api.post("/webhooks", body)).status == 422
    assert (await api.get("/webhooks")).rows == []


async def test_a_receiver_on_this_machine_is_called_and_no_other(sandbox: Sandbox, api: Caller, tenant: Tenant) -> None:
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        heard.append(head + await reader.readexactly(size))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        await subscribe(api, "material.created", url=f"http://127.0.0.1:{port}/hook")
        material(tenant)
        await sandbox.courier.join()
    assert len(heard) == 1
    assert heard[0].startswith(b"POST /hook HTTP/1.1\r\n")
    assert b'"action":"material.created"' in heard[0]
    assert await send_to_loopback(URL, {}, b"{}") is None
    assert await send_to_loopback(f"http://127.0.0.1:{port}/hook", {}, b"{}") is None, "nobody listens any more"


async def test_deliveries_that_wait_end_with_the_server(sandbox: Sandbox) -> None:
    held = ManualClock(auto=False)
    other = Sandbox(sandbox.config, clock=held)
    receiver = Receiver(held)
    receiver.statuses = [500] * 4
    other.courier.send = receiver.send
    async with other.serve():
        await subscribe(other.caller(), "material.created")
        material(other.tenant())
        other.courier.start()
        for _ in range(20):
            await asyncio.sleep(0)
        assert held.due() == 30
    assert len(receiver.heard) == 1
    await asyncio.wait_for(other.courier.join(), 60)
