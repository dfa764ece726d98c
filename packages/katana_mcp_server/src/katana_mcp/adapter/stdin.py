"""stdin as hosts write it: half a surrogate pair, which JSON allows and the protocol's reader does not, made readable.

A host that cuts an emoji in two sends one. The reader would drop the whole call, and nobody would ever answer it.
"""

import contextlib
import os
import re
import threading
from collections.abc import Callable

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


def mended(line: bytes) -> bytes:
    r"""Return a line of JSON with each lone `\ud83d` as `<U+D83D>`, as hidden characters are shown and taken back."""
    return _ESCAPE.sub(_written, line) if b"\\u" in line else line


def _written(found: re.Match[bytes]) -> bytes:
    half = found["half"]
    return found[0] if half is None else b"<U+%b>" % half.upper()


def mend_stdin() -> Callable[[], None]:
    """Let a thread read stdin from now on, and give file descriptor 0 the mended lines until stdin ends.

    Returns:
        What ends file descriptor 0 as if stdin had ended.
    """
    source = os.dup(0)
    mine, theirs = os.pipe()
    os.dup2(mine, 0)
    os.close(mine)
    threading.Thread(target=pass_on, args=(source, theirs), name="stdin", daemon=True).start()

    def end() -> None:
        """Let what the thread still writes go nowhere; closed, its number could be given to another file."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, theirs)
        os.close(nowhere)

    return end


def pass_on(source: int, target: int, chunk: int = 1 << 16) -> None:
    """Write what comes from one file descriptor to the other, line by mended line, and close that at the end."""
    begun: list[bytes] = []
    with contextlib.suppress(OSError):  # whoever reads has left
        while read := os.read(source, chunk):
            *ends, rest = read.split(b"\n")
            for end in ends:
                _write(target, mended(b"".join((*begun, end))) + b"\n")
                begun = []
            begun.append(rest)
        _write(target, mended(b"".join(begun)))
    os.close(target)


def _write(target: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(target, left) :]
