"""Arguments of a tool drawn from its schema; what names something in Katana is drawn from the account."""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from katana_mcp.tools.hidden import escape_hidden

from .shapes import Schema
from .writes import Arguments, Pools

MOMENTS = st.builds(
    lambda days, offset: (datetime(2026, 1, 1, 8, tzinfo=UTC) + timedelta(days=days)).isoformat()[:-6] + offset,
    st.integers(0, 700),
    st.sampled_from(["", "Z", "+02:00", "-11:30"]),
)
NUMBERS = st.one_of(
    st.integers(0, 10**6),
    st.decimals(0, 10**4, places=4).map(float),
    st.floats(0, 10**9, allow_nan=False).map(lambda number: round(number, 10)),
)
SIGNED = st.one_of(NUMBERS, NUMBERS.map(lambda number: -number))
TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=12).filter(
    lambda text: escape_hidden(text) == text and "<U+" not in text
)
"""Without what is invisible: an answer shows that otherwise than it is sent."""


def arguments(schema: Schema, pools: Pools, kept: Collection[str] = ()) -> SearchStrategy[Arguments]:
    """Return arguments that fit an input schema: all that are required, some of the others, some of these null.

    Args:
        schema: of the tool's input.
        pools: values of arguments that name something, by their path.
        kept: optional arguments that cannot be null.
    """
    needed = set(cast("Sequence[str]", schema.get("required", ())))
    drawn = {name: _value(subschema, name, pools) for name, subschema in schema["properties"].items()}
    nullable = {
        name: st.one_of(st.none(), strategy) if name not in kept else strategy for name, strategy in drawn.items()
    }
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in drawn.items() if name in needed},
        optional={name: strategy for name, strategy in nullable.items() if name not in needed},
    )


def _value(schema: Schema, path: str, pools: Pools) -> SearchStrategy[Any]:
    if path in pools:
        return st.sampled_from(list(pools[path]))
    if "anyOf" in schema:
        return st.one_of(*(_value(option, path, pools) for option in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    if isinstance(schema["type"], list):
        return st.one_of(*(_value({**schema, "type": kind}, path, pools) for kind in schema["type"]))
    return _KINDS[schema["type"]](schema, path, pools)


def _text(schema: Schema, *_: object) -> SearchStrategy[Any]:
    if schema.get("format") in _FORMATS or "pattern" in schema:
        return _FORMATS[schema.get("format") or schema["pattern"]]
    least = schema.get("minLength", 0)
    return TEXTS.filter(lambda text: len(text) >= least)


def _list(schema: Schema, path: str, pools: Pools) -> SearchStrategy[Any]:
    return st.lists(_value(schema["items"], f"{path}[]", pools), min_size=schema.get("minItems", 0), max_size=3)


def _object(schema: Schema, path: str, pools: Pools) -> SearchStrategy[Any]:
    needed = set(cast("Sequence[str]", schema.get("required", ())))
    drawn = {name: _value(subschema, f"{path}.{name}", pools) for name, subschema in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: strategy for name, strategy in drawn.items() if name in needed},
        optional={name: strategy for name, strategy in drawn.items() if name not in needed},
    )


_FORMATS: dict[str, SearchStrategy[Any]] = {"date-time": MOMENTS, "^[A-Z]{3}$": st.sampled_from(["EUR", "USD", "SEK"])}
_KINDS: dict[str, Callable[[Schema, str, Pools], SearchStrategy[Any]]] = {
    "string": _text,
    "array": _list,
    "object": _object,
    "integer": lambda schema, *_: st.integers(schema.get("minimum", 0), min(schema.get("maximum", 99), 99)),
    "number": lambda schema, *_: (SIGNED if schema.get("minimum", 0) < 0 else NUMBERS).map(
        lambda number: min(number, schema.get("maximum", number))
    ),
    "boolean": lambda *_: st.booleans(),
}
