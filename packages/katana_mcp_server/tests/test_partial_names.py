"""A unique part of a name is enough in the filters of what reads, and said; writes want the whole name."""

from collections.abc import Callable

import pytest
from server_wire import live

from katana_mcp.server.made_tools import tools
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant

NAMES = {
    "supplier_id": "suppliers",
    "customer_id": "customers",
    "location_id": "locations",
    "source_location_id": "locations",
    "target_location_id": "locations",
}
READS = {tool.name for tool in tools() if tool.read_only and not tool.plans}
FILTERS = [
    (row["name"], name)
    for row in catalogue()
    if row["name"] in READS and row["name"] != "get_customer"
    for name in row["inputSchema"]["properties"]
    if name in NAMES
]


def notices(answer: Payload) -> list[tuple[str, str]]:
    """Return what parts of names were taken for."""
    return [
        (warning["severity"], warning["message"]) for warning in answer["warnings"] if warning["code"] == "partial_name"
    ]


def needed(tenant: Tenant, tool: str, given: str) -> dict[str, object]:
    """Return the arguments that a tool cannot do without, besides the one that is given."""
    variants = [variant["id"] for variant in live(tenant, "variants")[:10]]
    asked: dict[str, object] = {"skus_or_variant_ids": variants, "as_of": "2026-02-28"}
    schema = next(row["inputSchema"] for row in catalogue() if row["name"] == tool)
    if tool == "promise_date":
        return {"rows": [{"sku_or_variant_id": variants[0], "quantity": 1}]}
    return {name: asked[name] for name in schema.get("required", ()) if name != given}


def only_word(tenant: Tenant, collection: str, cut: Callable[[str], str]) -> tuple[str, dict[str, object]]:
    """Return a part of a name that no other has, and the record."""
    rows = live(tenant, collection)
    words = [(word, row) for row in rows for word in row["name"].split() if len(word) > 4]
    return next(
        (cut(word), row)
        for word, row in words
        if sum(word.casefold()[:4] in other["name"].casefold() for other in rows) == 1
    )


@pytest.mark.parametrize(("tool", "name"), FILTERS, ids=[" ".join(pair) for pair in FILTERS])
async def test_a_part_of_a_name_that_one_has_stands_for_it_and_is_told(
    stage: Stage, tenant: Tenant, tool: str, name: str
) -> None:
    word, row = only_word(tenant, NAMES[name], lambda text: text[:5].upper())
    called = {"supplier_id": "supplier", "customer_id": "customer"}.get(name, "location")
    arguments = needed(tenant, tool, name)
    whole = await stage.call(tool, **arguments, **{name: row["name"]})
    assert notices(whole) == []
    part = await stage.call(tool, **arguments, **{name: word})
    message = f"{name}: {word!r} was read as {called} {row['id']} ({row['name']}), the only one with this in its name"
    assert notices(part) == [("info", message)]
    key = {"inventory_at": "stock", "check_inventory": "stock", "get_demand_forecast": "forecasts"}.get(tool, "rows")
    assert part[key] == whole[key]
    assert part.get("total") == whole.get("total")


def test_there_are_filters_of_every_kind() -> None:
    assert {name for _, name in FILTERS} == NAMES.keys()
    assert len(FILTERS) >= 14


async def test_a_part_that_several_have_is_refused_with_the_candidates(stage: Stage, tenant: Tenant) -> None:
    rows = live(tenant, "customers")
    word = next(row["name"].split()[0] for row in rows if sum(row["name"].split()[0] in o["name"] for o in rows) > 2)
    having = [row for row in rows if word in row["name"].split()]
    refusal = await stage.refusal("list_sales_orders", customer_id=word)
    (warning,) = refusal["warnings"]
    assert (warning["code"], warning["field_path"]) == ("ambiguous_name", "customer_id")
    assert f"{len(having)} customers have {word!r} in their names; name one whole or by id: " in warning["message"]
    assert sum(f"{record['id']} ({record['name']})" in warning["message"] for record in having) == min(5, len(having))


async def test_a_whole_name_counts_before_a_part_of_another(stage: Stage, tenant: Tenant) -> None:
    first, second = live(tenant, "suppliers")[:2]
    tenant.edit("suppliers", second["id"], name=f"{first['name']} Outlet")
    answer = await stage.call("list_purchase_orders", supplier_id=first["name"])
    assert notices(answer) == []
    assert {row["supplier_id"] for row in answer["rows"]} == {first["id"]}


async def test_what_is_deleted_does_not_count(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    word, row = only_word(tenant, "suppliers", str)
    other = next(supplier for supplier in live(tenant, "suppliers") if supplier["id"] != row["id"])
    tenant.edit("suppliers", other["id"], name=f"Outlet of {word}")
    refusal = await stage.refusal("list_purchase_orders", supplier_id=word)
    assert refusal["error"] == "ambiguous_name"
    tenant.delete("suppliers", int(str(row["id"])))
    clock.advance(1_000)
    answer = await stage.call("list_purchase_orders", supplier_id=word)
    assert [f"{other['id']} (Outlet of {word})" in message for _, message in notices(answer)] == [True]
    assert {entry["supplier_id"] for entry in answer["rows"]} == {other["id"]}


async def test_a_part_inside_a_word_is_not_enough(stage: Stage, tenant: Tenant) -> None:
    word, _ = only_word(tenant, "suppliers", str)
    refusal = await stage.refusal("list_purchase_orders", supplier_id=word[2:])
    assert refusal["error"] == "not_found"


async def test_no_part_of_a_number_or_a_sku_is_enough(stage: Stage, tenant: Tenant) -> None:
    number = live(tenant, "sales_orders")[0]["order_no"]
    refusal = await stage.refusal("list_manufacturing_orders", sales_order_id=number.split("-")[0])
    assert refusal["error"] == "not_found"
    sku = next(variant["sku"] for variant in live(tenant, "variants") if "-" in variant["sku"])
    refusal = await stage.refusal("list_sales_orders", skus_or_variant_ids=[sku.rpartition("-")[0]])
    assert refusal["error"] == "not_found"


async def test_writes_want_the_whole_name_and_name_the_candidates(stage: Stage, tenant: Tenant) -> None:
    word, row = only_word(tenant, "suppliers", str)
    order = live(tenant, "purchase_orders")[0]
    line = {"variant_id": order["purchase_order_rows"][0]["variant_id"], "quantity": 1, "price_per_unit": 1}
    preview = await stage.call("create_purchase_order", supplier_id=word, location_id=order["location_id"], rows=[line])
    assert "plan_token" not in preview
    blocking = [warning for warning in preview["warnings"] if warning["severity"] == "blocking"]
    assert [(warning["code"], warning["field_path"]) for warning in blocking] == [("not_found", "supplier_id")]
    assert f"did you mean {row['name']!r}?" in blocking[0]["message"]
    place, where = only_word(tenant, "locations", str)
    other = next(location["id"] for location in live(tenant, "locations") if location["id"] != where["id"])
    moving = [{"variant_id": line["variant_id"], "quantity": 1}]
    moved = await stage.call("create_stock_transfer", source_location_id=place, target_location_id=other, rows=moving)
    assert f"did you mean {where['name']!r}?" in next(
        warning["message"] for warning in moved["warnings"] if warning["severity"] == "blocking"
    )


@pytest.mark.parametrize(
    ("tool", "name"), [("create", "supplier_id"), ("modify", "supplier_id"), ("modify", "location_id")]
)
async def test_a_write_names_all_that_have_the_part_and_takes_none(
    stage: Stage, tenant: Tenant, tool: str, name: str
) -> None:
    word, row = only_word(tenant, NAMES[name], str)
    other = next(record for record in live(tenant, NAMES[name]) if record["id"] != row["id"])
    tenant.edit(NAMES[name], other["id"], name=f"{word} Outlet")
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    )
    line = {"variant_id": order["purchase_order_rows"][0]["variant_id"], "quantity": 1, "price_per_unit": 1}
    usual = {field: order[field] for field in ("supplier_id", "location_id")}
    given = {**usual, "rows": [line]} if tool == "create" else {"purchase_order_id": order["id"]}
    preview = await stage.call(f"{tool}_purchase_order", **{**given, name: word})
    assert "plan_token" not in preview
    (message,) = [warning["message"] for warning in preview["warnings"] if warning["field_path"] == name]
    assert all(repr(candidate) in message for candidate in (row["name"], f"{word} Outlet"))


async def test_a_part_of_a_customers_own_name_is_enough_to_list_it(stage: Stage, tenant: Tenant) -> None:
    word, row = only_word(tenant, "customers", str)
    answer = await stage.call("list_customers", name=word)
    message = f"name: {word!r} was read as customer {row['id']} ({row['name']}), the only one with this in its name"
    assert notices(answer) == [("info", message)]
    assert [entry["customer_id"] for entry in answer["rows"]] == [row["id"]]
    whole = await stage.call("list_customers", name=str(row["name"]).upper())
    assert notices(whole) == []
    assert whole["rows"] == answer["rows"]


async def test_a_part_that_several_customers_have_is_refused_with_them(stage: Stage, tenant: Tenant) -> None:
    words = [word for customer in live(tenant, "customers") for word in customer["name"].split()]
    word = next(candidate for candidate in words if words.count(candidate) > 1)
    refusal = await stage.refusal("list_customers", name=word)
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("ambiguous_name", "name")
    assert (await stage.call("list_customers", name="nobody-at-all"))["rows"] == []
