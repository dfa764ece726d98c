"""How the rows of a search answer it, in words: said of each row, unless every row holds the whole query."""

from collections.abc import Sequence

from cache_core.protocol import Hit
from cache_core.search_rules import MAX_QUERY_CHARACTERS, MAX_QUERY_TOKENS, Query, Tier, parse
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory, info

_LABELS = {
    Tier.SUBSTRING: "inside a word",
    Tier.CODE: "part of a code",
    Tier.JOINED: "written as two words",
    Tier.TYPO: "a word like it",
}

type Sourced = tuple[str, Hit]
"""A hit and the cache entity that it comes from."""


def matched(text: str, hits: Sequence[Sourced]) -> list[str] | None:
    """Return how each hit answers the text, `matched 2 of 3 words`; None where all hold it."""
    query = parse(text)
    labels = [_label(query, hit) for _, hit in hits]
    return labels if any(hit.tier > Tier.TOKENS for _, hit in hits) else None


def partial_matches(titles: str, text: str, hits: Sequence[Sourced]) -> list[ToolWarning]:
    """Return the notice that no record holds every word, where the hits hold some of them."""
    if not hits or hits[0][1].tier is not Tier.PARTIAL:
        return []
    everywhere = [word for word in hits[0][1].missing if all(word in hit.missing for _, hit in hits)]
    without = f"; none of these rows has {', '.join(map(repr, everywhere))}" if everywhere else ""
    message = f"no {titles} hold every word of {text[:80]!r}: these hold at least half of them, small words aside"
    return [advisory(warning_codes.PARTIAL_MATCH, f"{message}{without}", "query")]


def left_out(text: str) -> list[ToolWarning]:
    """Return the notice that a part of the text was not searched for, where it is too long."""
    if not parse(text).cut:
        return []
    most = f"the first {MAX_QUERY_CHARACTERS} characters and {MAX_QUERY_TOKENS} different words"
    message = f"only {most} of the query are searched for; the rest was left out, so there may be more rows"
    return [info(warning_codes.TRUNCATED_RESULT, message, "query")]


def _label(query: Query, hit: Hit) -> str:
    if hit.tier is Tier.PARTIAL:
        return f"matched {len(query.words) - len(hit.missing)} of {len(query.words)} words"
    return _LABELS.get(hit.tier, "")
