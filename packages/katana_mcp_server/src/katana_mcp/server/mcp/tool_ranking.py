"""Which tools a plain question is about: BM25 over stems, a tool's name counting more than its words.

Knows the words of the trade, and nothing of single tools: a tool is found by what its name and description say.
"""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from katana_mcp.server.mcp.plain_phrases import in_our_words

SYNONYMS: tuple[tuple[str, ...], ...] = (
    # What is done.
    ("search", "find", "look", "lookup", "locate", "mention", "containing"),
    ("list", "which", "all", "every", "open", "overdue", "late", "browse", "filter", "progress", "pending"),
    ("get", "show", "one", "read", "view", "whole", "detail", "single", "what", "received"),
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
_SMALL = frozenset(
    (
        *("a", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "did", "do", "does", "each", "for"),
        *("from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "not", "now"),
        *("of", "on", "or", "our", "please", "right", "should", "so", "than", "that", "the", "their", "them", "there"),
        *("these", "they", "this", "those", "to", "up", "us", "was", "we", "were", "will", "with", "yet", "you"),
        *("your", "when", "want", "need", "let", "who", "called", "planned", "two", "three", "more", "next", "since"),
        *("week", "today", "another", "still", "just", "about", *"0123456789"),
    )
)
_K1, _B = 1.4, 0.45
_NAME_WEIGHT, _PURPOSE_WEIGHT = 6, 2


@dataclass(frozen=True, slots=True)
class DescribedTool:
    """What is known of a tool: its name, its description, and the names and descriptions of its arguments."""

    name: str
    description: str
    arguments: str


def ranked(question: str, tools: Sequence[DescribedTool]) -> list[str]:
    """Return the names of the tools that share a word with the question, best first."""
    documents = {tool.name: _weighted(tool) for tool in tools}
    if not documents:
        return []
    lengths = {name: sum(words.values()) for name, words in documents.items()}
    mean = sum(lengths.values()) / len(lengths)
    scores = dict.fromkeys(documents, 0.0)
    asked = dict.fromkeys((*stems(in_our_words(question)), *_begun(question)))
    for word in asked:
        having = [name for name, words in documents.items() if word in words]
        rarity = math.log(1 + (len(documents) - len(having) + 0.5) / (len(having) + 0.5))
        for name in having:
            count = documents[name][word]
            scores[name] += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[name] / mean))
    for name in documents:
        if any(word not in asked for word in _of_name(name) if word in _ONLY_NAMED):
            scores[name] *= _UNASKED
    return sorted((name for name, score in scores.items() if score > 0), key=lambda name: -scores[name])


def _begun(question: str) -> tuple[str, ...]:
    """Return what a question means beside its words, by the first of them."""
    return _IMPERATIVES.get(next(iter(question.casefold().split(maxsplit=1)), ""), ())


def not_there(question: str, tools: Iterable[str], absent: Iterable[str]) -> list[str]:
    """Return the absent tools that a question asks for, the likeliest first.

    One is asked for where the question holds every word of its name and that is more than of the name of any tool, or
    where it begins with a verb that no tool's name has.
    """
    asked, tool_stems = frozenset(stems(in_our_words(question))), [_of_name(tool) for tool in tools]
    word = next(iter(_words(_RANKS.sub("rank customers", question))), "")
    verb = _VERBS.get(word, word)
    most = max((len(name & asked) for name in tool_stems), default=0)
    taken = {*_GROUPED, *(word for tool in tools for word in tool.split("_"))}
    found: dict[str, int] = {}
    for name in absent:
        meant, first = _of_name(name), name.partition("_")[0]
        is_whole = meant <= asked and len(meant) > most
        if is_whole or (first not in taken and verb in (first, f"{first.removesuffix('e')}ing")):
            found[name] = len(meant & asked)
    return sorted(found, key=lambda name: -found[name])


_VERBS = {"fulfil": "fulfill", "ship": "fulfill", "finish": "complete", "report": "complete", "revert": "undo"}
"""Other words for verbs of absent tools."""
_GROUPED = frozenset(word for group in SYNONYMS for word in group)
_RANKS = re.compile(r"\b(?:who|which customers?) (?:\w+ )*(?:most|best)\b|\b(?:best|top|biggest|largest) customers?\b")


@lru_cache(maxsize=1_000)
def _weighted(tool: DescribedTool) -> Mapping[str, float]:
    purpose, _, rest = tool.description.partition("\n")
    counts = defaultdict[str, float](float)
    for text, weight in ((tool.name, _NAME_WEIGHT), (purpose, _PURPOSE_WEIGHT), (rest, 1), (tool.arguments, 0.3)):
        for word in stems(text):
            counts[word] += weight
    return counts


@lru_cache(maxsize=1_000)
def _of_name(name: str) -> frozenset[str]:
    return frozenset(stems(name))


def stems(text: str) -> Iterator[str]:
    """Yield the stems of a text's words, those of one meaning as one; small words are left out."""
    for word in _words(text):
        stem = _stem(word)
        yield _MEANING.get(stem, stem)


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", text[:_MAX_TEXT]).casefold().replace("'s", "").replace("_", " ")
    numbered = _NUMBER.sub(lambda number: _NUMBERED[number[1]], plain)
    for word in re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", numbered):
        if word not in _SMALL:
            yield word


_MAX_TEXT = 10_000
_NUMBERED = {
    "po": "purchase order",
    "so": "sales order",
    "ro": "sales return",
    "mo": "manufacturing order",
    "st": "stock transfer",
    "sa": "stock adjustment",
    "stk": "stocktake",
}
_NUMBER = re.compile(rf"\b({'|'.join(_NUMBERED)})-\d+\b")
"""The number of a document, by which a question means its kind."""


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    for ending in ("ing", "ed", "es", "s"):
        left = word.removesuffix(ending)
        if left != word and len(left) >= 3 and not left.endswith("s"):
            doubled = ending in {"ing", "ed"} and len(left) > 3 and left[-1] == left[-2]
            return left[:-1] if doubled else left.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


_MEANING = {_stem(word): _stem(group[0]) for group in SYNONYMS for word in group}
_IMPERATIVES = {
    word: tuple(map(_stem, meant))
    for words, meant in (
        (("order", "buy", "reorder"), ("create", "purchase")),
        (("move", "send", "bring"), ("create", "transfer")),
        (("adjust", "fix"), ("modify",)),
        (("correct",), ("create",)),
    )
    for word in words
}
"""What a question means beside its words when it begins with one of these."""
_ONLY_NAMED = frozenset(map(_stem, ("create", "modify", "delete", "receive", "fulfill", "return")))
_UNASKED = 0.6
"""A question without a verb of change is about reading, and one that names no return about none."""
