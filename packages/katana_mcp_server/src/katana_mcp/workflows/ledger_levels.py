"""Ledgers held against the stock that Katana gives: a movement that was deleted leaves no other trace.

Refuses to compare stock that was never read, or that moved since it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from cache_core.conditions import Where
from cache_core.protocol import Stored
from katana_mcp.references.services import Current, Services
from katana_mcp.values import get_int, number, rows
from katana_mcp.workflows.ledger import LEDGER, ROUNDING, Ledger, Pair, ledger, read_anew
from katana_mcp.workflows.stock import is_at, is_service, places_in

_LEVELS = frozenset({"levels"})


@dataclass(frozen=True, slots=True)
class LevelCheck:
    """What ledgers are held against.

    Attributes:
        variants: whose stock.
        places: ids of the locations to compare; all where it is empty.
        wait: seconds that the stock is waited for; None compares what is cached of it.
    """

    variants: Sequence[int]
    places: frozenset[object]
    wait: float | None


def level_check(variants: Iterable[Stored], where: Where, now: Current, services: Services, began: float) -> LevelCheck:
    """Return the check of these variants' ledgers: no stock is read for a call that asked nothing for its movements.

    Args:
        variants: whose ledgers they are.
        where: conditions that may name a location.
        now: how current the ledger is; one that is not wholly cached is not compared.
        services: the tenant's services.
        began: when the call began, by the monotonic clock.
    """
    goods = [variant.id for variant in variants if isinstance(variant.id, int) and not is_service(variant)]
    known = now.as_of is not None and now.warming is None
    age = services.clock.now() - datetime.fromisoformat(now.as_of) if now.as_of else timedelta.max
    is_new = age <= timedelta(seconds=services.clock.monotonic() - began)
    return LevelCheck(goods if known else [], places_in(where), services.brief(began) if is_new else None)


async def checked_ledger(services: Services, where: Where, most: int, check: LevelCheck) -> Ledger:
    """Return the ledger that meets the conditions, read anew where it does not end at the stock that Katana gives.

    Args:
        services: the tenant's services.
        where: conditions as in `ledger`, without an end.
        most: movements to read at most.
        check: what it is held against.
    """
    found = await ledger(services, where, most)
    differing = await _differing(services, found, check)
    if differing and await services.fresh.read_newest(LEDGER):
        found = await ledger(services, where, most)
        differing = await _differing(services, found, check)
    ids = [get_int(record, "id") for pair in differing for record in found.pairs.get(pair, ())]
    if ids and await read_anew(services, [movement_id for movement_id in ids if movement_id is not None]):
        found = await ledger(services, where, most)
        differing = await _differing(services, found, check)
    return replace(found, differing=differing)


async def _differing(services: Services, found: Ledger, check: LevelCheck) -> Mapping[Pair, tuple[Decimal, Decimal]]:
    """Return the pairs whose last balance is known and is not the stock that Katana gives: both amounts."""
    wait = check.wait
    if wait is None:
        answer = await services.stock.known(check.variants, _LEVELS)
    else:
        answer = await services.stock.waiting(lambda: wait, services.tell).ensure(check.variants, fields=_LEVELS)
    differing: dict[Pair, tuple[Decimal, Decimal]] = {}
    for stored in answer.stored:
        levels = [] if stored.id in answer.moved else rows(stored.record, "levels")
        for level in (level for level in levels if is_at(level, check.places)):
            pair, held = (get_int(level, "variant_id"), get_int(level, "location_id")), number(level, _IN_STOCK)
            balance = None if pair in found.doubtful else found.balance(pair)
            if held is not None and balance is not None and abs(held - balance) > ROUNDING:
                differing[pair] = balance, held
    return differing


_IN_STOCK = "quantity_in_stock"
