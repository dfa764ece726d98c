"""stdin as hosts write it: what JSON allows and the protocol's reader does not is made readable.

That is half a surrogate pair, as of an emoji that was cut in two, lists in lists beyond any use, and a number of
thousands of digits. The reader would drop the whole call, and nobody would ever answer it.
"""

import contextlib
import os
import re
import threading
from collections.abc import Callable

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)


DEEPEST, LONGEST_NUMBER = 150, 1_000
"""Lists and objects in one another, and digits of a number, that are passed on; no tool takes a tenth of either."""
_TOO_DEEP, _TOO_LONG = b'"<nested too deeply>"', b"1e999"
_STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_NESTING = re.compile(_STRING + rb"|[\[\]{}]")
_NUMBERS = re.compile(_STRING + rb"|-?\d{%d,}(?:\.\d*)?(?:[eE][+-]?\d+)?" % (LONGEST_NUMBER + 1))
_MANY_DIGITS = re.compile(rb"\d{%d}" % (LONGEST_NUMBER + 1))


def mended(line: bytes) -> bytes:
    r"""Return a line of JSON with each lone `\ud83d` as `<U+D83D>`, as hidden characters are shown and taken back.

    What is nested too deeply is left out there, and a number of too many digits is an infinite one: both are refused.
    """
    if b"\\u" in line:
        line = _ESCAPE.sub(_written, line)
    if _MANY_DIGITS.search(line):
        line = _NUMBERS.sub(lambda found: found[0] if found[0].startswith(b'"') else _TOO_LONG, line)
    return _cut(line) if line.count(b"[") + line.count(b"{") > DEEPEST else line


def _cut(line: bytes) -> bytes:
    kept, begin, depth = list[bytes](), 0, 0
    for found in _NESTING.finditer(line):
        if found[0] in (b"[", b"{"):
            depth += 1
            if depth == DEEPEST + 1:
                kept += (line[begin : found.start()], _TOO_DEEP)
        elif found[0] in (b"]", b"}"):
            if depth == DEEPEST + 1:
                begin = found.end()
            depth -= 1
    return b"".join((*kept, line[begin:]))


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
