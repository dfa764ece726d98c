"""What may have been meant by a name that nothing has: the one place where names of callers are compared with ours.

Refuses to point at what does more than the name says, and to look at more than a few short names of one call.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from rapidfuzz.distance import OSA

from katana_mcp.tools.hidden import escape_hidden_in_name

MOST_NAMES = 10
"""Unknown names of one call that are looked at."""
LONGEST_NAME = 60
"""Characters of a name that are looked at and shown."""
LIKE = 0.75
_LIKE_A_VERB = 0.8


CHANGING = frozenset(
    [
        *("delete", "remove", "drop", "erase", "wipe", "purge", "destroy", "clear", "void", "undo", "revert", "reset"),
        *("apply", "execute", "confirm", "commit", "write", "send", "post", "rebuild"),
    ]
)
"""First words of names that write, or plan a deletion. Any other is harmless, and no hint leads from it to these."""

SAME: Mapping[str, str] = {
    **dict.fromkeys(("find", "lookup", "query"), "search"),
    **dict.fromkeys(("show", "read", "fetch", "view"), "get"),
    **dict.fromkeys(("update", "edit", "change", "set"), "modify"),
    **dict.fromkeys(("add", "new", "make"), "create"),
    "remove": "delete",
    "fulfil": "fulfill",
    **dict.fromkeys(("po", "purchase"), "purchase_order"),
    **dict.fromkeys(("pos", "purchases"), "purchase_orders"),
    **dict.fromkeys(("so", "sale"), "sales_order"),
    **dict.fromkeys(("sos", "sales"), "sales_orders"),
    "mo": "manufacturing_order",
    "mos": "manufacturing_orders",
    "vendor": "supplier",
    "vendors": "suppliers",
    "warehouses": "locations",
    **dict.fromkeys(("product", "material"), "item"),
    **dict.fromkeys(("products", "materials"), "items"),
    "client": "customer",
    "clients": "customers",
    "transfer": "stock_transfer",
    "transfers": "stock_transfers",
    "adjustment": "stock_adjustment",
    "adjustments": "stock_adjustments",
    "stock": "inventory",
}
"""Words of tools' names that people and models use, and ours."""


def quoted(name: str) -> str:
    """Return the beginning of a name as it is shown: in quotes, each character that nobody sees as `<U+200B>`."""
    return f"'{escape_hidden_in_name(name[:LONGEST_NAME])}'"


def meant(name: str, existing: Iterable[str], otherwise: str | None = None) -> str:
    """Return what may have been meant by a name that nothing has, or otherwise all that there is or these words."""
    names = list(existing)
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near else otherwise or f"there are {', '.join(names)}"


def all_meant(unknown: Iterable[str], existing: Iterable[str]) -> str:
    """Return the same of the first of several names, each hint once."""
    names = list(existing)
    return " ".join(dict.fromkeys(meant(name, names) for name, _ in zip(unknown, range(MOST_NAMES), strict=False)))


def nearest(name: str, existing: Collection[str], changing: Collection[str] = (), like: float = LIKE) -> str | None:
    """Return the known name that is most like this one; a harmless name never leads to one that changes something.

    Args:
        name: as it was given.
        existing: what there is.
        changing: those of it that change something whatever their names say.
        like: how like it has to be.
    """
    given = name[:LONGEST_NAME].casefold()
    is_bold = _means_change(_first(given))
    allowed = [
        candidate
        for candidate in existing
        if is_bold or _first(candidate) == _first(given) or not (candidate in changing or _first(candidate) in CHANGING)
    ]
    likeness_of = {candidate: likeness(given, candidate.casefold()) for candidate in allowed}
    best = max(allowed, key=lambda candidate: likeness_of[candidate], default=None)
    if best is not None and likeness_of[best] >= like:
        return best
    longer = [
        candidate
        for candidate in allowed
        if f"{candidate}_".startswith(f"{given}_") or f"{given}_".startswith(f"{candidate}_")
    ]
    return longer[0] if given and len(longer) == 1 else None


def likeness(name: str, other: str) -> float:
    """Return how like two short names are, from 0 to 1: what is left of them after what was mistyped."""
    return OSA.normalized_similarity(name, other)


def unknown_tool(name: str, existing: Iterable[str], absent: Mapping[str, str], changing: Collection[str] = ()) -> str:
    """Return what is said to the call of a tool that nothing has.

    Args:
        name: of the tool.
        existing: the tools that there are.
        absent: why other tools are not there, and what to do instead.
        changing: those of the known ones that change something.
    """
    there = list(dict.fromkeys(existing))
    every = [*there, *absent]
    near = meant_tool(name, every, changing)
    if near is None:
        return f"no tool is called {quoted(name)}; {_there(_ends(name), there, changing)}"
    if near not in absent:
        return f"no tool is called {quoted(name)}; did you mean {near!r}?"
    other = "" if near == name else f"no tool is called {quoted(name)}; "
    return f"{other}{near!r} is not there: {absent[near]}"


def meant_tool(name: str, existing: Collection[str], changing: Collection[str] = ()) -> str | None:
    """Return the tool that a name means: the one of this name, else of one in our words, else of one like it."""
    same = next((form for form in _spelt(name) if form in existing), None)
    ends = _ends(name)
    meant_alike = _of_like_verbs(ends, existing)
    return same or nearest(name, meant_alike, changing) or nearest(ends[-1], meant_alike, changing)


def _ends(name: str) -> Sequence[str]:
    """Return a name without what a host puts before it, and that in our words."""
    forms = list(_spelt(name))
    return forms[1], forms[-1]


def _of_like_verbs(forms: Sequence[str], existing: Iterable[str]) -> list[str]:
    """Return the known names but those that do something else to the same thing: 'verify' is no 'modify'."""
    alike = {name: [form for form in forms if _is_like_thing(form, name)] for name in existing}
    return [name for name, like in alike.items() if not like or any(_is_like_verb(form, name) for form in like)]


def _there(forms: Sequence[str], existing: Sequence[str], changing: Collection[str]) -> str:
    alike = [name for name in existing if any(_is_like_thing(form, name) for form in forms)]
    harmless = [name for name in alike if not (name in changing or _first(name) in CHANGING)]
    return f"similar ones: {', '.join(harmless)}" if harmless else f"there are {', '.join(existing)}"


def _is_like_thing(name: str, other: str) -> bool:
    thing, other_thing = name.partition("_")[2], other.partition("_")[2]
    return bool(thing) and likeness(thing, other_thing) >= LIKE


def _is_like_verb(name: str, other: str) -> bool:
    return likeness(_first(name), _first(other)) >= _LIKE_ANOTHER_VERB


_LIKE_ANOTHER_VERB = 0.6


def _spelt(name: str) -> Iterator[str]:
    """Yield a name of a tool as it was given, then with our words in place of others, a few at most."""
    given = name[:LONGEST_NAME].casefold().replace("-", "_").replace(" ", "_")
    yield given
    yield _QUALIFIER.sub("", given)
    words = given.split("_")
    if len(words) <= _MOST_WORDS:
        yield from ("_".join(form) for form in product(*([word, SAME.get(word, word)] for word in words)))


_MOST_WORDS = 5
_QUALIFIER = re.compile(r".*(?:__|[.:/])")
"""What hosts put before the name of a tool: the server that it is of."""


def _means_change(first: str) -> bool:
    """Return whether a first word that somebody typed, mistyped perhaps, says that something is changed."""
    return first in CHANGING or any(
        likeness(first, verb) >= _LIKE_A_VERB for verb in CHANGING if len(verb) >= _SHORTEST_VERB
    )


_SHORTEST_VERB = 5
"""Characters from which a mistyped word is still taken for a verb."""


def _first(name: str) -> str:
    return name.partition("_")[0]
