"""What a plan is bound to is read anew before it is sent: what changed a second ago is stale, named by its field."""

from collections.abc import Mapping

from following import following
from server_wire import Wire, live
from transfer_plans import applied

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.resolve import read_anew
from katana_mcp.references.services import Services, current
from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant

type Arguments = dict[str, object]
type Change = tuple[str, int, Mapping[str, object], str]
"""Collection and id of a record, what becomes of it, and what a plan that took something from it says."""


def _first(tenant: Tenant, collection: str, **fields: object) -> Wire:
    return next(record for record in live(tenant, collection) if fields.items() <= record.items())


def _ordered(tenant: Tenant) -> tuple[Wire, Wire]:
    """Return a variant that has prices, of a material that is bought, and the material."""
    goods = [
        variant for variant in live(tenant, "variants") if variant.get("material_id") and variant["purchase_price"]
    ]
    found = [(product, tenant.get("materials", product["material_id"])) for product in goods]
    return next((good, item) for good, item in found if item["default_supplier_id"] and not item["batch_tracked"])


async def _stale(stage: Stage, clock: ManualClock, tool: str, asked: Arguments, change: Change) -> None:
    tenant = stage.own.sandbox.tenant()
    collection, key, fields, said = change
    preview = await stage.call(tool, **asked)
    assert "plan_token" in preview, preview
    clock.advance(1)
    tenant.edit(collection, key, True, **fields)
    answer = await applied(stage, preview["plan_token"])
    message = answer["warnings"][0]["message"]
    assert (answer.get("error"), said in message) == ("stale_plan", True), (said, answer)
    clock.advance(61)
    assert "plan_token" in await stage.call(tool, **asked)


async def test_an_order_of_goods_is_stale_once_what_it_costs_or_names_has_changed(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    good, item = _ordered(tenant)
    supplier = tenant.get("suppliers", item["default_supplier_id"])
    place, tax = live(tenant, "locations")[0], _first(tenant, "tax_rates", is_default_purchases=True)
    row = {"sku_or_variant_id": good["id"], "quantity": 1_000}
    asked: Arguments = {
        "order_no": "PO-BOUND",
        "supplier_id": supplier["id"],
        "location_id": place["id"],
        "rows": [row],
    }
    changes: list[Change] = [
        ("variants", good["id"], {"purchase_price": 77.5}, "price_per_unit: "),
        ("variants", good["id"], {"sku": "RENAMED"}, f"variant[id {good['id']}].sku: {good['sku']} → RENAMED"),
        ("materials", item["id"], {"purchase_uom": "crate"}, f"units[id {good['id']}].unit: "),
        ("suppliers", supplier["id"], {"name": "Renamed"}, f"name: {supplier['name']} → Renamed"),
        ("locations", place["id"], {"name": "Elsewhere"}, f"name: {place['name']} → Elsewhere"),
        ("tax_rates", tax["id"], {"name": "Renamed"}, f"tax_rate[id {tax['id']}].name: {tax['name']} → Renamed"),
        ("tax_rates", tax["id"], {"rate": 31}, "amounts.total: "),
        ("tax_rates", tax["id"], {"is_default_purchases": False}, f"tax_rate_id: {tax['id']} → nothing"),
    ]
    for change in changes:
        await _stale(stage, clock, "create_purchase_order", asked, change)


async def test_an_order_of_a_customer_is_stale_once_a_price_or_its_currency_has_changed(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    base = next(tenant.all("factory"))["base_currency_code"]
    customer = live(tenant, "customers")[0]
    tenant.edit("customers", customer["id"], True, currency=base)
    good = next(variant for variant in live(tenant, "variants") if variant.get("product_id") and variant["sales_price"])
    asked: Arguments = {
        "order_no": "SO-BOUND",
        "customer_id": customer["id"],
        "rows": [{"sku_or_variant_id": good["id"], "quantity": 3}],
    }
    changes: list[Change] = [
        ("variants", good["id"], {"sales_price": 77.5}, "price_per_unit: "),
        ("customers", customer["id"], {"name": "Renamed"}, f"customer[id {customer['id']}].name: "),
    ]
    for change in changes:
        await _stale(stage, clock, "create_sales_order", asked, change)
    preview = await stage.call("create_sales_order", **asked)
    clock.advance(1)
    tenant.edit("customers", customer["id"], True, currency="JPY")
    answer = await applied(stage, preview["plan_token"])
    assert [warning["code"] for warning in answer["warnings"]] == ["stale_plan", "price_required"], answer


async def test_stock_that_is_gone_since_the_preview_is_told_and_stops_nothing(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    good, _ = _ordered(tenant)
    place = live(tenant, "locations")[0]
    row: Wire = {"variant_id": good["id"], "quantity": 1_000, "cost_per_unit": 1}
    adjusted: Wire = {"stock_adjustment_number": "SA-MORE", "location_id": place["id"]}
    tenant.create("stock_adjustments", {**adjusted, "stock_adjustment_rows": [row]})
    less = [{"sku_or_variant_id": good["id"], "quantity": -10}]
    preview = await stage.call("create_stock_adjustment", location_id=place["id"], rows=less)
    assert "insufficient_stock" not in [warning["code"] for warning in preview["warnings"]]
    clock.advance(1)
    gone = {"variant_id": good["id"], "quantity": -100_000}
    tenant.create(
        "stock_adjustments", {**adjusted, "stock_adjustment_number": "SA-LESS", "stock_adjustment_rows": [gone]}
    )
    clock.advance(61)
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    assert (outcome["applied"], [warning["code"] for warning in outcome["warnings"]]) == (1, ["insufficient_stock"])


async def test_plans_of_one_call_share_for_a_minute_what_they_read_and_a_variant_of_a_service_comes_with_that(
    own: OwnSandbox, tenant: Tenant, clock: ManualClock
) -> None:
    service, place = live(tenant, "services")[0], live(tenant, "locations")[0]
    records = {"location": [place["id"]], "variant": [service["variants"][0]["id"]]}

    async def asked(services: Services) -> list[tuple[str, str]]:
        before = len(own.sandbox.journal)
        await read_anew(services, records)
        return [(request.path, dict(request.query)["ids"]) for request in own.sandbox.journal[before:]]

    async with following(own) as services:
        await current(services, ("service", "location"), ())
        clock.advance(61)
        once = [("/v1/locations", str(place["id"])), ("/v1/services", str(service["id"]))]
        assert [await asked(services) for _ in range(2)] == [once, once]
        sharing = services._replace(read_at={})
        found: list[list[tuple[str, str]]] = []
        for seconds in (0, 1, 58, 2):
            clock.advance(seconds)
            found.append(await asked(sharing))
        assert found == [once, [], [], once]
