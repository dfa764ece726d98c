"""Purchase orders: the rows of their tools that plan a write."""

from collections.abc import Callable

from katana_sandbox import Tenant

from .custom import defined_field, free_values
from .writes import Arguments, Pools, Record, Spoil, Write, done_already, edited, gone, live, part_gone

ORDER, ROW, COST = "purchase_orders", "purchase_order_rows", "po_additional_cost_rows"
PARTS = {"rows": ROW, "additional_costs": COST}
DERIVED = frozenset(
    {
        *("total", "total_in_base_currency", "price_per_unit_in_base_currency", "price_in_base", "landed_cost"),
        *("currency", "conversion_rate", "conversion_date", "batch_transactions", "received_date", "ingredients"),
        *("currency_conversion_rate", "currency_conversion_rate_fix_date"),
        *("name", "tax_rate"),  # of a cost: what its ids stand for
    }
)
"""What Katana works out: sums, rates, and when rows came if a status receives them."""
FIRST = DERIVED | {
    *("entity_type", "default_group_id", "billing_status", "last_document_status"),
    *("expected_arrival_date", "order_created_date"),
}
"""What Katana sets in a new order that says nothing of it."""
LINED = {ROW: "price_per_unit", COST: "price"}
WORDS = {
    "supplier_id": "suppliers",
    "location_id": "locations",
    "tracking_location_id": "locations",
    "tax_rate_id": "tax_rates",
    "additional_cost_id": "additional_costs",
    "variant_id": "variants",
}
FOLLOWS = frozenset(
    {
        *("inventory", "inventory_movements", "negative_stock", "sales_orders", "sales_order_rows"),
        *("manufacturing_orders", "manufacturing_order_recipe_rows"),
    }
)


def _ids(tenant: Tenant, collection: str) -> list[int]:
    return [record["id"] for record in live(tenant, collection)]


def _costs(tenant: Tenant, order: Record) -> list[int]:
    return [record["id"] for record in live(tenant, COST) if record["group_id"] == order["default_group_id"]]


def _rows(order: Record) -> list[int]:
    return [row["id"] for row in order["purchase_order_rows"]]


def _bought(tenant: Tenant) -> list[int]:
    """Return variants of materials without batches, oldest first."""
    bought = {material["id"] for material in live(tenant, "materials") if not material["batch_tracked"]}
    return [variant["id"] for variant in live(tenant, "variants") if variant.get("material_id") in bought]


def make_order(tenant: Tenant, number: str) -> Record:
    """Return a new order with three rows and two costs."""
    rows = [{"variant_id": variant_id, "quantity": 2.5, "price_per_unit": 4} for variant_id in _bought(tenant)[:3]]
    parties = {"supplier_id": _ids(tenant, "suppliers")[0], "location_id": _ids(tenant, "locations")[0]}
    head = {"order_no": number, "additional_info": "handle with care", "currency": "EUR"}
    order = tenant.create(ORDER, {**head, **parties, "purchase_order_rows": rows})
    for price in (5, 6):
        kinds = {"additional_cost_id": _ids(tenant, "additional_costs")[0], "tax_rate_id": _ids(tenant, "tax_rates")[0]}
        tenant.create(COST, {**kinds, "group_id": order["default_group_id"], "price": price})
    return order


def _row(tenant: Tenant) -> Arguments:
    return {"sku_or_variant_id": _bought(tenant)[0], "quantity": 0.5, "price_per_unit": 1}


def _cost(tenant: Tenant) -> Arguments:
    kind, tax = _ids(tenant, "additional_costs")[0], _ids(tenant, "tax_rates")[0]
    return {"additional_cost_id": kind, "price": 5, "tax_rate_id": tax}


def _new(tenant: Tenant, number: str, _: Record) -> Arguments:
    here, there = _ids(tenant, "locations")[:2]
    rows = [_row(tenant), {**_row(tenant), "sku_or_variant_id": _bought(tenant)[1], "location_id": there}]
    parties = {"supplier_id": _ids(tenant, "suppliers")[0], "location_id": here}
    return {**parties, "order_no": number, "rows": rows, "additional_costs": [_cost(tenant)]}


def _changed(tenant: Tenant, _: str, order: Record) -> Arguments:
    first, third = _rows(order)[0], _rows(order)[2]
    freight, customs = _costs(tenant, order)
    return {
        "additional_info": "usual",
        "add_rows": [_row(tenant)],
        "update_rows": [{"row_id": first, "quantity": 77}],
        "delete_row_ids": [third],
        "add_additional_costs": [_cost(tenant)],
        "update_additional_costs": [{"additional_cost_row_id": freight, "price": 7}],
        "delete_additional_cost_row_ids": [customs],
    }


def _row_fields(tenant: Tenant) -> Arguments:
    return {
        "sku_or_variant_id": _bought(tenant)[1],
        "quantity": 0.25,
        "price_per_unit": 3,
        "tax_rate_id": _ids(tenant, "tax_rates")[1],
        "purchase_uom": "crate",
        "purchase_uom_conversion_rate": 24,
        "arrival_date": "2026-04-05",
        "location_id": _ids(tenant, "locations")[2],
        "custom_fields": {defined_field(tenant, "PurchaseOrderRow"): "red"},
    }


def _cost_fields(tenant: Tenant) -> Arguments:
    kinds = {"additional_cost_id": _ids(tenant, "additional_costs")[1], "tax_rate_id": _ids(tenant, "tax_rates")[1]}
    return {**kinds, "price": 9, "distribution_method": "NON_DISTRIBUTED"}


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    """Return this entry of an argument with each of these fields."""
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


def _below_new(tenant: Tenant, _: Record) -> dict[str, Arguments]:
    rows = _each("rows", _row(tenant), _row_fields(tenant))
    # A row for another place needs one for the order's own.
    there = rows["rows[].location_id"]["rows"]
    assert isinstance(there, list)
    rows["rows[].location_id"] = {"rows": [_row(tenant), *there]}
    return {**rows, **_each("additional_costs", _cost(tenant), _cost_fields(tenant))}


def _below_changed(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, second, _ = _rows(order)
    freight, customs = _costs(tenant, order)
    cost: Arguments = {"additional_cost_row_id": freight}
    other: Arguments = {"additional_cost_row_id": customs}
    return {
        **_each("add_rows", _row(tenant), _row_fields(tenant)),
        **_each("add_additional_costs", _cost(tenant), _cost_fields(tenant)),
        **_each("update_rows", {"row_id": first}, {**_row_fields(tenant), "received_date": "2026-03-04"}),
        **_each("update_rows", {"quantity": 77}, {"row_id": second}),
        **_each("update_additional_costs", cost, _cost_fields(tenant)),
        **_each("update_additional_costs", {**other, "price": 7}, other),
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for location in live(tenant, "locations") for value in (location["id"], location["name"])]
    goods, taxes, kinds = _bought(tenant)[:6], _ids(tenant, "tax_rates"), _ids(tenant, "additional_costs")
    pools: dict[str, list[object]] = {
        "supplier_id": [
            value for supplier in live(tenant, "suppliers")[:4] for value in (supplier["id"], supplier["name"])
        ],
        "location_id": [*places],
        "tracking_location_id": [*places],
        "custom_fields": free_values(tenant, "PurchaseOrder"),
    }
    for rows in ("rows", "add_rows", "update_rows"):
        pools |= {f"{rows}[].sku_or_variant_id": [*goods], f"{rows}[].tax_rate_id": [*taxes]}
        pools |= {f"{rows}[].location_id": [*places]}
        pools |= {f"{rows}[].custom_fields": free_values(tenant, "PurchaseOrderRow")}
    for costs in ("additional_costs", "add_additional_costs", "update_additional_costs"):
        pools |= {f"{costs}[].additional_cost_id": [*kinds], f"{costs}[].tax_rate_id": [*taxes]}
    if order:
        rows, costs = _rows(order), _costs(tenant, order)
        pools |= {"update_rows[].row_id": [*rows], "delete_row_ids[]": [*rows]}
        pools |= {"update_additional_costs[].additional_cost_row_id": [*costs]}
        pools |= {"delete_additional_cost_row_ids[]": [*costs]}
    return pools


def _row_received(place: int) -> Spoil:
    came = "2026-03-08T10:00:00.000Z"
    return Spoil(act=lambda tenant, order, _: tenant.edit(ROW, _rows(order)[place], received_date=came), code="locked")


def _row_gone(place: int) -> Spoil:
    return Spoil(act=lambda tenant, order, _: tenant.delete(ROW, _rows(order)[place]), code="unknown_row_id")


def _cost_gone(place: int) -> Spoil:
    return Spoil(
        act=lambda tenant, order, _: tenant.delete(COST, _costs(tenant, order)[place]),
        code="unknown_row_id",
    )


def _moved(tenant: Tenant, order: Record, _: Arguments) -> None:
    other = next(record["id"] for record in live(tenant, ORDER) if record["id"] != order["id"])
    tenant.edit(ROW, _rows(order)[0], purchase_order_id=other)


def _emptied(tenant: Tenant, order: Record, _: Arguments) -> None:
    for row in _rows(order):
        tenant.delete(ROW, row)


def _numbered_alike(tenant: Tenant, order: Record, arguments: Arguments) -> None:
    other = next(record["id"] for record in live(tenant, ORDER) if record["id"] != order.get("id"))
    tenant.edit(ORDER, other, order_no=arguments["order_no"])


def _asks(**arguments: object) -> Callable[[Tenant, Record], Arguments]:
    return lambda *_: arguments


def _status(status: str, code: str, /, **arguments: object) -> Spoil:
    """Return that the order gets a status, and what was asked for."""
    return Spoil(act=edited(ORDER, code, status=status).act, code=code, asks=_asks(**arguments))


ORDERS = {
    "create_purchase_order": Write(
        collection=ORDER,
        usual=_new,
        pools=_pools,
        below=_below_new,
        spoils={
            "what is bought is deleted": part_gone("rows", "sku_or_variant_id", "variants"),
            "another has its number": Spoil(act=_numbered_alike, code="duplicate_order_number", blocks=False),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=FIRST,
        lined=LINED,
        words=WORDS,
    ),
    "modify_purchase_order": Write(
        collection=ORDER,
        usual=_changed,
        subject="purchase_order_id",
        make=make_order,
        pools=_pools,
        below=_below_changed,
        spoils={
            "it is deleted": gone(ORDER),
            "it is received": edited(ORDER, "locked", status="RECEIVED"),
            "it is received in part": _status("PARTIALLY_RECEIVED", "locked", currency="CHF"),
            "the row to change is received": _row_received(0),
            "the row to delete is received": _row_received(2),
            "the row to change is deleted": _row_gone(0),
            "the row to delete is deleted": _row_gone(2),
            "the row to change is of another order": Spoil(act=_moved, code="unknown_row_id"),
            "the cost to change is deleted": _cost_gone(0),
            "the cost to delete is deleted": _cost_gone(1),
            "it becomes a draft": _status("DRAFT", "invalid_status_transition", status="RECEIVED"),
            "it loses its rows": Spoil(act=_emptied, code="empty_order", asks=_asks(status="RECEIVED")),
            "another gets the number that it is to have": Spoil(
                act=_numbered_alike, code="duplicate_order_number", blocks=False, asks=_asks(order_no="PO-TAKEN")
            ),
            "somebody did the same": done_already(ORDER, additional_info="usual"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        lined=LINED,
        words=WORDS,
    ),
    "delete_purchase_order": Write(
        collection=ORDER,
        usual=lambda *_: {},
        subject="purchase_order_id",
        make=make_order,
        spoils={
            "it is deleted": gone(ORDER),
            "it is received": Spoil(act=edited(ORDER, "", status="RECEIVED").act, code="stock_was_moved", blocks=False),
            "it is billed": Spoil(
                act=edited(ORDER, "", billing_status="BILLED").act, code="billed_order", blocks=False
            ),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        lined=LINED,
        words=WORDS,
    ),
}
