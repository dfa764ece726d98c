"""A query that is shaped like the account's numbers is a number first: a miss is said, what is near is near."""

from typing import Any

import pytest
from server_wire import live

from katana_mcp.testing import Payload, Stage
from katana_sandbox import ManualClock, Tenant

DOCUMENTS = {
    "sales_orders": "order_no",
    "purchase_orders": "order_no",
    "manufacturing_orders": "order_no",
    "stock_transfers": "stock_transfer_number",
    "stock_adjustments": "stock_adjustment_number",
}


def _missed(answer: Payload) -> str | None:
    """Return what is said of a number that nothing has."""
    warnings = [warning for warning in answer["warnings"] if warning["code"] == "not_found"]
    assert all((row["severity"], row["field_path"]) == ("advisory", "query") for row in warnings)
    return warnings[0]["message"] if warnings else None


@pytest.mark.parametrize("collection", DOCUMENTS)
async def test_a_number_that_nothing_has_is_said_to_be_missing_and_asked_for_once(
    stage: Stage, tenant: Tenant, clock: ManualClock, collection: str
) -> None:
    tool, field, title = f"search_{collection}", DOCUMENTS[collection], collection[:-1].replace("_", " ")
    prefix = live(tenant, collection)[0][field].rstrip("0123456789")
    number = f"{prefix}70007"
    await stage.call(tool, query="somebody")
    before = stage.requests()
    for typed in (number, number.lower(), number.replace("-", " ")):
        message = _missed(await stage.call(tool, query=typed))
        assert message is not None
        assert message.startswith(f"no {title} has the number {number}"), typed
    assert stage.requests() == before + 1
    clock.advance(61)
    await stage.call(tool, query="somebody")
    renamed: dict[str, Any] = {field: number}
    tenant.edit(collection, live(tenant, collection)[0]["id"], **renamed)
    clock.advance(1)
    answer = await stage.call(tool, query=number)
    assert _missed(answer) is None
    assert answer["rows"][0][field] == number
    assert _missed(await stage.call(tool, query=number.replace("-", ""))) is None


async def test_rows_found_in_other_places_are_marked_by_the_field(stage: Stage) -> None:
    answer = await stage.call("search_purchase_orders", query="PO-27")
    message = _missed(answer)
    assert message is not None
    assert answer["rows"]
    numbers = ", ".join(row["order_no"] for row in answer["rows"])
    assert f"what was found has it elsewhere: {numbers} by variant sku" in message


async def test_near_numbers_are_one_slip_away_the_likeliest_first(stage: Stage) -> None:
    near = "; did you mean 'PO-17', 'PO-7', 'PO-2'?"
    assert (_missed(await stage.call("search_purchase_orders", query="PO-27")) or "").endswith(near)
    refusal = await stage.refusal("get_purchase_order", purchase_order_id="PO-27")
    assert refusal["warnings"][0]["message"].endswith(near)
    empty = (await stage.call("search_purchase_orders", query="po 77"))["empty"]
    assert empty["did_you_mean"] == ["PO-7", "PO-17"]


async def test_shapes_are_learnt_from_the_numbers_of_the_account(stage: Stage, tenant: Tenant) -> None:
    for order in tenant.all("sales_orders"):
        tenant.edit("sales_orders", order["id"], order_no=f"{order['id']}/W")
    some = live(tenant, "sales_orders")[3]
    assert _missed(await stage.call("search_sales_orders", query="SO-7777")) is None
    assert _missed(await stage.call("search_sales_orders", query=some["order_no"])) is None
    other = f"{some['id'] + 5_000_000}/w"
    message = _missed(await stage.call("search_sales_orders", query=other)) or ""
    assert message.startswith(f"no sales order has the number {other.upper()}")


async def test_a_deleted_document_is_not_asked_for_again(stage: Stage, tenant: Tenant, clock: ManualClock) -> None:
    order = live(tenant, "sales_orders")[-1]
    tenant.delete("sales_orders", order["id"])
    await stage.call("search_sales_orders", query="somebody")
    clock.advance(1)
    before = stage.requests()
    message = _missed(await stage.call("search_sales_orders", query=order["order_no"])) or ""
    assert message.startswith(f"no sales order has the number {order['order_no']} except a deleted one")
    assert stage.requests() == before


async def test_a_query_like_the_accounts_codes_that_no_item_has_is_said_and_asked_for_once(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    part: dict[str, Any] = next(variant for variant in live(tenant, "variants") if variant["supplier_item_codes"])
    code, sku = f"99{part['supplier_item_codes'][0][2:]}", "QQQQ-35M"
    await stage.call("search_items", query="bike")
    before = stage.requests()
    for typed in (code, sku):
        for _ in range(2):
            assert _missed(await stage.call("search_items", query=typed)) == f"no item has the code {typed}"
    # Variants, and services, which hold variants of their own; once for each code.
    assert stage.requests() == before + 4
    clock.advance(61)
    tenant.edit("variants", part["id"], sku=sku, supplier_item_codes=[code])
    for typed in (code, sku):
        answer = await stage.call("search_items", query=typed)
        assert _missed(answer) is None
        assert answer["rows"][0]["variant_id"] == part["id"]


@pytest.mark.parametrize("field", ["supplier_item_codes", "registered_barcode"])
@pytest.mark.parametrize("gone", ["archived", "deleted"])
async def test_a_code_of_an_item_that_is_gone_is_said_to_be_of_that_one(
    stage: Stage, tenant: Tenant, clock: ManualClock, field: str, gone: str
) -> None:
    part: dict[str, Any] = next(variant for variant in live(tenant, "variants") if variant["supplier_item_codes"])
    code = f"99{part['supplier_item_codes'][0][2:]}"
    having: dict[str, Any] = {field: [code] if field == "supplier_item_codes" else code}
    tenant.edit("variants", part["id"], **having)
    assert _missed(await stage.call("search_items", query=code)) is None
    clock.advance(1)
    at: dict[str, Any] = {f"{gone}_at": clock.now().isoformat()}
    tenant.edit("variants", part["id"], **at)
    clock.advance(200)
    await stage.call("search_items", query="bike")
    message = _missed(await stage.call("search_items", query=code))
    assert message == f"no item has the code {code} except {'an archived' if gone == 'archived' else 'a deleted'} one"


@pytest.mark.parametrize("collection", DOCUMENTS)
async def test_a_number_that_is_written_in_another_way_is_named_as_the_document_has_it(
    stage: Stage, tenant: Tenant, collection: str
) -> None:
    tool, field = f"get_{collection[:-1]}", DOCUMENTS[collection]
    prefix = live(tenant, collection)[0][field].rstrip("0123456789")
    having: dict[str, Any] = {field: f"{prefix}10582"}
    tenant.edit(collection, live(tenant, collection)[0]["id"], **having)
    for typed in (
        "10582",
        "# 10582",
        f"{prefix}1O582",
        f"{prefix}l0S8Z",
        f"{prefix}0010582",
        f"{prefix.lower()}0010582",
    ):
        refusal = await stage.refusal(tool, **{f"{collection[:-1]}_id": typed})
        assert refusal["warnings"][0]["message"].endswith(f"; did you mean '{prefix}10582'?"), typed


async def test_a_search_names_the_same(stage: Stage, tenant: Tenant) -> None:
    order = live(tenant, "sales_orders")[4]
    padded = order["order_no"].replace("-", "-00")
    answer = await stage.call("search_sales_orders", query=padded)
    assert f"did you mean {order['order_no']!r}?" in str(_missed(answer))


async def test_numbers_that_are_filled_with_zeros_are_found_without_them(stage: Stage, tenant: Tenant) -> None:
    for place, order in enumerate(live(tenant, "stock_transfers"), 1):
        tenant.edit("stock_transfers", order["id"], stock_transfer_number=f"TR/{place:05}")
    for typed in ("TR/3", "3", "tr 3"):
        refusal = await stage.refusal("get_stock_transfer", stock_transfer_id=typed)
        assert refusal["warnings"][0]["message"].endswith("; did you mean 'TR/00003'?"), typed


@pytest.mark.parametrize("collection", DOCUMENTS)
async def test_a_number_behind_words_for_its_kind_is_that_number(stage: Stage, tenant: Tenant, collection: str) -> None:
    tool, field, title = f"search_{collection}", DOCUMENTS[collection], collection[:-1].replace("_", " ")
    number = live(tenant, collection)[1][field]
    alone = await stage.call(tool, query=number)
    assert alone["rows"][0][field] == number
    for words in (title, f"{title.title()} no.", "number"):
        answer = await stage.call(tool, query=f"{words} {number}")
        assert (answer["rows"], answer["warnings"]) == (alone["rows"], alone["warnings"]), words
    other = await stage.call(tool, query=f"somebody's {title} {number}")
    assert other["rows"] != alone["rows"]
