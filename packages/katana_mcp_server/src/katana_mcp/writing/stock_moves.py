"""What a plan does to the stock, per variant and location: told first, and never binding, because stock moves on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, number, rows

_WAITS = 10.0
"""Seconds that a plan waits for stock."""

type Levels = Mapping[int, Mapping[int, Decimal]]
"""What each variant has at each location, in stock units. A variant that is missing could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StockMove:
    """A change of what a location has of a variant, in stock units, and the argument that it comes from."""

    variant: int
    called: str
    location: int
    place: str
    change: Decimal
    path: str | None = None

    def before(self, levels: Levels) -> Decimal | None:
        """Return what the location has now; None where that is unknown. A pair that Katana does not list is empty."""
        return None if self.variant not in levels else levels[self.variant].get(self.location, Decimal(0))

    def described(self, levels: Levels) -> str:
        """Return it in words: `FORK at North: 11 → 0`."""
        before, where = self.before(levels), f"{self.called} at {self.place}"
        if before is None:
            sign = "+" if self.change > 0 else ""
            return f"{where}: {sign}{plain_number(self.change)} (current stock could not be read)"
        return f"{where}: {plain_number(before)} → {plain_number(before + self.change)}"


async def read_levels(services: Services, variants: Iterable[int]) -> Levels:
    """Return what every location has of these variants; left out is whose stock cannot be read, or moved since."""
    answer = await services.stock.planning(_WAITS).ensure(list(dict.fromkeys(variants)))
    return _levels([row for row in answer.stored if row.id not in answer.moved], _in_stock)


async def known_free(services: Services, variants: Iterable[int]) -> Levels:
    """Return what every location has of these variants that no order has committed; nothing is asked for it.

    Left out is whose stock was not read within the hour, or was seen to move since.
    """
    return _levels(await services.stock.cached(list(dict.fromkeys(variants)), _AN_HOUR, _FIGURES), _free)


async def free_now(services: Services, variants: Iterable[int]) -> Levels:
    """Return what `known_free` does; stock that is cached and was seen to move is read again for it."""
    asked = list(dict.fromkeys(variants))
    await services.stock.planning(_WAITS).read_moved(asked)
    return await known_free(services, asked)


_AN_HOUR = timedelta(hours=1)
_FIGURES = frozenset(f"levels[].{name}" for name in ("location_id", "quantity_in_stock", "quantity_committed"))


def _in_stock(level: Record) -> Decimal | None:
    return number(level, "quantity_in_stock")


def _free(level: Record) -> Decimal | None:
    in_stock, committed = number(level, "quantity_in_stock"), number(level, "quantity_committed")
    return None if in_stock is None or committed is None else in_stock - committed


def _levels(read: Iterable[Stored], amount_of: Callable[[Record], Decimal | None]) -> Levels:
    """Return the amount at each location, of variants of which it is known at all of them."""
    found: dict[int, Mapping[int, Decimal]] = {}
    for stored in read:
        amounts = [(get_int(level, "location_id"), amount_of(level)) for level in rows(stored.record, "levels")]
        sure = {place: amount for place, amount in amounts if place is not None and amount is not None}
        if isinstance(stored.id, int) and len(sure) == len(amounts):
            found[stored.id] = sure
    return found


def summed(moves: Iterable[StockMove]) -> list[StockMove]:
    """Return one move for each variant and location, without those that come to nothing."""
    found: dict[tuple[int, int], StockMove] = {}
    for move in moves:
        pair = (move.variant, move.location)
        before = found[pair].change if pair in found else Decimal(0)
        found[pair] = replace(move, change=before + move.change)
    return [move for move in found.values() if move.change]


def described(moves: Iterable[StockMove], levels: Levels) -> tuple[str, ...]:
    """Return what happens to the stock, a phrase for each variant and location."""
    return tuple(move.described(levels) for move in summed(moves))


def shortages(moves: Iterable[StockMove], levels: Levels) -> list[ToolWarning]:
    """Return a warning for each variant of which more would leave a location than is there; unknown stock has none.

    It is said and never refused: Katana lets stock be negative.
    """
    warnings: list[ToolWarning] = []
    for move in summed(moves):
        before = move.before(levels)
        if before is not None and move.change < 0 and before + move.change < 0:
            leaves = f"{plain_number(-move.change)} {move.called} would be taken from {move.place}"
            message = f"{leaves}, which has only {plain_number(before)} in stock"
            warnings.append(advisory(warning_codes.INSUFFICIENT_STOCK, message, move.path))
    return warnings


def in_a_sentence(stock: Sequence[str]) -> str:
    """Return phrases about the stock, as many as a message holds: `stock of FORK at North: 11 → 0, and 3 more`."""
    named = [*stock[:_NAMED], *([f"and {len(stock) - _NAMED} more"] if len(stock) > _NAMED else [])]
    return f"stock of {', '.join(named)}"


_NAMED = 10
