"""One telling set of arguments per tool, and for each parameter a value that must make a difference."""

from copy import deepcopy

from katana_mcp.server.made_tools import tools
from katana_sandbox import ManualClock, Tenant

from .custom import defined_field
from .matrix_batches import batches
from .matrix_bins import between_bins
from .matrix_boms import bom_writes
from .matrix_corrections import corrected, corrected_sale
from .matrix_counted import count_writes, stocktakes
from .matrix_fields import field_writes
from .matrix_items import item_writes
from .matrix_live import live_reads
from .matrix_making import making_writes
from .matrix_promised import boms, ledgers, promised
from .matrix_ranking import ranks
from .matrix_returns import return_writes
from .matrix_safety_stock import kept
from .matrix_sales import adjustment_writes, sales_writes
from .matrix_suppliers import supplier_writes
from .matrix_traced import traceability, traces
from .matrix_verified import verified
from .usual import Changes, Usual
from .usual import changed_each as _each
from .usual import list_changes as _filters
from .usual import live_records as _live

PART = "00.4021.018.003"
ABSENT = "nothing-has-this"

A_MINUTE = 61
"""Seconds after which a call has a minute's requests to itself: all the tools together ask for more than that."""


def _sales_orders(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    orders = _live(tenant, "sales_orders")
    order = orders[-1]
    changes = _filters(
        orders,
        ("ordered", "delivery", "picked"),
        status=["DELIVERED"],
        open=True,
        overdue=True,
        customer_id=order["customer_id"],
        location_id=order["location_id"],
        skus_or_variant_ids=[order["sales_order_rows"][0]["variant_id"]],
        currency="USD",
        total_min=10_000,
        total_max=100,
        product_availability=["EXPECTED"],
        production_status=["DONE"],
        invoicing_status=["invoiced"],
        custom_fields={"Gift note": "none"},
        order_by="delivery_date",
        include_rows=True,
        rows_only=True,
    )
    return {
        "search_sales_orders": Usual({"query": "so"}, search),
        "list_sales_orders": Usual({}, changes),
        "get_sales_order": Usual(
            {"sales_order_id": order["id"]}, _each(sales_order_id=orders[0]["order_no"], rows_page=2)
        ),
    }


def _sales_returns(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    returned = _live(tenant, "sales_returns")
    first = returned[0]
    changes = _filters(
        returned,
        ("ordered", "returned"),
        status=["RESTOCKED_ALL"],
        open=True,
        refund_status=["REFUNDED"],
        sales_order_id=first["sales_order_id"],
        customer_id=first["customer_id"],
        return_location_id=first["return_location_id"],
        skus_or_variant_ids=[first["sales_return_rows"][0]["variant_id"]],
        order_by="return_date",
        include_rows=True,
    )
    del changes["include_deleted"]
    return {
        "search_sales_returns": Usual({"query": first["order_no"]}, search),
        "list_sales_returns": Usual({"limit": 5}, changes),
        "get_sales_return": Usual(
            {"sales_return_id": first["id"]}, _each(sales_return_id=returned[1]["order_no"], rows_page=2)
        ),
    }


def _purchase_orders(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    orders = _live(tenant, "purchase_orders")
    order = orders[-1]
    changes = _filters(
        orders,
        ("ordered", "arrival", "received"),
        status=["RECEIVED"],
        open=True,
        overdue=True,
        billing_status=["BILLED"],
        entity_type="outsourced",
        supplier_id=order["supplier_id"],
        location_id=order["location_id"],
        skus_or_variant_ids=[order["purchase_order_rows"][0]["variant_id"]],
        custom_fields={"Quality grade": "B"},
        currency="USD",
        total_min=5_000,
        total_max=1_000,
        order_by="expected_arrival_date",
        include_rows=True,
        rows_only=True,
    )
    return {
        "search_purchase_orders": Usual({"query": "po"}, search),
        "list_purchase_orders": Usual({"limit": 10}, changes),
        "get_purchase_order": Usual(
            {"purchase_order_id": order["id"]}, _each(purchase_order_id=orders[0]["order_no"], rows_page=2)
        ),
    }


def _manufacturing_orders(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    orders = _live(tenant, "manufacturing_orders")
    order = next(record for record in orders if record.get("sales_order_id"))
    changes = _filters(
        orders,
        ("ordered", "deadline", "done"),
        status=["DONE"],
        open=True,
        overdue=True,
        ingredient_availability=["EXPECTED"],
        skus_or_variant_ids=[order["variant_id"]],
        ingredient_skus_or_variant_ids=[next(tenant.all("manufacturing_order_recipe_rows"))["variant_id"]],
        make_to_order=True,
        sales_order_id=order["sales_order_id"],
        location_id=next(
            location["id"] for location in _live(tenant, "locations") if location["id"] != order["location_id"]
        ),
        order_by="production_deadline_date",
        include_rows=True,
    )
    document = _each(manufacturing_order_id=orders[0]["id"], rows_page=2)
    parts = _each(include=["operations"], verbose=True)
    return {
        "search_manufacturing_orders": Usual({"query": "mo"}, search),
        "list_manufacturing_orders": Usual({"limit": 10}, changes),
        "get_manufacturing_order": Usual({"manufacturing_order_id": order["id"]}, document | parts),
        "get_manufacturing_order_recipe": Usual(
            {"manufacturing_order_id": order["id"]}, document | _each(subassemblies=True)
        ),
    }


def _stock(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    moved, counted = _live(tenant, "stock_transfers"), _live(tenant, "stock_adjustments")
    elsewhere = {
        "source_location_id": moved[0]["target_location_id"],
        "target_location_id": moved[0]["source_location_id"],
    }
    transfers = _filters(
        moved,
        ("transfer", "arrival"),
        status=["received"],
        open=True,
        overdue=True,
        skus_or_variant_ids=[moved[0]["stock_transfer_rows"][0]["variant_id"]],
        order_by="created_at",
        include_rows=True,
        **elsewhere,
    )
    adjustments = _filters(
        counted,
        ("adjusted",),
        location_id=next(
            location["id"] for location in _live(tenant, "locations") if location["name"] == "Returns depot"
        ),
        reason="Counted",
        skus_or_variant_ids=[counted[0]["stock_adjustment_rows"][0]["variant_id"]],
        order_by="created_at",
        include_rows=True,
    )
    return {
        "search_stock_transfers": Usual({"query": "st"}, search),
        "list_stock_transfers": Usual({"limit": 5}, transfers),
        "get_stock_transfer": Usual(
            {"stock_transfer_id": moved[0]["id"]},
            _each(stock_transfer_id=moved[1]["stock_transfer_number"], rows_page=2),
        ),
        "search_stock_adjustments": Usual({"query": "sa"}, search),
        "list_stock_adjustments": Usual({"limit": 5}, adjustments),
        "get_stock_adjustment": Usual(
            {"stock_adjustment_id": counted[0]["id"]},
            _each(stock_adjustment_id=counted[1]["stock_adjustment_number"], rows_page=2),
        ),
    }


def _transfer_writes(tenant: Tenant) -> dict[str, Usual]:
    moved = _live(tenant, "stock_transfers")
    draft = next(row for row in moved if row["status"] == "draft")
    first, second, third = [location["id"] for location in _live(tenant, "locations")][:3]
    moving = [variant["id"] for variant in _live(tenant, "variants")][:2]
    dates = _each(
        transfer_date="2026-03-04",
        order_created_date="2026-03-01T08:00:00+02:00",
        expected_arrival_date="2026-04-05",
        additional_info="handle with care",
        stock_transfer_number="ST-900",
    )
    rows = [{"sku_or_variant_id": variant_id, "quantity": 0.5} for variant_id in moving]
    new: dict[str, object] = {"source_location_id": first, "destination_location_id": second, "rows": rows[:1]}
    other = moved[0] if moved[0]["id"] != draft["id"] else moved[1]
    return {
        "create_stock_transfer": Usual(
            new, dates | _each(source_location_id=third, destination_location_id=third, rows=rows)
        ),
        "modify_stock_transfer": Usual(
            {"stock_transfer_id": draft["id"], "additional_info": "usual"},
            dates | _each(stock_transfer_id=other["stock_transfer_number"], status="in transit"),
        ),
        "delete_stock_transfer": Usual(
            {"stock_transfer_id": draft["id"]}, _each(stock_transfer_id=other["stock_transfer_number"])
        ),
    }


def _order_writes(tenant: Tenant) -> dict[str, Usual]:
    orders = [record for record in _live(tenant, "purchase_orders") if record["status"] == "NOT_RECEIVED"]
    costs_of = {record["group_id"]: record["id"] for record in _live(tenant, "po_additional_cost_rows")}
    order = next(record for record in orders if record["default_group_id"] in costs_of)
    other = next(record for record in orders if record is not order)
    here, there = [location["id"] for location in _live(tenant, "locations")][:2]
    bought = [line["variant_id"] for line in order["purchase_order_rows"]][:2]
    rows = [{"sku_or_variant_id": variant_id, "quantity": 0.5, "price_per_unit": 1} for variant_id in bought]
    costs = [{"additional_cost_id": "Customs", "price": 5}]
    head = _each(
        order_no="PO-900",
        currency="CHF",
        tracking_location_id=there,
        expected_arrival_date="2026-04-05",
        order_created_date="2026-03-01T08:00:00+02:00",
        additional_info="handle with care",
        custom_fields={defined_field(tenant, "PurchaseOrder"): "oak"},
        supplier_id=next(
            supplier["id"] for supplier in _live(tenant, "suppliers") if supplier["id"] != order["supplier_id"]
        ),
        location_id=next(place for place in (here, there) if place != order["location_id"]),
    )
    row = order["purchase_order_rows"][0]["id"]
    cost = costs_of[order["default_group_id"]]
    received = next(record for record in _live(tenant, "purchase_orders") if record["status"] == "RECEIVED")
    changes = _each(
        purchase_order_id=other["order_no"],
        status="received",
        add_rows=rows,
        update_rows=[{"row_id": row, "quantity": 77}],
        delete_row_ids=[row],
        add_additional_costs=costs,
        update_additional_costs=[{"additional_cost_row_id": cost, "price": 7}],
        delete_additional_cost_row_ids=[cost],
    )
    changes["unreceive"] = {"purchase_order_id": received["id"], "unreceive": True}
    new: dict[str, object] = {
        "supplier_id": order["supplier_id"],
        "location_id": order["location_id"],
        "rows": rows[:1],
        "order_no": "PO-8",
    }
    outsourced: dict[str, object] = {"tracking_location_id": there, "entity_type": "outsourced"}
    made = _each(rows=rows, additional_costs=costs, status="draft")
    made |= dict.fromkeys(("tracking_location_id", "entity_type"), outsourced)
    return {
        "create_purchase_order": Usual(new, head | made),
        "modify_purchase_order": Usual({"purchase_order_id": order["id"], "additional_info": "usual"}, head | changes),
        "receive_purchase_order": Usual(
            {"purchase_order_id": order["id"]},
            _each(
                purchase_order_id=other["order_no"],
                rows=[{"row_id": row, "quantity": 1}],
                received_date="2026-03-01T08:00:00Z",
            ),
        ),
        "correct_purchase_order": corrected(received, head),
        "correct_sales_order": corrected_sale(tenant),
        "delete_purchase_order": Usual({"purchase_order_id": order["id"]}, _each(purchase_order_id=other["order_no"])),
    }


def _items(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    items = _live(tenant, "materials")
    changes = _filters(
        items,
        (),
        type=["service"],
        name=items[0]["name"],
        category=items[0]["category_name"],
        supplier_id=items[0]["default_supplier_id"],
        sellable=False,
        producible=True,
        purchasable=False,
        batch_tracked=False,
        custom_fields={"Colour of ServiceVariant": "none"},
        include_archived=True,
        include_rows=True,
        order_by="name",
    )
    return {
        "search_items": Usual({"query": "chain"}, {**search, **_each(type=["product"], include_archived=True)}),
        "list_items": Usual({"limit": 250}, changes),
        "get_item": Usual(
            {"item_id": items[0]["id"], "item_type": "material"},
            _each(item_id=items[1]["name"], item_type="product", rows_page=2),
        ),
    }


def _shortages(tenant: Tenant) -> dict[str, Usual]:
    supplied = next(material for material in _live(tenant, "materials") if material["default_supplier_id"])
    shared: dict[str, object] = {"location_id": "Returns depot", "include_expected": False, "limit": 1, "page": 9}
    orders = [order for order in _live(tenant, "manufacturing_orders") if order["status"] != "DONE"]
    due = sorted(order["production_deadline_date"] for order in orders if order["production_deadline_date"])
    return {
        "list_low_stock_items": Usual(
            {}, _each(**shared, supplier_id=supplied["default_supplier_id"], item_type="product")
        ),
        "replenish": _replenished(tenant, supplied["default_supplier_id"]),
        "list_blocking_ingredients": Usual(
            {},
            _each(**shared, deadline_from=due[-1], deadline_to=due[0], manufacturing_order_id=orders[0]["id"]),
        ),
    }


def _replenished(tenant: Tenant, supplier: int) -> Usual:
    pad = next(variant for variant in _live(tenant, "variants") if variant["sku"] == "PAD")
    narrowed = {"location_id": "North warehouse", "supplier_id": supplier, "horizon_days": 1, "from_elsewhere": False}
    changes = _each(skus_or_variant_ids=[pad["id"]], **narrowed)
    return Usual({"location_id": _live(tenant, "locations")[0]["id"]}, changes)


def _customers(tenant: Tenant, search: Changes) -> dict[str, Usual]:
    customers = _live(tenant, "customers")
    names = [row["name"] for row in customers]
    person = next(row for row in customers if row["company"] and row["email"] and row["category"])
    exact = {name: person[name] for name in ("name", "company", "email", "category")}
    lists = _filters(
        customers, (), currency="SEK", reference_id="nobody", order_by="name", custom_fields={"Region": "none"}, **exact
    )
    return {
        "search_customers": Usual({"query": "velo"}, search),
        "list_customers": Usual({"limit": 50}, lists),
        "get_customer": Usual(
            {"customer_id": customers[0]["id"]},
            _each(customer_id=next(name for name in names[1:] if names.count(name) == 1), rows_page=2),
        ),
    }


def _customer_writes(tenant: Tenant) -> dict[str, Usual]:
    customers = _live(tenant, "customers")
    names = [row["name"] for row in customers]
    first, other = customers[0], next(row for row in customers[1:] if names.count(row["name"]) == 1)
    billing, shipping = first["default_billing_id"], first["default_shipping_id"]
    fields = {
        **dict.fromkeys(("name", "first_name", "last_name", "company", "email", "phone"), "Nova"),
        "comment": "pays late",
        "currency": "sek",
        "reference_id": "N-1",
        "category": "New",
        "discount_rate": 2.5,
        "custom_fields": {defined_field(tenant, "Customer"): "oak"},
    }
    hall: dict[str, object] = {"entity_type": "shipping", "line_1": "Hall 3", "zip": "01001"}
    return {
        "create_customer": Usual({"name": "Velo Nova"}, _each(**fields, addresses=[hall])),
        "modify_customer": Usual(
            {"customer_id": first["id"], "phone": "usual"},
            _each(
                **fields,
                customer_id=other["name"],
                add_addresses=[hall | {"default": True}],
                update_addresses=[{"address_id": billing, "city": "Valga"}],
                delete_address_ids=[shipping],
                default_shipping_id=None,
            ),
        ),
        "delete_customer": Usual({"customer_id": first["id"]}, _each(customer_id=other["name"])),
    }


PLANS = frozenset(tool.name for tool in tools() if tool.plans)
"""Tools that plan a write: they ask Katana how things are now, so they need it, and a request of the minute's sixty."""

PLANS_SEVERAL = frozenset({"replenish"})
"""Of these, what plans several documents at once, each as the tool of that document does: it has proofs of its own."""

WRITES = "apply_plan"
"""The one tool that writes: its tokens live in the server that gave them out, so the matrix has none."""


def let_ask(tool: str, clock: ManualClock) -> None:
    """Let a minute pass before what asks Katana in any case, a plan or stock by bin: a minute has 60 requests."""
    if tool in PLANS | {"rebuild_cache", "trace", "check_inventory"}:
        clock.advance(A_MINUTE)


def matrix(tenant: Tenant) -> dict[str, Usual]:
    """Return the usual calls for what this account holds, of every tool but the one that writes."""
    holds = _content(tenant)
    if holds not in _WORKED_OUT:
        _WORKED_OUT.clear()
        _WORKED_OUT[holds] = _matrix(tenant)
        assert _content(tenant) == holds, "what calls need is put into the account by `prepare`, for each account"
    return deepcopy(_WORKED_OUT[holds])


def _content(tenant: Tenant) -> object:
    stores = tenant.db.stores.values()
    return tuple(store.raw(slot) for store in stores for slot in store.by_created), len(tenant.db.movements.ids)


_WORKED_OUT: dict[object, dict[str, Usual]] = {}
"""The usual calls of the account that was asked about last: nearly every test begins with the same one."""


def _matrix(tenant: Tenant) -> dict[str, Usual]:
    skus = [variant["sku"] for variant in tenant.all("variants") if variant["sku"] and variant["deleted_at"] is None]
    sold = _live(tenant, "sales_orders")[-1]["sales_order_rows"][0]["variant_id"]
    search = _each(query="zzzzz", limit=1, page=2)
    return {
        **_items(tenant, search),
        **item_writes(tenant),
        **_sales_orders(tenant, search),
        **_sales_returns(tenant, search),
        **_purchase_orders(tenant, search),
        **_manufacturing_orders(tenant, search),
        **_stock(tenant, search),
        **_order_writes(tenant),
        **_transfer_writes(tenant),
        **adjustment_writes(tenant),
        **sales_writes(tenant),
        **making_writes(tenant),
        "prioritize_orders": ranks(tenant),
        "modify_safety_stock": kept(tenant),
        "modify_traceability": batches(tenant),
        "plan_bin_transfer": between_bins(tenant),
        **return_writes(tenant),
        **bom_writes(tenant),
        **count_writes(tenant),
        **field_writes(tenant),
        **_customers(tenant, search),
        **_customer_writes(tenant),
        **supplier_writes(tenant),
        "list_traceability": traceability(tenant),
        "trace": traces(tenant),
        "list_stocktakes": stocktakes(tenant),
        **verified(tenant),
        **live_reads(tenant),
        "get_variant_details": Usual({"skus_or_variant_ids": [skus[0], ABSENT]}, _each(skus_or_variant_ids=[sold])),
        "check_inventory": Usual(
            {"skus_or_variant_ids": [skus[0]]},
            _each(skus_or_variant_ids=[sold, ABSENT], location_id="North warehouse", by_bin=True),
        ),
        **_shortages(tenant),
        **promised(tenant),
        **ledgers(tenant),
        **boms(tenant),
        "list_reference": Usual({"kind": "supplier"}, _each(kind="location", query="Pinegrove", limit=3, page=2)),
        "cache_status": Usual({}),
        "rebuild_cache": Usual({"entities": ["location"]}, _each(entities=["tax_rates"])),
    }
