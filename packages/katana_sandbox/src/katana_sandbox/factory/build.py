"""Builds an account from a seed and two sizes."""

from dataclasses import dataclass

from katana_sandbox.context import Context
from katana_sandbox.factory.catalogue import load_catalogue
from katana_sandbox.factory.contacts import load_customers
from katana_sandbox.factory.loader import Loader, Progress
from katana_sandbox.factory.orders import Stockroom, load_orders
from katana_sandbox.factory.settings import load_services, load_settings, load_suppliers
from katana_sandbox.rules.sales import refresh_availability
from katana_sandbox.rules.stock import pair_of, settle_pairs

SMALL_ORDERS = 120
SMALL_CUSTOMERS = 40
_ORDERS_PER_CUSTOMER = 20

__all__ = ["Plan", "Progress", "build_factory"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How large an account is; None is the small default. An empty one has settings only."""

    seed: int
    variants: int | None = None
    orders: int | None = None
    empty: bool = False


def build_factory(ctx: Context, plan: Plan, progress: Progress) -> None:
    """Fill a tenant."""
    loader = Loader(ctx, plan.seed, progress)
    orders = SMALL_ORDERS if plan.orders is None else plan.orders
    still_open: set[int] = set()
    with loader.open():
        locations, rates = load_settings(loader)
        if plan.empty:
            return
        suppliers = load_suppliers(loader)
        services = load_services(loader)
        sold = load_catalogue(loader, suppliers, locations, plan.variants)
        buyers = load_customers(loader, max(SMALL_CUSTOMERS, orders // _ORDERS_PER_CUSTOMER))
        if sold:
            still_open = load_orders(loader, Stockroom(sold, services, buyers, locations, rates), orders)
    _settle(loader, still_open)


def _settle(loader: Loader, still_open: set[int]) -> None:
    ctx = loader.ctx
    orders = sorted(still_open)
    with ctx.db.undo.silent():
        for done, order_id in enumerate(orders, 1):
            rows = ctx.children("sales_order_rows", "sales_order_id", order_id)
            pairs = [pair for row in rows if (pair := pair_of(ctx, row)) is not None]
            settle_pairs(ctx, pairs)
            loader.report("open orders", done, len(orders))
        refresh_availability(ctx, orders)
