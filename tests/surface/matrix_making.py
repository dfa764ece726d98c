"""The usual calls of the tools that plan to write manufacturing orders, and what makes a difference."""

from katana_sandbox import Tenant

from .usual import Usual, changed_each, live_records
from .writes_making import OPERATION, ORDER, RECIPE, made_goods, makers, rows_of, used_goods


def making_writes(tenant: Tenant) -> dict[str, Usual]:
    """Return them, by tool."""
    orders = live_records(tenant, ORDER)
    order, other = [record for record in orders if record["status"] == "NOT_STARTED"][:2]
    done = next(record for record in orders if record["status"] == "DONE")
    product, another = made_goods(tenant)[:2]
    home = makers(tenant)[0]["id"]
    away = next(location["id"] for location in live_records(tenant, "locations") if location["id"] != home)
    ingredient, step = rows_of(tenant, RECIPE, order)[0], rows_of(tenant, OPERATION, order)[0]
    named: dict[str, object] = {"manufacturing_order_id": done["id"]}
    fields: dict[str, object] = {
        "order_no": "MO-900",
        "planned_quantity": 70,
        "location_id": away,
        "order_created_date": "2026-03-04",
        "production_deadline_date": "2026-04-05",
        "additional_info": "rack 3",
    }
    used, worked = rows_of(tenant, RECIPE, done)[0], rows_of(tenant, OPERATION, done)[0]
    partly = next(record for record in orders if record["status"] == "PARTIALLY_COMPLETED")
    production = rows_of(tenant, "manufacturing_order_productions", partly)[0]
    mine: dict[str, object] = {"manufacturing_order_id": partly["id"]}
    made = set(made_goods(tenant))
    open_orders = [record for record in live_records(tenant, "sales_orders") if record["status"] == "NOT_SHIPPED"]
    sold = sorted(
        open_orders,
        key=lambda order: (
            not (
                order["location_id"] == home
                and any(
                    row["variant_id"] in made and not row["linked_manufacturing_order_id"]
                    for row in order["sales_order_rows"]
                )
            )
        ),
    )
    return {
        "complete_manufacturing_order": Usual(
            {"manufacturing_order_id": order["id"]},
            changed_each(
                manufacturing_order_id=other["order_no"],
                quantity=0.5,
                is_final=False,
                completed_date="2026-02-20T08:00:00Z",
                ingredients=[{"recipe_row_id": ingredient, "quantity": 77}],
                operations=[{"operation_row_id": step, "seconds": 77}],
                batch_id=1,
                serial_number_ids=[1],
            )
            | {"production_id": {**mine, "production_id": production, "completed_date": "2026-02-20"}}
            | {"delete_production_id": {**mine, "delete_production_id": production}},
        ),
        "create_manufacturing_orders": Usual(
            {"sales_order_id": sold[0]["id"]},
            changed_each(
                sales_order_id=sold[1]["order_no"],
                row_ids=[sold[0]["sales_order_rows"][-1]["id"]],
                create_subassemblies=True,
                most_per_order=0.5,
            ),
        ),
        "create_manufacturing_order": Usual(
            {"sku_or_variant_id": product, "planned_quantity": 2, "location_id": home},
            changed_each(**fields, sku_or_variant_id=another),
        ),
        "modify_manufacturing_order": Usual(
            {"manufacturing_order_id": order["id"], "additional_info": "usual"},
            changed_each(
                **fields,
                manufacturing_order_id=other["order_no"],
                status="BLOCKED",
                add_recipe_rows=[{"sku_or_variant_id": used_goods(tenant)[0], "planned_quantity_per_unit": 2}],
                update_recipe_rows=[{"recipe_row_id": ingredient, "planned_quantity_per_unit": 77}],
                delete_recipe_row_ids=[ingredient],
                add_operation_rows=[{"operation_name": "Polish"}],
                update_operation_rows=[{"operation_row_id": step, "planned_time_parameter": 77}],
                delete_operation_row_ids=[step],
            )
            | {"done_date": {**named, "done_date": "2026-02-03"}}
            | {"reopen": {**named, "status": "IN_PROGRESS", "reopen": True}},
        ),
        "correct_manufacturing_order": Usual(
            named | {"production_deadline_date": "2026-04-06"},
            changed_each(
                **{name: fields[name] for name in ("order_no", "location_id", "production_deadline_date")},
                manufacturing_order_id=done["order_no"],
                planned_quantity=71,
                completed_quantity=71,
                done_date="2026-02-03",
                add_recipe_rows=[{"sku_or_variant_id": used_goods(tenant)[0], "planned_quantity_per_unit": 2}],
                update_recipe_rows=[{"recipe_row_id": used, "planned_quantity_per_unit": 77}],
                delete_recipe_row_ids=[used],
                add_operation_rows=[{"operation_name": "Polish"}],
                update_operation_rows=[{"operation_row_id": worked, "planned_time_parameter": 77}],
                delete_operation_row_ids=[worked],
            ),
        ),
        "delete_manufacturing_order": Usual(
            {"manufacturing_order_id": order["id"]}, changed_each(manufacturing_order_id=other["order_no"])
        ),
    }
