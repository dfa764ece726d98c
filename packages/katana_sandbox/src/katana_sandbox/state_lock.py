"""A state file that is kept belongs to one sandbox: two that write it would each undo what the other was told.

The lock lies beside the file, which is replaced as a whole when it is written, and ends with its process.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import lock_descriptor

from katana_sandbox.snapshot import BadState


@contextmanager
def state_lock(path: Path | None) -> Generator[None]:
    """Hold a state file for this process alone; no path, no lock.

    Raises:
        BadState: another process holds it, or nothing can be written there.
    """
    if path is None:
        yield
        return
    try:
        file = path.with_name(f"{path.name}.lock").open("ab")
    except OSError as problem:
        raise BadState(f"{path} can not be locked: {problem.strerror}") from None
    with file:
        if not lock_descriptor(file.fileno(), blocking=False):
            raise BadState(f"{path} is kept by another sandbox that runs: stop that one, or name another file")
        yield
