"""Stock by variant and location, as figures: what the ledger and the open documents come to, in whole steps."""

from decimal import Decimal
from typing import NamedTuple, cast

from katana_sandbox.store.movements import QUANTITY, VALUE, Balance, Movements, pair_key, unpair
from katana_sandbox.store.undo import UndoLog
from katana_sandbox.wire.encoding import decode, encode


class Level(NamedTuple):
    """Stock of one variant at one location."""

    in_stock: Decimal = Decimal(0)
    value: Decimal = Decimal(0)
    committed: Decimal = Decimal(0)
    expected: Decimal = Decimal(0)

    @property
    def excess(self) -> Decimal:
        """What is left when every open document is met; below zero it is missing."""
        return self.in_stock - self.committed + self.expected

    @property
    def average_cost(self) -> Decimal:
        """Value per unit; 0 when nothing is in stock."""
        return self.value / self.in_stock if self.in_stock else Decimal(0)


NOTHING = Level()
type Steps = tuple[int, int, int, int]


def level_of(steps: Steps | None) -> Level:
    """The level that packed steps mean."""
    if steps is None:
        return NOTHING
    return Level(steps[0] / QUANTITY, steps[1] / VALUE, steps[2] / QUANTITY, steps[3] / QUANTITY)


class Levels:
    """Levels by (variant, location); a pair that never moved holds what it began with.

    In stock and value follow the ledger, committed and expected the open documents; all four are only kept here.
    """

    def __init__(self, undo: UndoLog, movements: Movements) -> None:
        self._held: dict[int, Steps] = {}
        self._undo = undo
        self._movements = movements

    def get(self, variant_id: int, location_id: int) -> Level:
        """The level of a pair."""
        return level_of(self._steps(pair_key(variant_id, location_id)))

    def negative(self) -> list[tuple[int, int]]:
        """The pairs whose stock is below zero."""
        return [unpair(key) for key, steps in self._held.items() if steps[0] < 0]

    def set_balance(self, variant_id: int, location_id: int, balance: Balance) -> None:
        """Replace what the ledger says."""
        key = pair_key(variant_id, location_id)
        held = self._steps(key) or (0, 0, 0, 0)
        self._write(key, (round(balance.in_stock * QUANTITY), round(balance.value * VALUE), held[2], held[3]))

    def set_open(self, variant_id: int, location_id: int, committed: Decimal, expected: Decimal) -> None:
        """Replace what the open documents say."""
        key = pair_key(variant_id, location_id)
        held = self._steps(key) or (0, 0, 0, 0)
        self._write(key, (held[0], held[1], round(committed * QUANTITY), round(expected * QUANTITY)))

    def saved(self) -> bytes:
        """Every level that is kept."""
        return encode([[key, *steps] for key, steps in self._held.items()])

    def restore(self, piece: bytes) -> None:
        """Hold what `saved` gave, and nothing else."""
        entries = cast("list[list[int]]", decode(piece))
        self._held = {entry[0]: cast("Steps", tuple(entry[1:])) for entry in entries}

    def swap(self, key: object, state: object) -> object:
        """Install packed steps (None removes) and return those that were there."""
        packed = cast("int", key)
        before = self._held.pop(packed, None)
        if state is not None:
            self._held[packed] = cast("Steps", state)
        return before

    def _write(self, key: int, steps: Steps) -> None:
        if (self._steps(key) or (0, 0, 0, 0)) != steps:
            self._undo.note(self, key, self.swap(key, steps))

    def _steps(self, key: int) -> Steps | None:
        held = self._held.get(key)
        if held is not None:
            return held
        opening = self._movements.openings.amount(key)
        return None if opening is None else (*opening, 0, 0)
