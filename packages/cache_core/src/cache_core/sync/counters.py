"""What one sync of an entity did and cost."""

from dataclasses import dataclass

from cache_core.sync.storing import WriteCounts


@dataclass(slots=True)
class Tally:
    """Counts of one sync: requests sent, rows changed, records quarantined."""

    requests: int = 0
    changed: int = 0
    quarantined: int = 0

    def add(self, kept: WriteCounts) -> None:
        """Count a write."""
        self.changed += kept.changed
        self.quarantined += kept.quarantined
