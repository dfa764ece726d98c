"""What is offered while a person types: business keys for arguments, ids for resource templates."""

import re

from cache_core.conditions import Order
from cache_core.protocol import Search, Selection
from katana_mcp.references.display_names import text
from katana_mcp.references.services import Services, current

MOST = 100
"""The protocol allows no more values at once."""
_ID = re.compile(r"[0-9]{1,18}")


async def keys_like(entity: str, typed: str, services: Services) -> list[str]:
    """Return business keys (order numbers, names) of live records that the text finds; the newest for no text."""
    await current(services, (entity,), (entity,))
    path = services.syncer.specs[entity].key_path or "id"
    if typed.strip():
        hits = (await services.cache.search(entity, Search(typed, limit=MOST))).hits
        rows = [hit.row for hit in hits]
    else:
        rows = list(await services.cache.select(entity, Selection(limit=MOST)))
    return list(dict.fromkeys(key for row in rows if (key := text(row.record, path)) is not None))


async def ids_like(entity: str, typed: str, services: Services) -> list[str]:
    """Return ids of live records that begin with the text, or whose name holds it."""
    await current(services, (entity,), (entity,))
    path = services.syncer.specs[entity].key_path or "id"
    asked = typed.strip().casefold()
    exact = (await services.cache.get_many(entity, [int(asked)])).rows if _ID.fullmatch(asked) else ()
    rows = await services.cache.select(entity, Selection(order=Order("id"), limit=1_000))
    like = [row for row in rows if str(row.id).startswith(asked) or asked in (text(row.record, path) or "").casefold()]
    found = await services.cache.search(entity, Search(typed, limit=MOST))
    meant = [row for row in (*exact, *like, *(hit.row for hit in found.hits)) if not row.deleted]
    return list(dict.fromkeys(str(row.id) for row in meant))[:MOST]
