"""Builds an account from a seed and two sizes."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from katana_sandbox.descriptor import Context
from katana_sandbox.factory.catalogue import load_catalogue
from katana_sandbox.factory.contacts import load_customers
from katana_sandbox.factory.loader import Loader, Progress
from katana_sandbox.factory.manufacturing import Workshop, load_manufacturing, settle_manufacturing
from katana_sandbox.factory.orders import Stockroom, load_orders
from katana_sandbox.factory.purchasing import load_purchases, purchasable
from katana_sandbox.factory.settings import load_services, load_settings, load_suppliers
from katana_sandbox.factory.stockroom import Moves, load_moves, load_price_lists, settle_moves
from katana_sandbox.rules.allocation import settle_pairs
from katana_sandbox.rules.ledger import Pair, Posted
from katana_sandbox.rules.sales import refresh_availability
from katana_sandbox.rules.stock import pair_of, refresh_costs

SMALL_ORDERS = 120
SMALL_CUSTOMERS = 40
_ORDERS_PER_CUSTOMER = 20
_ORDERS_PER_PURCHASE = 5
_MOST_PURCHASES = 3000
_ORDERS_PER_MOVE = 15
_MOST_MOVES = 400

# To build the small account takes 170 ms of work, to take it back a tenth of it.
_REMEMBERED = 8
_BUILT: dict[Hashable, Mapping[str, bytes]] = {}

__all__ = ["Plan", "Progress", "build_factory"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How large an account is; None is the small default. An empty one has settings only.

    `accounts_before` counts those of the same sandbox: no two of them opened their first location at one moment.
    """

    seed: int
    variants: int | None = None
    orders: int | None = None
    empty: bool = False
    accounts_before: int = 0


def build_factory(at: Context, plan: Plan, progress: Progress) -> None:
    """Fill a tenant as of the full hour; an account of the default sizes that was built for it before is taken back.

    Of two processes one may preview what the other applies: they find the same account until the hour is over.
    """
    ctx = replace(at, now=f"{at.now[:13]}:00:00.000Z")
    if (plan.variants, plan.orders) != (None, None):
        _build(ctx, plan, progress)
        return
    key = (plan, ctx.now, *sorted(ctx.switches.changed().items()))
    if key not in _BUILT:
        _build(ctx, plan, progress)
        _BUILT[key] = ctx.db.saved()
        if len(_BUILT) > _REMEMBERED:
            del _BUILT[next(iter(_BUILT))]
        return
    ctx.db.restore(_BUILT[key])


def _build(ctx: Context, plan: Plan, progress: Progress) -> None:
    loader = Loader(ctx, plan.seed, progress)
    orders = SMALL_ORDERS if plan.orders is None else plan.orders
    still_open: set[int] = set()
    shop = Workshop([], set(), {})
    moves = Moves([], [], set())
    with loader.open():
        locations, rates = load_settings(loader, plan.accounts_before)
        if plan.empty:
            return
        suppliers = load_suppliers(loader)
        services = load_services(loader)
        sold = load_catalogue(loader, suppliers, locations, plan.variants)
        buyers = load_customers(loader, max(SMALL_CUSTOMERS, orders // _ORDERS_PER_CUSTOMER))
        if sold:
            still_open = load_orders(loader, Stockroom(sold, services, buyers, locations, rates), orders)
            shop = load_manufacturing(loader, locations[0], orders, still_open)
        goods = purchasable(loader)
        purchases = min(_MOST_PURCHASES, orders // _ORDERS_PER_PURCHASE)
        waiting = load_purchases(loader, goods, (locations, rates), purchases)
        moves = load_moves(loader, goods, locations, min(_MOST_MOVES, orders // _ORDERS_PER_MOVE))
        load_price_lists(loader, goods, [buyer.customer_id for buyer in buyers])
    _settle_stock(loader, moves, waiting)
    _settle(loader, still_open)
    settle_manufacturing(loader, shop)
    with ctx.db.undo.silent():
        refresh_availability(ctx, sorted(still_open))


def _settle_stock(loader: Loader, moves: Moves, waiting: set[Pair]) -> None:
    ctx = loader.ctx
    with ctx.db.undo.silent():
        settle_moves(loader, moves)
        pairs = sorted(waiting | moves.waiting)
        refresh_costs(ctx, sorted({entry.movement.pair for entry in ctx.db.movements.later() if _is_priced(entry)}))
        refresh_availability(ctx, sorted(settle_pairs(ctx, pairs)))


def _is_priced(entry: Posted) -> bool:
    """Whether a movement brought stock at a cost of its own, which later ones share."""
    return entry.movement.unit_cost is not None


def _settle(loader: Loader, still_open: set[int]) -> None:
    ctx = loader.ctx
    orders = sorted(still_open)
    with ctx.db.undo.silent():
        for done, order_id in enumerate(orders, 1):
            rows = ctx.children("sales_order_rows", "sales_order_id", order_id)
            pairs = [pair for row in rows if (pair := pair_of(ctx, row)) is not None]
            settle_pairs(ctx, pairs)
            loader.report("open orders", done, len(orders))
