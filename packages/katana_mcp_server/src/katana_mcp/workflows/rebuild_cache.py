"""`rebuild_cache`: everything fetched from Katana anew beside the cache, then swapped; Katana itself stays as it is."""

from typing import Annotated

from pydantic import Field

from katana_mcp.references.services import RebuiltEntity, Services
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.tools.answers import Answer, Envelope
from katana_mcp.tools.requests import Request

type EntityName = Annotated[str, Field(min_length=1, max_length=64)]


class RebuildCacheRequest(Request):
    """Arguments of `rebuild_cache`."""

    entities: Annotated[list[EntityName], Field(min_length=1, max_length=50)] | None = None
    """Only these, as `cache_status` names them: `variant`, `sales_order`. All by default."""


class EntityRebuilt(Answer):
    """What was fetched anew of one entity."""

    entity: str
    records: int
    quarantined: int | None = None
    """Records that could not be kept; `cache_status` names them."""
    requests: int


class RebuildCacheAnswer(Envelope):
    """The answer of `rebuild_cache`."""

    entities: list[EntityRebuilt]


async def _run(request: RebuildCacheRequest, services: Services) -> Answer:
    rebuilt = await services.rebuilder.rebuild(request.entities or (), services.tell)
    states = [await services.cache.state(result.entity) for result in rebuilt]
    return RebuildCacheAnswer(
        entities=[_entity_rebuilt(result) for result in rebuilt],
        as_of=min((state.completed_at for state in states if state.completed_at is not None), default=None),
        source="sandbox" if services.sandbox else None,
    )


def _entity_rebuilt(result: RebuiltEntity) -> EntityRebuilt:
    return EntityRebuilt(
        entity=result.entity, records=result.records, quarantined=result.quarantined or None, requests=result.requests
    )


REBUILD_CACHE = ToolSpec(
    name="rebuild_cache",
    toolset="admin",
    on_request=True,
    description=(
        "Fetch the local cache anew from Katana, when its answers look wrong. Changes nothing in Katana.\n\n"
        "It takes about 1 request per 250 records, at most 60 a minute. Other tools answer from the old data until it "
        "is complete; if it fails, the old data stays."
    ),
    request=RebuildCacheRequest,
    answer=RebuildCacheAnswer,
    run=_run,
    read_only=False,
)
