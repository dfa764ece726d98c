"""Customers, suppliers, their addresses, tax rates: rules of their own (facts 4.2)."""

import pytest

from katana_sandbox import Caller, Tenant


async def test_the_first_address_of_each_type_becomes_the_default(api: Caller) -> None:
    addresses = [{"entity_type": kind, "city": kind} for kind in ("shipping", "billing", "shipping")]
    customer = (await api.post("/customers", {"name": "Neu", "addresses": addresses})).body
    shown = [(row["entity_type"], row["default"]) for row in customer["addresses"]]
    assert shown == [("shipping", True), ("billing", True), ("shipping", False)]
    assert customer["default_shipping_id"] == customer["addresses"][0]["id"]
    assert customer["default_billing_id"] == customer["addresses"][1]["id"]
    assert (customer["currency"], customer["email"]) == ("EUR", None)


async def test_a_customer_has_one_billing_address_and_its_type_never_changes(api: Caller) -> None:
    answer = await api.post("/customer_addresses", {"customer_id": 10000101, "entity_type": "billing"})
    assert answer.error["message"] == "customer already has a billing address"
    changed = await api.patch("/customer_addresses/10000101", {"entity_type": "shipping"})
    assert changed.error["details"][0]["code"] == "additionalProperties"


async def test_only_the_default_shipping_address_is_writable(api: Caller, tenant: Tenant) -> None:
    new = (await api.post("/customer_addresses", {"customer_id": 10000101, "entity_type": "shipping"})).body
    assert new["default"] is False
    changed = (await api.patch("/customers/10000101", {"default_shipping_id": new["id"]})).body
    assert [(row["id"], row["default"]) for row in changed["addresses"] if row["entity_type"] == "shipping"] == [
        (10000102, False),
        (new["id"], True),
    ]
    for wrong in (10000101, 10000104, 9):
        answer = await api.patch("/customers/10000101", {"default_shipping_id": wrong})
        assert answer.error["message"] == "shipping address not found"
    refused = await api.patch("/customers/10000101", {"default_billing_id": 10000101})
    assert refused.error["details"][0]["info"] == {"additionalProperty": "default_billing_id"}
    await api.delete(f"/customer_addresses/{new['id']}")
    assert tenant.get("customers", 10000101)["default_shipping_id"] is None


async def test_deleting_a_customer_deletes_its_addresses(api: Caller) -> None:
    assert (await api.delete("/customers/10000101")).status == 204
    assert (await api.get("/customer_addresses", {"customer_ids": 10000101})).rows == []
    hidden = await api.get("/customer_addresses", {"customer_ids": 10000101, "include_deleted": True})
    assert [row["deleted_at"] is not None for row in hidden.rows] == [True, True]
    parent = (await api.get("/customers", {"ids": 10000101, "include_deleted": True})).rows[0]
    assert parent["addresses"] == []


async def test_a_supplier_has_one_address_which_is_its_default(api: Caller) -> None:
    supplier = (await api.post("/suppliers", {"name": "Neu", "currency": "SEK", "addresses": [{"city": "Lund"}]})).body
    assert supplier["default_address_id"] == supplier["addresses"][0]["id"]
    again = await api.post("/supplier_addresses", {"supplier_id": supplier["id"], "city": "Malmö"})
    assert again.error["message"] == "supplier already has an address"
    await api.delete(f"/supplier_addresses/{supplier['default_address_id']}")
    second = await api.post("/supplier_addresses", {"supplier_id": supplier["id"], "city": "Malmö"})
    shown = (await api.get("/suppliers", {"ids": supplier["id"]})).rows[0]
    assert shown["default_address_id"] == second.body["id"]


async def test_a_tax_rate_has_a_derived_display_name_and_no_defaults(api: Caller) -> None:
    rate = (await api.post("/tax_rates", {"rate": 15, "name": "VAT"})).body
    assert (rate["display_name"], rate["is_default_sales"]) == ("15% VAT", False)
    assert (await api.post("/tax_rates", {"rate": 7.5})).body["display_name"] == "7.5%"
    assert (await api.post("/tax_rates", {"rate": 1000})).error["details"][0]["code"] == "maximum"
    assert (await api.patch(f"/tax_rates/{rate['id']}", {"rate": 1})).status == 404
    assert (await api.delete(f"/tax_rates/{rate['id']}")).status == 404


async def test_hostile_names_come_back_as_they_went_in(api: Caller) -> None:
    names = ['"; drop table', "a\u0000b", "Ünïcödé 🚲", "\\u0041", "<b>&amp;</b>", "x" * 5000, "\ud800", "%_*?[a]"]
    for name in names:
        created = (await api.post("/customers", {"name": name})).body
        assert created["name"] == name
        assert (await api.get("/customers", {"ids": created["id"]})).rows[0]["name"] == name
    found = await api.get("/customers", {"name": "Ünïcödé 🚲"})
    assert len(found.rows) == 1


@pytest.mark.parametrize("currency", ["EURO", "eur", "ZZZ"])
async def test_the_currency_of_a_supplier_is_one_of_iso_4217(api: Caller, currency: str) -> None:
    """4.2 [K]; the purchase order takes it over."""
    made = await api.post("/suppliers", {"name": "Neu", "currency": "JPY"})
    assert made.status == 200
    assert (await api.post("/suppliers", {"name": "Neu", "currency": currency})).status == 422
    changed = await api.patch(f"/suppliers/{made.body['id']}", {"currency": currency})
    assert changed.status == 422
    row = {"variant_id": 10000106, "quantity": 1, "price_per_unit": 1}
    body = {"supplier_id": made.body["id"], "location_id": 10000101, "purchase_order_rows": [row]}
    order = (await api.post("/purchase_orders", body)).body
    assert order["currency"] == "JPY"
    assert (await api.patch(f"/suppliers/{made.body['id']}", {"comment": "x"})).status == 200


async def test_one_tax_rate_is_the_default_of_sales_and_one_of_purchases(api: Caller, tenant: Tenant) -> None:
    """4.2: another default takes the place of the one before, on its side only."""

    async def defaults() -> list[list[object]]:
        return [(await api.get("/tax_rates", {f"is_default_{side}": "true"})).ids for side in ("sales", "purchases")]

    assert await defaults() == [[10000101], [10000101]]
    tenant.edit("tax_rates", 10000102, is_default_sales=True)
    assert await defaults() == [[10000102], [10000101]]
    tenant.edit("tax_rates", 10000103, is_default_purchases=True)
    assert await defaults() == [[10000102], [10000103]]


async def test_rows_without_a_tax_rate_take_the_default_of_their_side(api: Caller, tenant: Tenant) -> None:
    """4.2 [I]; a rate that is named always wins."""
    tenant.edit("tax_rates", 10000102, is_default_purchases=True)
    row = {"variant_id": 10000106, "quantity": 1, "price_per_unit": 100}
    for tax, expected in (({}, [None, 10000102]), ({"tax_rate_id": 10000103}, [10000103, 10000103])):
        sale = (await api.post("/sales_orders", {"customer_id": 10000101, "sales_order_rows": [{**row, **tax}]})).body
        buy = {"supplier_id": 10000101, "location_id": 10000101, "purchase_order_rows": [{**row, **tax}]}
        bought = (await api.post("/purchase_orders", buy)).body
        assert [sale["sales_order_rows"][0]["tax_rate_id"], bought["purchase_order_rows"][0]["tax_rate_id"]] == expected
        percent = {None: 0, 10000101: 22, 10000102: 9, 10000103: 0}
        assert [sale["total"], bought["total"]] == [100 + percent[rate] for rate in expected]
