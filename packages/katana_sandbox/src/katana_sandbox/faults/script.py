"""The fault script: an ordered list of (match, nth, action), from code or from a TOML file."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from fnmatch import fnmatchcase
from typing import cast

from katana_sandbox.faults.actions import ACTIONS, Action, Status
from katana_sandbox.journal import JournalEntry, below_prefix, key_digest

_METHODS = ("GET", "POST", "PATCH", "DELETE", "PUT", "*")
_BY_NAME = {action.name: action for action in ACTIONS}
_CODE_ONLY = {"edit", "change"}


@dataclass(frozen=True, slots=True)
class Match:
    """Which requests: patterns with `*` for method and path (without /v1), and query values that must be given."""

    method: str = "*"
    path: str = "*"
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    key: str | None = None
    tenant: str | None = None

    def fits(self, entry: JournalEntry) -> bool:
        """Whether a request is meant."""
        return (
            fnmatchcase(entry.method, self.method.upper())
            and fnmatchcase(below_prefix(entry.path), below_prefix(self.path))
            and all((name, value) in entry.query for name, value in self.query.items())
            and (self.key is None or entry.key == key_digest(self.key))
            and (self.tenant is None or entry.tenant == self.tenant)
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """An action for the `nth` matching request and the `times - 1` after it; `times=None` never ends.

    With `every` above 1 it skips requests in between: it strikes the nth, the nth + every, and so on.
    `match` may be written as text: "GET /variants*", "/variants", "*".
    """

    match: Match | str = "*"
    nth: int = 1
    action: Action = field(default_factory=Status)
    times: int | None = 1
    every: int = 1

    def pattern(self) -> Match:
        """The match, parsed."""
        return parse_match(self.match) if isinstance(self.match, str) else self.match


@dataclass(slots=True)
class _Armed:
    fault: Fault
    pattern: Match
    seen: int = 0

    def strikes(self, entry: JournalEntry) -> bool:
        if not self.pattern.fits(entry):
            return False
        self.seen += 1
        turn, between = divmod(self.seen - self.fault.nth, self.fault.every)
        return turn >= 0 and not between and (self.fault.times is None or turn < self.fault.times)


class FaultScript:
    """The armed faults; each counts the requests it matches."""

    def __init__(self) -> None:
        self._armed: list[_Armed] = []

    def add(self, *faults: Fault) -> None:
        """Arm faults after those already armed."""
        for fault in faults:
            if min(fault.nth, fault.every, 1 if fault.times is None else fault.times) < 1:
                raise ValueError("nth, times and every count from 1")
            self._armed.append(_Armed(fault, fault.pattern()))

    def clear(self) -> None:
        """Disarm all."""
        self._armed.clear()

    def __len__(self) -> int:
        return len(self._armed)

    def __iter__(self) -> Iterator[Fault]:
        return iter([armed.fault for armed in self._armed])

    def striking(self, entry: JournalEntry) -> list[Action]:
        """The actions for a request, in order."""
        return [armed.fault.action for armed in self._armed if armed.strikes(entry)]


def parse_match(text: str) -> Match:
    """A match from "METHOD /path", "/path" or "*"; ValueError when it is neither."""
    words = text.split()
    if len(words) == 1 and (words[0] == "*" or words[0].startswith(("/", "*"))):
        return Match(path=words[0])
    if len(words) == 2 and words[0].upper() in _METHODS:
        return Match(words[0].upper(), words[1])
    raise ValueError(f'match {text!r} must look like "GET /variants*", "/variants" or "*"')


def parse_faults(text: str) -> list[Fault]:
    """The faults of a TOML text: tables `[[fault]]` with match, nth, times, action and the action's fields.

    Raises:
        ValueError: naming the entry and what it may hold.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"the fault file is no TOML: {problem}") from None
    unknown = set(document) - {"fault"}
    entries: object = document.get("fault", [])
    tables = cast("list[object]", entries) if isinstance(entries, list) else [None]
    if unknown or not all(isinstance(table, dict) for table in tables):
        raise ValueError("the fault file holds tables [[fault]] and nothing else")
    return [_fault(number, cast("dict[str, object]", table)) for number, table in enumerate(tables, 1)]


def _fault(number: int, entry: Mapping[str, object]) -> Fault:
    given = dict(entry)
    name = given.pop("action", None)
    action = _BY_NAME.get(str(name))
    if action is None:
        raise ValueError(f"fault {number}: unknown action {name!r}; allowed: {', '.join(sorted(_BY_NAME))}")
    try:
        match = _match(given)
        nth, times, every = _counts(given)
        return Fault(match, nth, _action(action, given), times, every)
    except ValueError as problem:
        raise ValueError(f"fault {number}: {problem}") from None


def _match(given: dict[str, object]) -> Match:
    text = given.pop("match", "*")
    if not isinstance(text, str):
        raise ValueError('match must be text such as "GET /variants*"')
    match = parse_match(text)
    query = given.pop("query", {})
    if not isinstance(query, dict):
        raise ValueError("query must be a table of texts")
    pairs = {str(name): str(value) for name, value in cast("dict[str, object]", query).items()}
    key, tenant = given.pop("key", None), given.pop("tenant", None)
    return Match(
        match.method, match.path, pairs, None if key is None else str(key), None if tenant is None else str(tenant)
    )


def _counts(given: dict[str, object]) -> tuple[int, int | None, int]:
    nth, times, every = given.pop("nth", 1), given.pop("times", 1), given.pop("every", 1)
    endless = times == "forever"
    for name, value in (("nth", nth), ("every", every), *(() if endless else (("times", times),))):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1{', or forever in quotes' * (name == 'times')}")
    return cast("int", nth), None if endless else cast("int", times), cast("int", every)


def _action(action: type[Action], given: Mapping[str, object]) -> Action:
    by_name = {item.name: item for item in fields(cast("type[Status]", action)) if item.name not in _CODE_ONLY}
    values: dict[str, object] = {}
    for name, value in given.items():
        if name not in by_name:
            allowed = ", ".join(["match", "nth", "times", "every", "query", "key", "tenant", *by_name])
            raise ValueError(f"unknown field {name!r} for action {action.name!r}; allowed: {allowed}")
        values[name] = _typed(name, value, _default(by_name[name]))
    return action(**values)


def _default(item: object) -> object:
    spec = cast("dict[str, object]", {"default": getattr(item, "default", MISSING)})
    return spec["default"]


def _typed(name: str, value: object, default: object) -> object:
    if name == "when" and value not in {"before", "after"}:
        raise ValueError(f'when must be "before" or "after", not {value!r}')
    if isinstance(default, bool) != isinstance(value, bool) and default is not MISSING and default is not None:
        raise ValueError(f"{name} must be {'true or false' if isinstance(default, bool) else 'no boolean'}")
    if isinstance(default, tuple):
        return tuple(cast("list[object]", value)) if isinstance(value, list) else (value,)
    numeric = isinstance(default, int | float) and not isinstance(default, bool) and name != "id"
    if numeric and not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number, not {value!r}")
    if (isinstance(default, str) or name == "text") and not isinstance(value, str):
        raise ValueError(f"{name} must be text, not {value!r}")
    return value
