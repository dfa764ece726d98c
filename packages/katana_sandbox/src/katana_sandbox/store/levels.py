"""Stock by variant and location: quantity, value and committed, exact, in whole steps of the last decimal place."""

from decimal import Decimal
from typing import NamedTuple, cast

from katana_sandbox.store.undo import UndoLog

_QUANTITY = Decimal(10) ** 5
_VALUE = Decimal(10) ** 10


class Level(NamedTuple):
    """Stock of one variant at one location."""

    in_stock: Decimal = Decimal(0)
    value: Decimal = Decimal(0)
    committed: Decimal = Decimal(0)

    @property
    def average_cost(self) -> Decimal:
        """Value per unit; 0 when nothing is in stock."""
        return self.value / self.in_stock if self.in_stock else Decimal(0)


NOTHING = Level()
type Steps = tuple[int, int, int]


class Levels:
    """Levels by (variant, location); absent pairs are empty. Packed, because there can be millions."""

    def __init__(self, undo: UndoLog) -> None:
        self._held: dict[int, Steps] = {}
        self._undo = undo

    def get(self, variant_id: int, location_id: int) -> Level:
        """The level of a pair."""
        steps = self._held.get(_pair(variant_id, location_id))
        if steps is None:
            return NOTHING
        return Level(steps[0] / _QUANTITY, steps[1] / _VALUE, steps[2] / _QUANTITY)

    def set(self, variant_id: int, location_id: int, level: Level) -> None:
        """Replace the level of a pair."""
        steps = (
            round(level.in_stock * _QUANTITY),
            round(level.value * _VALUE),
            round(level.committed * _QUANTITY),
        )
        key = _pair(variant_id, location_id)
        if self._held.get(key, (0, 0, 0)) != steps:
            self._undo.note(self, key, self.swap(key, steps))

    def swap(self, key: object, state: object) -> object:
        """Install packed steps (None removes) and return those that were there."""
        packed = cast("int", key)
        before = self._held.pop(packed, None)
        if state is not None:
            self._held[packed] = cast("Steps", state)
        return before


def _pair(variant_id: int, location_id: int) -> int:
    return variant_id << 32 | location_id
