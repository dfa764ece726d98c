"""Options of an item (Katana's configs): never wiped, because Katana takes the whole list and deletes what it lacks.

An option is made by the first variant that has it; a value that no variant has can go, and an option that none has.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, cast

from pydantic import BeforeValidator, StrictStr, WithJsonSchema
from pydantic import Field as Argument

from katana_mcp.documents.transition import State, Transition
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import get_strs, rows

VARIANTS, CONFIGS, OWN = "variants", "configs", "config_attributes"
MOST = 10
"""Options that an item has at most (facts 3.2)."""
type Values = Mapping[str, Sequence[str]]
"""The values of options by their names, in order."""


def _by_name(name: str, value: str) -> BeforeValidator:
    """Return what takes options as Katana shows them, a list of objects, for an object by their names."""

    def named(given: object) -> object:
        if not isinstance(given, list):
            return given
        entries = [
            cast("Mapping[str, object]", entry) for entry in cast("list[object]", given) if isinstance(entry, dict)
        ]
        found = {entry.get(name): entry.get(value) for entry in entries}
        if len(found) < len(cast("list[object]", given)):
            raise ValueError("must be an object by the names of the options, each once")
        return found

    return BeforeValidator(named)


type _Name = Annotated[StrictStr, Argument(min_length=1, max_length=255)]
type Options = Annotated[
    dict[_Name, Annotated[list[_Name], Argument(max_length=250)]],
    Argument(max_length=MOST),
    _by_name("name", "values"),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}),
]
"""All values of options, by the names of these; none takes an option away."""
type Config = Annotated[
    dict[_Name, _Name | None],
    Argument(max_length=MOST),
    _by_name("config_name", "config_value"),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""The value that a variant has of each option, by its name; null takes one from it."""


def config_of(row: State) -> dict[str, str]:
    """Return the values that a variant has, by the names of the options."""
    pairs = [(config.get("config_name"), config.get("config_value")) for config in rows(row, OWN)]
    return {name: value for name, value in pairs if isinstance(name, str) and isinstance(value, str)}


def in_words(value: object) -> str:
    """Return options in words, of an item or of a variant: `Size: S, M; Colour: Red`."""
    entries = [cast("State", entry) for entry in cast("list[object]", value or []) if isinstance(entry, Mapping)]
    parts = [
        f"{entry['name']}: {', '.join(get_strs(entry, 'values') or ())}"
        if "name" in entry
        else f"{entry.get('config_name')}: {entry.get('config_value')}"
        for entry in entries
    ]
    return "; ".join(parts)


def settle(before: State | None, goal: State) -> State:
    """Return an item whose variants hold what they had of options and what was given, and whose options know it all."""
    old = {row["id"]: config_of(row) for row in rows(before or {}, VARIANTS)}
    having = [_merged(old.get(row.get("id"), {}), row) for row in rows(goal, VARIANTS)]
    options = _options(before, goal.get(CONFIGS), [config_of(row) for row in having])
    changed = {} if options is None else {CONFIGS: options}
    return {**goal, VARIANTS: having, **changed}


def _given(asked: object) -> Values:
    """Return the options that a request names."""
    return cast("Values", asked) if isinstance(asked, Mapping) else {}


def _merged(old: Mapping[str, str], row: State) -> State:
    given = row.get(OWN)
    if not isinstance(given, Mapping):
        return row
    values = {**old, **cast("Mapping[str, str | None]", given)}
    having = [{"config_name": name, "config_value": value} for name, value in values.items() if value]
    if having or "id" in row:
        return {**row, OWN: having}
    return {name: value for name, value in row.items() if name != OWN}  # a new one names some, or none


def _options(before: State | None, asked: object, used: Sequence[Mapping[str, str]]) -> list[State] | None:
    """Return the whole list of options that Katana is to have; None where it stays as it is."""
    existing = {str(row.get("name")): row for row in rows(before or {}, CONFIGS)}
    given = _given(asked)
    values: dict[str, list[str]] = {name: list(get_strs(option, "values") or ()) for name, option in existing.items()}
    values |= {name: list(dict.fromkeys(choices)) for name, choices in given.items()}
    for name, value in [pair for config in used for pair in config.items()]:
        if name not in given and value not in values.setdefault(name, []):
            values[name].append(value)
    if values == {name: list(get_strs(option, "values") or ()) for name, option in existing.items()}:
        return list(existing.values()) if isinstance(asked, Mapping) else None
    named = {name: {"id": option["id"]} if "id" in option else {} for name, option in existing.items()}
    options: list[State] = [
        {**named.get(name, {}), "name": name, "values": choices} for name, choices in values.items() if choices
    ]
    return options or list(existing.values())  # the last one stays: `checks` says so


def before_variants(change: Transition) -> list[State]:
    """Return the options that are sent before variants change: what goes is kept as long as one of these has it."""
    after = rows(change.new, CONFIGS)
    diff = change.sent[VARIANTS]
    if not (diff.updates or diff.deletes):
        return after
    held = [config_of(row) for row in diff.before.values()]
    kept = {record["name"]: record for record in after}
    for option in rows(change.old, CONFIGS):
        used = [value for value in get_strs(option, "values") or () if value in _values(held, option["name"])]
        now = kept.get(option["name"], {"id": option.get("id"), "name": option["name"], "values": []})
        values = list(dict.fromkeys([*(get_strs(now, "values") or ()), *used]))
        kept |= {option["name"]: {**now, "values": values}} if values else {}
    return list(kept.values())


def back(change: Transition, arguments: dict[str, object]) -> dict[str, object]:
    """Return the call that takes a change back, where it takes away options and values that came."""
    found = dict(arguments)
    if CONFIGS in found:
        old = {str(row["name"]): get_strs(row, "values") for row in rows(change.old, CONFIGS)}
        found[CONFIGS] = {**{str(row["name"]): [] for row in rows(change.new, CONFIGS)}, **old}
    then = {row.get("id"): config_of(row) for row in rows(change.new, VARIANTS)}
    updates = cast("Sequence[Mapping[str, object]]", found.get("update_variants", ()))
    if updates:
        found["update_variants"] = [_without(row, then.get(row["variant_id"], {})) for row in updates]
    return found


def _without(row: Mapping[str, object], then: Mapping[str, str]) -> Mapping[str, object]:
    if "config" not in row:
        return row
    return {**row, "config": {**dict.fromkeys(then), **config_of({OWN: row["config"]})}}


def checks(change: Transition) -> Iterator[ToolWarning]:
    """Yield options that would go though variants have them, and variants that lack one that the others have."""
    if change.after is None:
        return
    yield from _used(change)
    yield from _lacking(change)


def _used(change: Transition) -> Iterator[ToolWarning]:
    given = _given(change.asked.get(CONFIGS))
    for name, values in given.items():
        having = [row for row in rows(change.new, VARIANTS) if config_of(row).get(name, None) not in (None, *values)]
        if having:
            held = ", ".join(dict.fromkeys(config_of(row)[name] for row in having))
            message = f"configs: variants have {held} of {name}: change or delete these first, or name it too"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, CONFIGS)
        elif not values and name not in {row.get("name") for row in rows(change.old, CONFIGS)}:
            yield blocking(warning_codes.INVALID_ARGUMENT, f"configs: there is no option {name} to take away", CONFIGS)
    if given and not any(given.values()) and given.keys() >= {row.get("name") for row in rows(change.old, CONFIGS)}:
        message = "configs: Katana keeps at least one option of an item that has some: its last one stays"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, CONFIGS)
    if len(rows(change.new, CONFIGS)) > MOST:
        yield blocking(warning_codes.INVALID_ARGUMENT, f"an item has at most {MOST} options", CONFIGS)


def one_way(change: Transition) -> str | None:
    """Return why nothing takes a change back: the first option of an item came."""
    if change.before is None or change.after is None or rows(change.old, CONFIGS) or not rows(change.new, CONFIGS):
        return None
    return "Katana keeps the last option of an item: its first one stays"


def _lacking(change: Transition) -> Iterator[ToolWarning]:
    """Yield variants without a value of an option, where variants or options come."""
    having = rows(change.new, VARIANTS)
    diff = change.parts[VARIANTS]
    is_about = bool(diff.adds) or CONFIGS in change.head or any(OWN in fields for fields in diff.updates.values())
    if not is_about or len(having) < len(("one", "another")):
        return
    options = [str(row["name"]) for row in rows(change.new, CONFIGS)]
    for path, row in _with_paths(change):
        lacks = [name for name in options if name not in config_of(row)]
        if lacks or not options:
            message = f"has no {', '.join(lacks)}" if lacks else "has no option that tells it from the others"
            message = f"{path}: variant {called(row)} {message}: each of several needs it"
            yield blocking(warning_codes.INVALID_ARGUMENT, message, path)


def _with_paths(change: Transition) -> Iterator[tuple[str, State]]:
    """Yield each variant that stays or comes, with the path of the argument that sets its options."""
    argument, nr = VARIANTS if change.before is None else f"add_{VARIANTS}", 0
    for row in rows(change.new, VARIANTS):
        if "id" in row:
            yield "update_variants", row
        else:
            yield f"{argument}[{nr}].config", row
            nr += 1


def unused(item: State) -> str:
    """Return the options and values that no variant has, in words; empty where all are in use."""
    held = [config_of(row) for row in rows(item, VARIANTS)]
    left = [
        {"name": row["name"], "values": free}
        for row in rows(item, CONFIGS)
        if (free := [value for value in get_strs(row, "values") or () if value not in _values(held, row["name"])])
    ]
    return in_words(left)


def _values(held: Sequence[Mapping[str, str]], name: object) -> set[str]:
    return {config[name] for config in held if isinstance(name, str) and name in config}


def called(row: State) -> str:
    """Return what a variant is called: its SKU, its options, or its id."""
    return str(row.get("sku") or in_words(row.get(OWN)) or row.get("id") or "without SKU")
