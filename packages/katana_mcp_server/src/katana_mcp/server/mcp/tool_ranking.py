"""Which tools a plain question is about: what who asked alike meant, and for tools without examples, what they say.

What a tool says of itself is compared by BM25 over stems, its name counting more than its words.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from katana_mcp.server.mcp.asked_alike import kept_examples
from katana_mcp.server.mcp.trade_words import meaning, plain, stem_of
from katana_mcp.tools.hints import meant_tool

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
    """Return the names of the tools that a question may be about, best first; none where no tool has a word of it.

    The tool that the question names is the first. One without examples stands where its description puts it among all.
    """
    named = _named(question, [tool.name for tool in tools])
    alike = _alike(question, tools)
    return alike if named is None else [named, *(name for name in alike if name != named)]


def _named(question: str, names: Sequence[str]) -> str | None:
    """Return the tool whose name a question is; of what is written as a name, also one that is nearly that."""
    words = question.casefold().replace("-", " ").split()
    if len(words) == 1 and "_" in words[0]:
        return meant_tool(words[0], names)
    spelt = "_".join(words)
    return spelt if spelt in names else None


def _alike(question: str, tools: Sequence[DescribedTool]) -> list[str]:
    examples = kept_examples()
    names = {tool.name for tool in tools}
    alike = examples.likeness(question, names)
    found = sorted(alike, key=lambda name: -alike[name])
    if found and names <= examples.of_tool.keys():
        return found
    described = by_description(question, tools)
    if not found:
        return described
    for place, name in enumerate(described):
        if name not in examples.of_tool:
            found.insert(place, name)
    return found


def by_description(question: str, tools: Sequence[DescribedTool]) -> list[str]:
    """Return the names of the tools whose names or descriptions share a word with the question, best first."""
    documents = {tool.name: _weighted(tool) for tool in tools}
    if not documents:
        return []
    lengths = {name: sum(words.values()) for name, words in documents.items()}
    mean = sum(lengths.values()) / len(lengths)
    scores = dict.fromkeys(documents, 0.0)
    for word in dict.fromkeys(_meanings(question)):
        having = [name for name, words in documents.items() if word in words]
        rarity = math.log(1 + (len(documents) - len(having) + 0.5) / (len(having) + 0.5))
        for name in having:
            count = documents[name][word]
            scores[name] += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[name] / mean))
    return sorted((name for name, score in scores.items() if score > 0), key=lambda name: -scores[name])


def not_there(question: str, tools: Iterable[str], absent: Iterable[str]) -> list[str]:
    """Return the absent tools that a question asks for, the likeliest first.

    One is asked for where the question holds every word of its name and that is more than of the name of any tool, or
    where it begins with a verb that no tool's name has.
    """
    said = _REFUNDS.sub("refund sales return", _RANKS.sub("rank customers", question.casefold()))
    asked, first = {stem_of(word) for word in _words(said)}, next(iter(_words(said)), "")
    verb = _VERBS.get(first, first)
    names = list(tools)
    most = max((len(_of_name(tool) & asked) for tool in names), default=0)
    taken = {word for tool in names for word in tool.split("_")}
    found: dict[str, int] = {}
    for name in absent:
        meant, begins = _of_name(name), name.partition("_")[0]
        is_whole = meant <= asked and len(meant) > most
        if is_whole or (begins not in taken and verb in (begins, f"{begins.removesuffix('e')}ing")):
            found[name] = len(meant & asked)
    return sorted(found, key=lambda name: -found[name])


_VERBS = {"fulfil": "fulfill", "ship": "fulfill", "finish": "complete", "report": "complete", "revert": "undo"}
"""Other words for verbs of absent tools."""
_RANKS = re.compile(r"\b(?:who|which customers?) (?:\w+ )*(?:most|best)\b|\b(?:best|top|biggest|largest) customers?\b")
_REFUNDS = re.compile(r"\bmoney back\b")


@lru_cache(maxsize=1_000)
def _weighted(tool: DescribedTool) -> Mapping[str, float]:
    purpose, _, rest = tool.description.partition("\n")
    counts = defaultdict[str, float](float)
    for text, weight in ((tool.name, _NAME_WEIGHT), (purpose, _PURPOSE_WEIGHT), (rest, 1), (tool.arguments, 0.3)):
        for word in _meanings(text):
            counts[word] += weight
    return counts


@lru_cache(maxsize=1_000)
def _of_name(name: str) -> frozenset[str]:
    return frozenset(map(stem_of, _words(name)))


def _meanings(text: str) -> Iterator[str]:
    """Yield what the words of a text mean; small words are left out."""
    return map(meaning, _words(text))


def _words(text: str) -> Iterator[str]:
    for word in re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", plain(text[:_MAX_TEXT]).replace("_", " ")):
        if word not in _SMALL:
            yield word


_MAX_TEXT = 10_000
