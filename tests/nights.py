"""What one night of `make soak` takes of a loop over many steps: each of every few, and others the night after."""

from datetime import UTC, datetime

NIGHTS = 4
"""In so many nights each step was taken."""


def first_step(stride: int = NIGHTS) -> int:
    """Return the first step, from 0, of a loop with this stride: another each night where the stride is `NIGHTS`."""
    return datetime.now(UTC).toordinal() % NIGHTS if stride == NIGHTS else 0
