"""The stock ledger of variants in business order, its balances read again where they do not follow from one another.

A back-dated movement changes the balances of later ones, and Katana need not tell of those: their cached form is old.
One that is deleted leaves without a trace: the ledger then does not end at the stock that Katana gives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from cache_core.conditions import Order, Where, Within
from cache_core.protocol import Selection, Stored
from cache_core.records import Record
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.values import get_int, number
from katana_mcp.workflows.computing import computed_once

LEDGER = "inventory_movement"
COUNTED = ("variant_id", "location_id", "movement_date", "quantity_change", "balance_after")
"""What of a movement places it in its ledger, and adds it up."""
_READ_AGAIN = 1_000
"""Movements that one call reads again at most: four requests."""
ROUNDING = Decimal("0.0001")
_ZERO = Decimal(0)
_NAMED = 20
"""Ledgers or variants that one warning names at most."""
_AT_ONCE = 10_000
"""Movements that are read from the cache together."""
_KEPT = frozenset({"id", "rank", *COUNTED, "resource_type", "caused_by_order_no", "value_in_stock_after"})
"""What of a movement is kept while a ledger is added up: an account may have hundreds of thousands."""

type Pair = tuple[int | None, int | None]
"""Variant and location."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Movements per variant and location, oldest first.

    Attributes:
        pairs: the movements.
        balances: what each pair has after its last movement; None where that is not known.
        doubtful: pairs whose balances may be old.
        differing: pairs that do not end at the stock that Katana gives: their last balance, and that stock.
    """

    pairs: Mapping[Pair, list[Record]]
    balances: Mapping[Pair, Decimal | None] = field(default_factory=dict[Pair, Decimal | None])
    doubtful: frozenset[Pair] = frozenset()
    differing: Mapping[Pair, tuple[Decimal, Decimal]] = field(default_factory=dict[Pair, tuple[Decimal, Decimal]])

    def warnings(self) -> list[ToolWarning]:
        """Return what should be known of it."""
        messages: list[str] = []
        if self.doubtful:
            variants = ", ".join(sorted({str(variant) for variant, _ in self.doubtful})[:_NAMED])
            messages.append(
                f"balances of {len(self.doubtful)} ledgers (variants {variants}) do not follow from their movements "
                "and could not be read again: they may be those from before a back-dated movement"
            )
        if self.differing:
            ends = [_end(pair, *amounts) for pair, amounts in self.differing.items()]
            messages.append(
                f"{len(ends)} ledgers do not end at the stock that Katana gives ({'; '.join(ends[:_NAMED])}): a "
                "movement that was deleted in Katana may still count, or a new one may not be listed yet"
            )
        return [advisory(warning_codes.LEDGER_IN_DOUBT, message) for message in messages]

    def next_actions(self) -> list[str]:
        """Return the call that tells the stock now of what is in doubt here."""
        variants = sorted({variant for variant, _ in (*self.doubtful, *self.differing) if variant is not None})
        return [f"check_inventory(skus_or_variant_ids={variants[:_NAMED]}): their stock now"] if variants else []

    def until(self, moment: str) -> "Ledger":
        """Return the ledger up to a moment, ISO-8601 UTC; what differs at its end may differ at that moment too."""
        cut = {
            pair: [record for record in movements if "" < (text(record, "movement_date") or "") <= moment]
            for pair, movements in self.pairs.items()
        }
        kept = {pair: movements for pair, movements in cut.items() if movements}
        standings = _standings(kept)
        doubtful = frozenset(pair for pair in self.doubtful if pair in kept and standings[pair].broken)
        return Ledger(kept, _balances(standings), doubtful, self.differing)

    @property
    def size(self) -> int:
        """How many movements there are."""
        return sum(map(len, self.pairs.values()))

    def balance(self, pair: Pair) -> Decimal | None:
        """Return what the pair has after its last movement; None when it is not known."""
        return self.balances.get(pair, _ZERO)


def _end(pair: Pair, balance: Decimal, held: Decimal) -> str:
    variant, location = pair
    return f"variant {variant} at location {location}: {balance.normalize():f} here, {held.normalize():f} in Katana"


class LedgerBalance(NamedTuple):
    """What a pair's movements come to.

    Attributes:
        balance: after the last of them; None when it is not known.
        broken: ids from the first movement on whose balance is not the one before plus its change.
    """

    balance: Decimal | None
    broken: tuple[int, ...]


def place(record: Record) -> tuple[str, int, int]:
    """Return where a movement stands in the ledger: by business date, then rank, then id."""
    return text(record, "movement_date") or "", get_int(record, "rank") or 0, get_int(record, "id") or 0


def standing(movements: Sequence[Record]) -> LedgerBalance:
    """Return what one pair's movements come to; they are in the order of the ledger."""
    before: Decimal | None = _ZERO
    broken: list[int] = []
    begin = 0
    while begin < len(movements):
        # Movements of one moment count as one: whichever of them Katana takes as the last closes it.
        end, moment = begin + 1, text(movements[begin], "movement_date")
        while end < len(movements) and text(movements[end], "movement_date") == moment:
            end += 1
        after = before
        balances: list[Decimal | None] = []
        for record in movements[begin:end]:
            change = number(record, "quantity_change")
            after = None if after is None or change is None else after + change
            balances.append(number(record, "balance_after"))
        follows = after is not None and (after in balances or _is_near(after, balances))
        if broken or not (follows or not begin):
            ids = (get_int(movement, "id") for movement in movements[begin:end])
            broken += [movement_id for movement_id in ids if movement_id is not None]
        before, begin = after if follows else balances[-1], end
    return LedgerBalance(before, tuple(broken))


def _is_near(sum_: Decimal, balances: Sequence[Decimal | None]) -> bool:
    return any(balance is not None and abs(balance - sum_) <= ROUNDING for balance in balances)


def _standings(pairs: Mapping[Pair, Sequence[Record]]) -> Mapping[Pair, LedgerBalance]:
    return {pair: standing(movements) for pair, movements in pairs.items()}


def _balances(standings: Mapping[Pair, LedgerBalance]) -> Mapping[Pair, Decimal | None]:
    return {pair: found.balance for pair, found in standings.items()}


class TooManyMovements(Exception):
    """A ledger has more movements than are read at once.

    Attributes:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        """Note how many there are."""
        super().__init__(count)
        self.count = count


async def ledger(services: Services, where: Where, most: int) -> Ledger:
    """Return the movements that meet the conditions; balances that do not follow are read again.

    Args:
        services: the tenant's services.
        where: conditions that leave no gap within a pair up to its last movement: variants, a location, an end.
        most: movements to read at most.

    Raises:
        TooManyMovements: there are more.
    """
    found = await _added_up(services, where, most)
    if found.broken and await read_anew(services, [nr for ids in found.broken.values() for nr in ids]):
        found = (await _added_up(services, where, most))._replace(broken={})
    return Ledger(found.pairs, found.balances, frozenset(found.broken))


async def read_anew(services: Services, ids: Sequence[int]) -> bool:
    """Read movements by their ids, those that were deleted leave the cache; return whether that worked."""
    return len(ids) <= _READ_AGAIN and await services.fresh.read_again(LEDGER, ids, remove_absent=True)


class _AddedUp(NamedTuple):
    """Movements per pair, and what they come to.

    Attributes:
        pairs: the movements.
        balances: as in `Ledger`.
        broken: as in `LedgerBalance`, of the pairs where any are.
    """

    pairs: Mapping[Pair, list[Record]]
    balances: Mapping[Pair, Decimal | None]
    broken: Mapping[Pair, tuple[int, ...]]


async def _added_up(services: Services, where: Where, most: int) -> _AddedUp:
    movements: list[Stored] = []
    last, at_once = 0, min(_AT_ONCE, most + 1)
    while True:
        selection = Selection((*where, Within("id", low=last + 1)), Order("id"), at_once, fields=_KEPT)
        rows = await services.cache.select(LEDGER, selection)
        if len(rows) == at_once and not movements and (count := await services.cache.count(LEDGER, where)) > most:
            raise TooManyMovements(count)
        movements += rows
        if len(rows) < at_once:
            break
        last = get_int(rows[-1].record, "id") or last
    return await computed_once(len(movements), movements, _summed, movements)


def _summed(movements: Iterable[Stored]) -> _AddedUp:
    pairs: dict[Pair, list[Record]] = {}
    for record in sorted([row.record for row in movements], key=place):
        pairs.setdefault((get_int(record, "variant_id"), get_int(record, "location_id")), []).append(record)
    standings = _standings(pairs)
    return _AddedUp(pairs, _balances(standings), {pair: at.broken for pair, at in standings.items() if at.broken})
