"""Who gets the stock: committed and expected by pair, and which open sales order rows stock or supply covers."""

from collections.abc import Iterable
from decimal import Decimal
from typing import cast

from katana_sandbox.descriptor import Context
from katana_sandbox.rules.ledger import Open, Pair, total
from katana_sandbox.rules.manufacturing_open import cover_ingredients
from katana_sandbox.rules.open_documents import committed, expected
from katana_sandbox.rules.stock import commits, open_rows
from katana_sandbox.wire.encoding import Record

_LAST = "9999"


def settle_pairs(ctx: Context, pairs: Iterable[Pair]) -> set[int]:
    """Recompute what is committed and expected and what covers the open rows; the orders whose rows changed."""
    changed: set[int] = set()
    for pair in dict.fromkeys(pairs):
        variant_id, location_id = pair
        supply = [entry for entry in expected(ctx, variant_id) if entry.location_id == location_id]
        need = total(committed(ctx, variant_id), location_id)
        ctx.db.levels.set_open(*pair, need, total(supply, location_id))
        changed |= _cover(ctx, pair, supply) | cover_ingredients(ctx, pair, supply)
    return changed


def rank_of(ctx: Context, name: str) -> dict[int, int]:
    """The places of the orders that were ranked, the highest first."""
    held = ctx.get("order_reranks", name) or {}
    return {key: place for place, key in enumerate(cast("list[int]", held.get("ids") or []))}


class _Pool:
    """What is left to promise: stock first, then supply by date."""

    def __init__(self, in_stock: Decimal, supply: Iterable[Open]) -> None:
        self.free = in_stock
        self._supply = sorted(supply, key=lambda entry: entry.date or _LAST)

    def cover(self, quantity: Decimal, *, keep: bool) -> Record:
        """How a quantity can be met; `keep` takes it from the pool."""
        if self.free >= quantity:
            self.free -= quantity if keep else 0
            return {"product_availability": "IN_STOCK", "product_expected_date": None}
        missing = quantity - max(Decimal(0), self.free)
        used: list[tuple[int, Decimal]] = []
        for place, entry in enumerate(self._supply):
            part = min(missing, entry.quantity)
            missing -= part
            used.append((place, part))
            if not missing:
                return self._from_supply(used, entry.date, keep=keep)
        return {"product_availability": "NOT_AVAILABLE", "product_expected_date": None}

    def _from_supply(self, used: list[tuple[int, Decimal]], date: object, *, keep: bool) -> Record:
        if keep:
            self.free = min(self.free, Decimal(0))
            for place, part in used:
                entry = self._supply[place]
                self._supply[place] = entry._replace(quantity=entry.quantity - part)
        return {"product_availability": "EXPECTED", "product_expected_date": date}


def _cover(ctx: Context, pair: Pair, supply: list[Open]) -> set[int]:
    pool = _Pool(ctx.db.levels.get(*pair).in_stock, supply)
    changed: set[int] = set()
    ranks = rank_of(ctx, "sales_orders")
    for found in sorted(open_rows(ctx, pair[0]), key=lambda found: ranks.get(found.order["id"], len(ranks))):
        row = found.row
        if found.location_id != pair[1] or row.get("product_availability") == "PICKED":
            continue
        state = pool.cover(found.quantity, keep=commits(found.order))
        if any(row.get(name) != value for name, value in state.items()):
            ctx.set("sales_order_rows", row["id"], state)
            changed.add(found.order["id"])
    return changed
