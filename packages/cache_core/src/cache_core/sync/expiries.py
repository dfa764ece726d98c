"""Entities of which a write of ours changed records: what is cached of them is old until a later listing ends."""

from collections.abc import KeysView
from datetime import datetime

from cache_core.protocol import SyncState
from cache_core.records import iso


class Expiries:
    """When each entity expired, until a listing that began later."""

    def __init__(self) -> None:
        self._at: dict[str, str] = {}

    @property
    def entities(self) -> KeysView[str]:
        """The entities that have expired."""
        return self._at.keys()

    def begin(self, entity: str, now: datetime) -> None:
        """Let the entity be old from now on."""
        self._at[entity] = iso(now)

    def holds(self, entity: str, state: SyncState, now: datetime) -> bool:
        """Return whether no listing has shown the entity since it expired."""
        if entity not in self._at:
            return False
        # A clock that was set back since would keep it expired until that moment comes again.
        self._at[entity] = min(self._at[entity], iso(now))
        return (state.completed_at or "") <= self._at[entity]

    def end(self, entity: str, state: SyncState) -> None:
        """Forget that the entity expired, unless that was after its last listing began."""
        expired_at = self._at.get(entity)
        if expired_at is not None and (state.completed_at or "") >= expired_at:
            del self._at[entity]
