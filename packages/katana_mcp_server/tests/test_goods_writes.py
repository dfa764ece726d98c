"""Products and materials written through the server: made whole, changed, read at once, and taken back."""

import pytest
from journal_plans import hasty
from server_wire import Wire, live
from transfer_plans import applied, applied_in_time, counted, writes

from katana_mcp.testing import Payload, Stage
from katana_sandbox import Drop, Fault, LeaveParent, ManualClock, Status, Tenant

SIZES: Wire = {"type": "product", "name": "Trike", "is_producible": True, "uom": "pcs"}
SMALL: Wire = {"sku": "TR-S", "config": {"Size": "S"}, "sales_price": 99.5, "internal_barcode": "abc-1"}
LARGE: Wire = {"sku": "TR-L", "config": {"Size": "L"}, "supplier_item_codes": ["T-9"], "lead_time": 12}


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    hasty(monkeypatch)


async def _done(stage: Stage, clock: ManualClock, tool: str, **arguments: object) -> Payload:
    """Plan and apply; return the outcome: everything was applied, and Katana answered as planned."""
    clock.advance(61)
    preview = await stage.call(tool, **arguments)
    assert "plan_token" in preview, preview
    answer = await applied(stage, preview["plan_token"])
    assert (set(counted(answer["outcomes"][0])), answer["warnings"]) == ({"applied"}, []), answer
    return answer["outcomes"][0]


async def _back(stage: Stage, clock: ManualClock, outcome: Payload) -> Payload:
    return await _done(stage, clock, outcome["revert"]["tool"], **outcome["revert"]["arguments"])


def _held(tenant: Tenant, collection: str, item: int) -> Wire:
    """Return an item and its variants as Katana has them, without ids and stamps."""
    own = {"id", "created_at", "updated_at", "product_id", "material_id"}
    record = tenant.get(collection, item)
    head = {name: value or None for name, value in record.items() if name not in {*own, "variants", "configs"}}
    kept = [{name: value for name, value in row.items() if name not in own} for row in record["variants"]]
    options = [{"name": config["name"], "values": config["values"]} for config in record["configs"]]
    return {**head, "configs": options, "variants": sorted(kept, key=lambda row: row["sku"] or "")}


async def test_a_product_is_made_with_its_options_found_at_once_and_taken_back(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    outcome = await _done(stage, clock, "create_item", **SIZES, variants=[SMALL, LARGE])
    made = _held(tenant, "products", outcome["id"])
    assert made["configs"] == [{"name": "Size", "values": ["S", "L"]}]
    small = next(row for row in made["variants"] if row["sku"] == "TR-S")
    assert (small["sales_price"], small["internal_barcode"]) == (99.5, "ABC-1")
    assert (await stage.call("search_items", query="TR-L"))["rows"][0]["sku"] == "TR-L"
    shown = (await stage.call("get_item", item_id="TR-S"))["item"]
    assert [row["config"] for row in shown["rows"]] == ["Size: S", "Size: L"]
    assert len([path for method, path in writes(stage) if method == "POST"]) == 1
    await _back(stage, clock, outcome)
    assert "Trike" not in {product["name"] for product in live(tenant, "products")}
    assert "TR-L" not in {row.get("sku") for row in (await stage.call("search_items", query="TR-L"))["rows"]}


async def test_a_material_with_one_variant_gets_its_sales_price_by_a_second_request(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    solo = {"sku": "OAK-1", "sales_price": 7.25, "purchase_price": 3}
    outcome = await _done(stage, clock, "create_item", type="material", name="Oak", variants=[solo])
    (variant,) = tenant.get("materials", outcome["id"])["variants"]
    assert (variant["sales_price"], variant["purchase_price"]) == (7.25, 3)
    assert [method for method, _ in writes(stage)] == ["POST", "PATCH"]
    assert writes(stage)[1][1] == f"/v1/variants/{variant['id']}"
    (row,) = (await stage.call("search_items", query="OAK-1"))["rows"]
    assert row["sales_price"] == 7.25


@pytest.mark.parametrize("priced", [("S",), ("S", "L")], ids=["some", "all"])
async def test_prices_of_a_new_material_go_to_the_variants_that_they_were_given_for(
    stage: Stage, tenant: Tenant, clock: ManualClock, priced: tuple[str, ...]
) -> None:
    prices = {"S": 5, "L": 6}
    new = [
        {"sku": f"OAK-{size}", "config": {"Size": size}, **({"sales_price": price} if size in priced else {})}
        for size, price in prices.items()
    ]
    outcome = await _done(stage, clock, "create_item", type="material", name="Oak", variants=new)
    found = {row["sku"]: row["sales_price"] for row in tenant.get("materials", outcome["id"])["variants"]}
    assert found == {f"OAK-{size}": prices[size] if size in priced else 0 for size in prices}
    assert tenant.get("materials", outcome["id"])["configs"][0]["values"] == ["S", "L"]


async def test_head_options_and_variants_change_in_one_plan_and_come_back(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    new = {"purchase_uom": "box", "purchase_uom_conversion_rate": 12, "additional_info": "from the north"}
    made = await _done(stage, clock, "create_item", **SIZES, **new, variants=[SMALL, LARGE])
    before = _held(tenant, "products", made["id"])
    changed = await _done(
        stage,
        clock,
        "modify_item",
        type="product",
        item_id="TR-S",
        name="Trike, new",
        purchase_uom="pack",
        category_name="Toys",
        update_variants=[{"variant_id": "TR-S", "sku": "TR-XL", "config": {"Size": "XL"}, "sales_price": 0}],
        add_variants=[{"sku": "TR-M", "config": {"Size": "M"}}],
        delete_variant_ids=["TR-L"],
    )
    now = _held(tenant, "products", made["id"])
    assert now["configs"] == [{"name": "Size", "values": ["S", "L", "XL", "M"]}]
    assert (now["name"], now["purchase_uom"], float(now["purchase_uom_conversion_rate"])) == ("Trike, new", "pack", 12)
    assert now["additional_info"] == "from the north"
    live_rows = [(row["sku"], row["sales_price"]) for row in now["variants"]]
    assert live_rows == [("TR-M", 0), ("TR-XL", 0)]
    shown = (await stage.call("get_item", item_id=made["id"], item_type="product"))["item"]
    assert [row["config"] for row in shown["rows"]] == ["Size: XL", "Size: M"]
    await _back(stage, clock, changed)
    assert _held(tenant, "products", made["id"]) == before


async def test_a_price_alone_leaves_the_options_in_the_cache(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    made = await _done(stage, clock, "create_item", **SIZES, variants=[SMALL, LARGE])
    await _done(
        stage,
        clock,
        "modify_item",
        type="product",
        item_id=made["id"],
        update_variants=[{"variant_id": "TR-S", "sales_price": 3}],
    )
    await _done(stage, clock, "change_prices", which="sales", prices=[{"sku_or_variant_id": "TR-L", "price": 4}])
    for sku, price, size in (("TR-S", 3, "S"), ("TR-L", 4, "L")):
        (variant,) = (await stage.call("get_variant_details", skus_or_variant_ids=[sku]))["variants"]
        assert (variant["sales_price"], variant["config"]) == (price, f"Size: {size}")
    assert tenant.get("products", made["id"])["configs"][0]["values"] == ["S", "L"]


async def test_options_are_sent_whole_and_none_is_wiped(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    wide = [{**SMALL, "config": {"Size": "S", "Colour": "Red"}}, {**LARGE, "config": {"Size": "L", "Colour": "Red"}}]
    made = await _done(stage, clock, "create_item", **SIZES, variants=wide)
    options = {config["name"]: config["id"] for config in tenant.get("products", made["id"])["configs"]}
    changed = await _done(
        stage, clock, "modify_item", type="product", item_id=made["id"], configs={"Size": ["S", "M", "L"]}
    )
    now = tenant.get("products", made["id"])["configs"]
    assert [(row["name"], row["values"]) for row in now] == [("Size", ["S", "M", "L"]), ("Colour", ["Red"])]
    assert {row["name"]: row["id"] for row in now} == options
    await _back(stage, clock, changed)
    assert tenant.get("products", made["id"])["configs"][0]["values"] == ["S", "L"]
    sized = [{"variant_id": sku, "config": {"Gears": "9"}} for sku in ("TR-S", "TR-L")]
    geared = await _done(stage, clock, "modify_item", type="product", item_id=made["id"], update_variants=sized)
    assert [len(row["config_attributes"]) for row in tenant.get("products", made["id"])["variants"]] == [3, 3]
    await _back(stage, clock, geared)
    after = tenant.get("products", made["id"])
    assert [config["name"] for config in after["configs"]] == ["Size", "Colour"]
    assert [len(row["config_attributes"]) for row in after["variants"]] == [2, 2]


async def test_the_first_option_of_an_item_stays_and_that_is_said(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    made = await _done(stage, clock, "create_item", **SIZES, variants=[{"sku": "TR-1"}])
    assert _held(tenant, "products", made["id"])["configs"] == []
    changes = [{"variant_id": "TR-1", "config": {"Size": "S"}}]
    asked = {"type": "product", "item_id": made["id"], "update_variants": changes}
    clock.advance(61)
    preview = await stage.call("modify_item", **asked)
    assert "no_way_back" in [warning["code"] for warning in preview["warnings"]]
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    assert "revert" not in outcome
    clock.advance(61)
    gone: dict[str, object] = {
        "configs": {"Size": []},
        "update_variants": [{"variant_id": "TR-1", "config": {"Size": None}}],
    }
    refused = await stage.call("modify_item", type="product", item_id=made["id"], **gone)
    messages = [warning["message"] for warning in refused["warnings"] if warning["severity"] == "blocking"]
    assert "configs: Katana keeps at least one option of an item that has some: its last one stays" in messages


@pytest.mark.parametrize("kind", ["product", "material"])
async def test_an_item_is_archived_and_comes_back(stage: Stage, tenant: Tenant, clock: ManualClock, kind: str) -> None:
    item = live(tenant, f"{kind}s")[0]
    archived = await _done(stage, clock, "modify_item", type=kind, item_id=item["id"], is_archived=True)
    assert tenant.get(f"{kind}s", item["id"])["archived_at"]
    assert tenant.get(f"{kind}s", item["id"])["additional_info"] == item["additional_info"]
    await _back(stage, clock, archived)
    assert tenant.get(f"{kind}s", item["id"])["archived_at"] is None


async def test_a_deleted_material_says_what_uses_it_and_is_made_again(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    used = tenant.get("variants", next(row for row in tenant.all("bom_rows"))["ingredient_variant_id"])
    kind = "material" if used["material_id"] else "product"
    preview = await stage.call("delete_item", type=kind, item_id=used[f"{kind}_id"])
    messages = [warning["message"] for warning in preview["warnings"] if warning["code"] == "in_use"]
    assert [message.partition(": ")[0].lstrip("0123456789 ") for message in messages] == [
        "products are made of it",
        "it has stock",
    ]
    assert used["sku"] in messages[1]
    made = await _done(stage, clock, "create_item", type="material", name="Oak", variants=[{"sku": "OAK-1"}])
    before = _held(tenant, "materials", made["id"])
    gone = await _done(stage, clock, "delete_item", type="material", item_id="OAK-1")
    assert tenant.get("materials", made["id"])["deleted_at"]
    again = await _back(stage, clock, gone)
    assert _held(tenant, "materials", again["id"]) == before


@pytest.mark.parametrize("ends", [(422, "failed", 1), (500, "unknown", 4)], ids=["refused", "fault"])
async def test_what_a_failed_create_leaves_is_named_and_offered_for_deletion(
    stage: Stage, tenant: Tenant, clock: ManualClock, ends: tuple[int, str, int]
) -> None:
    status, state, left = ends
    other = tenant.create("materials", {"name": "Oak", "variants": [{"sku": "OAK-0"}]})["id"]
    stage.own.sandbox.faults.add(Fault("POST /v1/materials", action=LeaveParent(status, left)))
    clock.advance(61)
    preview = await stage.call("create_item", type="material", name="Oak", variants=[{"sku": "OAK-1"}])
    answer = await applied_in_time(stage, clock, preview["plan_token"])
    (outcome,) = answer["outcomes"]
    halves = [
        material["id"]
        for material in live(tenant, "materials")
        if material["name"] == "Oak" and material["id"] != other
    ]
    named = [warning["message"] for warning in outcome["warnings"] if warning["code"] == "left_behind"]
    assert (outcome["actions"][0]["state"], len(halves), len(named)) == (state, left, left)
    assert sorted(outcome["actions"][0]["look_up"]["left_behind"]) == sorted(halves)
    for key in halves:
        assert any(f"delete_item(type='material', item_id={key}) plans" in hint for hint in named), named
        await _done(stage, clock, "delete_item", type="material", item_id=key)
    assert [material["id"] for material in live(tenant, "materials") if material["name"] == "Oak"] == [other]


async def test_a_refused_create_that_leaves_nothing_says_nothing_of_leftovers(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    tenant.create("materials", {"name": "Oak", "variants": [{"sku": "OAK-0"}]})
    stage.own.sandbox.faults.add(Fault("POST /v1/materials", action=Status(422)))
    clock.advance(61)
    preview = await stage.call("create_item", type="material", name="Oak", variants=[{"sku": "OAK-1"}])
    (outcome,) = (await applied_in_time(stage, clock, preview["plan_token"]))["outcomes"]
    assert (outcome["failed"], outcome["warnings"]) == (1, [])


async def test_a_lead_time_that_katana_refuses_is_refused_before_anything_is_sent(stage: Stage) -> None:
    for days in (1000, 1.5, -1):
        variants = [{"sku": "OAK-1", "lead_time": days}]
        refusal = await stage.refusal("create_item", type="material", name="Oak", variants=variants)
        assert [warning["field_path"] for warning in refusal["warnings"]] == ["variants[0].lead_time"]
    assert writes(stage) == []


async def test_a_new_item_whose_answer_is_lost_is_found_by_all_that_it_holds(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    stage.own.sandbox.faults.add(Fault("POST */products", action=Drop("after")))
    preview = await stage.call("create_item", **SIZES, variants=[SMALL, LARGE])
    answer = await applied_in_time(stage, clock, preview["plan_token"])
    (outcome,) = answer["outcomes"]
    assert (outcome["applied"], outcome["actions"][0]["look_up"]["as_planned"]) == (1, 1)
    assert len([product for product in live(tenant, "products") if product["name"] == "Trike"]) == 1


async def test_arguments_that_a_type_does_not_have_are_refused_with_what_there_is(stage: Stage) -> None:
    refused: dict[str, tuple[str, Wire, str]] = {
        "sku": ("product", {"sku": "X", "variants": [{}]}, "its variants do"),
        "default_cost": ("material", {"default_cost": 1, "variants": [{}]}, "`purchase_price`"),
        "is_producible": ("material", {"is_producible": True, "variants": [{}]}, "a material has none"),
        "variants": ("product", {}, "a new product needs at least one"),
        "batch_tracked": ("service", {"batch_tracked": True}, "a service has none"),
    }
    for argument, (kind, fields, message) in refused.items():
        refusal = await stage.refusal("create_item", type=kind, name="X", **fields)
        (warning,) = refusal["warnings"]
        assert (warning["code"], warning["field_path"]) == ("invalid_argument", argument)
        assert message in warning["message"]
    assert writes(stage) == []


async def test_an_id_that_several_types_share_is_read_by_its_type(stage: Stage, tenant: Tenant) -> None:
    both = {product["id"] for product in live(tenant, "products")} & {
        material["id"] for material in live(tenant, "materials")
    }
    key = min(both)
    for kind in ("product", "material"):
        preview = await stage.call("modify_item", type=kind, item_id=key, category_name="Shared id")
        assert preview["requests"][0]["path"] == f"/{kind}s/{key}"
