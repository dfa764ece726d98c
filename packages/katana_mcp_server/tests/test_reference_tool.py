"""`list_reference` gives each kind by the names and ids that other tools take, from the cache."""

import pytest

from katana_mcp.resources.reference import REFERENCE
from katana_mcp.testing import Payload, Stage
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
        {each.entity for each in REFERENCE}
        == {*Kind.__value__.__args__}
        == {
            *COLLECTIONS,
            *("factory", "custom_field_definition"),
        }
    )


@pytest.mark.parametrize("kind", COLLECTIONS)
async def test_each_live_record_of_a_kind_is_listed_once_by_its_own_id(stage: Stage, tenant: Tenant, kind: str) -> None:
    live = [each for each in tenant.all(COLLECTIONS[kind]) if each.get("deleted_at") is None]
    answer = await stage.call("list_reference", kind=kind, limit=250)
    assert (sorted(ids(answer, kind)), answer["total"]) == (sorted(each["id"] for each in live), len(live))
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
    assert [each for page in pages for each in ids(page, "supplier")] == whole
    assert pages[0]["next_actions"] == ["list_reference(kind='supplier', limit=3, page=2)"]
    assert [page["has_more"] for page in pages] == [True, True, False]


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
