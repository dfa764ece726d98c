"""A lock of the operating system on an open file: one holder at a time, free when it is closed or its process ends.

It is no mark in the file system that a killed process would leave behind, and is not counted: who opens the file a
second time waits for the first, in the same thread too.
"""

from typing import IO

from filelock import lock_descriptor

_POLL_SECONDS = 0.01


def lock(file: IO[bytes]) -> None:
    """Wait until the file is this holder's alone; it is until the file is closed."""
    lock_descriptor(file.fileno(), poll_interval=_POLL_SECONDS)


def try_lock(file: IO[bytes]) -> bool:
    """Take the file for this holder alone if nobody holds it; return whether it does."""
    return lock_descriptor(file.fileno(), blocking=False)
