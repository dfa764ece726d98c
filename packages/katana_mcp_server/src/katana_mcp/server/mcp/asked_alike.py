"""Which tools were meant by who asked alike: examples tell what words of a question, and pairs of them, stand for.

Complement naive Bayes: a word tells of a tool as much as it is missing from what is asked of all others. Knows what
examples say, and nothing of what tools say of themselves.
"""

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from katana_mcp.server.mcp.trade_words import meaning, plain

EXAMPLES = Path(__file__).with_name("asked_alike.toml")
_SMOOTHING = 0.3
_LONGEST = 1_000
"""Characters of a question that are looked at."""
_DOCUMENT = re.compile(r"\b(po|so|mo|st|sa|ro|stk)-\d+\b|\b(po|mo) \d+\b")
_CODE = re.compile(r"\b[a-z][a-z-]*-[a-z0-9-]*\d[a-z0-9-]*\b")
_NUMBER = re.compile(r"\b\d+[\w.,%]*")
_WORD = re.compile(r"#?[^\W\d_]+")
_EMPTY = frozenset(
    (
        *("the", "a", "an", "of", "to", "is", "are", "do", "we", "our", "in", "on", "for", "and", "it", "i", "me"),
        *("my", "at", "with", "was", "be", "by", "from"),
    )
)
"""Words that tell something beside others alone."""


@dataclass(frozen=True, slots=True)
class Examples:
    """What examples say.

    Attributes:
        rarity: of each feature of a question, the greater the fewer examples have it.
        of_tool: how much there is of each feature in the examples of a tool; each example weighs one.
        of_all: how much there is of it in all of them.
    """

    rarity: Mapping[str, float]
    of_tool: Mapping[str, Mapping[str, float]]
    of_all: Mapping[str, float]

    def likeness(self, question: str, tools: Collection[str]) -> Mapping[str, float]:
        """Return how much a question is like the examples of each of these tools that have a word or pair of it."""
        asked = [feature for feature in features(question) if feature in self.rarity]
        alike = {
            tool: weights
            for tool, weights in self.of_tool.items()
            if tool in tools and any(" " not in feature and feature in weights for feature in asked)
        }
        everything = sum(self.of_all.values())
        return {tool: self._likeness(asked, weights, everything) for tool, weights in alike.items()}

    def _likeness(self, asked: Collection[str], weights: Mapping[str, float], everything: float) -> float:
        smoothed = _SMOOTHING * len(self.rarity)
        mine = sum(weights.values())
        within, without = mine + smoothed, everything - mine + smoothed
        return sum(
            self.rarity[feature]
            * math.log(
                (weights.get(feature, 0.0) + _SMOOTHING)
                / within
                * without
                / (self.of_all[feature] - weights.get(feature, 0.0) + _SMOOTHING)
            )
            for feature in asked
        )


def learned(examples: Mapping[str, str]) -> Examples:
    """Return what questions and the tools that answer them say."""
    told = [(frozenset(features(question)), tool) for question, tool in examples.items()]
    counts = Counter(feature for found, _ in told for feature in found)
    rarity = {feature: math.log(len(told) / count) + 1 for feature, count in counts.items()}
    of_tool: dict[str, dict[str, float]] = {tool: defaultdict(float) for _, tool in told}
    of_all: dict[str, float] = defaultdict(float)
    for found, tool in told:
        length = math.hypot(*(rarity[feature] for feature in found))
        for feature in found:
            of_tool[tool][feature] += rarity[feature] / length
            of_all[feature] += rarity[feature] / length
    return Examples(rarity, of_tool, of_all)


@cache
def kept_examples() -> Examples:
    """Return what the examples say that are kept beside this module; the first call learns them."""
    questions_by_tool: dict[str, list[str]] = tomllib.loads(EXAMPLES.read_text("utf-8"))
    return learned({question: tool for tool, questions in questions_by_tool.items() for question in questions})


def _kind(number: re.Match[str]) -> str:
    return f" #{number[1] or number[2]} "


def features(question: str) -> Iterator[str]:
    """Yield what a question is compared by: its words and pairs of them, documents by their kind, codes and numbers."""
    marked = _NUMBER.sub(" #number ", _CODE.sub(" #code ", _DOCUMENT.sub(_kind, plain(question[:_LONGEST]))))
    words = [word if word.startswith("#") else meaning(word) for word in _WORD.findall(marked)]
    yield from dict.fromkeys(word for word in words if word not in _EMPTY)
    yield from dict.fromkeys(f"{first} {second}" for first, second in pairwise(words))
