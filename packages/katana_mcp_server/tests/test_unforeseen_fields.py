"""A field whose form nobody foresaw costs that field: every tool finds, lists and gets its record, and says so."""

from collections.abc import AsyncGenerator
from typing import NamedTuple, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_wire import Wire, live

from cache_core.records import moment_in
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, staged
from katana_sandbox import EditBody, Fault, ManualClock, Sandbox, SandboxConfig


class Tools(NamedTuple):
    """How records of a collection are asked for: by search, by list and by get."""

    key: str
    search: str
    list: str
    get: str
    argument: str


TOOLS: dict[str, Tools] = {
    "sales_orders": Tools("order_no", "search_sales_orders", "list_sales_orders", "get_sales_order", "sales_order_id"),
    "purchase_orders": Tools(
        "order_no", "search_purchase_orders", "list_purchase_orders", "get_purchase_order", "purchase_order_id"
    ),
    "manufacturing_orders": Tools(
        "order_no",
        "search_manufacturing_orders",
        "list_manufacturing_orders",
        "get_manufacturing_order",
        "manufacturing_order_id",
    ),
    "stock_transfers": Tools(
        "stock_transfer_number",
        "search_stock_transfers",
        "list_stock_transfers",
        "get_stock_transfer",
        "stock_transfer_id",
    ),
    "stock_adjustments": Tools(
        "stock_adjustment_number",
        "search_stock_adjustments",
        "list_stock_adjustments",
        "get_stock_adjustment",
        "stock_adjustment_id",
    ),
    "customers": Tools("name", "search_customers", "", "get_customer", "customer_id"),
    "products": Tools("name", "search_items", "list_items", "get_item", "item_id"),
    "variants": Tools("sku", "search_items", "", "get_variant_details", "variant_id"),
}
ANY_TEXT = st.text(max_size=20) | st.sampled_from(
    ["", "null", "2026-03-01", "2026-03-01T10:00:00", "7", "\x00", "\u202e"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats(-1e9, 1e9) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
WORKFLOWS = ("list_low_stock_items", "list_blocking_ingredients", "check_inventory", "inventory_at", "get_bom")
READ_BY_WORKFLOWS = (
    *("variants", "products", "materials", "bom_rows", "inventory", "locations", "suppliers"),
    *("purchase_orders", "manufacturing_orders", "manufacturing_order_recipe_rows", "stock_transfers"),
)
UUID = "0f9e6b1a-0000-4000-8000-00000000000"
quick = settings(
    deadline=None,
    max_examples=7,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class Spoilt:
    """A sandbox of which the records of some collections are sent otherwise than it holds them."""

    def __init__(self, own: OwnSandbox) -> None:
        self.own = own
        self.fields: dict[tuple[str, object], Wire] = {}
        self.level: Wire = {}
        own.sandbox.switches.set("rate_limit", 0)
        for collection in {*TOOLS, *READ_BY_WORKFLOWS, "services"}:
            edit = EditBody(edit=lambda body, of=collection: self._edited(body, of))
            own.sandbox.faults.add(Fault(f"GET /{collection}", action=edit, times=None))

    def spoil(self, collection: str, record_id: object, **fields: object) -> None:
        """Send a record with these fields from now on, and let it count as edited."""
        tenant = self.own.sandbox.tenant()
        self.fields[collection, record_id] = fields
        cast("ManualClock", self.own.sandbox.clock).advance(1_000)
        tenant.edit(collection, cast("int", record_id), bump=True)

    def _edited(self, body: object, collection: str) -> object:
        rows = _rows_of(body)
        for record in rows:
            record.update(self.fields.get((collection, record.get("id")), {}))
        if collection == "inventory" and rows:
            rows[0].update(self.level)
        return body


def _rows_of(body: object) -> list[Wire]:
    return cast("dict[str, list[Wire]]", body).get("data", []) if isinstance(body, dict) else []


@pytest.fixture
def spoilt() -> Spoilt:
    return Spoilt(OwnSandbox(Sandbox(SandboxConfig(orders=40), clock=ManualClock(auto=False))))


@pytest.fixture
async def served(spoilt: Spoilt) -> AsyncGenerator[Stage]:
    async with staged(spoilt.own) as stage:
        yield stage


async def ids_of(stage: Stage, collection: str, record_id: object, name: str) -> list[set[object]]:
    """Return the ids that search, list and get give for a record; each has to hold its own."""
    tools = TOOLS[collection]
    more = {"item_type": "product"} if collection == "products" else {}
    found = [] if not name else [await stage.call(tools.search, query=name, limit=50)]
    if tools.list:
        only = {"type": ["product"]} if collection == "products" else {}
        found.append(await stage.call(tools.list, ids=[record_id], **only))
    if collection == "variants":
        found.append({"rows": (await stage.call(tools.get, skus_or_variant_ids=[record_id]))["variants"]})
    else:
        got = await stage.call(tools.get, **{tools.argument: record_id}, **more)
        found.append({"rows": [value for value in got.values() if isinstance(value, dict)]})
    return [{row.get(tools.argument) for row in payload["rows"]} for payload in found]


def drawn(data: st.DataObject, record: Wire) -> tuple[str, object]:
    """Draw a field and what it is sent as: any JSON, or rows of which one has any JSON in a field."""
    name = data.draw(st.sampled_from(sorted(record.keys() - {"id", "updated_at"})))
    sent, inside = data.draw(JSON), record[name]
    if isinstance(inside, list) and inside and isinstance(inside[0], dict) and data.draw(st.booleans()):
        row = cast("Wire", inside[0])
        others = cast("list[object]", inside[1:])
        return name, [{**row, data.draw(st.sampled_from(sorted(row))): sent}, *others, data.draw(JSON)]
    return name, sent


async def answered(stage: Stage, spoilt: Spoilt, data: st.DataObject) -> None:
    """Spoil a field of a record, and require that every tool gives the record."""
    collection = data.draw(st.sampled_from(sorted(TOOLS)))
    record = data.draw(st.sampled_from(live(spoilt.own.sandbox.tenant(), collection)[:3]))
    name, sent = drawn(data, record)
    if name in {"deleted_at", "archived_at"} and moment_in(sent):
        return
    spoilt.spoil(collection, record["id"], **{name: sent})
    key = TOOLS[collection].key
    # A product is found through its variants, and has no number of its own.
    text = "" if name == key or collection == "products" else record[key]
    try:
        for found in await ids_of(stage, collection, record["id"], text):
            assert record["id"] in found, (collection, name, sent)
    finally:
        spoilt.fields.clear()


@quick
@given(st.data())
async def test_every_tool_gives_a_record_with_any_value_in_any_field(
    served: Stage, spoilt: Spoilt, data: st.DataObject
) -> None:
    await answered(served, spoilt, data)


@pytest.mark.soak
@settings(quick, max_examples=300)
@given(st.data())
async def test_every_tool_gives_whatever_record_katana_sends(
    served: Stage, spoilt: Spoilt, data: st.DataObject
) -> None:
    await answered(served, spoilt, data)


async def test_a_field_that_could_not_be_read_is_told_and_a_filter_by_it_says_that_it_is_incomplete(
    served: Stage, spoilt: Spoilt
) -> None:
    order = live(spoilt.own.sandbox.tenant(), "sales_orders")[0]
    await served.call("list_sales_orders", limit=1)
    spoilt.spoil("sales_orders", order["id"], delivery_date="soon", total=["much"])
    listed = await served.call("list_sales_orders", total_min=1, order_by="-created_at")
    (message,) = [warning["message"] for warning in listed["warnings"] if warning["code"] == "unread_field"]
    assert message.startswith(f"incomplete: sales_order.total of 1 ({order['id']}) could not be read")
    ordered = await served.call("list_sales_orders", order_by="delivery_date")
    (message,) = [warning["message"] for warning in ordered["warnings"] if warning["code"] == "unread_field"]
    assert "delivery_date" in message
    assert "unread_field" not in str(await served.call("list_sales_orders", status=["DELIVERED"]))
    (status,) = [
        entity for entity in (await served.call("cache_status"))["entities"] if entity["entity"] == "sales_order"
    ]
    assert status["unread"] == [f"delivery_date of 1 ({order['id']})", f"total of 1 ({order['id']})"]
    spoilt.fields.clear()
    spoilt.spoil("sales_orders", order["id"])
    listed = await served.call("list_sales_orders", total_min=1, order_by="delivery_date")
    assert "unread_field" not in str(listed)


async def test_custom_fields_by_definition_are_shown_and_cost_nothing(served: Stage, spoilt: Spoilt) -> None:
    tenant = spoilt.own.sandbox.tenant()
    variants = [record for record in live(tenant, "variants") if record.get("sku")]
    custom = {f"{UUID}1": "red", f"{UUID}2": 7, f"{UUID}3": None}
    for variant in variants:
        spoilt.fields["variants", variant["id"]] = {"custom_fields": custom}
    for collection in ("products", "materials", "services"):
        for item in live(tenant, collection):
            nested = [{**record, "custom_fields": custom} for record in item["variants"]]
            spoilt.fields[collection, item["id"]] = {"variants": nested}
    sku = variants[0]["sku"]
    (found,) = (await served.call("get_variant_details", skus_or_variant_ids=[sku]))["variants"]
    assert found["custom_fields"] == [{"field": f"{UUID}1", "value": "red"}, {"field": f"{UUID}2", "value": 7}]
    assert sku in {row["sku"] for row in (await served.call("search_items", query=sku))["rows"]}
    entities = (await served.call("cache_status"))["entities"]
    assert not any(entity.get("quarantined") or entity.get("unread") for entity in entities)


async def worked(stage: Stage, spoilt: Spoilt, data: st.DataObject) -> None:
    """Spoil a field of a record that workflows read, and require that each of them answers."""
    collection = data.draw(st.sampled_from(READ_BY_WORKFLOWS))
    tenant = spoilt.own.sandbox.tenant()
    variant = live(tenant, "variants")[0]["id"]
    if collection == "inventory":
        name = data.draw(st.sampled_from(["quantity_in_stock", "reorder_point", "quantity_expected", "average_cost"]))
        spoilt.level = {name: data.draw(JSON)}
        cast("ManualClock", spoilt.own.sandbox.clock).advance(1_000)
    else:
        record = data.draw(st.sampled_from(live(tenant, collection)[:3]))
        name, sent = drawn(data, record)
        spoilt.spoil(collection, record["id"], **{name: sent})
    try:
        for tool in WORKFLOWS:
            arguments: dict[str, object] = {} if tool.startswith("list") else {"skus_or_variant_ids": [variant]}
            if tool == "inventory_at":
                arguments["as_of"] = "2020-01-01T00:00:00Z"
            await stage.call(tool, **arguments)
    finally:
        spoilt.fields.clear()
        spoilt.level = {}


@settings(quick, max_examples=3)
@given(st.data())
async def test_every_workflow_answers_with_any_value_in_any_field(
    served: Stage, spoilt: Spoilt, data: st.DataObject
) -> None:
    await worked(served, spoilt, data)


@pytest.mark.soak
@settings(quick, max_examples=150)
@given(st.data())
async def test_every_workflow_answers_whatever_katana_sends(served: Stage, spoilt: Spoilt, data: st.DataObject) -> None:
    await worked(served, spoilt, data)


async def test_a_sum_over_an_amount_that_could_not_be_read_says_that_it_is_incomplete(
    served: Stage, spoilt: Spoilt
) -> None:
    variants = [variant["id"] for variant in live(spoilt.own.sandbox.tenant(), "variants")[:20]]
    spoilt.level = {"quantity_in_stock": ["many"]}
    answer = await served.call("check_inventory", skus_or_variant_ids=variants)
    (odd,) = [row for row in answer["stock"] if row["locations"] and "in_stock" not in row]
    assert "committed" in odd
    (message,) = [warning["message"] for warning in answer["warnings"] if warning["code"] == "unread_field"]
    assert message.startswith("incomplete: quantity_in_stock of some levels")
