"""State files: named pieces of plain bytes under a checked head; damaged and foreign files are refused whole."""

import hashlib
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from katana_sandbox.wire.encoding import Record, decode_record, encode

VERSION = 5
_MAGIC = b"katana-sandbox state "
_NEWLINE = b"\n"
_LONGEST_LINE = 40


class BadState(ValueError):
    """A state file can not be used; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a state file holds: facts about the sandbox, and the pieces of each tenant's data."""

    facts: Record
    pieces: Mapping[str, bytes]


def by_prefix(pieces: Mapping[str, bytes]) -> Mapping[str, Mapping[str, bytes]]:
    """The pieces by the first part of their names, each without it."""
    found: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
    for name, piece in pieces.items():
        prefix, slash, rest = name.partition("/")
        if slash:
            found[prefix][rest] = piece
    return found


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write a state file in one step: the old file stands until the new one is complete.

    Raises:
        BadState: when the place can not be written.
    """
    sizes = [[name, len(piece)] for name, piece in snapshot.pieces.items()]
    head = encode({"byteorder": sys.byteorder, "facts": snapshot.facts, "pieces": sizes})
    parts = (len(head).to_bytes(8, "big"), head, *snapshot.pieces.values())
    first = _MAGIC + str(VERSION).encode() + _NEWLINE
    try:
        _replace(path, (first, _digest(parts), *parts))
    except OSError as problem:
        raise BadState(f"{path} can not be written: {problem.strerror}") from None


def read_snapshot(path: Path) -> Snapshot:
    """The content of a state file.

    Raises:
        BadState: when it can not be read, is none, is damaged, or is of another version.
    """
    try:
        raw = memoryview(path.read_bytes())
    except OSError as problem:
        raise BadState(f"{path} can not be read: {problem.strerror}") from None
    start = _checked_first_line(path, raw)
    body = start + hashlib.sha256().digest_size
    if len(raw) < body + 8 or bytes(raw[start:body]) != _digest((raw[body:],)):
        raise BadState(f"{path} is damaged: its checksum does not fit")
    size = int.from_bytes(raw[body : body + 8], "big")
    place = body + 8 + size
    head = decode_record(bytes(raw[body + 8 : place]))
    if head["byteorder"] != sys.byteorder:
        raise BadState(f"{path} was written on a machine with another byte order")
    pieces: dict[str, bytes] = {}
    for name, length in cast("list[tuple[str, int]]", head["pieces"]):
        pieces[name] = bytes(raw[place : place + length])
        place += length
    return Snapshot(cast("Record", head["facts"]), pieces)


def _checked_first_line(path: Path, raw: memoryview) -> int:
    line, newline, _ = bytes(raw[:_LONGEST_LINE]).partition(_NEWLINE)
    version = line.removeprefix(_MAGIC)
    if not newline or not line.startswith(_MAGIC) or not version.isdigit():
        raise BadState(f"{path} is no state file of the sandbox")
    if int(version) != VERSION:
        raise BadState(f"{path} has state version {int(version)}, but this sandbox reads version {VERSION}")
    return len(line) + 1


def _digest(parts: Sequence[bytes | memoryview]) -> bytes:
    seen = hashlib.sha256()
    for part in parts:
        seen.update(part)
    return seen.digest()


def _replace(path: Path, parts: Sequence[bytes]) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
