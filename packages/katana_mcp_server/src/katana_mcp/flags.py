"""Which backend holds which entity: four states per entity, read from the settings, flipped one at a time."""

from collections.abc import Mapping
from typing import Literal

type Flag = Literal["legacy", "typed", "compare:legacy", "compare:typed"]

FLAGS: tuple[Flag, ...] = ("legacy", "typed", "compare:legacy", "compare:typed")
"""`compare:X`: X answers, the other one is on trial."""

DEFAULTS: Mapping[str, Flag] = {
    "variant": "typed",
    "product": "typed",
    "material": "typed",
    "service": "typed",
    "customer": "typed",
    "supplier": "legacy",
    "location": "legacy",
    "tax_rate": "legacy",
    "operator": "legacy",
}
"""The entities that both backends hold, and what ships: the catalogue is typed, reference data is not worth it yet."""


def chosen_flags(default: Flag | None, single: Mapping[str, Flag | None]) -> dict[str, Flag]:
    """Return the flag of each entity.

    Args:
        default: for all of them, instead of what ships.
        single: for one of them, instead of the default.
    """
    return {entity: single.get(entity) or default or shipped for entity, shipped in DEFAULTS.items()}
