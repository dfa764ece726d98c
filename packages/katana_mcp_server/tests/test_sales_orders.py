"""`list_sales_orders` and `get_sales_order` against plain Python over what the sandbox holds."""

import json
from datetime import datetime, timedelta

import pytest
from server_wire import Filtered, Keeps, Wire, amount, live

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Stage, payload_of, staged
from katana_mcp.tools.days import days_in
from katana_sandbox import ManualClock, Sandbox, SandboxConfig, Tenant

MIDDLE = "2026-02-01T12:00:00.000Z"


def _newest_first(orders: list[Wire]) -> list[int]:
    return [order["id"] for order in sorted(orders, key=lambda order: order["id"], reverse=True)]


def _late(order: Wire, now: str = "2026-03-02T09:00:00.000Z") -> bool:
    return order["status"] not in {"DELIVERED", "PENDING"} and (order["delivery_date"] or now) < now


PLAIN: list[Filtered] = [
    ({}, lambda _: True),
    ({"status": ["NOT_SHIPPED", "PACKED"]}, lambda order: order["status"] in {"NOT_SHIPPED", "PACKED"}),
    ({"open": True}, lambda order: order["status"] != "DELIVERED"),
    ({"open": False}, lambda order: order["status"] == "DELIVERED"),
    ({"overdue": True}, _late),
    ({"currency": "GBP"}, lambda order: order["currency"] == "GBP"),
    ({"created_from": MIDDLE}, lambda order: order["created_at"] >= MIDDLE),
    ({"created_to": MIDDLE}, lambda order: order["created_at"] <= MIDDLE),
    ({"updated_from": "2026-02-01T14:00:00+02:00"}, lambda order: order["updated_at"] >= MIDDLE),
    ({"updated_to": "2026-02-01T12:00:00"}, lambda order: order["updated_at"] <= MIDDLE),
    ({"delivery_from": MIDDLE}, lambda order: (order["delivery_date"] or "") >= MIDDLE),
    ({"delivery_to": MIDDLE}, lambda order: (order["delivery_date"] or "9") <= MIDDLE),
    ({"picked_from": MIDDLE}, lambda order: (order["picked_date"] or "") >= MIDDLE),
    ({"picked_to": MIDDLE}, lambda order: (order["picked_date"] or "9") <= MIDDLE),
    ({"total_min": 8708.36}, lambda order: amount(order["total"]) >= amount("8708.36")),
    ({"total_max": 8708.36}, lambda order: amount(order["total"]) <= amount("8708.36")),
    ({"product_availability": "picked"}, lambda order: order["product_availability"] == "PICKED"),
    ({"production_status": ["none"]}, lambda order: order["production_status"] == "NONE"),
    ({"invoicing_status": "not invoiced"}, lambda order: order["invoicing_status"] == "notInvoiced"),
    ({"open": True, "currency": "EUR"}, lambda order: order["status"] != "DELIVERED" and order["currency"] == "EUR"),
]


async def test_a_filter_keeps_exactly_the_orders_that_it_names(
    stage: Stage, tenant: Tenant, subtests: pytest.Subtests
) -> None:
    for filters, keeps in PLAIN:
        with subtests.test(str(filters)):
            expected = _newest_first([order for order in live(tenant, "sales_orders") if keeps(order)])
            answer = await stage.call("list_sales_orders", limit=200, **filters)
            assert [row["sales_order_id"] for row in answer["rows"]] == expected[: len(answer["rows"])]
            assert answer["total"] == len(expected) > 0
            assert answer["has_more"] is (len(answer["rows"]) < len(expected))


async def test_a_quote_is_never_late_and_an_open_order_is(stage: Stage, tenant: Tenant) -> None:
    quote, order = live(tenant, "sales_orders")[:2]
    for document, status in ((quote, "PENDING"), (order, "NOT_SHIPPED")):
        tenant.edit("sales_orders", document["id"], status=status, delivery_date="2026-01-05T00:00:00.000Z")
    late = await stage.call("list_sales_orders", overdue=True, ids=[quote["id"], order["id"]])
    assert [(row["sales_order_id"], row["overdue"]) for row in late["rows"]] == [(order["id"], True)]


@pytest.mark.parametrize(("offset", "hours"), [("+02:00", 2), ("-07:00", -7), ("Z", 0), ("", 2)])
async def test_bounds_include_the_moment_itself_in_any_offset(
    stage: Stage, tenant: Tenant, offset: str, hours: int
) -> None:
    order = live(tenant, "sales_orders")[30]
    utc = datetime.fromisoformat(order["created_at"])
    moment = f"{(utc + timedelta(hours=hours)).strftime('%Y-%m-%dT%H:%M:%S.%f')}{offset}"
    answer = await stage.call("list_sales_orders", created_from=moment, created_to=moment)
    assert [row["sales_order_id"] for row in answer["rows"]] == [order["id"]]


async def test_customers_locations_and_items_can_be_named_or_given_by_id(stage: Stage, tenant: Tenant) -> None:
    orders = live(tenant, "sales_orders")
    names = [customer["name"] for customer in live(tenant, "customers")]
    order = next(
        record
        for record in orders
        if names.count(tenant.get("customers", record["customer_id"])["name"]) == 1
        and record["sales_order_rows"][0]["sku"] not in {None, "PAD"}
    )
    row = order["sales_order_rows"][0]
    asked: list[tuple[str, list[object], Keeps]] = [
        (
            "customer_id",
            [order["customer_id"], tenant.get("customers", order["customer_id"])["name"]],
            lambda record: record["customer_id"] == order["customer_id"],
        ),
        (
            "location_id",
            [order["location_id"], tenant.get("locations", order["location_id"])["name"]],
            lambda record: record["location_id"] == order["location_id"],
        ),
        (
            "skus_or_variant_ids",
            [[row["variant_id"]], [row["sku"]], row["sku"]],
            lambda record: row["variant_id"] in [one["variant_id"] for one in record["sales_order_rows"]],
        ),
    ]
    for name, values, keeps in asked:
        expected = _newest_first([record for record in orders if keeps(record)])
        for value in values:
            answer = await stage.call("list_sales_orders", limit=200, **{name: value})
            assert answer["total"] == len(expected) > 0, (name, value)
            assert [entry["sales_order_id"] for entry in answer["rows"]] == expected[: len(answer["rows"])], (
                name,
                value,
            )


async def test_a_name_that_several_customers_have_is_refused_with_the_candidates(stage: Stage, tenant: Tenant) -> None:
    twins = [str(customer["id"]) for customer in live(tenant, "customers") if customer["name"] == "Velo Berger"]
    assert len(twins) > 1
    refusal = await stage.refusal("list_sales_orders", customer_id="Velo Berger")
    assert refusal["error"] == "ambiguous_name"
    assert refusal["warnings"][0]["field_path"] == "customer_id"
    assert all(twin in refusal["warnings"][0]["message"] for twin in twins)


async def test_a_name_that_nobody_has_is_refused_with_near_misses(stage: Stage) -> None:
    refusal = await stage.refusal("list_sales_orders", customer_id="Velo Bergr")
    assert refusal["error"] == "not_found"
    assert "did you mean 'velo berger'?" in refusal["warnings"][0]["message"].lower()


async def test_pages_add_up_to_the_whole_without_gap_or_repeat(stage: Stage, tenant: Tenant) -> None:
    expected = _newest_first(live(tenant, "sales_orders"))
    seen: list[int] = []
    page, more = 1, True
    while more:
        answer = await stage.call("list_sales_orders", limit=25, page=page)
        assert (answer["page"], answer["limit"], answer["total"]) == (page, 25, len(expected))
        seen += [row["sales_order_id"] for row in answer["rows"]]
        page, more = page + 1, answer["has_more"]
    assert seen == expected
    beyond = await stage.call("list_sales_orders", limit=25, page=page + 5)
    assert (beyond["rows"], beyond["total"], beyond["has_more"]) == ([], len(expected), False)


async def test_ids_come_back_in_the_order_asked_and_missing_ones_by_name(stage: Stage, tenant: Tenant) -> None:
    first, second, third = (order["id"] for order in live(tenant, "sales_orders")[:3])
    answer = await stage.call("list_sales_orders", ids=[second, 999_999, first, third, 1])
    assert [row["sales_order_id"] for row in answer["rows"]] == [second, first, third]
    assert answer["not_found"] == [999_999, 1]
    assert answer["total"] == 3
    kept = await stage.call("list_sales_orders", ids=[second, first], limit=1, page=2)
    assert [row["sales_order_id"] for row in kept["rows"]] == [first]


async def test_deleted_orders_are_listed_only_on_request_and_marked(stage: Stage, tenant: Tenant) -> None:
    gone = {order["id"]: order["deleted_at"] for order in tenant.all("sales_orders") if order["deleted_at"]}
    assert gone
    plain = await stage.call("list_sales_orders", limit=1)
    every = await stage.call("list_sales_orders", limit=1, include_deleted=True)
    assert every["total"] == plain["total"] + len(gone)
    (some, when), *_ = gone.items()
    answer = await stage.call("get_sales_order", sales_order_id=some)
    assert answer["order"]["deleted_at"] == when
    assert [warning["code"] for warning in answer["warnings"]] == ["deleted_item"]


async def test_rows_come_along_only_when_asked_for(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[-1]
    (plain,) = (await stage.call("list_sales_orders", ids=[order["id"]]))["rows"]
    (full,) = (await stage.call("list_sales_orders", ids=[order["id"]], include_rows=True))["rows"]
    assert "rows" not in plain
    assert plain["row_count"] == len(full["rows"]) == len(order["sales_order_rows"])
    for shown, sent in zip(full["rows"], order["sales_order_rows"], strict=True):
        assert (shown["sales_order_row_id"], shown["sku"]) == (sent["id"], sent["sku"])
        assert amount(shown["quantity"]) == amount(sent["quantity"])
        assert amount(shown["price_per_unit"]) == amount(sent["price_per_unit"])
        assert shown["name"]


async def test_a_service_on_an_order_has_its_name_and_sku(stage: Stage, tenant: Tenant) -> None:
    sold = {record["variants"][0]["id"]: record for record in tenant.all("services")}
    order, row = next(
        (sales_order, row)
        for sales_order in live(tenant, "sales_orders")
        for row in sales_order["sales_order_rows"]
        if row["variant_id"] in sold
    )
    rows = (await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]["rows"]
    (shown,) = [entry for entry in rows if entry["sales_order_row_id"] == row["id"]]
    service = sold[row["variant_id"]]
    assert (shown["name"], shown["sku"]) == (service["name"], service["variants"][0]["sku"])
    listed = await stage.call("list_sales_orders", skus_or_variant_ids=[service["variants"][0]["sku"]], limit=100)
    assert order["id"] in [entry["sales_order_id"] for entry in listed["rows"]]


async def test_an_order_is_got_by_id_by_number_and_by_either_as_people_type_it(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[10]
    for asked in (order["id"], str(order["id"]), order["order_no"], f" {order['order_no'].lower()} "):
        shown = (await stage.call("get_sales_order", sales_order_id=asked))["order"]
        assert shown["sales_order_id"] == order["id"], asked
    buyer, place = (tenant.get(name, order[f"{name[:-1]}_id"])["name"] for name in ("customers", "locations"))
    assert (shown["order_no"], shown["customer"], shown["location"]) == (order["order_no"], buyer, place)
    assert amount(shown["total"]) == amount(order["total"])
    assert "url" not in shown
    assert shown["delivery_date"] == days_in("Europe/Tallinn").day(order["delivery_date"])


async def test_what_was_shipped_who_packed_it_and_where_rows_come_from_are_told_by_name(
    stage: Stage, tenant: Tenant
) -> None:
    shipped = next(fulfillment["sales_order_id"] for fulfillment in live(tenant, "sales_order_fulfillments"))
    packer, place = live(tenant, "operators")[0], live(tenant, "locations")[-1]
    for fulfillment in live(tenant, "sales_order_fulfillments"):
        tenant.edit("sales_order_fulfillments", fulfillment["id"], packer_id=packer["id"])
    for sales_order_row in tenant.get("sales_orders", shipped)["sales_order_rows"]:
        tenant.edit("sales_order_rows", sales_order_row["id"], location_id=place["id"])
    shown = (await stage.call("get_sales_order", sales_order_id=shipped))["order"]
    assert {row["location"] for row in shown["rows"]} == {place["name"]} != {shown["location"]}
    assert {fulfillment["packer"] for fulfillment in shown["fulfillments"]} == {packer["operator_name"]}
    ordered = {row["sales_order_row_id"]: (row["sku"], row["name"]) for row in shown["rows"]}
    sent = [row for fulfillment in shown["fulfillments"] for row in fulfillment["rows"]]
    assert [(row["sku"], row["name"]) for row in sent] == [ordered[row["sales_order_row_id"]] for row in sent] != []


async def test_the_tax_of_a_shipping_fee_is_told_in_percent(stage: Stage, tenant: Tenant) -> None:
    charged = next(order for order in live(tenant, "sales_orders") if order["shipping_fee"])
    rate = live(tenant, "tax_rates")[-1]
    tenant.edit("sales_order_shipping_fee", charged["shipping_fee"]["id"], tax_rate_id=rate["id"])
    fee = (await stage.call("get_sales_order", sales_order_id=charged["id"]))["order"]["shipping_fee"]
    assert (fee["tax_rate_id"], amount(fee["tax_rate"])) == (rate["id"], amount(rate["rate"]))


async def test_an_order_is_shown_with_shipments_addresses_fee_and_what_is_made_for_it(
    stage: Stage, tenant: Tenant
) -> None:
    shipped = next(
        sales_order_fulfillment["sales_order_id"]
        for sales_order_fulfillment in live(tenant, "sales_order_fulfillments")
    )
    charged = next(sales_order["id"] for sales_order in live(tenant, "sales_orders") if sales_order["shipping_fee"])
    made = next(
        manufacturing_order
        for manufacturing_order in live(tenant, "manufacturing_orders")
        if manufacturing_order.get("sales_order_row_id")
    )
    for order_id in (shipped, charged, made["sales_order_id"]):
        order = tenant.get("sales_orders", order_id)
        shown = (await stage.call("get_sales_order", sales_order_id=order_id))["order"]
        sent = [
            sales_order_fulfillment
            for sales_order_fulfillment in live(tenant, "sales_order_fulfillments")
            if sales_order_fulfillment["sales_order_id"] == order_id
        ]
        assert [fulfillment["sales_order_fulfillment_id"] for fulfillment in shown["fulfillments"]] == [
            record["id"] for record in sent
        ]
        for entry, fulfillment in zip(shown["fulfillments"], sent, strict=True):
            assert (entry["status"], entry["picked_date"]) == (fulfillment["status"], fulfillment["picked_date"])
            assert [(row["sales_order_row_id"], amount(row["quantity"])) for row in entry["rows"]] == [
                (sales_order_fulfillment_row["sales_order_row_id"], amount(sales_order_fulfillment_row["quantity"]))
                for sales_order_fulfillment_row in fulfillment["sales_order_fulfillment_rows"]
            ]
        assert [(address["address_id"], address["entity_type"], address["city"]) for address in shown["addresses"]] == [
            (address["id"], address["entity_type"], address["city"]) for address in order["addresses"]
        ]
        fee = order["shipping_fee"]
        told_fee = shown.get("shipping_fee", {})
        assert told_fee.get("shipping_fee_id") == fee.get("id")
        assert told_fee.get("description") == fee.get("description")
        assert not fee or (amount(told_fee["amount"]), told_fee["currency"]) == (
            amount(fee["amount"]),
            order["currency"],
        )
        for row in shown["rows"]:
            making = [
                (manufacturing_order["id"], manufacturing_order["order_no"], manufacturing_order["status"])
                for manufacturing_order in live(tenant, "manufacturing_orders")
                if manufacturing_order.get("sales_order_row_id") == row["sales_order_row_id"]
            ]
            told_making = row.get("manufacturing_orders", [])
            assert [(row["manufacturing_order_id"], row["order_no"], row["status"]) for row in told_making] == making


async def test_an_unknown_order_is_refused_with_near_misses(stage: Stage, tenant: Tenant) -> None:
    number = live(tenant, "sales_orders")[10]["order_no"]
    refusal = await stage.refusal("get_sales_order", sales_order_id=f"{number}x")
    assert refusal["error"] == "not_found"
    assert refusal["warnings"][0]["field_path"] == "sales_order_id"
    assert f"no sales order has the order number '{number}x'; did you mean" in refusal["warnings"][0]["message"]
    missing = await stage.refusal("get_sales_order", sales_order_id=999_999)
    assert missing["warnings"][0]["message"] == "sales order 999999 not found"


async def test_a_number_that_several_orders_have_is_refused_with_their_ids(stage: Stage, tenant: Tenant) -> None:
    first, second, *_ = live(tenant, "sales_orders")
    tenant.edit("sales_orders", second["id"], order_no=first["order_no"])
    refusal = await stage.refusal("get_sales_order", sales_order_id=first["order_no"])
    assert refusal["error"] == "ambiguous_name"
    assert f"{first['id']}, {second['id']}" in refusal["warnings"][0]["message"]


async def test_the_rows_of_a_long_order_come_in_pages(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[-1]
    row = order["sales_order_rows"][0]
    for number in range(250 - len(order["sales_order_rows"])):
        tenant.insert_raw("sales_order_rows", {**row, "id": 900_000_000 + number})
    tenant.edit("sales_orders", order["id"], additional_info="long")
    seen: list[int] = []
    for page, more in ((1, True), (2, True), (3, True), (4, True), (5, False), (6, False)):
        answer = await stage.call("get_sales_order", sales_order_id=order["id"], rows_page=page)
        assert answer["rows_have_more"] is more, page
        assert bool(answer["next_actions"]) is more, page
        assert answer["order"]["row_count"] == 250
        seen += [entry["sales_order_row_id"] for entry in answer["order"]["rows"]]
    row_ids = [sales_order_row["id"] for sales_order_row in tenant.get("sales_orders", order["id"])["sales_order_rows"]]
    assert seen == row_ids


async def test_long_texts_of_an_order_leave_its_rows_half_of_an_answer(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[-1]
    row = order["sales_order_rows"][0]
    for number in range(60):
        tenant.insert_raw("sales_order_rows", {**row, "id": 900_000_000 + number})
    tenant.edit("sales_orders", order["id"], additional_info="a" * 30_000, customer_ref="b" * 30_000)
    product = tenant.get("variants", row["variant_id"])["product_id"]
    tenant.edit("products", product, name="c" * 100)
    answer = await stage.call("get_sales_order", sales_order_id=order["id"])
    size = max(len(json.dumps(shown, separators=(",", ":"))) for shown in answer["order"]["rows"])
    # 50 of them would fit beside texts of a third of an answer: 23,667 bytes are left then, and 17,000 beside a half.
    assert 20 * size <= 17_000 < 50 * size <= 23_667, size
    assert len(answer["order"]["rows"]) == 20


@pytest.mark.parametrize("price", ["0.1", "19.99", "1234567.8901234567", "0.0000000001", "99999999999999.99"])
async def test_amounts_arrive_exactly_as_katana_holds_them(stage: Stage, tenant: Tenant, price: str) -> None:
    order = live(tenant, "sales_orders")[0]
    row = order["sales_order_rows"][0]
    tenant.edit("sales_order_rows", row["id"], price_per_unit=price)
    tenant.edit("sales_orders", order["id"], additional_info="priced")
    shown = (await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]["rows"][0]
    assert amount(shown["price_per_unit"]) == amount(price)


async def test_no_answer_outgrows_what_hosts_take_and_the_rest_can_be_had(clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(SandboxConfig(orders=300), clock=clock))
    tenant = own.sandbox.tenant()
    long = "ж" * 200
    for customer in live(tenant, "customers"):
        tenant.edit("customers", customer["id"], name=f"{long} {customer['id']}")
    total = len(live(tenant, "sales_orders"))
    async with staged(own) as stage:
        seen: list[int] = []
        first = await stage.result("list_sales_orders", {"limit": 250, "include_rows": True})
        size = len(str(getattr(first.content[0], "text", "")).encode())
        assert 20_000 < size <= 40_000
        cut = payload_of(first)
        assert [warning["code"] for warning in cut["warnings"]] == ["truncated_result"]
        fits = len(cut["rows"])
        assert cut["next_actions"] == ["list_sales_orders(..., limit=250, page=2)"]
        second = await stage.call("list_sales_orders", limit=250, page=2, include_rows=True)
        assert cut["total"] == total > fits
        page, more = 1, True
        while more:
            answer = await stage.call("list_sales_orders", limit=fits // 2, page=page, include_rows=True)
            assert answer["warnings"] == []
            seen += [row["sales_order_id"] for row in answer["rows"]]
            page, more = page + 1, answer["has_more"]
    both = [*cut["rows"], *second["rows"]]
    assert [row["sales_order_id"] for row in both] == seen[: len(both)]
    assert seen == _newest_first(live(tenant, "sales_orders"))
