"""A host's file of settings: one entry is put in or taken out, and what others wrote there stays as it is.

Refuses a file that cannot be read whole: what a rewrite would lose, such as comments in JSON, is left alone.
"""

import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from katana_mcp.caches.cache_files import NotDone

type Entries = dict[str, Any]
type Change = Callable[[Entries], None]
"""Changes what a file says, in place."""

_TRIES = 3


def changed_file(path: Path, change: Change, *, private: bool = False) -> bool:
    """Change what a file says, and return whether it says anything else now; made where there is none.

    The file is replaced as a whole, and keeps who may read it, but for others where it is to be private; a new one can
    be read by its owner alone. A link stays a link.

    Raises:
        NotDone: it cannot be read or written, or others keep changing it.
    """
    target = Path(os.path.realpath(path))
    for _ in range(_TRIES):
        before = _bytes_of(target)
        after = _changed(path, before, change)
        if after == before:
            return False
        if _replaced(target, before, after, 0o700 if private else 0o777):
            return True
    raise NotDone(f"{path} is being changed by another program: close it and try again")


def read_entries(path: Path) -> Entries:
    """Return what a file says; nothing where there is none.

    Raises:
        NotDone: it cannot be read.
    """
    content = _bytes_of(Path(os.path.realpath(path)))
    return _loaded(path, "" if content is None else _text(path, content))


def _changed(path: Path, before: bytes | None, change: Change) -> bytes | None:
    """Return what the file is to hold; the same where nothing it says is changed."""
    text = "" if before is None else _text(path, before)
    entries, as_it_was = _loaded(path, text), _loaded(path, text)
    change(entries)
    if entries == as_it_was:
        return before
    written = _yaml_text(entries) if _is_yaml(path) else _json_text(entries, text)
    mark = b"\xef\xbb\xbf" if before is not None and before.startswith(b"\xef\xbb\xbf") else b""
    return mark + written.encode()


def _loaded(path: Path, text: str) -> Entries:
    if not text.strip():
        return {}
    try:
        found = _yaml_of(text) if _is_yaml(path) else _json_of(text)
    except (ValueError, OverflowError, YAMLError, RecursionError) as error:
        raise NotDone(f"{path} cannot be changed without losing something: {_describe_error(error)}") from None
    if not isinstance(found, dict):
        raise NotDone(f"{path} is no table of settings")
    return cast("Entries", found)


def _describe_error(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    match error:
        case json.JSONDecodeError():
            return f"line {error.lineno} is no plain JSON (comments and trailing commas are not)"
        case YAMLError() if mark is not None:
            return f"line {mark.line + 1} is no YAML"
        case _Unkept():
            return str(error)
        case _:
            return "it cannot be read"


class _Unkept(ValueError):
    """What JSON may hold, and would not hold afterwards; the message says it."""


def _json_of(text: str) -> object:
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)


def _refuse(constant: str) -> NoReturn:
    raise _Unkept(f"{constant} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> Entries:
    found: Entries = {}
    for name, value in pairs:
        if name in found:
            raise _Unkept(f"it says {name!r} twice")
        found[name] = value
    return found


def _json_text(entries: Entries, like: str) -> str:
    """Return JSON, indented as the file was."""
    first = next((line for line in like.splitlines()[1:] if line.strip()), "  ")
    indent = first[: len(first) - len(first.lstrip())] or "  "
    text = json.dumps(entries, ensure_ascii=False, indent=indent, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(entries, indent=indent, allow_nan=False)
    return text + "\n"


def _yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000
    return yaml


def _yaml_of(text: str) -> object:
    return cast("object", _yaml().load(text))  # pyright: ignore[reportUnknownMemberType] - the library does not say


def _yaml_text(entries: Entries) -> str:
    stream = io.StringIO()
    _yaml().dump(entries, stream)  # pyright: ignore[reportUnknownMemberType] - as above
    return stream.getvalue()


def _is_yaml(path: Path) -> bool:
    return path.suffix in {".yaml", ".yml"}


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotDone(f"{path} is not UTF-8 text") from None


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotDone(f"{path} cannot be read: {error.strerror}") from None


def _replaced(path: Path, before: bytes | None, after: bytes | None, may: int) -> bool:
    """Write the file whole, unless it is another one by now; it keeps those of its rights that it may have."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        written = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(after or b"")
                file.flush()
                os.fsync(file.fileno())
            if before is not None:
                written.chmod(path.stat().st_mode & may)
            if _bytes_of(path) != before:
                return False
            written.replace(path)
        finally:
            written.unlink(missing_ok=True)
    except OSError as error:
        raise NotDone(f"{path} cannot be written: {error.strerror}") from None
    return True
