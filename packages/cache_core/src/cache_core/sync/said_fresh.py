"""What was said of entities that were all fresh: it is said again while they stand as they did, and until one is old.

It is not asked while a listing runs or after one failed: then more is said of an entity than how it stands.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from cache_core.protocol import Standing
from cache_core.sync.patience import Freshness


class _Said(NamedTuple):
    """What was said of these standings, and from when until when it holds."""

    standings: Mapping[str, Standing]
    since: datetime
    until: datetime
    freshness: Mapping[str, Freshness]


class SaidFresh:
    """The last that was said of each group of entities, where all of them were fresh."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, ...], _Said] = {}

    def again(
        self, names: tuple[str, ...], standings: Mapping[str, Standing], now: datetime
    ) -> dict[str, Freshness] | None:
        """Return what was said of these entities; None where they stand otherwise, or one is older than it may be."""
        said = self._said.get(names)
        # A clock that was set back makes every listing one of the future.
        if said is None or not said.since <= now <= said.until or said.standings != standings:
            return None
        return dict(said.freshness)

    def keep(
        self,
        names: tuple[str, ...],
        standings: Mapping[str, Standing],
        fresh_for: Mapping[str, timedelta],
        freshness: Mapping[str, Freshness],
    ) -> None:
        """Keep what is said of entities that are all fresh, each for so long after its last complete listing."""
        listed = {name: datetime.fromisoformat(standings[name].state.completed_at or "") for name in names}
        until = min(moment + fresh_for[name] for name, moment in listed.items())
        self._said[names] = _Said(standings, max(listed.values()), until, dict(freshness))
