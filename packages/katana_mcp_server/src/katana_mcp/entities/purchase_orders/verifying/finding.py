"""What lines of a document mean that mean nothing of the order: goods that there are, and what is like them."""

from collections.abc import Sequence

from cache_core.protocol import Search, Stored
from cache_core.search_rules import Tier
from katana_mcp.entities.purchase_orders.verifying.matching import OrderedGood, codes_of, near_codes
from katana_mcp.entities.purchase_orders.verifying.request import DocumentLine
from katana_mcp.references.display_names import look_up, text
from katana_mcp.references.resolve import EXPLAINED
from katana_mcp.references.services import Services

_MOST = 3


async def catalogued(line: DocumentLine, services: Services) -> Stored | None:
    """Return the one live variant that has a code of the line, as far as it is cached."""
    found: dict[object, Stored] = {}
    for code in codes_of(line):
        result = await services.cache.search("variant", Search(code, limit=_MOST))
        found |= {hit.row.id: hit.row for hit in result.hits if hit.tier is Tier.EXACT}
    (only,) = found.values() if len(found) == 1 else (None,)
    return only


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
