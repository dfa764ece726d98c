"""Words of a factory in the form in which they are compared: stems, those that mean the same as one.

Knows the words of the trade, and nothing of single tools.
"""

import unicodedata

_SYNONYMS: tuple[tuple[str, ...], ...] = (
    # What is done.
    ("search", "find", "look", "lookup", "locate", "mention", "containing"),
    ("list", "browse", "filter"),
    ("overdue", "late"),
    ("get", "show", "read", "view"),
    ("create", "new", "add", "place", "enter", "register", "record", "log", "input", "draft"),
    (
        *("modify", "change", "edit", "update", "correct", "line", "set", "rename", "alter", "amend", "revise"),
        *("adapt", "extend", "shorten", "replace", "swap", "switch", "instead", "postpone", "reschedule", "increase"),
        *("reduce", "raise", "lower"),
    ),
    (
        *("delete", "remove", "cancel", "drop", "erase", "annul", "discard", "withdraw", "trash", "eliminate"),
        *("purge", "void"),
    ),
    ("receive", "receipt", "receiving", "book", "booked", "got"),
    ("fulfill", "fulfil", "dispatch", "pack"),
    ("apply", "write", "confirm", "execute", "commit", "preview", "token"),
    # What it is done to.
    ("item", "part", "product", "material", "service", "article"),
    ("variant", "sku"),
    ("customer", "client", "buyer"),
    ("supplier", "vendor"),
    ("purchase", "purchasing", "buy", "bought", "procurement"),
    ("sale", "sell", "sold", "selling", "deliver", "delivery", "ship", "shipment"),
    ("manufacturing", "production", "produce", "making", "work", "build", "built", "assemble"),
    ("transfer", "move", "moved", "relocate", "transit", "way"),
    ("location", "warehouse", "site", "store"),
    ("adjustment", "correction", "write-off"),
    ("count", "counting", "stocktaking"),
    ("ingredient", "component", "recipe", "bom", "consist"),
    ("inventory", "stock", "quantity"),
    ("price", "cost", "much"),
    ("low", "short", "shortage", "reorder", "running"),
    ("blocking", "blocked", "hold", "holding", "waiting", "bottleneck", "obstacle", "stopping", "delay"),
    ("movement", "history", "why", "ledger", "trail"),
    ("cache", "data", "fresh", "sync"),
    ("rebuild", "refetch", "again", "anew", "refresh"),
)
"""Words that mean the same of a factory's tools, the one that names use first."""


def plain(text: str) -> str:
    """Return a text in lower case, as its words are looked for in it: one form of each letter, and nobody's `'s`."""
    return unicodedata.normalize("NFKC", text).casefold().replace("'s", "")


def meaning(word: str) -> str:
    """Return the stem of a word, or of the one that means the same and that names use first."""
    stem = stem_of(word)
    return _MEANING.get(stem, stem)


def stem_of(word: str) -> str:
    """Return a word without its ending; `ships`, `shipped` and `shipping` have one stem."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    for ending in ("ing", "ed", "es", "s"):
        left = word.removesuffix(ending)
        if left != word and len(left) >= 3 and not left.endswith("s"):
            doubled = ending in {"ing", "ed"} and len(left) > 3 and left[-1] == left[-2]
            return left[:-1] if doubled else left.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


_MEANING = {stem_of(word): stem_of(group[0]) for group in _SYNONYMS for word in group}
