"""`cache_status`: what the cache holds, how fresh it is and what could not be kept; asks Katana nothing."""

from cache_core.states import SyncState
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import ToolSpec
from katana_mcp.surface.unread import unread_message
from katana_mcp.tools.answers import Answer, Envelope
from katana_mcp.tools.requests import Request


class CacheStatusRequest(Request):
    """`cache_status` takes no arguments."""


class QuarantinedRecord(Answer):
    """A record that could not be kept, and why."""

    id: str | int | None = None
    reason: str


class EntityCache(Answer):
    """State of one entity in the cache."""

    entity: str
    backend: str
    records: int
    total: int | None = None
    """Records that Katana reported at the last complete sync."""
    as_of: str | None = None
    newest: str | None = None
    """The greatest `updated_at` stored."""
    incomplete: str | None = None
    """Why the last sync is not complete, and since when."""
    warming: str | None = None
    quarantined: int | None = None
    quarantine: list[QuarantinedRecord] | None = None
    unread: list[str] | None = None


class CacheStatusAnswer(Envelope):
    """The answer of `cache_status`."""

    entities: list[EntityCache]
    notices: list[str] | None = None


async def _run(request: CacheStatusRequest, services: Services) -> Answer:
    del request
    names = [name for name in services.syncer.specs if name in services.cache.entities]
    return CacheStatusAnswer(
        entities=[await _entity(name, services) for name in names],
        notices=list(services.notices) or None,
        source="sandbox" if services.sandbox else None,
    )


async def _entity(name: str, services: Services) -> EntityCache:
    status = await services.cache.status(name)
    progress = services.syncer.warming(name, status.state)
    poison = await services.cache.quarantined(name, 5) if status.quarantined else ()
    return EntityCache(
        entity=name,
        backend=status.backend,
        records=status.records,
        total=status.state.total,
        as_of=status.state.completed_at,
        newest=status.newest,
        incomplete=_incomplete(status.state),
        warming=f"{progress.done}/{progress.total if progress.total is not None else '?'}" if progress else None,
        quarantined=status.quarantined or None,
        quarantine=[QuarantinedRecord(id=poisoned.id, reason=poisoned.reason) for poisoned in poison] or None,
        unread=[unread_message(unread_field) for unread_field in status.state.unread] or None,
    )


def _incomplete(state: SyncState) -> str | None:
    if state.incomplete is None or state.failing_since is None:
        return state.incomplete
    return f"{state.incomplete} (since {state.failing_since}, {state.failures} in a row)"


CACHE_STATUS = ToolSpec(
    name="cache_status",
    toolset="admin",
    description=("Show what the local cache holds per entity, how fresh it is, and which records could not be kept."),
    request=CacheStatusRequest,
    answer=CacheStatusAnswer,
    run=_run,
    open_world=False,
)
