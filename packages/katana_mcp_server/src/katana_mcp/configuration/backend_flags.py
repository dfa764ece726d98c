"""Which backend holds which entity: a flag per entity, read from the settings, flipped one at a time."""

from collections.abc import Mapping
from typing import Literal, get_args

type Flag = Literal[
    "legacy",  # goes with cache_legacy
    "compare:legacy",  # goes with cache_legacy
    "compare:typed",  # goes with cache_legacy
    "typed",
]

FLAGS: tuple[Flag, ...] = get_args(Flag.__value__)
"""`compare:X`: X answers, the other one is on trial."""

DEFAULTS: Mapping[str, Flag] = dict.fromkeys(
    ("variant", "product", "material", "service", "customer", "supplier", "location", "tax_rate", "operator"), "typed"
)
"""The entities that have a flag, and what ships: all are typed."""

GUESSING = frozenset({"typed"})
"""The backends whose search looks inside words and past typing errors after a miss."""


def guesses(flag: Flag | None) -> bool:
    """Return whether who answers under a flag can guess; None stands for an entity without one, which cannot."""
    return flag is not None and flag.removeprefix("compare:") in GUESSING


def chosen_flags(default: Flag | None, single: Mapping[str, Flag | None]) -> dict[str, Flag]:
    """Return the flag of each entity.

    Args:
        default: for all of them, instead of what ships.
        single: for one of them, instead of the default.
    """
    return {entity: single.get(entity) or default or shipped for entity, shipped in DEFAULTS.items()}
