"""`list_reference` gives each kind by the names and ids that other tools take, from the cache or live."""

import pytest

from katana_mcp.resources.reference import REFERENCE
from katana_mcp.testing import Payload, Stage
from katana_mcp.workflows.live_reference import LIVE
from katana_mcp.workflows.reference import Kind
from katana_sandbox import ManualClock, Tenant

COLLECTIONS = {
    "supplier": "suppliers",
    "location": "locations",
    "tax_rate": "tax_rates",
    "operator": "operators",
    "additional_cost": "additional_costs",
}


def ids(answer: Payload, kind: str) -> list[int]:
    return [row[f"{kind}_id"] for row in answer["rows"]]


def test_every_kind_that_is_a_resource_is_listed() -> None:
    assert (
        {resource.entity for resource in REFERENCE}
        == {*Kind.__value__.__args__} - LIVE.keys()
        == {
            *COLLECTIONS,
            *("factory", "custom_field_definition"),
        }
    )


@pytest.mark.parametrize("kind", COLLECTIONS)
async def test_each_live_record_of_a_kind_is_listed_once_by_its_own_id(stage: Stage, tenant: Tenant, kind: str) -> None:
    live = [record for record in tenant.all(COLLECTIONS[kind]) if record.get("deleted_at") is None]
    answer = await stage.call("list_reference", kind=kind, limit=250)
    assert (sorted(ids(answer, kind)), answer["total"]) == (sorted(record["id"] for record in live), len(live))
    assert all(row["name"] for row in answer["rows"])


async def test_a_warm_kind_and_a_query_ask_nothing(stage: Stage) -> None:
    await stage.call("list_reference", kind="supplier")
    asked = stage.requests()
    every = await stage.call("list_reference", kind="supplier")
    found = await stage.call("list_reference", kind="supplier", query="pinegrove")
    assert stage.requests() == asked
    assert [row["name"] for row in found["rows"]] == ["Pinegrove Cycle Supply"]
    assert found["rows"][0] in every["rows"]


@pytest.mark.parametrize("written", ["Tax rates", "tax-rate", "tax_rates", " TAX RATE "])
async def test_a_kind_is_taken_as_people_write_it(stage: Stage, written: str) -> None:
    answer = await stage.call("list_reference", kind=written)
    assert {row["rate"] for row in answer["rows"]} == {22, 9, 0}


async def test_a_kind_that_there_is_not_is_refused_with_those_that_there_are(stage: Stage) -> None:
    refusal = await stage.refusal("list_reference", kind="bank")
    (warning,) = refusal["warnings"]
    assert (warning["field_path"], "supplier" in warning["message"]) == ("kind", True)


async def test_pages_of_a_kind_hold_every_record_once_and_name_the_next(stage: Stage) -> None:
    whole = ids(await stage.call("list_reference", kind="supplier", limit=250), "supplier")
    pages = [await stage.call("list_reference", kind="supplier", limit=3, page=page) for page in (1, 2, 3)]
    assert [record_id for page in pages for record_id in ids(page, "supplier")] == whole
    assert pages[0]["next_actions"] == ["list_reference(kind='supplier', limit=3, page=2)"]
    assert [page["has_more"] for page in pages] == [True, True, False]
    beyond = await stage.call("list_reference", kind="supplier", limit=3, page=9)
    assert beyond["next_actions"] == ["list_reference(kind='supplier', limit=3, page=3): that is the last page"]


async def test_what_was_made_a_moment_ago_is_found_by_its_name(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    await stage.call("list_reference", kind="supplier")
    made = tenant.create("suppliers", {"name": "Brandnew Bearings", "currency": "EUR"})
    clock.advance(1)
    answer = await stage.call("list_reference", kind="supplier", query="Brandnew Bearings")
    assert ids(answer, "supplier") == [made["id"]]


async def test_a_query_that_nothing_has_says_where_it_looked_and_what_is_near(stage: Stage) -> None:
    answer = await stage.call("list_reference", kind="additional_cost", query="zeppelin")
    assert (answer["rows"], answer["total"], answer["empty"]["records"]) == ([], 0, 3)
    assert answer["empty"]["fields"] == ["name"]
    assert answer["next_actions"] == ["list_reference(kind='additional_cost')"]
    assert (await stage.call("list_reference", kind="additional_cost", query="???"))["total"] == 0


async def test_the_factory_names_its_locations_as_tools_take_them(stage: Stage) -> None:
    (row,) = (await stage.call("list_reference", kind="factory"))["rows"]
    assert (row["default_sales_location"], row["base_currency_code"]) == ("Main workshop", "EUR")


ALIVE = {"storage_bin": "bin_locations", "price_list": "price_lists", "price_list_row": "price_list_rows"}
HOSTILE = "%_'\"); --"


def _bins(tenant: Tenant, *names: str) -> list[int]:
    place = next(tenant.all("locations"))["id"]
    return [tenant.create("bin_locations", {"bin_name": name, "location_id": place})["id"] for name in names]


@pytest.mark.parametrize("kind", ALIVE)
async def test_a_live_kind_is_listed_once_by_its_id_and_is_new_at_each_call(
    stage: Stage, tenant: Tenant, kind: str
) -> None:
    _bins(tenant, "A-1", "B-1")
    shown, own = (LIVE[kind].id, "id") if LIVE[kind].id else ("variant_id", "variant_id")
    records = {record[own]: record["id"] for record in tenant.all(ALIVE[kind])}
    answer = await stage.call("list_reference", kind=kind, limit=250)
    assert sorted(row[shown] for row in answer["rows"]) == sorted(records)
    assert answer["total"] == len(answer["rows"]) > 1
    assert all(row["name"] for row in answer["rows"])
    pages = [await stage.call("list_reference", kind=kind, limit=1, page=page) for page in (1, 2)]
    assert [page["rows"][0] for page in pages] == answer["rows"][:2]
    assert pages[0]["next_actions"] == [f"list_reference(kind={kind!r}, limit=1, page=2)"]
    tenant.delete(ALIVE[kind], records[answer["rows"][0][shown]])
    assert answer["rows"][0] not in (await stage.call("list_reference", kind=kind, limit=250))["rows"]


async def test_bins_name_their_location_and_are_found_by_words_of_their_names(stage: Stage, tenant: Tenant) -> None:
    (first, second, _) = _bins(tenant, "Rack A-12", "Rack B-1", f"odd {HOSTILE}")
    place = next(tenant.all("locations"))
    (row,) = (await stage.call("list_reference", kind="bins", query="a 12"))["rows"]
    assert row == {"bin_location_id": first, "location_id": place["id"], "name": "Rack A-12", "location": place["name"]}
    racks = await stage.call("list_reference", kind="bin location", query="RACK")
    assert [entry["bin_location_id"] for entry in racks["rows"]] == [first, second]
    assert (await stage.call("list_reference", kind="bin", query="odd"))["total"] == 1
    for query in ("ack", HOSTILE, "rack c"):
        none = await stage.call("list_reference", kind="bin", query=query)
        assert (none["rows"], none["total"], none["empty"]["records"]) == ([], 0, 3)
        assert none["empty"]["fields"] == ["name"]
        assert none["next_actions"] == ["list_reference(kind='storage_bin')"]


async def test_rows_of_price_lists_name_list_and_sku_and_are_found_by_either(stage: Stage, tenant: Tenant) -> None:
    lists = {price_list["id"]: price_list["name"] for price_list in tenant.all("price_lists")}
    prices, skus = (
        list(tenant.all("price_list_rows")),
        {variant["id"]: variant["sku"] for variant in tenant.all("variants")},
    )
    every = (await stage.call("list_reference", kind="price list rows", limit=250))["rows"]
    for price, row in zip(sorted(prices, key=lambda record: record["id"]), _by_id(every), strict=True):
        assert (row["price_list"], row.get("sku")) == (lists[price["price_list_id"]], skus[price["variant_id"]])
        assert (row["amount"], row["adjustment_method"]) == (price["amount"], price["adjustment_method"])
    dealers = await stage.call("list_reference", kind="price_list_row", query="dealer", limit=250)
    assert _by_id(dealers["rows"]) == [row for row in _by_id(every) if row["price_list"] == "Dealers"] != []
    sku = next(row["sku"] for row in every if "sku" in row)
    before = stage.requests()
    found = await stage.call("list_reference", kind="price_list_row", query=sku)
    assert stage.requests() - before == 2
    assert _by_id(found["rows"]) == [row for row in _by_id(every) if row.get("sku") == sku]
    none = await stage.call("list_reference", kind="price_list_row", query="zeppelin")
    assert (none["rows"], none["empty"]["records"]) == ([], len(prices))
    assert (await stage.call("list_reference", kind="price_list_row", query=HOSTILE))["total"] == 0


def _by_id(rows: list[Payload]) -> list[Payload]:
    return sorted(rows, key=lambda row: (row["price_list"], row["variant_id"]))


async def test_a_row_that_the_query_finds_twice_is_shown_once(stage: Stage, tenant: Tenant) -> None:
    price = next(tenant.all("price_list_rows"))
    tenant.edit("variants", price["variant_id"], sku="DEALER-1")
    await stage.call("search_items", query="DEALER-1")
    rows = (await stage.call("list_reference", kind="price_list_row", query="dealer", limit=250))["rows"]
    assert len({(row["price_list"], row["variant_id"]) for row in rows}) == len(rows)
    assert [row["variant_id"] for row in rows if row.get("sku") == "DEALER-1"] == [price["variant_id"]]


async def test_a_price_of_a_service_is_found_by_its_sku(stage: Stage, tenant: Tenant) -> None:
    variant = next(tenant.all("services"))["variants"][0]
    dealers = next(tenant.all("price_lists"))["id"]
    prices = [{"variant_id": variant["id"], "adjustment_method": "fixed", "amount": 40}]
    tenant.insert_raw(
        "price_list_rows",
        {"id": 7_777, "price_list_id": dealers, **prices[0], "created_at": "2026-01-01T00:00:00.000Z"},
    )
    (row,) = (await stage.call("list_reference", kind="price_list_row", query=variant["sku"]))["rows"]
    assert (row["variant_id"], row["sku"], row["amount"]) == (variant["id"], variant["sku"], 40)


async def test_reasons_of_returns_are_shown_by_the_id_that_returns_have(stage: Stage) -> None:
    answer = await stage.call("list_reference", kind="return reason")
    assert answer["rows"][0] == {"reason_id": 1, "name": "Defective or damaged"}
    assert answer["total"] == 6
    damaged = await stage.call("list_reference", kind="return_reasons", query="damaged")
    assert [row["reason_id"] for row in damaged["rows"]] == [1]


async def test_a_supplier_is_shown_with_the_address_that_a_change_of_it_names(stage: Stage, tenant: Tenant) -> None:
    place = {"line_1": "Works 1", "zip": "01001", "country": "EE"}
    supplier = tenant.create("suppliers", {"name": "Nova Rohre", "addresses": [place]})
    tenant.create("suppliers", {"name": "Nova Rohre without one"})
    with_it, without = (await stage.call("list_reference", kind="supplier", query="nova rohre"))["rows"]
    assert with_it["addresses"] == [{"address_id": supplier["addresses"][0]["id"], **place}]
    assert "addresses" not in without
