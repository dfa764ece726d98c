"""The calls that an answer names to go on, as `katana-mcp call` takes them: `name(...)` cannot be typed at a shell.

Refuses to invent: what is no whole call, or leaves arguments of another call open, stays as the answer has it.
"""

import ast
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import cast

_COMMAND = "katana-mcp call"
_BEGIN = re.compile(r"[a-z_]+\(")
_END = re.compile(r"\)")
_PLAIN = re.compile(r"[\w-]*[A-Za-z][\w-]*", re.ASCII)
_JSON = "--arguments"


def typed(action: str, tool: str, arguments: Mapping[str, object], options: Sequence[str] = ()) -> str:
    """Return a step of an answer as a command line, what is said of the call behind a `#`; one that is none as it is.

    Args:
        action: as in `search_items(..., page=2): more rows`.
        tool: that was called.
        arguments: it was called with, for which `...` stands.
        options: of the command line, which each further call needs too: `--sandbox`.
    """
    if not _BEGIN.match(action):
        return action
    for end in (found.end() for found in _END.finditer(action)):
        call = _call(action[:end])
        if call is not None:
            line = _line(call, tool, arguments, options)
            about = action[end:].lstrip(": ")
            return action if line is None else f"{line}  # {about}" if about else line
    return action


def _call(text: str) -> ast.Call | None:
    try:
        parsed = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return parsed if isinstance(parsed, ast.Call) else None


def _line(call: ast.Call, tool: str, arguments: Mapping[str, object], options: Sequence[str]) -> str | None:
    name = ast.unparse(call.func)
    try:
        own = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except ValueError:
        return None
    if call.args and name != tool:
        return None
    return command_of(name, {**arguments, **own} if call.args else own, options)


def command_of(tool: str, arguments: Mapping[str, object], options: Sequence[str] = ()) -> str:
    """Return a call as it is typed at a shell; the options are those of the command line."""
    untyped = {key: value for key, value in arguments.items() if value is None}
    words = [shlex.quote(f"{key}={_text(value)}") for key, value in arguments.items() if value is not None]
    given = [_JSON, shlex.quote(json.dumps(untyped))] if untyped else []
    return " ".join([_COMMAND, *map(shlex.quote, options), tool, *words, *given])


def _text(value: object) -> str:
    """Return a value as it is typed after NAME=; `...` for one that is to be chosen."""
    if value is ...:
        return "..."
    parts = cast("list[object]", value) if isinstance(value, list) else []
    plain = [part for part in parts if isinstance(part, str) and _PLAIN.fullmatch(part)]
    if plain and len(plain) == len(parts):
        return ",".join(plain)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
