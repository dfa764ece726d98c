"""Done manufacturing orders to correct, and what the sandbox holds of one but for the ids that a correction changes."""

from collections.abc import Sequence
from random import Random

from correcting_orders import FIRST, SECOND, THIRD, Edit, goods
from correcting_sales import stock
from server_wire import Wire, live

from katana_sandbox import Tenant

ORDERS, PRODUCTIONS = "manufacturing_orders", "manufacturing_order_productions"
RECIPE, WORK = "manufacturing_order_recipe_rows", "manufacturing_order_operation_rows"
__all__ = ("dates", "drawn", "large", "large_edit", "shape", "small", "small_edit", "stock")


def rows_of(tenant: Tenant, collection: str, order: int) -> list[Wire]:
    """Return the live rows of an order, oldest first."""
    found = [row for row in live(tenant, collection) if row["manufacturing_order_id"] == order]
    return sorted(found, key=lambda row: row["id"])


def created(tenant: Tenant, number: str, quantity: float) -> Wire:
    """Return a new order of a product with a recipe and operations."""
    worked = {row["product_variant_id"] for row in live(tenant, "product_operation_rows")}
    made = next(row["product_variant_id"] for row in live(tenant, "bom_rows") if row["product_variant_id"] in worked)
    home = next(place["id"] for place in live(tenant, "locations") if place["manufacturing_allowed"])
    body = {"variant_id": made, "planned_quantity": quantity, "location_id": home, "order_no": number}
    dates = {"order_created_date": "2026-02-01T08:00:00.000Z", "production_deadline_date": "2026-02-18T08:00:00.000Z"}
    return tenant.create(ORDERS, {**body, **dates, "additional_info": "fragile"})


def produce(tenant: Tenant, order: Wire, quantity: float, date: str, **more: object) -> Wire:
    """Return a new production of an order."""
    body = {"manufacturing_order_id": order["id"], "completed_quantity": quantity, "completed_date": date}
    return tenant.create(PRODUCTIONS, body | more)


def whole(tenant: Tenant, order: int) -> Wire:
    """Return an order with its rows, as edits are made from them."""
    named = {name: rows_of(tenant, name, order) for name in (RECIPE, WORK)}
    return {**tenant.get(ORDERS, order), **named}


def small(tenant: Tenant, number: str) -> Wire:
    """Return an order that was made at once, as planned."""
    order = created(tenant, number, 4)
    produce(tenant, order, 4, FIRST, is_final=True)
    return whole(tenant, order["id"])


def small_edit(order: Wire) -> Edit:
    """Return a correction of the small order."""
    start = order[WORK][0]["id"]
    return {"planned_quantity": 3, "update_operation_rows": [{"operation_row_id": start, "planned_time_parameter": 77}]}


def large(tenant: Tenant, number: str) -> Wire:
    """Return an order that was made in two productions, with what was really used and took, and batches."""
    order = created(tenant, number, 5)
    tracked = goods(tenant, batched=True)[0]["id"]
    row = {"manufacturing_order_id": order["id"], "variant_id": tracked, "planned_quantity_per_unit": 2}
    tenant.create(RECIPE, row)
    recipe, work = rows_of(tenant, RECIPE, order["id"]), rows_of(tenant, WORK, order["id"])
    batches = [_batch(tenant, tracked, name) for name in ("one", "two")]

    def used(count: int, *trace: Wire, first: float = 0) -> list[Wire]:
        planned = [
            {
                "manufacturing_order_recipe_row_id": row["id"],
                "quantity": float(row["planned_quantity_per_unit"]) * count,
            }
            for row in recipe
        ]
        return [
            planned[0] | ({"quantity": first} if first else {}),
            *planned[1:-1],
            planned[-1] | {"traceability": [*trace]},
        ]

    took = [{"manufacturing_order_operation_id": work[0]["id"], "time": 90}]
    one, two = ({"batch_id": batch, "quantity": str(count)} for batch, count in zip(batches, (4, 6), strict=True))
    produce(tenant, order, 2, FIRST, ingredients=used(2, one, first=7), operations=took, is_final=False)
    produce(tenant, order, 3, SECOND, ingredients=used(3, two), is_final=True)
    return whole(tenant, order["id"])


def large_edit(order: Wire) -> Edit:
    """Return a correction of the large order: its number and quantity, its date, rows changed, added and deleted."""
    first, second, *_ = order[RECIPE]
    return {
        "order_no": f"{order['order_no']}-B",
        "completed_quantity": 4,
        "done_date": THIRD,
        "update_recipe_rows": [{"recipe_row_id": first["id"], "planned_quantity_per_unit": 3}],
        "delete_recipe_row_ids": [second["id"]],
        "add_recipe_rows": [{"sku_or_variant_id": second["variant_id"], "planned_quantity_per_unit": 1.5}],
    }


def _batch(tenant: Tenant, variant: int, number: str) -> int:
    batches = [batch for batch in tenant.all("batches") if batch["batch_number"] == f"used {number}"]
    return (batches or [tenant.create("batches", {"variant_id": variant, "batch_number": f"used {number}"})])[0]["id"]


_CHANGES = frozenset(
    {
        *("id", "created_at", "updated_at", "manufacturing_order_id", "order_no", "production_id", "cost", "rank"),
        *("manufacturing_order_recipe_row_id", "manufacturing_order_operation_id", "total_cost", "material_cost"),
        *("subassemblies_cost", "total_actual_cost", "ingredient_expected_date", "completed_at"),
    }
)


def shape(tenant: Tenant, order: int) -> Wire:
    """Return all that Katana holds of an order but for ids, ranks and costs: head, rows, productions."""
    record = tenant.get(ORDERS, order)
    recipe = {row["id"]: row["variant_id"] for row in rows_of(tenant, RECIPE, order)}
    work = {row["id"]: row["operation_name"] for row in rows_of(tenant, WORK, order)}
    return {
        "head": _plain(record),
        "recipe": sorted(str(_plain(row)) for row in rows_of(tenant, RECIPE, order)),
        "work": sorted(str(_plain(row)) for row in rows_of(tenant, WORK, order)),
        "productions": sorted(
            str(
                [
                    _plain({**one, "ingredients": (), "operations": ()}),
                    sorted(
                        str([recipe.get(ingredient["manufacturing_order_recipe_row_id"]), _plain(ingredient)])
                        for ingredient in one["ingredients"]
                    ),
                    sorted(
                        str([work.get(operation["manufacturing_order_operation_id"]), _plain(operation)])
                        for operation in one["operations"]
                    ),
                ]
            )
            for one in (tenant.get(PRODUCTIONS, row["id"]) for row in rows_of(tenant, PRODUCTIONS, order))
        ),
    }


def _plain(record: Wire) -> Wire:
    return {name: value for name, value in sorted(record.items()) if name not in _CHANGES}


def drawn(tenant: Tenant, rng: Random, number: str) -> tuple[Wire, Edit]:
    """Return an order in any status, and any correction of it."""
    order = created(tenant, number, rng.randint(1, 5))
    left = order["planned_quantity"]
    for date in (FIRST, SECOND)[: rng.randint(0, 2)]:
        count = rng.randint(1, left) if left > 0 else 0
        if count:
            left -= count
            is_final = left == 0 or (date == SECOND and rng.random() < 0.5)
            produce(tenant, order, count, date, is_final=is_final)
            left = 0 if is_final else left
    order = whole(tenant, order["id"])
    return order, _drawn_edit(rng, order, goods(tenant, batched=False))


def _drawn_edit(rng: Random, order: Wire, variants: Sequence[Wire]) -> Edit:
    edit: Edit = {}
    changed = [
        {"recipe_row_id": row["id"], "planned_quantity_per_unit": rng.randint(1, 3)}
        for row in order[RECIPE]
        if rng.random() < 0.3
    ]
    named = {update["recipe_row_id"] for update in changed}
    deleted = [row["id"] for row in order[RECIPE] if row["id"] not in named and rng.random() < 0.2]
    for name in ("planned_quantity", "completed_quantity"):
        if rng.random() < 0.4:
            edit[name] = rng.randint(1, 6)
    if rng.random() < 0.2:
        edit["done_date"] = THIRD
    if rng.random() < 0.3:
        edit["add_recipe_rows"] = [{"sku_or_variant_id": rng.choice(variants)["id"], "planned_quantity_per_unit": 1}]
    more = {"update_recipe_rows": changed} if changed else {}
    return edit | more | ({"delete_recipe_row_ids": deleted} if deleted else {})


def dates(tenant: Tenant, order: Wire) -> set[str]:
    """Return when productions of an order were, but for its last one, which another date may move."""
    found = [one["production_date"] for one in rows_of(tenant, PRODUCTIONS, order["id"])]
    return set(sorted(found)[:-1])
