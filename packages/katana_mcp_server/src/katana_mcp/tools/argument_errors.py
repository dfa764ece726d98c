"""What an argument or a setting must be, in our words: pydantic's own never reach people."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import cast

type Context = Mapping[str, object]

_DECIMAL = re.compile(r"Decimal\('(.+)'\)")
_QUOTED, _NUMBERS = re.compile(r"'([^']*)'"), re.compile(r"-?\d+")
DATE = "must be a date or a moment in ISO-8601, such as 2026-03-01 or 2026-03-01T09:00:00Z"
NO_SUCH_DAY = "there is no such day"
_WHOLE = "must be a whole number"
_CHARACTERS = ("character", "characters")
_ENTRIES = ("entry", "entries")
_YES_NO = "must be true or false"


def wrong(kind: str, context: Context, message: str) -> str:
    """Return what is allowed where something else was given.

    Args:
        kind: pydantic's type of error.
        context: the limits that pydantic names with it.
        message: pydantic's message, of which only our own words are used.
    """
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    describe = _KNOWN.get(kind)
    if describe is not None:
        return describe(context)
    family = next((words for prefix, words in _FAMILIES if kind.startswith(prefix)), None)
    return family or "has a form that is not allowed"


def _counted(words: tuple[str, str], key: str, limit: str) -> Callable[[Context], str]:
    def limit_message(context: Context) -> str:
        number = cast("int", context[key])
        return f"must have at {limit} {number} {words[number != 1]}"

    return limit_message


def _limit(value: object) -> object:
    """Return a limit as people write it; pydantic gives one of a decimal as Python does."""
    written = _DECIMAL.fullmatch(value) if isinstance(value, str) else None
    if written is not None:
        return f"{Decimal(written[1]):f}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _one_of(context: Context) -> str:
    expected = str(context["expected"])
    allowed = _QUOTED.findall(expected) or _NUMBERS.findall(expected)
    return f"must be {allowed[0]}" if len(allowed) == 1 else f"must be one of {', '.join(allowed)}"


def _is_flag(context: Context) -> bool:
    return set(str(context["expected"]).split(" or ")) <= {"True", "False"}


_KNOWN: Mapping[str, Callable[[Context], str]] = {
    "extra_forbidden": lambda _: "is no known argument",
    "missing": lambda _: "is required",
    "literal_error": lambda context: _YES_NO if _is_flag(context) else _one_of(context),
    "greater_than_equal": lambda context: f"must be {_limit(context['ge'])} or more",
    "less_than_equal": lambda context: f"must be {_limit(context['le'])} or less",
    "string_too_short": _counted(_CHARACTERS, "min_length", "least"),
    "string_too_long": _counted(_CHARACTERS, "max_length", "most"),
    "too_short": _counted(_ENTRIES, "min_length", "least"),
    "too_long": _counted(_ENTRIES, "max_length", "most"),
}
_FAMILIES = (
    ("int", _WHOLE),
    ("float", "must be a number"),
    ("decimal", "must be a number"),
    ("bool", _YES_NO),
    ("date", DATE),
    ("timezone", DATE),
    ("string", "must be a text"),
    ("list", "must be a list"),
    ("tuple", "must be a list"),
    ("dict", "must be an object"),
    ("model", "must be an object"),
    ("none", "may be left out"),
)
