"""Manufacturing orders: the rows of their tools that plan a write."""

from typing import cast

from katana_sandbox import Tenant

from .writes import Arguments, Pools, Record, Spoil, Write, done_already, edited, gone, live

ORDER, RECIPE, OPERATION = (
    "manufacturing_orders",
    "manufacturing_order_recipe_rows",
    "manufacturing_order_operation_rows",
)
PRODUCTION, INGREDIENT, TIME = (
    "manufacturing_order_productions",
    "manufacturing_order_production_ingredients",
    "manufacturing_order_production_operations",
)
MADE = frozenset(
    {
        *("completed_quantity", "actual_quantity", "includes_partial_completions", "variant_id", "is_final"),
        *("batch_transaction", "cost"),
    }
)
"""What Katana works out when some of an order is made."""
PARTS = {
    **dict.fromkeys(("recipe_rows", "add_recipe_rows"), RECIPE),
    **dict.fromkeys(("operation_rows", "add_operation_rows"), OPERATION),
}
DERIVED = frozenset(
    {
        *("ingredient_availability", "ingredient_expected_date", "total_cost", "material_cost", "subassemblies_cost"),
        *("operations_cost", "total_planned_time", "total_actual_time", "remaining_quantity", "cost"),
        *("total_consumed_quantity", "total_remaining_quantity", "total_actual_quantity", "location_id", "rank"),
        *("planned_cost_per_unit", "total_actual_cost", "total_consumed_time", "total_remaining_time", "status"),
        *("is_status_actionable", "operation_id", "resource_id", "planned_time_per_unit", "cost_per_hour"),
        *("manufacturing_order_id", "batch_transactions", "custom_fields", "assigned_operators", "group_boundary"),
        *("completed_by_operators", "active_operator_id", "completed_at", "written_quantity", "written_time"),
        *("status_before", "type"),
    }
)
"""What Katana works out, or copies from the product: costs, times, availability; and what of the sandbox is its own."""
WORDS = {"location_id": "locations", "variant_id": "variants"}
FOLLOWS = frozenset({"inventory", "inventory_movements", "negative_stock", "sales_orders", "sales_order_rows"})


def made_goods(tenant: Tenant) -> list[int]:
    """Return variants with a recipe and operations of their own, oldest first."""
    worked = {row["product_variant_id"] for row in live(tenant, "product_operation_rows")}
    return list(
        dict.fromkeys(
            row["product_variant_id"] for row in live(tenant, "bom_rows") if row["product_variant_id"] in worked
        )
    )


def makers(tenant: Tenant) -> list[Record]:
    """Return the locations that make things."""
    return [location for location in live(tenant, "locations") if location["manufacturing_allowed"]]


def used_goods(tenant: Tenant) -> list[int]:
    """Return variants of materials, oldest first."""
    return [variant["id"] for variant in live(tenant, "variants") if variant.get("material_id")]


def rows_of(tenant: Tenant, collection: str, order: Record) -> list[int]:
    """Return the ids of the rows of an order, oldest first."""
    return sorted(row["id"] for row in live(tenant, collection) if row["manufacturing_order_id"] == order.get("id"))


def make_order(tenant: Tenant, number: str) -> Record:
    """Return a new order with the recipe and the operations of its product."""
    head = {"order_no": number, "additional_info": "rack 3", "variant_id": made_goods(tenant)[0]}
    return tenant.create(ORDER, {**head, "planned_quantity": 5, "location_id": makers(tenant)[0]["id"]})


def _make_own(tenant: Tenant, number: str) -> Record:
    """Return a new order with two ingredients and two operations more than its product has."""
    order = make_order(tenant, number)
    mine = {"manufacturing_order_id": order["id"]}
    for place, variant in enumerate(used_goods(tenant)[:2], 1):
        tenant.create(RECIPE, {**mine, "variant_id": variant, "planned_quantity_per_unit": place, "notes": "own"})
        plan = {"operation_name": f"Step {place}", "planned_time_parameter": 60 * place, "cost_parameter": 12}
        tenant.create(OPERATION, {**mine, **plan, "status": "NOT_STARTED", "resource_name": "Bench", "type": "process"})
    return tenant.get(ORDER, order["id"])


def _new(tenant: Tenant, number: str, _: Record) -> Arguments:
    head: Arguments = {"sku_or_variant_id": made_goods(tenant)[0], "location_id": makers(tenant)[0]["id"]}
    return {**head, "planned_quantity": 2.5, "order_no": number, "additional_info": "usual"}


def _ingredient(tenant: Tenant) -> Arguments:
    return {"sku_or_variant_id": used_goods(tenant)[2], "planned_quantity_per_unit": 0.5}


def _operation() -> Arguments:
    return {"operation_name": "Polish", "resource_name": "Bench", "type": "process", "planned_time_parameter": 30}


def _changed(tenant: Tenant, _: str, order: Record) -> Arguments:
    ingredient, other = rows_of(tenant, RECIPE, order)[-2:]
    step, last = rows_of(tenant, OPERATION, order)[-2:]
    return {
        "planned_quantity": 7,
        "additional_info": "usual",
        "status": "BLOCKED",
        "add_recipe_rows": [_ingredient(tenant)],
        "update_recipe_rows": [{"recipe_row_id": ingredient, "planned_quantity_per_unit": 3}],
        "delete_recipe_row_ids": [other],
        "add_operation_rows": [_operation()],
        "update_operation_rows": [{"operation_row_id": step, "planned_time_parameter": 45}],
        "delete_operation_row_ids": [last],
    }


def _each(argument: str, plain: Arguments, fields: Arguments) -> dict[str, Arguments]:
    return {f"{argument}[].{name}": {argument: [{**plain, name: value}]} for name, value in fields.items()}


def _below(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    first, *_, ingredient, _other = rows_of(tenant, RECIPE, order)
    start, *_, step, _last = rows_of(tenant, OPERATION, order)
    used: Arguments = {"sku_or_variant_id": used_goods(tenant)[3], "planned_quantity_per_unit": 4, "notes": "by hand"}
    work: Arguments = {"operation_name": "Paint", "resource_name": "Booth", "type": "fixed"}
    work |= {"planned_time_parameter": 7, "cost_parameter": 8}
    return {
        **_each("add_recipe_rows", _ingredient(tenant), used),
        **_each("update_recipe_rows", {"recipe_row_id": ingredient}, used),
        **_each("update_recipe_rows", {"planned_quantity_per_unit": 3}, {"recipe_row_id": first}),
        **_each("add_operation_rows", _operation(), work),
        **_each("update_operation_rows", {"operation_row_id": step}, work),
        **_each("update_operation_rows", {"planned_time_parameter": 45}, {"operation_row_id": start}),
    }


def _pools(tenant: Tenant, order: Record) -> Pools:
    places = [value for maker in makers(tenant) for value in (maker["id"], maker["name"])]
    pools: dict[str, list[object]] = {"location_id": [*places], "sku_or_variant_id": [*made_goods(tenant)]}
    for rows in ("add_recipe_rows", "update_recipe_rows"):
        pools |= {f"{rows}[].sku_or_variant_id": [*used_goods(tenant)[:6]]}
    ingredients, steps = rows_of(tenant, RECIPE, order), rows_of(tenant, OPERATION, order)
    if order:
        pools |= {"update_recipe_rows[].recipe_row_id": [*ingredients], "delete_recipe_row_ids[]": [*ingredients]}
        pools |= {"update_operation_rows[].operation_row_id": [*steps], "delete_operation_row_ids[]": [*steps]}
    return pools


def _row_gone(collection: str, place: int) -> Spoil:
    return Spoil(
        act=lambda tenant, order, _: tenant.delete(collection, rows_of(tenant, collection, order)[place]),
        code="unknown_row_id",
    )


def _numbered_alike(tenant: Tenant, order: Record, arguments: Arguments) -> None:
    other = next(record["id"] for record in live(tenant, ORDER) if record["id"] != order.get("id"))
    tenant.edit(ORDER, other, True, order_no=arguments["order_no"])


def produce(tenant: Tenant, order: Record, quantity: float = 1, *, final: bool = False) -> Record:
    """Report that some of an order was made."""
    made: Arguments = {"manufacturing_order_id": order["id"], "completed_quantity": quantity, "is_final": final}
    return tenant.create("manufacturing_order_productions", made)


def _some(tenant: Tenant, _: str, order: Record) -> Arguments:
    used, step = rows_of(tenant, RECIPE, order)[0], rows_of(tenant, OPERATION, order)[0]
    return {
        "quantity": 2,
        "completed_date": "2026-02-20T08:00:00Z",
        "ingredients": [{"recipe_row_id": used, "quantity": 3}],
        "operations": [{"operation_row_id": step, "seconds": 90}],
    }


def _below_some(tenant: Tenant, order: Record) -> dict[str, Arguments]:
    (used, other), (step, last) = rows_of(tenant, RECIPE, order)[:2], rows_of(tenant, OPERATION, order)[:2]
    batches = [{"batch_id": 1, "quantity": 1}]
    one: Arguments = {"ingredients": [{"recipe_row_id": used, "quantity": 3, "batches": batches}]}
    return {
        **_each("ingredients", {"quantity": 3}, {"recipe_row_id": other}),
        **_each("ingredients", {"recipe_row_id": used}, {"quantity": 4}),
        **_each("ingredients", {"recipe_row_id": used, "quantity": 3}, {"batches": batches}),
        "ingredients[].batches[]": one,
        "ingredients[].batches[].batch_id": one,
        "ingredients[].batches[].quantity": one,
        **_each("operations", {"seconds": 90}, {"operation_row_id": last}),
        **_each("operations", {"operation_row_id": step}, {"seconds": 91}),
    }


def _pools_some(tenant: Tenant, order: Record) -> Pools:
    steps = rows_of(tenant, OPERATION, order) or [1]
    pools: dict[str, list[object]] = {"ingredients[].recipe_row_id": [*(rows_of(tenant, RECIPE, order) or [1])]}
    pools |= {"operations[].operation_row_id": [*steps], "ingredients[].batches": [[]], "serial_number_ids": [[]]}
    return pools | {"completed_date": ["2026-02-20T08:00:00Z"]}


def _sell(tenant: Tenant, number: str) -> Record:
    """Return a new sales order of three rows of what is made."""
    rows = [{"variant_id": variant_id, "quantity": 2, "price_per_unit": 9} for variant_id in made_goods(tenant)[:3]]
    head = {"order_no": number, "customer_id": live(tenant, "customers")[0]["id"], "sales_order_rows": rows}
    return tenant.create("sales_orders", {**head, "location_id": makers(tenant)[0]["id"]})


def _sold(order: Record) -> list[int]:
    return [row["id"] for row in order["sales_order_rows"]]


def _make_one(tenant: Tenant, order: Record, _: Arguments) -> None:
    made = make_order(tenant, "MO-ELSEWHERE")["id"]
    tenant.edit("sales_order_rows", _sold(order)[0], True, linked_manufacturing_order_id=made)


MAKING = {
    "create_manufacturing_orders": Write(
        collection="sales_orders",
        usual=lambda _, __, order: {"row_ids": _sold(order)[:2]},
        subject="sales_order_id",
        make=_sell,
        pools=lambda _, order: {"row_ids[]": _sold(order)} if order else {},
        spoils={
            "it is deleted": gone("sales_orders"),
            "it is delivered": edited("sales_orders", "already_completed", status="DELIVERED"),
            "a row is made elsewhere": Spoil(act=_make_one, code="locked"),
            "a row is deleted": Spoil(
                act=lambda tenant, order, _: tenant.delete("sales_order_rows", _sold(order)[0]), code="unknown_row_id"
            ),
        },
        follows=(FOLLOWS | {ORDER, RECIPE, OPERATION}) - {"sales_orders"},
        derived=DERIVED
        | {
            *("product_availability", "product_expected_date", "production_status", "linked_manufacturing_order_id"),
        },
    ),
    "complete_manufacturing_order": Write(
        collection=ORDER,
        usual=_some,
        subject="manufacturing_order_id",
        make=make_order,
        pools=_pools_some,
        below=_below_some,
        spoils={
            "it is deleted": gone(ORDER),
            "it is done": Spoil(
                act=lambda tenant, order, _: produce(tenant, order, 5, final=True), code="already_completed"
            ),
            "it is blocked": Spoil(act=edited(ORDER, "", status="BLOCKED").act, code="blocked_status", blocks=False),
            "an ingredient that was used is deleted": _row_gone(RECIPE, 0),
            "an operation that was done is deleted": _row_gone(OPERATION, 0),
            "less remains": Spoil(
                act=lambda tenant, order, _: produce(tenant, order, 4), code="over_production", blocks=False
            ),
        },
        # What a production holds is judged in `test_completing.py`: the preview's lines say it, not its changes.
        follows=FOLLOWS | {PRODUCTION, RECIPE, OPERATION, INGREDIENT, TIME},
        parts={**PARTS, "productions": PRODUCTION, "add_productions": PRODUCTION},
        derived=DERIVED | MADE,
        words=WORDS,
        moments=frozenset({"production_date", "done_date"}),
    ),
    "create_manufacturing_order": Write(
        collection=ORDER,
        usual=_new,
        pools=_pools,
        spoils={
            "its product is deleted": Spoil(
                act=lambda tenant, _, arguments: tenant.delete("variants", cast("int", arguments["sku_or_variant_id"])),
                code="not_found",
            ),
            "another has its number": Spoil(act=_numbered_alike, code="duplicate_order_number", blocks=False),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED | {"order_created_date"},
        words=WORDS,
    ),
    "modify_manufacturing_order": Write(
        collection=ORDER,
        usual=_changed,
        subject="manufacturing_order_id",
        make=_make_own,
        pools=_pools,
        below=_below,
        spoils={
            "it is deleted": gone(ORDER),
            "it is done": Spoil(act=lambda tenant, order, _: produce(tenant, order, 5, final=True), code="locked"),
            "some of it is made": Spoil(
                act=lambda tenant, order, _: produce(tenant, order), code="invalid_status_transition"
            ),
            "the ingredient to change is deleted": _row_gone(RECIPE, -2),
            "the ingredient to delete is deleted": _row_gone(RECIPE, -1),
            "the operation to change is deleted": _row_gone(OPERATION, -2),
            "somebody did the same": done_already(ORDER, additional_info="usual"),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        words=WORDS,
    ),
    "delete_manufacturing_order": Write(
        collection=ORDER,
        usual=lambda *_: {},
        subject="manufacturing_order_id",
        make=make_order,
        spoils={
            "it is deleted": gone(ORDER),
            "it is done": Spoil(act=lambda tenant, order, _: produce(tenant, order, 5, final=True), code="locked"),
            "some of it is made": Spoil(
                act=lambda tenant, order, _: produce(tenant, order), code="stock_was_moved", blocks=False
            ),
        },
        follows=FOLLOWS,
        parts=PARTS,
        derived=DERIVED,
        words=WORDS,
    ),
}
