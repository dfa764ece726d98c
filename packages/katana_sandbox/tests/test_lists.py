"""Lists: cold edges, paging, filters and deltas."""

import pytest

from katana_sandbox import Caller, ManualClock, Sandbox, SandboxConfig, Tenant

LISTS = (
    "products", "materials", "services", "variants", "bom_rows", "customers", "customer_addresses", "suppliers",
    "supplier_addresses", "locations", "tax_rates", "operators", "additional_costs", "sales_orders",
    "sales_order_rows", "sales_order_addresses", "sales_order_fulfillments", "sales_order_shipping_fee", "inventory",
)  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
async def test_pages_of_any_size_put_together_give_the_whole_list_newest_first(api: Caller, name: str) -> None:
    whole = await api.get(f"/{name}", {"limit": 250})
    total = int(whole.page["total_records"])
    gathered: list[object] = []
    for page in range(1, -(-total // 7) + 1):
        answer = await api.get(f"/{name}", {"limit": 7, "page": page})
        assert answer.page["last_page"] == ("true" if page == -(-total // 7) else "false")
        gathered += answer.rows
    assert gathered[:250] == whole.rows
    assert len(gathered) == total
    if name not in {"inventory", "sales_order_shipping_fee"}:
        created = [row["created_at"] for row in whole.rows]
        assert created == sorted(created, reverse=True)


@pytest.mark.parametrize("name", LISTS)
async def test_an_empty_tenant_has_empty_lists_with_one_page(empty: Sandbox, name: str) -> None:
    answer = await empty.caller().get(f"/{name}")
    assert answer.status == 200
    if name in {"locations", "tax_rates", "operators", "additional_costs"}:
        assert len(answer.rows) >= 3
        return
    assert answer.rows == []
    assert (answer.page["total_records"], answer.page["total_pages"], answer.page["last_page"]) == ("0", "1", "true")


async def test_a_page_beyond_the_end_is_empty_and_still_counts(api: Caller) -> None:
    answer = await api.get("/products", {"page": 99, "limit": 250})
    assert (answer.status, answer.rows) == (200, [])
    assert (answer.page["total_records"], answer.page["page"], answer.page["last_page"]) == ("21", "99", "true")
    assert (await api.get("/products", {"page": 10**15})).rows == []


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 0},
        {"limit": -1},
        {"limit": "abc"},
        {"limit": ""},
        {"limit": "1.5"},
        {"page": 0},
        {"page": "x"},
        {"page": "٣"},
    ],
)
async def test_a_limit_or_page_that_is_no_positive_number_is_a_400(api: Caller, query: dict[str, object]) -> None:
    answer = await api.get("/products", query)
    assert (answer.status, answer.error["code"]) == (400, "INVALID_PARAMETER_VALUE")
    assert "x-pagination" not in answer.headers


async def test_a_bad_limit_is_a_400_and_so_is_a_large_one_when_switched(clock: ManualClock) -> None:
    api = Sandbox(SandboxConfig(switches={"over_maximum_limit": "reject"}), clock=clock).caller()
    assert (await api.get("/products", {"limit": 0})).status == 400
    assert (await api.get("/products", {"limit": 251})).status == 400
    assert (await api.get("/products", {"limit": 250})).status == 200


async def test_paging_parameters_are_ignored_where_they_mean_nothing(api: Caller) -> None:
    query = {"page": "nonsense", "limit": 0}
    assert (await api.get("/factory", query)).status == 200
    assert (await api.get("/products/10000101", query)).status == 200


async def test_array_parameters_repeat_their_key(api: Caller) -> None:
    assert (await api.get("/customers", {"ids": [10000101, 10000103]})).ids == [10000103, 10000101]
    assert (await api.get("/customers?ids=1,2")).status == 400
    addresses = await api.get("/customer_addresses", {"customer_ids": [10000101, 10000102], "entity_type": "billing"})
    assert [row["customer_id"] for row in addresses.rows] == [10000102, 10000101]
    stock = await api.get("/inventory", {"variant_id": [10000106, 10000104]})
    assert [(row["location_id"], row["variant_id"]) for row in stock.rows] == [
        (place, v) for place in (10000101, 10000102, 10000103) for v in (10000104, 10000106)
    ]


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
async def test_booleans_are_read_in_any_case(api: Caller, word: str) -> None:
    rows = (await api.get("/products", {"is_producible": word})).rows
    assert {row["is_producible"] for row in rows} == {True}
    assert (await api.get("/products", {"is_producible": "maybe"})).status == 400


async def test_a_query_value_outside_its_enum_is_a_400_that_lists_the_allowed_values(api: Caller) -> None:
    answer = await api.get("/variants", {"type": "service"})
    assert (answer.status, answer.error["name"]) == (400, "BadRequestError")
    assert answer.error["details"][0]["info"] == {"allowedValues": ["product", "material"]}
    for path in (
        "/sales_orders?production_status=x",
        "/operators?working_area=x",
        "/products?extend=variant",
        "/sales_order_fulfillments?status=x",
    ):
        assert (await api.get(path)).error["details"][0]["code"] == "enum"
    assert (await api.get("/sales_orders?status=x")).rows == []


async def test_filters_compare_exactly_and_with_case(api: Caller) -> None:
    assert len((await api.get("/customers", {"name": "Velo Berger"})).rows) == 3
    assert (await api.get("/customers", {"name": "velo berger"})).rows == []
    assert (await api.get("/customers", {"name": "Velo"})).rows == []


async def test_number_filters_compare_by_value(api: Caller) -> None:
    assert len((await api.get("/tax_rates", {"rate": "22.0"})).rows) == 1
    assert (await api.get("/materials", {"purchase_uom_conversion_rate": 500})).rows[0]["uom"] == "pcs"
    assert (await api.get("/tax_rates", {"rate": "abc"})).status == 400


async def test_the_location_filter_is_spelled_purchases_allowed(api: Caller) -> None:
    assert len((await api.get("/locations", {"purchases_allowed": True})).rows) == 3
    assert len((await api.get("/locations", {"purchase_allowed": False})).rows) == 3
    assert [row["name"] for row in (await api.get("/locations", {"sales_allowed": False})).rows] == ["Returns depot"]
    assert [row["is_primary"] for row in (await api.get("/locations", {"rank": 0})).rows] == [True]


async def test_a_delta_shows_edits_creations_and_tombstones_since_a_moment(
    api: Caller, tenant: Tenant, clock: ManualClock
) -> None:
    clock.advance(10)
    since = clock.now().isoformat().replace("+00:00", "Z")
    assert (await api.get("/customers", {"updated_at_min": since})).rows == []
    tenant.edit("customers", 10000102, comment="edited")
    tenant.edit("customers", 10000103, comment="silent", bump=False)
    tenant.delete("customers", 10000104)
    tenant.delete("customers", 10000105, hard=True)
    made = tenant.create("customers", {"name": "New"})["id"]
    assert (await api.get("/customers", {"updated_at_min": since})).ids == [made, 10000102]
    assert (await api.get("/customers", {"updated_at_min": since, "include_deleted": True})).ids == [
        made,
        10000104,
        10000102,
    ]
    clock.advance(1)
    assert (await api.get("/customers", {"created_at_min": since})).ids == [made]


async def test_date_bounds_are_inclusive_and_naive_dates_refused(api: Caller) -> None:
    stamp = "2026-03-02T09:00:00.000Z"
    created = (await api.post("/customers", {"name": "A"})).body
    assert created["created_at"] == stamp
    assert (await api.get("/customers", {"created_at_min": "2026-03-02T09:00:00"})).status == 400
    for bound in ("created_at_min", "created_at_max"):
        assert created["id"] in (await api.get("/customers", {bound: stamp})).ids
    assert created["id"] not in (await api.get("/customers", {"created_at_min": "2026-03-02T09:00:00.001Z"})).ids


async def test_a_date_that_is_none_is_a_400_and_where_there_are_no_ranges_it_is_ignored(api: Caller) -> None:
    assert (await api.get("/variants", {"updated_at_min": "soon"})).status == 400
    assert (await api.get("/inventory", {"updated_at_min": "soon"})).status == 200


async def test_extend_adds_linked_objects_which_are_absent_without_it(api: Caller) -> None:
    variant = (await api.get("/variants/10000106", {"extend": "product_or_material"})).body
    assert "00.4021.018.003" in [
        code for v in variant["product_or_material"]["variants"] for code in v["supplier_item_codes"]
    ]
    assert "product_or_material" not in (await api.get("/variants/10000106")).body
    material = (await api.get("/materials/10000101", {"extend": "supplier"})).body
    assert material["supplier"]["id"] == material["default_supplier_id"]
    assert material["supplier"]["addresses"][0]["supplier_id"] == material["default_supplier_id"]
    row = (await api.get("/sales_order_rows", {"extend": "variant", "limit": 1})).rows[0]
    assert row["variant"]["id"] == row["variant_id"]
    stock = (await api.get("/inventory", {"extend": ["variant", "location"], "limit": 1})).rows[0]
    assert (stock["variant"]["id"], stock["location"]["id"]) == (stock["variant_id"], stock["location_id"])


async def test_bare_order_filters_find_orders_by_every_field(api: Caller, tenant: Tenant) -> None:
    order = next(row for row in tenant.all("sales_orders") if row["ecommerce_order_id"] and not row["deleted_at"])
    for name in ("order_no", "ecommerce_order_id"):
        assert (await api.get("/sales_orders", {name: order[name]})).ids == [order["id"]]
    for name in (
        "customer_id",
        "location_id",
        "status",
        "currency",
        "source",
        "product_availability",
        "production_status",
        "ingredient_availability",
    ):
        rows = (await api.get("/sales_orders", {name: order[name], "limit": 250})).rows
        assert order["id"] in [row["id"] for row in rows]
        assert {row[name] for row in rows} == {order[name]}


async def test_unknown_paths_and_writes_on_read_only_collections_are_404(api: Caller) -> None:
    assert (await api.get("/nowhere")).body == {
        "error": {"statusCode": 404, "name": "NotFoundError", "message": "Not found"}
    }
    assert (await api.post("/additional_costs", {"name": "x"})).status == 404
    assert (await api.patch("/factory", {"name": "x"})).status == 404
    assert (await api.delete("/locations/10000101")).status == 404
    assert (await api.call("PUT", "/products/10000101", b"{}")).status == 404
    assert (await api.get("/products/")).status == 404
    assert (await api.get("/stocktakes/1")).status == 404


async def test_a_missing_or_wrong_key_is_a_401_before_anything_else(sandbox: Sandbox) -> None:
    for key in (None, "wrong"):
        answer = await sandbox.caller(key).get("/nowhere")
        assert (answer.status, answer.error["name"]) == (401, "UnauthorizedError")
        assert "x-ratelimit-reset" in answer.headers
    lower = await sandbox.caller(None).call("GET", "/factory", headers={"authorization": "bearer sandbox-key"})
    assert lower.status == 200
