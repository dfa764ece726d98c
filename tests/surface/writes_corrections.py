"""Correcting closed orders: the rows of the tools that plan a write."""

from typing import cast

from katana_sandbox import Tenant

from . import writes_making as making
from . import writes_sales as sales
from .writes import Arguments, Pools, Record, Spoil, Write, edited, gone, live
from .writes_orders import DERIVED, FOLLOWS, LINED, ORDER, PARTS, WORDS, make_order

CAME = "2026-03-01T08:00:00Z"


def _received(tenant: Tenant, number: str) -> Record:
    """Return a new order that came at once."""
    order = make_order(tenant, number)
    rows = order["purchase_order_rows"]
    came = [{"purchase_order_row_id": row["id"], "quantity": row["quantity"], "received_date": CAME} for row in rows]
    tenant.create("purchase_order_receive", cast("Record", came))
    return tenant.get(ORDER, order["id"])


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order["purchase_order_rows"]]


def _usual(_: Tenant, __: str, order: Record) -> Arguments:
    first, _second, third = _rows(order)
    good = order["purchase_order_rows"][1]["variant_id"]
    added = {"sku_or_variant_id": good, "quantity": 1, "price_per_unit": 9}
    return {"update_rows": [{"row_id": first, "quantity": 2}], "add_rows": [added], "delete_row_ids": [third]}


def _below(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, _third = _rows(order)
    usual = _usual(tenant, "", order)
    (added,) = cast("list[Arguments]", usual["add_rows"])
    place, tax, batches = (
        live(tenant, "locations")[2]["id"],
        live(tenant, "tax_rates")[1]["id"],
        [{"batch_id": 1, "quantity": 1}],
    )

    def changed(**fields: object) -> Arguments:
        return usual | {"update_rows": [{"row_id": first, "quantity": 2, **fields}]}

    def new(**fields: object) -> Arguments:
        return usual | {"add_rows": [added | fields]}

    batched = ("", "[]", "[].batch_id", "[].quantity")
    return {
        "update_rows[].row_id": usual | {"update_rows": [{"row_id": second, "quantity": 2}]},
        "update_rows[].quantity": changed(quantity=1),
        "update_rows[].price_per_unit": changed(price_per_unit=3),
        "update_rows[].tax_rate_id": changed(tax_rate_id=tax),
        "update_rows[].arrival_date": changed(arrival_date="2026-03-02"),
        "update_rows[].received_date": changed(received_date="2026-02-27"),
        "update_rows[].location_id": changed(location_id=place),
        **{f"update_rows[].batches{below}": changed(batches=batches) for below in batched},
        **{f"update_rows[].serial_number_ids{below}": changed(serial_number_ids=[1]) for below in ("", "[]")},
        "add_rows[].sku_or_variant_id": new(sku_or_variant_id=order["purchase_order_rows"][0]["variant_id"]),
        "add_rows[].quantity": new(quantity=3),
        "add_rows[].price_per_unit": new(price_per_unit=8),
        "add_rows[].tax_rate_id": new(tax_rate_id=tax),
        "add_rows[].received_date": new(received_date="2026-02-27"),
        "add_rows[].received_with_row_id": new(received_with_row_id=first),
        "add_rows[].location_id": new(location_id=place),
        **{f"add_rows[].batches{below}": new(batches=batches) for below in batched},
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
    pools: dict[str, list[object]] = {name: [*places] for name in ("location_id", "update_rows[].location_id")}
    pools |= {"add_rows[].location_id": [*places], "supplier_id": [one["id"] for one in live(tenant, "suppliers")]}
    taxes: list[object] = [tax["id"] for tax in live(tenant, "tax_rates")]
    pools |= {f"{name}[].tax_rate_id": taxes for name in ("update_rows", "add_rows")}
    pools |= {f"{name}[].batches": [[]] for name in ("update_rows", "add_rows")}
    pools |= {"update_rows[].serial_number_ids": [[]]}
    goods: list[object] = [row["variant_id"] for row in order.get("purchase_order_rows", ())]
    rows: list[object] = [*_rows(order)] if order else []
    pools |= {"add_rows[].sku_or_variant_id": goods, "update_rows[].row_id": rows, "delete_row_ids[]": rows}
    return pools | {"add_rows[].received_with_row_id": rows, "currency": ["EUR", "USD"]}


def _shipped(tenant: Tenant, number: str) -> Record:
    """Return a new order that left at once."""
    order = sales.make_order(tenant, number)
    lines = [{"sales_order_row_id": row["id"], "quantity": row["quantity"]} for row in order[sales.ROW]]
    body = {"sales_order_id": order["id"], "status": "DELIVERED", "picked_date": CAME}
    tenant.create(SHIPMENT, {**body, "sales_order_fulfillment_rows": lines})
    return tenant.get(sales.ORDER, order["id"])


def _usual_sale(_: Tenant, __: str, order: Record) -> Arguments:
    return {"update_rows": [{"row_id": order[sales.ROW][0]["id"], "quantity": 2}]}


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    """Return this entry of an argument with each of these fields."""
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


def _traced(argument: str, plain: Arguments) -> dict[str, Arguments]:
    one: Arguments = {argument: [{**plain, "batches": [{"batch_id": 1, "quantity": 1}]}]}
    return {f"{argument}[].batches{below}": one for below in ("", "[]", "[].batch_id", "[].quantity")}


def _below_sale(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, _third = order[sales.ROW]
    shipment = next(one["id"] for one in live(tenant, SHIPMENT) if one["sales_order_id"] == order["id"])
    added: Arguments = {"sku_or_variant_id": second["variant_id"], "quantity": 1, "price_per_unit": 9}
    place, tax = live(tenant, "locations")[2]["id"], live(tenant, "tax_rates")[1]["id"]
    fields: Arguments = {"quantity": 1, "price_per_unit": 3, "total_discount": 0.1, "tax_rate_id": tax}
    fields |= {"location_id": place}
    own: Arguments = {"sku_or_variant_id": first["variant_id"], "fulfillment_id": shipment}
    return {
        **_each("update_rows", {"row_id": first["id"]}, fields),
        **_each("update_rows", {"quantity": 2}, {"row_id": second["id"]}),
        **_traced("update_rows", {"row_id": first["id"]}),
        **_each("add_rows", added, {**fields, "quantity": 2, **own}),
        **_traced("add_rows", added),
    }


def _below_made(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    used, other = making.rows_of(tenant, making.RECIPE, order)[:2]
    step, last = making.rows_of(tenant, making.OPERATION, order)[:2]
    good: Arguments = {
        "sku_or_variant_id": making.used_goods(tenant)[3],
        "planned_quantity_per_unit": 4,
        "notes": "by hand",
    }
    work: Arguments = {"operation_name": "Paint", "resource_name": "Booth", "type": "fixed"}
    work |= {"planned_time_parameter": 7, "cost_parameter": 8}
    new: Arguments = {"sku_or_variant_id": making.used_goods(tenant)[0], "planned_quantity_per_unit": 2}
    return {
        **_each("add_recipe_rows", new, good),
        **_traced("add_recipe_rows", new),
        **_each("update_recipe_rows", {"recipe_row_id": used}, good),
        **_each("update_recipe_rows", {"notes": "x"}, {"recipe_row_id": other}),
        **_traced("update_recipe_rows", {"recipe_row_id": used}),
        **_each("add_operation_rows", {"operation_name": "Polish"}, work),
        **_each("update_operation_rows", {"operation_row_id": step}, work),
        **_each("update_operation_rows", {"planned_time_parameter": 45}, {"operation_row_id": last}),
    }


def _returned(tenant: Tenant, order: Record, _: Arguments) -> None:
    place = live(tenant, "locations")[0]["id"]
    tenant.create("sales_returns", {"sales_order_id": order["id"], "return_location_id": place})


def _done(tenant: Tenant, number: str) -> Record:
    """Return a new order that was made at once."""
    order = making.make_order(tenant, number)
    making.produce(tenant, order, order["planned_quantity"], final=True)
    return tenant.get(making.ORDER, order["id"])


def _open_again(tenant: Tenant, order: Record, _: Arguments) -> None:
    tenant.edit(making.ORDER, order["id"], True, status="IN_PROGRESS")


SHIPMENT = "sales_order_fulfillments"
CORRECTIONS = {
    "correct_manufacturing_order": Write(
        collection=making.ORDER,
        usual=lambda *_: {"planned_quantity": 3},
        subject="manufacturing_order_id",
        make=_done,
        below=_below_made,
        spoils={
            "it is deleted": gone(making.ORDER),
            "it is open again": Spoil(act=_open_again, code="not_closed"),
        },
        follows=making.FOLLOWS | {making.RECIPE, making.OPERATION, making.PRODUCTION, making.INGREDIENT, making.TIME},
        parts=making.PARTS,
        derived=making.DERIVED | making.MADE,
        words=making.WORDS,
    ),
    "correct_sales_order": Write(
        collection=sales.ORDER,
        usual=_usual_sale,
        subject="sales_order_id",
        make=_shipped,
        below=_below_sale,
        spoils={
            "it is deleted": gone(sales.ORDER),
            "it is open again": edited(sales.ORDER, "not_closed", status="NOT_SHIPPED"),
            "some of it comes back": Spoil(act=_returned, code="locked"),
        },
        follows=sales.FOLLOWS | {"sales_returns"},
        parts=sales.PARTS,
        derived=sales.DERIVED,
        lined=sales.LINED,
        words=sales.WORDS,
    ),
    "correct_purchase_order": Write(
        collection=ORDER,
        usual=_usual,
        subject="purchase_order_id",
        make=_received,
        pools=_pools,
        below=_below,
        spoils={
            "it is deleted": gone(ORDER),
            "it becomes a draft": edited(ORDER, "not_received", status="DRAFT"),
            "it is open again": edited(ORDER, "not_received", status="NOT_RECEIVED"),
            "it is billed": edited(ORDER, "billed_order", billing_status="BILLED"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED | {"group_id"},
        lined=LINED,
        words=WORDS,
    ),
}
