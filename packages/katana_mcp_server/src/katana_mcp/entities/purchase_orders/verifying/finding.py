"""What lines of a document mean that mean nothing of the order: goods that there are, and what is like them."""

from collections.abc import Sequence

from cache_core.protocol import Search, Stored
from cache_core.search_rules import Tier
from katana_mcp.entities.purchase_orders.verifying.matching import MOST_TOLD, OrderedGood, codes_of, near_codes
from katana_mcp.entities.purchase_orders.verifying.request import DocumentLine
from katana_mcp.references.display_names import look_up, text
from katana_mcp.references.resolve import EXPLAINED
from katana_mcp.references.services import Services

_MOST = 3


async def catalogued(line: DocumentLine, services: Services) -> list[Stored]:
    """Return the live variants that have the id of the line, or else one of its codes, as far as they are cached."""
    if line.variant_id is not None:
        rows = (await services.cache.get_many("variant", [line.variant_id])).rows
        return [row for row in rows if not row.deleted]
    found: dict[object, Stored] = {}
    for code in codes_of(line):
        result = await services.cache.search("variant", Search(code, limit=MOST_TOLD + 1))
        found |= {hit.row.id: hit.row for hit in result.hits if hit.tier is Tier.EXACT}
    return [found[key] for key in sorted(found, key=str)]


async def near(line: DocumentLine, goods: Sequence[OrderedGood], place: int, services: Services) -> list[str]:
    """Return SKUs that a line may mean: of the order, then of all items; of the first few lines only."""
    ours = near_codes(line, goods)
    if ours or place > EXPLAINED:
        return ours
    texts = [query for query in (*codes_of(line), line.description) if query]
    for query in texts:
        result = await services.cache.search("variant", Search(query, limit=_MOST))
        skus = [sku for hit in result.hits if (sku := text(hit.row.record, "sku"))]
        if skus:
            return list(dict.fromkeys(skus))
    return []


async def good_of(variant: Stored, services: Services) -> OrderedGood:
    """Return a variant that the order does not hold as a good."""
    names = await look_up(services.cache, {"variant": [variant.id]}, [("variant", variant)])
    return OrderedGood.of(int(variant.id), variant.record, names.display(variant.record))
