"""Purchasing, manufacturing and stock records as Katana sends them, made up, one maker for each entity."""

from collections.abc import Callable
from decimal import Decimal

from bench.reference import DATES, NOON, additional_cost, custom_field_definition, factory
from cache_core.records import Record
from cache_core.spec import Parents

PARENTS: Parents = {
    ("supplier", 1): {"name": "Müller GmbH"},
    ("supplier", 2): {"name": "Åse & Sønn"},
    **{("variant", nr): {"sku": f"00.4021.{nr:03}", "supplier_item_codes": [f"SUP-{nr * 3}"]} for nr in range(50)},
}


def day(nr: int, month: int = 1) -> str:
    """Return a moment that depends on the number."""
    return f"2025-{month:02}-{1 + nr % 28:02}T08:00:00.000Z"


def purchase_order(nr: int) -> Record:
    """Return an order with three rows, the first of them received."""
    return {
        "id": nr,
        "status": ("NOT_RECEIVED", "PARTIALLY_RECEIVED", "RECEIVED", "DRAFT")[nr % 4],
        "order_no": f"PO-{nr}",
        "entity_type": "regular",
        "default_group_id": nr * 10,
        "supplier_id": 1 + nr % 2,
        "currency": "EUR",
        "expected_arrival_date": day(nr, 2),
        "order_created_date": day(nr),
        "additional_info": f"note {nr % 97} please call",
        "location_id": 1 + nr % 3,
        "total": Decimal(nr) / 4 + Decimal("0.10"),
        "total_in_base_currency": nr,
        "billing_status": "NOT_BILLED",
        "last_document_status": "SENT",
        "purchase_order_rows": [_purchase_order_row(nr, index) for index in range(3)],
        "tracking_location_id": None,
        "ingredient_availability": None,
        "ingredient_expected_date": None,
        **DATES,
    }


def _purchase_order_row(nr: int, position: int) -> Record:
    return {
        "id": nr * 10 + position,
        "quantity": Decimal(position) + Decimal("1.5"),
        "variant_id": (nr + position) % 50,
        "tax_rate_id": 1,
        "price_per_unit": Decimal("12.5"),
        "price_per_unit_in_base_currency": Decimal("12.5"),
        "purchase_uom_conversion_rate": 1,
        "purchase_uom": "pcs",
        "currency": "EUR",
        "conversion_rate": None,
        "total": Decimal("12.50"),
        "total_in_base_currency": Decimal("12.50"),
        "conversion_date": None,
        "received_date": None if position else day(nr, 3),
        "arrival_date": day(nr, 2),
        "batch_transactions": [],
        "purchase_order_id": nr,
        "location_id": None,
        "landed_cost": Decimal("12.5"),
        "group_id": nr * 10,
        **DATES,
    }


def manufacturing_order(nr: int) -> Record:
    """Return an order, every third one made to order."""
    linked = nr % 3 == 0
    return {
        "id": nr,
        "status": ("NOT_STARTED", "IN_PROGRESS", "DONE", "BLOCKED")[nr % 4],
        "order_no": f"SO-{nr} / 1" if linked else f"MO-{nr}",
        "variant_id": nr % 50,
        "planned_quantity": Decimal(nr % 9) + Decimal("1.5"),
        "actual_quantity": None,
        "completed_quantity": 0,
        "remaining_quantity": nr % 9 + 1,
        "includes_partial_completions": False,
        "batch_transactions": [],
        "location_id": 1 + nr % 3,
        "order_created_date": day(nr),
        "production_deadline_date": None if nr % 2 else day(nr, 2),
        "done_date": None,
        "additional_info": f"note {nr % 97}",
        "is_linked_to_sales_order": linked,
        "ingredient_availability": "IN_STOCK",
        "total_cost": Decimal("31.4"),
        "total_actual_time": 0,
        "total_planned_time": 3600,
        "sales_order_id": nr if linked else None,
        "sales_order_row_id": nr * 10 if linked else None,
        "sales_order_delivery_deadline": None,
        "material_cost": Decimal("21.4"),
        "subassemblies_cost": 0,
        "operations_cost": 10,
        "serial_numbers": [{"id": nr, "serial_number": f"SN{nr:06}", "resource_type": "ManufacturingOrder"}],
        **DATES,
    }


def recipe_row(nr: int) -> Record:
    """Return an ingredient of a manufacturing order, three to an order."""
    return {
        "id": nr,
        "manufacturing_order_id": 1 + nr // 3,
        "variant_id": nr % 50,
        "notes": "left side",
        "planned_quantity_per_unit": "2.0000000000",
        "total_actual_quantity": None,
        "ingredient_availability": ("IN_STOCK", "EXPECTED", "NOT_AVAILABLE")[nr % 3],
        "ingredient_expected_date": day(nr, 2),
        "batch_transactions": [],
        "cost": "3.5000000000",
        "total_consumed_quantity": 0,
        "total_remaining_quantity": 2,
        **DATES,
    }


def operation_row(nr: int) -> Record:
    """Return an operation of a manufacturing order."""
    times = ("planned_time_per_unit", "planned_time_parameter", "total_actual_time", "cost_per_hour", "cost_parameter")
    return {
        "id": nr,
        "status": "NOT_STARTED",
        "type": "process",
        "rank": 10_000,
        "manufacturing_order_id": nr,
        "operation_id": 1,
        "operation_name": "Cutting",
        "resource_id": 1,
        "resource_name": "Saw",
        "assigned_operators": [{"operator_id": 1, "name": "Åse", "deleted_at": None}],
        "completed_by_operators": [],
        "active_operator_id": 1,
        **dict.fromkeys(times, "60.0000000000"),
        "group_boundary": 1000,
        "is_status_actionable": True,
        "completed_at": None,
        **DATES,
    }


def production(nr: int) -> Record:
    """Return a production that used one ingredient and one operation."""
    used = {"location_id": 1, "manufacturing_order_id": nr, "production_id": nr, "production_date": day(nr), **DATES}
    return {
        "id": nr,
        "manufacturing_order_id": nr,
        "factory_id": 1,
        "quantity": 2,
        "production_date": day(nr),
        "ingredients": [
            {"id": nr, "variant_id": 3, "manufacturing_order_recipe_row_id": nr, "quantity": 4, "cost": 7, **used}
        ],
        "operations": [{"id": nr, "manufacturing_order_operation_id": nr, "time": 60, "cost": Decimal("0.5"), **used}],
        "serial_numbers": [{"id": nr, "serial_number": f"SN{nr:06}"}],
        **DATES,
    }


def stock_row(nr: int) -> Record:
    """Return a row of a transfer or an adjustment."""
    allocation = {"batch_id": None, "bin_location_id": None, "serial_number_id": None, "quantity": "2"}
    batches = [{"batch_id": None, "quantity": Decimal("2.5")}]
    return {
        "id": nr,
        "variant_id": nr % 50,
        "quantity": Decimal("2.5"),
        "cost_per_unit": Decimal("1.25"),
        "batch_transactions": batches,
        "traceability": [allocation],
    }


def stock_transfer(nr: int) -> Record:
    """Return a transfer with a row."""
    return {
        "id": nr,
        "stock_transfer_number": f"ST-{nr}",
        "source_location_id": 1,
        "target_location_id": 2,
        "status": "inTransit",
        "transfer_date": day(nr),
        "order_created_date": day(nr),
        "expected_arrival_date": day(nr, 2),
        "additional_info": "by van",
        "stock_transfer_rows": [{**stock_row(nr), "deleted_at": None}],
        **DATES,
    }


def stock_adjustment(nr: int) -> Record:
    """Return an adjustment with a row."""
    return {
        "id": nr,
        "stock_adjustment_number": f"SA-{nr}",
        "stock_adjustment_date": day(nr),
        "location_id": 1,
        "reason": "counted",
        "additional_info": "",
        "stock_adjustment_rows": [stock_row(nr)],
        **DATES,
    }


def stocktake(nr: int) -> Record:
    """Return a completed count without its rows."""
    return {
        "id": nr,
        "stocktake_number": f"STK-{nr}",
        "location_id": 1,
        "status": "COMPLETED",
        **dict.fromkeys(("stocktake_created_date", "started_date", "completed_date"), day(nr)),
        **dict.fromkeys(("status_update_in_progress", "set_remaining_items_as_counted"), False),
        "stock_adjustment_id": nr,
        "reason": "year end",
        "additional_info": "",
        **DATES,
    }


def stocktake_row(nr: int) -> Record:
    """Return a row of which one was missing."""
    quantities = {"in_stock_quantity": 5, "counted_quantity": 4, "discrepancy_quantity": -1}
    named = {"stocktake_id": nr, "variant_id": nr % 50, "batch_id": None}
    return {"id": nr, **named, **quantities, "notes": "left shelf", **DATES}


def inventory_movement(nr: int) -> Record:
    """Return a movement of an order row."""
    return {
        "id": nr,
        "variant_id": nr % 50,
        "location_id": 1,
        "resource_type": "SalesOrderRow",
        "resource_id": nr * 10,
        "caused_by_order_no": f"SO-{nr}",
        "caused_by_resource_id": nr,
        "movement_date": day(nr),
        "quantity_change": -2,
        "balance_after": Decimal("7.5"),
        "value_per_unit": Decimal("1.25"),
        "value_in_stock_after": Decimal("9.375"),
        "average_cost_after": Decimal("1.25"),
        "rank": nr,
        "created_at": NOON,
        "updated_at": NOON,
    }


def fulfillment(nr: int) -> Record:
    """Return a shipment of a sales order."""
    row: Record = {"id": nr, "sales_order_row_id": nr * 10, "quantity": 1, "batch_transactions": []}
    return {
        "id": nr,
        "sales_order_id": nr,
        "picked_date": day(nr),
        "status": "DELIVERED",
        "invoice_status": None,
        "conversion_rate": 1,
        "conversion_date": day(nr),
        "tracking_number": f"1Z{nr:08}",
        "tracking_url": None,
        "tracking_carrier": "UPS",
        "tracking_method": "ground",
        "packer_id": None,
        "sales_order_fulfillment_rows": [{**row, "serial_numbers": [], "traceability": []}],
        **DATES,
    }


def sales_return(nr: int) -> Record:
    """Return a return without its rows."""
    return {
        "id": nr,
        "customer_id": 1,
        "sales_order_id": nr,
        "order_no": f"RO-{nr}",
        "return_location_id": 1,
        "status": ("NOT_RETURNED", "RETURNED_ALL", "RESTOCKED_ALL")[nr % 3],
        "currency": "EUR",
        "return_date": day(nr, 2),
        "order_created_date": day(nr),
        "additional_info": "scratched",
        **dict.fromkeys(("refund_status", "tracking_number", "tracking_number_url", "tracking_carrier")),
        **DATES,
    }


def sales_return_row(nr: int) -> Record:
    """Return what comes back of a row that was shipped."""
    return {
        "id": nr,
        "sales_return_id": nr,
        "variant_id": nr % 50,
        **dict.fromkeys(("fulfillment_row_id", "sales_order_row_id"), nr * 10),
        "quantity": Decimal(1),
        "net_price_per_unit": Decimal("19.5"),
        **dict.fromkeys(("reason_id", "restock_location_id"), 1),
        "batch_transactions": [{"batch_id": 7, "quantity": Decimal(1)}],
        **dict.fromkeys(("created_at", "updated_at"), NOON),
    }


def outsourced_recipe_row(nr: int) -> Record:
    """Return an ingredient of an outsourced purchase order."""
    return {
        "id": nr,
        "purchase_order_id": nr,
        "purchase_order_row_id": nr * 10,
        "ingredient_variant_id": nr % 50,
        "planned_quantity_per_unit": 3,
        "ingredient_availability": "IN_STOCK",
        "ingredient_expected_date": None,
        "notes": None,
        "batch_transactions": [],
        "cost": None,
        **DATES,
    }


def cost_row(nr: int) -> Record:
    """Return an additional cost of a purchase order's group."""
    return {
        "id": nr,
        "additional_cost_id": 1,
        "group_id": nr * 10,
        "name": "Shipping",
        "distribution_method": "BY_VALUE",
        "tax_rate_id": 1,
        "tax_rate": 20,
        "price": Decimal("50.5"),
        "price_in_base": Decimal("50.5"),
        "currency": "EUR",
        "currency_conversion_rate": 1,
        "currency_conversion_rate_fix_date": None,
        "reference": "INV 7",
        **DATES,
    }


def bill(nr: int) -> Record:
    """Return the bill of a purchase order's group."""
    about = {"integration_type": "quickBooks", "bill_id": f"B{nr}", "created_at": NOON}
    return {"id": nr, "purchase_order_id": nr, "received_items_group_id": nr * 10, **about}


def bom_row(nr: int) -> Record:
    """Return an ingredient of a product variant."""
    return {
        "id": f"501152bc-c9d0-4c10-9ff7-{nr:012}",
        "product_variant_id": nr,
        "product_item_id": nr,
        "ingredient_variant_id": nr % 50,
        "quantity": Decimal("0.25"),
        "notes": "left side",
        "rank": 10_000,
        "created_at": NOON,
        "updated_at": NOON,
    }


DOCUMENTS: dict[str, Callable[[int], Record]] = {
    "additional_cost": additional_cost,
    "bom_row": bom_row,
    "custom_field_definition": custom_field_definition,
    "factory": factory,
    "inventory_movement": inventory_movement,
    "manufacturing_order": manufacturing_order,
    "manufacturing_order_operation_row": operation_row,
    "manufacturing_order_production": production,
    "manufacturing_order_recipe_row": recipe_row,
    "outsourced_purchase_order_recipe_row": outsourced_recipe_row,
    "purchase_order": purchase_order,
    "purchase_order_accounting_metadata": bill,
    "purchase_order_additional_cost_row": cost_row,
    "sales_order_fulfillment": fulfillment,
    "sales_return": sales_return,
    "sales_return_row": sales_return_row,
    "stock_adjustment": stock_adjustment,
    "stock_transfer": stock_transfer,
    "stocktake": stocktake,
    "stocktake_row": stocktake_row,
}
"""A maker of records per entity; each takes a number from 1."""
