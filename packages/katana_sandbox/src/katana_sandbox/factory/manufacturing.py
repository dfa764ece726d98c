"""Manufacturing orders of the last months: done ones, running, blocked, partial and late ones, some made to order."""

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from katana_sandbox.factory.loader import DAY, Life, Loader
from katana_sandbox.factory.recipes import Recipe, load_recipes
from katana_sandbox.rules.allocation import settle_pairs
from katana_sandbox.rules.ledger import Pair, rounded
from katana_sandbox.rules.manufacturing_costs import cost_per_unit, share_of_cost, share_of_time
from katana_sandbox.rules.manufacturing_rows import (
    INGREDIENTS,
    OPERATION_ROWS,
    ORDERS,
    PRODUCTIONS,
    RECIPE_ROWS,
    TIMES,
    copied_operation,
)
from katana_sandbox.rules.manufacturing_settle import derive_order
from katana_sandbox.rules.sales import refresh_availability
from katana_sandbox.rules.stock import refresh_costs
from katana_sandbox.store.movements import Movement
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import as_decimal, fixed, number

_SPAN = 75 * DAY
_ORDERS_PER_ORDER = 3
# A workshop has only so many orders open at a time, however long its history is.
_MOST_OPEN = 300
_OPEN = ("NOT_STARTED", "PARTIALLY_COMPLETED", "IN_PROGRESS", "BLOCKED", "NOT_STARTED", "IN_PROGRESS")
_MOST_LINKED = 40
_LINK_EVERY = 2


class _Sale(NamedTuple):
    """An open sales order row that waits for its goods."""

    row_id: int
    variant_id: int
    quantity: int
    order: Record


class _Order(NamedTuple):
    order_id: int
    order_no: str
    recipe: Recipe
    location: int
    quantity: Decimal
    status: str
    life: Life
    due: int
    sale: _Sale | None
    rows: list[int]
    work: list[tuple[int, Record]]


class Workshop(NamedTuple):
    """What was loaded: open orders, to be settled, and the pairs that productions moved."""

    open_orders: list[int]
    pairs: set[Pair]
    links: dict[int, int]


def load_manufacturing(loader: Loader, location: int, orders: int, still_open: Iterable[int]) -> Workshop:
    """About one manufacturing order for every three sales orders, at the location that makes things."""
    recipes = load_recipes(loader)
    shop = Workshop([], set(), {})
    total = orders // _ORDERS_PER_ORDER if recipes else 0
    sales = iter(_waiting(loader, {recipe.variant_id for recipe in recipes}, location, still_open) if total else [])
    by_variant = {recipe.variant_id: recipe for recipe in recipes}
    first_open = total - min(_MOST_OPEN, (total * 11 + 19) // 20)
    for position in range(total):
        status = "DONE" if position < first_open else _OPEN[position % len(_OPEN)]
        links = status == "NOT_STARTED" or (status != "PARTIALLY_COMPLETED" and position % _LINK_EVERY == 0)
        sale = next(sales, None) if position >= first_open and links else None
        recipe = by_variant[sale.variant_id] if sale is not None else loader.rng.choice(recipes)
        order = _draft(loader, status, position / total, (recipe, location), sale)
        _load_order(loader, order)
        if status != "DONE":
            shop.open_orders.append(order.order_id)
        if sale is not None:
            shop.links[sale.row_id] = order.order_id
        shop.pairs.update((key, location) for key in (recipe.variant_id, *(line.variant_id for line in recipe.lines)))
        loader.report("manufacturing orders", position + 1, total)
    return shop


def settle_manufacturing(loader: Loader, shop: Workshop) -> None:
    """Link the rows that are made to order, and derive what is open, once every index stands."""
    ctx = loader.ctx
    with ctx.db.undo.silent():
        touched: set[int] = set()
        for row_id, order_id in shop.links.items():
            ctx.set("sales_order_rows", row_id, {"linked_manufacturing_order_id": order_id})
            touched.add((ctx.get("sales_order_rows", row_id) or {})["sales_order_id"])
        for order_id in shop.open_orders:
            derive_order(ctx, ctx.get(ORDERS, order_id) or {})
        refresh_costs(ctx, sorted(shop.pairs))
        refresh_availability(ctx, sorted(settle_pairs(ctx, sorted(shop.pairs)) | touched))


def _waiting(loader: Loader, made: set[int], location: int, still_open: Iterable[int]) -> list[_Sale]:
    orders, rows = loader.ctx.db.stores["sales_orders"], loader.ctx.db.stores["sales_order_rows"]
    found: list[_Sale] = []
    for order_id in sorted(still_open):
        slot = orders.slot(order_id)
        order = orders.record(slot) if slot is not None else {}
        if order.get("status") != "NOT_SHIPPED" or order["location_id"] != location:
            continue
        for place in rows.linked("sales_order_id", order_id):
            row = rows.record(place)
            if row["variant_id"] in made:
                found.append(_Sale(row["id"], row["variant_id"], row["quantity"], order))
        if len(found) >= _MOST_LINKED:
            break
    return found


def _draft(loader: Loader, status: str, age: float, made: tuple[Recipe, int], sale: _Sale | None) -> _Order:
    rng = loader.rng
    recipe, location = made
    quantity = rng.choice((1, 2, 2, 4, 5, 8)) + (status == "PARTIALLY_COMPLETED")
    created = loader.now - _SPAN + int((age + rng.random() / 50) * (_SPAN - 3 * DAY))
    done = status == "DONE"
    updated = created + int((loader.now - created) * (0.3 + 0.6 * rng.random()))
    return _Order(
        order_id=loader.ctx.db.next_id(ORDERS),
        order_no=loader.ctx.db.next_number("MO") if sale is None else f"{sale.order['order_no']} / 1",
        recipe=recipe,
        location=location,
        quantity=Decimal(quantity if sale is None else sale.quantity),
        status=status,
        life=Life(created, updated),
        due=updated + rng.randint(-3, 6) * DAY if done else created + rng.randint(4, 30) * DAY,
        sale=sale,
        rows=[],
        work=[],
    )


def _load_order(loader: Loader, order: _Order) -> None:
    done = order.status == "DONE"
    order.rows.extend(loader.ctx.db.next_id(RECIPE_ROWS) for _ in order.recipe.lines)
    order.work.extend((loader.ctx.db.next_id(OPERATION_ROWS), line) for line in order.recipe.operations)
    spent: dict[int, Decimal] = {}
    if done and order.order_id % 6 == 0 and order.quantity > 1:
        _load_production(loader, order, Decimal(1), order.life.created + DAY // 2, spent)
        _load_production(loader, order, order.quantity - 1, order.life.updated, spent)
    elif done:
        _load_production(loader, order, order.quantity, order.life.updated, spent)
    elif order.status == "PARTIALLY_COMPLETED":
        _load_production(loader, order, Decimal(1), order.life.updated, spent)
    material = _load_recipe(loader, order)
    seconds, cost = _load_work(loader, order, spent)
    _load_header(loader, order, material, seconds, cost)


def _load_production(loader: Loader, order: _Order, quantity: Decimal, moment: int, spent: dict[int, Decimal]) -> None:
    key = loader.ctx.db.next_id(PRODUCTIONS)
    moment = max(moment, order.life.created)
    life, date = Life(moment, moment), loader.text(moment)
    own: Record = {"location_id": order.location, "manufacturing_order_id": order.order_id, "production_id": key}
    total = Decimal(0)
    for row_id, line in zip(order.rows, order.recipe.lines, strict=True):
        used = rounded(line.quantity * quantity)
        total += used * line.price
        fields: Record = {
            **own,
            "variant_id": line.variant_id,
            "manufacturing_order_recipe_row_id": row_id,
            "quantity": number(used),
            "production_date": date,
            "cost": number(used * line.price),
            "batch_transactions": [],
        }
        taken = loader.number(INGREDIENTS, fields, life)
        movement = _movement(order, (line.variant_id, -used, line.price), date, ("ProductionIngredient", taken))
        loader.ship(movement, line.price, moment)
    share = quantity / order.quantity
    for row_id, line in order.work:
        seconds = share_of_time(line, quantity, share)
        cost = share_of_cost(line, seconds, quantity, share)
        total += cost
        spent[row_id] = spent.get(row_id, Decimal(0)) + as_decimal(number(cost))
        fields = {**own, "manufacturing_order_operation_id": row_id, "time": number(seconds)}
        loader.put(TIMES, {**fields, "production_date": date, "cost": number(cost)}, life)
    loader.put(PRODUCTIONS, _production_fields(order, quantity, date, number(total), moment), life, key=key)
    made = (order.recipe.variant_id, quantity, total / quantity)
    loader.move(_movement(order, made, date, ("Production", key)), moment)


def _production_fields(order: _Order, quantity: Decimal, date: str, cost: float, moment: int) -> Record:
    return {
        "manufacturing_order_id": order.order_id,
        "quantity": number(quantity),
        "production_date": date,
        "variant_id": order.recipe.variant_id,
        "location_id": order.location,
        "cost": cost,
        "is_final": order.status == "DONE" and moment == order.life.updated,
        "batch_transaction": None,
    }


def _movement(order: _Order, what: tuple[int, Decimal, Decimal], date: str, source: tuple[str, int]) -> Movement:
    variant_id, quantity, cost = what
    return Movement(variant_id, order.location, quantity, cost, date, *source, order.order_no, order.order_id)


def _load_recipe(loader: Loader, order: _Order) -> Decimal:
    done = order.status == "DONE"
    total = Decimal(0)
    for row_id, line in zip(order.rows, order.recipe.lines, strict=True):
        planned = line.quantity * order.quantity
        cost = planned * line.price
        total += cost
        fields: Record = {
            "manufacturing_order_id": order.order_id,
            "variant_id": line.variant_id,
            "notes": line.notes or "",
            "planned_quantity_per_unit": fixed(line.quantity, 10),
            "total_actual_quantity": fixed(planned, 10) if done else None,
            "ingredient_availability": "PROCESSED" if done else "NOT_AVAILABLE",
            "ingredient_expected_date": None,
            "batch_transactions": [],
            "cost": fixed(cost, 10),
            "total_consumed_quantity": number(planned) if done else 0,
            "total_remaining_quantity": 0 if done else number(planned),
            "location_id": order.location,
            "written_quantity": None,
        }
        loader.put(RECIPE_ROWS, fields, order.life, key=row_id)
    return total


def _load_work(loader: Loader, order: _Order, spent: dict[int, Decimal]) -> tuple[Decimal, Decimal]:
    done = order.status == "DONE"
    seconds = cost = Decimal(0)
    for place, (row_id, line) in enumerate(order.work):
        fields = copied_operation(loader.ctx, order.order_id, line)
        own = share_of_time(line, order.quantity, Decimal(1))
        state = _progress(order.status, place)
        finished = state == "COMPLETED"
        seconds += own
        cost += spent.get(row_id, Decimal(0))
        fields |= {
            "status": state,
            "completed_at": loader.text(order.life.updated) if finished else None,
            "status_before": "IN_PROGRESS" if done else None,
            "planned_cost_per_unit": fixed(cost_per_unit(line, order.quantity), 10),
            "total_actual_time": fixed(own if done else 0, 10),
            "total_actual_cost": fixed(share_of_cost(line, own, order.quantity, Decimal(1)) if done else 0, 10),
            "total_consumed_time": number(own) if done else 0,
            "total_remaining_time": 0 if finished else number(own),
            "is_status_actionable": not done,
        }
        loader.put(OPERATION_ROWS, fields, order.life, key=row_id)
    return seconds, cost


def _progress(status: str, place: int) -> str:
    if status == "DONE":
        return "COMPLETED"
    if status in {"IN_PROGRESS", "PARTIALLY_COMPLETED"}:
        return ("COMPLETED", "IN_PROGRESS")[place] if place < 2 and status == "IN_PROGRESS" else "NOT_STARTED"
    return "BLOCKED" if status == "BLOCKED" and place == 0 else "NOT_STARTED"


def _load_header(loader: Loader, order: _Order, material: Decimal, seconds: Decimal, cost: Decimal) -> None:
    done = order.status == "DONE"
    sale = order.sale
    made = number(order.quantity) if done else None
    fields: Record = {
        "status": order.status,
        "order_no": order.order_no,
        "variant_id": order.recipe.variant_id,
        "planned_quantity": number(order.quantity),
        "actual_quantity": made,
        "completed_quantity": made,
        "remaining_quantity": 0 if done else number(order.quantity),
        "includes_partial_completions": done and order.order_id % 6 == 0 and order.quantity > 1,
        "batch_transactions": [],
        "location_id": order.location,
        "order_created_date": loader.text(order.life.created),
        "production_deadline_date": loader.text(order.due) if sale is None else sale.order["delivery_date"],
        "done_date": loader.text(order.life.updated) if done else None,
        "additional_info": "Spare wheels go to rack 3" if order.order_id % 7 == 3 else "",
        "is_linked_to_sales_order": sale is not None,
        "ingredient_availability": "PROCESSED" if done else "NOT_AVAILABLE",
        "total_cost": number(material + cost),
        "total_actual_time": number(seconds) if done else 0,
        "total_planned_time": number(seconds),
        "sales_order_id": None if sale is None else sale.order["id"],
        "sales_order_row_id": None if sale is None else sale.row_id,
        "material_cost": number(material),
        "subassemblies_cost": 0,
        "operations_cost": number(cost),
        "status_before": "IN_PROGRESS" if order.status in {"DONE", "PARTIALLY_COMPLETED"} else None,
        "target_quantity": None,
        "reopened": False,
    }
    loader.put(ORDERS, fields, order.life, key=order.order_id)
