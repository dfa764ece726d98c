"""Lists narrowed by custom fields: a field by its label, a choice by its label, in both forms that items have."""

from collections.abc import Mapping
from typing import Any

import pytest

from katana_mcp.surface.operations import custom_filters
from katana_mcp.testing import Stage
from katana_sandbox import ManualClock, Tenant

type Record = dict[str, Any]


def defined(tenant: Tenant, label: str, entity_type: str, field_type: str = "shortText", **more: object) -> str:
    """Return the id of a definition, made where the account has none of this label and kind."""
    for definition in tenant.all("custom_field_definitions"):
        if (definition["label"], definition["entity_type"]) == (label, entity_type):
            return definition["id"]
    body = {"label": label, "entity_type": entity_type, "field_type": field_type, "source": "katana", **more}
    return tenant.create("custom_field_definitions", body)["id"]


def ids_of(answer: Mapping[str, Any], name: str) -> list[int]:
    return sorted(row[name] for row in answer["rows"])


async def test_orders_are_found_by_what_their_fields_and_those_of_their_rows_say(stage: Stage, tenant: Tenant) -> None:
    carrier = defined(tenant, "Carrier", "SalesOrder")
    engraving = defined(tenant, "Engraving", "SalesOrderRow")
    first, second, third = list(tenant.all("sales_orders"))[:3]
    tenant.edit("sales_orders", first["id"], custom_fields={carrier: 2})
    tenant.edit("sales_orders", second["id"], custom_fields={carrier: 1})
    row = next(record for record in tenant.all("sales_order_rows") if record["sales_order_id"] == third["id"])
    tenant.edit("sales_order_rows", row["id"], custom_fields={engraving: "For Liv"})

    async def found(**fields: object) -> list[int]:
        return ids_of(await stage.call("list_sales_orders", custom_fields=fields), "sales_order_id")

    assert await found(Carrier="Own van") == [first["id"]]
    assert await found(carrier="own van") == [first["id"]]
    assert await found(**{carrier: 1}) == await found(Carrier="1") == [second["id"]]
    assert await found(Engraving="For Liv") == [third["id"]]
    assert await found(Engraving="For Liv", Carrier="Own van") == []
    rows = await stage.call("list_sales_orders", custom_fields={"Engraving": "For Liv"}, rows_only=True)
    assert [entry["row"]["sales_order_row_id"] for entry in rows["rows"]] == [row["id"]]


async def test_every_list_of_what_carries_fields_takes_them(stage: Stage, tenant: Tenant) -> None:
    kinds = {
        "list_purchase_orders": ("PurchaseOrder", "purchase_orders", "purchase_order_id"),
        "list_customers": ("Customer", "customers", "customer_id"),
    }
    for tool, (kind, collection, name) in kinds.items():
        held = list(tenant.all(collection))[1]
        tenant.edit(collection, held["id"], custom_fields={defined(tenant, f"Of {collection}", kind): "yes"})
        answer = await stage.call(tool, custom_fields={f"Of {collection}": "yes"})
        assert ids_of(answer, name) == [held["id"]], tool
        assert (await stage.call(tool, custom_fields={f"Of {collection}": "no"}))["total"] == 0, tool


async def test_numbers_and_answers_of_yes_and_no_are_compared_as_what_they_are(stage: Stage, tenant: Tenant) -> None:
    weight = defined(tenant, "Weight", "SalesOrder", "number")
    gift = defined(tenant, "Gift", "SalesOrder", "boolean")
    first, second = list(tenant.all("sales_orders"))[:2]
    tenant.edit("sales_orders", first["id"], custom_fields={weight: 2.5, gift: True})
    tenant.edit("sales_orders", second["id"], custom_fields={weight: 25, gift: False})

    async def found(**fields: object) -> list[int]:
        return ids_of(await stage.call("list_sales_orders", custom_fields=fields), "sales_order_id")

    assert await found(Weight=2.5) == await found(Weight="2.50") == await found(Gift=True) == [first["id"]]
    assert await found(Weight=25) == await found(Gift=False) == await found(Gift="no") == [second["id"]]
    assert await found(Gift="Yes") == await found(Gift=1) == [first["id"]]
    for fields in (
        {"Weight": "NaN"},
        {"Weight": "sNaN"},
        {"Weight": "-Infinity"},
        {"Weight": "much"},
        {"Gift": "maybe"},
    ):
        refused = (await stage.refusal("list_sales_orders", custom_fields=fields))["warnings"][0]
        (name,) = fields
        what = {"Weight": "a number", "Gift": "true or false"}[name]
        assert (refused["code"], refused["message"]) == ("invalid_argument", f"custom_fields: {name} must be {what}")


async def test_items_are_found_in_both_forms(stage: Stage, tenant: Tenant) -> None:
    product = next(tenant.all("products"))
    variant = next(record for record in tenant.all("variants") if record.get("product_id") == product["id"])
    older = [{"field_name": "Colour", "field_value": "red"}, {"field_name": "Size", "field_value": "5"}]
    tenant.edit("variants", variant["id"], custom_fields=older)

    async def found(**fields: object) -> list[int]:
        return ids_of(await stage.call("list_items", custom_fields=fields), "item_id")

    assert await found(Colour="red") == await found(Size=5) == [product["id"]]
    assert await found(Size="red") == []


async def test_an_item_is_found_by_what_its_variants_say_now_though_it_stays_as_it_is(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    product, other = list(tenant.all("products"))[:2]
    variant, far = (
        next(variant for variant in tenant.all("variants") if variant.get("product_id") == item["id"])
        for item in (product, other)
    )

    async def found(colour: str) -> list[int]:
        clock.advance(600)
        return ids_of(await stage.call("list_items", custom_fields={"Colour": colour}), "item_id")

    assert await found("red") == await found("blue") == []
    tenant.edit("variants", variant["id"], custom_fields=[{"field_name": "Colour", "field_value": "red"}])
    tenant.edit("variants", far["id"], custom_fields=[{"field_name": "Colour", "field_value": "blue"}])
    assert (await found("red"), await found("blue")) == ([product["id"]], [other["id"]])
    tenant.edit("variants", variant["id"], custom_fields=[{"field_name": "Colour", "field_value": "blue"}])
    assert (await found("red"), await found("blue")) == ([], sorted([product["id"], other["id"]]))


async def test_of_very_many_variants_what_their_items_hold_of_them_is_asked(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    products = list(tenant.all("products"))[:3]
    for product in products:
        variant = next(record for record in tenant.all("variants") if record.get("product_id") == product["id"])
        tenant.edit("variants", variant["id"], custom_fields=[{"field_name": "Colour", "field_value": "red"}])
        tenant.edit("products", product["id"])
    monkeypatch.setattr(custom_filters, "MOST_PARTS", 2)
    found = await stage.call("list_items", custom_fields={"Colour": "red"})
    assert ids_of(found, "item_id") == sorted(product["id"] for product in products)


async def test_items_are_found_by_fields_that_are_defined(stage: Stage, tenant: Tenant) -> None:
    stage.own.sandbox.switches.set("item_custom_fields", "object")
    colour = defined(tenant, "Colour", "MaterialVariant", "singleSelect", options={"choices": [{"label": "Red"}]})
    product = next(tenant.all("products"))
    variant = next(record for record in tenant.all("variants") if record.get("product_id") == product["id"])
    tenant.edit("variants", variant["id"], custom_fields={colour: 1})
    answer = await stage.call("list_items", custom_fields={"colour": "red"})
    assert ids_of(answer, "item_id") == [product["id"]]
    refused = await stage.refusal("list_items", custom_fields={"Color": "red"})
    assert (
        refused["warnings"][0]["message"] == "custom_fields: no custom field is called 'Color' here; there are: Colour"
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"Carier": "Own van"}, "no custom field is called 'Carier' here; there are: Carrier, Engraving, Gift note"),
        ({"Carrier": "Own can"}, "Carrier has no choice 'Own can'; there are: Parcel Nord, Own van"),
        ({"Carrier": {"label": "Own van"}}, "custom_fields"),
        ({"Carrier": True}, "Carrier has no choice 'True'"),
        ({"Carrier": "x" * 900}, f"Carrier has no choice '{'x' * 40}'"),
        ({"Carrier": "x" * 1_001}, "custom_fields"),
        ({"y" * 200: "x"}, f"no custom field is called '{'y' * 40}' here"),
    ],
)
async def test_what_the_account_does_not_have_is_refused_with_what_it_has(
    stage: Stage, fields: Record, message: str
) -> None:
    refusal = await stage.refusal("list_sales_orders", custom_fields=fields)
    assert message in refusal["warnings"][0]["message"]
    assert refusal["warnings"][0]["field_path"].startswith("custom_fields")
