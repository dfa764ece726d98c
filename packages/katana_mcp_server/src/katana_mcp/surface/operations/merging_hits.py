"""The hits of several cache entities in one order, the one that a single entity's hits have.

The cache gives each entity's hits in this order; what they are ordered by is worked out again only to merge them.
"""

from collections.abc import Mapping

from cache_core.indexing import parents_of
from cache_core.protocol import Hit, SearchResult
from cache_core.search_rules import Query, SearchText, Tier, guess, parse
from cache_core.spec import search_text
from katana_mcp.references.services import Services


def comparable(results: Mapping[str, SearchResult]) -> dict[str, SearchResult]:
    """Return the results to merge: where one entity has what was asked for, another's guesses are not shown."""
    best = min((_kind(result.hits[0].tier) for result in results.values() if result.hits), default=Tier.EXACT)
    return {
        source: result for source, result in results.items() if not result.hits or _kind(result.hits[0].tier) == best
    }


def _kind(tier: Tier) -> Tier:
    return Tier.EXACT if tier is Tier.TOKENS else tier


async def ranked(text: str, results: Mapping[str, SearchResult], services: Services) -> list[tuple[str, Hit]]:
    """Return the hits with their entity, best first: by tier, edits or missing words, place, name and id."""
    hits = [(source, hit) for source, result in results.items() for hit in result.hits]
    if sum(1 for result in results.values() if result.hits) < 2:
        return hits
    query = parse(text)
    standing: list[tuple[tuple[object, ...], tuple[str, Hit]]] = []
    for source, result in results.items():
        spec = services.syncer.specs[source]
        records = [hit.row.record for hit in result.hits]
        parents = await parents_of(spec, records, services.cache)
        texts = [search_text(spec.searchable, record, parents) for record in records]
        standing += [
            (_standing(hit, query, hit_text), (source, hit)) for hit, hit_text in zip(result.hits, texts, strict=True)
        ]
    return [sourced for _, sourced in sorted(standing, key=lambda entry: entry[0])]


def _standing(hit: Hit, query: Query, text: SearchText) -> tuple[object, ...]:
    guessed = guess(query, text, hit.tier) if hit.tier > Tier.TOKENS else None
    far = 0 if guessed is None else guessed[0]
    return (hit.tier, far, hit.place, text.sort_name, isinstance(hit.row.id, str), hit.row.id)
