"""`list_items` and `get_item`: three kinds of records in one list, against plain Python over the sandbox."""

import pytest
from server_wire import Filtered, Wire, amount, deleted_within, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Payload, Stage, payload_of, staged, text_of
from katana_sandbox import Fault, ManualClock, Sandbox, SandboxConfig, Tenant

TYPES = ("product", "material", "service")
MIDDLE = "2024-06-01T00:00:00.000Z"


def _items(tenant: Tenant) -> list[Wire]:
    return [record for kind in TYPES for record in live(tenant, f"{kind}s")]


def _newest_first(items: list[Wire]) -> list[tuple[str, int]]:
    by_age = sorted(items, key=lambda item: (item["created_at"], item["id"], item["type"]), reverse=True)
    return [(record["type"], record["id"]) for record in by_age]


def _named(rows: list[Wire]) -> list[tuple[str, int]]:
    return [(row["item_type"], row["item_id"]) for row in rows]


PLAIN: list[Filtered] = [
    ({}, lambda _: True),
    ({"type": "Material"}, lambda item: item["type"] == "material"),
    ({"type": ["product", "service"]}, lambda item: item["type"] != "material"),
    ({"sellable": True}, lambda item: item["is_sellable"]),
    ({"sellable": False}, lambda item: not item["is_sellable"]),
    ({"producible": True}, lambda item: item.get("is_producible", False)),
    ({"producible": False}, lambda item: not item.get("is_producible", False)),
    ({"purchasable": True}, lambda item: item.get("is_purchasable", True)),
    ({"purchasable": False}, lambda item: not item.get("is_purchasable", True)),
    ({"batch_tracked": True}, lambda item: item.get("batch_tracked", False)),
    ({"category": "Wheels"}, lambda item: item["category_name"] == "Wheels"),
    ({"category": "Workshop"}, lambda item: item["category_name"] == "Workshop"),
    ({"created_from": MIDDLE}, lambda item: item["created_at"] >= MIDDLE),
    (
        {"updated_to": MIDDLE, "type": "material"},
        lambda item: item["updated_at"] <= MIDDLE and item["type"] == "material",
    ),
]


async def test_each_filter_keeps_exactly_the_items_that_it_names(stage: Stage, tenant: Tenant) -> None:
    some = live(tenant, "materials")[5]
    tenant.edit("materials", some["id"], batch_tracked=True)
    supplier = tenant.get("suppliers", some["default_supplier_id"])
    named: list[Filtered] = [
        ({"name": some["name"]}, lambda item: item["name"] == some["name"]),
        ({"supplier_id": supplier["name"]}, lambda item: item.get("default_supplier_id") == supplier["id"]),
        ({"supplier_id": supplier["id"]}, lambda item: item.get("default_supplier_id") == supplier["id"]),
    ]
    for filters, keeps in PLAIN + named:
        expected = _newest_first([item for item in _items(tenant) if keeps(item)])
        answer = await stage.call("list_items", limit=250, **filters)
        shown = _named(answer["rows"])
        if "type" in filters and isinstance(filters["type"], str):
            assert sorted(shown) == sorted(expected), filters
        else:
            assert shown == expected, filters
        assert answer["total"] == len(expected) > 0, filters


@pytest.mark.parametrize("order_by", ["name", "-name", "created_at", "-updated_at"])
async def test_the_pages_of_all_types_add_up_in_the_order_asked_for(
    stage: Stage, tenant: Tenant, order_by: str
) -> None:
    key = order_by.removeprefix("-")
    seen: list[Wire] = []
    page, more = 1, True
    while more:
        answer = await stage.call("list_items", limit=10, page=page, order_by=order_by)
        seen += answer["rows"]
        page, more = page + 1, answer["has_more"]
    values = {(item["type"], item["id"]): item[key] for item in _items(tenant)}
    assert sorted(_named(seen)) == sorted(values)
    shown = [values[name] for name in _named(seen)]
    assert shown == sorted(shown, reverse=order_by.startswith("-"))


@pytest.mark.parametrize("asked", [{}, {"type": "product"}])
async def test_a_page_past_the_last_one_names_the_last_one(stage: Stage, asked: dict[str, object]) -> None:
    beyond = await stage.call("list_items", limit=10, page=1_001, **asked)
    last = -(-beyond["total"] // 10)
    assert last > 1
    actions = [f"list_items(..., limit=10, page={last}): that is the last page"]
    assert (beyond["rows"], beyond["has_more"], beyond["next_actions"]) == ([], False, actions)
    assert (await stage.call("list_items", limit=10, page=last, **asked))["rows"]


async def test_the_pages_of_all_types_go_on_to_the_last_row_that_they_reach(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katana_mcp.surface.operations.list.REACH", 25)
    last = await stage.call("list_items", limit=10, page=3)
    assert (len(last["rows"]), last["has_more"]) == (5, True)
    assert last["next_actions"] == ["list_items(..., type=...): the pages of several types reach the first 25 rows"]
    refusal = await stage.refusal("list_items", limit=10, page=4)
    assert refusal["warnings"][0]["field_path"] == "page"
    alone = await stage.call("list_items", limit=5, page=5, type="material")
    assert alone["next_actions"] == ["list_items(..., limit=5, page=6)"]


async def test_ids_that_several_types_share_are_refused_and_found_with_a_type(stage: Stage, tenant: Tenant) -> None:
    shared = live(tenant, "services")[0]["id"]
    refusal = await stage.refusal("list_items", ids=[shared])
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("ambiguous_name", "ids")
    assert f"{shared} (product, material, service)" in refusal["warnings"][0]["message"]
    for kind in TYPES:
        answer = await stage.call("list_items", ids=[shared, 999_999], type=[kind])
        assert (_named(answer["rows"]), answer["not_found"]) == ([(kind, shared)], [999_999])
    alone = max(material["id"] for material in live(tenant, "materials"))
    assert _named((await stage.call("list_items", ids=[alone]))["rows"]) == [("material", alone)]


async def test_archived_and_deleted_items_are_listed_on_request_and_marked(stage: Stage, tenant: Tenant) -> None:
    every = [record for kind in TYPES for record in tenant.all(f"{kind}s")]
    for state in ("archived", "deleted"):
        gone = [(record["type"], record["id"]) for record in every if record[f"{state}_at"]]
        shown = (await stage.call("list_items", limit=250, **{f"include_{state}": True}))["rows"]
        marked = [row for row in shown if f"{state}_at" in row]
        assert sorted(_named(marked)) == sorted(gone) != []
        assert len(shown) == len(_items(tenant)) + len(gone)
        answer = await stage.call("get_item", item_id=gone[0][1], item_type=gone[0][0])
        assert [warning["code"] for warning in answer["warnings"]] == [f"{state}_item"]


async def test_variants_come_along_only_when_asked_for(stage: Stage, tenant: Tenant) -> None:
    item = live(tenant, "materials")[-1]
    (plain,) = (await stage.call("list_items", ids=[item["id"]], type="material"))["rows"]
    (full,) = (await stage.call("list_items", ids=[item["id"]], type="material", include_rows=True))["rows"]
    assert "rows" not in plain
    assert plain["variant_count"] == len(full["rows"]) == len(item["variants"])
    assert [row["variant_id"] for row in full["rows"]] == [variant["id"] for variant in item["variants"]]


async def test_a_product_is_shown_with_variants_options_prices_and_whether_it_has_a_recipe(
    stage: Stage, tenant: Tenant
) -> None:
    made = next(tenant.all("bom_rows"))["product_item_id"]
    product = tenant.get("products", made)
    supplier = live(tenant, "suppliers")[0]
    tenant.edit("suppliers", supplier["id"], currency="CHF")
    tenant.edit("products", made, default_supplier_id=supplier["id"], additional_info="handle with care")
    shown = (await stage.call("get_item", item_id=made, item_type="product"))["item"]
    assert (shown["name"], shown["category"], shown["supplier"]) == (
        product["name"],
        product["category_name"],
        supplier["name"],
    )
    assert shown["additional_info"] == "handle with care"
    assert all(shown[name] is product[name] for name in ("is_sellable", "is_producible", "is_purchasable"))
    assert shown["bom_row_count"] == sum(bom_row["product_item_id"] == made for bom_row in tenant.all("bom_rows")) > 0
    assert shown["configs"] == [{"name": config["name"], "values": config["values"]} for config in product["configs"]]
    live_variants = [variant for variant in product["variants"] if not variant["deleted_at"]]
    for row, sent in zip(shown["rows"], live_variants, strict=True):
        assert (row["variant_id"], row.get("sku")) == (sent["id"], sent["sku"])
        assert amount(row["sales_price"]) == amount(sent["sales_price"])
        assert (row["sales_currency"], row["purchase_currency"]) == ("EUR", "CHF")
        assert row["config"] == ", ".join(
            f"{attribute['config_name']}: {attribute['config_value']}" for attribute in sent["config_attributes"]
        )
    bought = next(record for record in live(tenant, "products") if not record["is_producible"])
    assert (await stage.call("get_item", item_id=bought["name"]))["item"]["bom_row_count"] == 0


@pytest.mark.cold
async def test_a_variant_that_is_deleted_is_neither_shown_nor_counted(stage: Stage, tenant: Tenant) -> None:
    product = next(record for record in live(tenant, "products") if len(record["variants"]) > 1)
    first, *others = product["variants"]

    stage.own.sandbox.faults.add(Fault("GET /products", action=deleted_within("variants", first["id"]), times=None))
    shown = (await stage.call("get_item", item_id=product["id"], item_type="product"))["item"]
    (listed,) = (await stage.call("list_items", ids=[product["id"]], type="product", include_rows=True))["rows"]
    for item in (shown, listed):
        assert [row["variant_id"] for row in item["rows"]] == [other["id"] for other in others]
        assert item["variant_count"] == len(others) > 0


async def test_an_item_is_got_by_id_name_and_sku_of_a_variant(stage: Stage, tenant: Tenant) -> None:
    for kind in TYPES:
        skus = [variant["sku"] for variant in tenant.all("variants")]
        item = next(
            record
            for record in live(tenant, f"{kind}s")
            if record["variants"][0]["sku"] and skus.count(record["variants"][0]["sku"]) < 2
        )
        sku = item["variants"][0]["sku"]
        for asked in (item["id"], str(item["id"]), item["name"], f" {item['name'].upper()}", sku):
            answer = await stage.call("get_item", item_id=asked, item_type=kind)
            assert _named([answer["item"]]) == [(kind, item["id"])], asked
        assert _named([(await stage.call("get_item", item_id=sku))["item"]]) == [(kind, item["id"])]


async def test_an_id_that_several_types_share_is_refused_and_an_unknown_item_with_near_ones(
    stage: Stage, tenant: Tenant
) -> None:
    shared = live(tenant, "services")[0]
    refusal = await stage.refusal("get_item", item_id=shared["id"])
    assert (refusal["error"], refusal["warnings"][0]["field_path"]) == ("ambiguous_name", "item_id")
    assert f"service {shared['id']} ({shared['name']})" in refusal["warnings"][0]["message"]
    unknown = await stage.refusal("get_item", item_id=f"{shared['name']}x")
    assert unknown["error"] == "not_found"
    assert repr(shared["name"]) in unknown["warnings"][0]["message"]
    assert (await stage.refusal("get_item", item_id=999_999))["error"] == "not_found"


async def test_an_item_of_many_variants_comes_in_pages_and_bounded(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(variants=400), clock=clock))
    tenant = own.sandbox.tenant()
    numbers = [f"{index}" for index in range(120)]
    variants = [
        {
            "sku": f"MANY-{index}",
            "supplier_item_codes": [f"{number}{code}{'ж' * 34}" for code in range(9)],
            "config_attributes": [{"config_name": "No", "config_value": number}],
        }
        for index, number in enumerate(numbers)
    ]
    body = {"name": "Many", "uom": "pcs", "configs": [{"name": "No", "values": numbers}], "variants": variants}
    item = tenant.create("products", body)
    async with staged(own) as stage:
        seen: list[int] = []
        page, more = 1, True
        answer: Payload = {}
        while more:
            result = await stage.result("get_item", {"item_id": "Many", "rows_page": page})
            assert 10_000 < len(text_of(result).encode()) <= 40_000
            answer = payload_of(result)
            seen += [row["variant_id"] for row in answer["item"]["rows"]]
            page, more = page + 1, answer["rows_have_more"]
    assert item["name"] == "Many"
    assert page > 4
    assert len(seen) == len(set(seen)) == 120 == answer["item"]["variant_count"]
