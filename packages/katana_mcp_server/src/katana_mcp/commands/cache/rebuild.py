"""`rebuild`: everything fetched anew beside the cache, then swapped; servers go on meanwhile."""

from collections.abc import Sequence
from dataclasses import asdict

from katana_mcp.caches.cache_files import LISTED, chosen
from katana_mcp.caches.rebuilding import rebuild_files
from katana_mcp.commands.cache.job import Job, Line, Report, Sheet
from katana_mcp.commands.cache.waits import report_waits
from katana_mcp.references.services import RebuiltEntity
from katana_mcp.server.wiring import connected


async def rebuild(job: Job, entities: Sequence[str]) -> Report:
    """Fetch these entities anew, and swap them in when all of them are complete."""
    specs = chosen(entities, LISTED)
    tenant = connected(job.settings, job.outside)
    try:
        source, notices = await tenant.source(job.directory.name)
        async with report_waits(job, tenant.budget) as reporting_job:
            rebuilt = await rebuild_files(reporting_job, specs, source)
    finally:
        await tenant.close()
    message = "a damaged file was set aside as {}: a server fetches the rest of it anew"
    head = ("entity", "before", "now", "quarantined", "requests")
    return Report(
        data={"entities": [asdict(entity) for entity in rebuilt.entities], "set_aside": list(rebuilt.set_aside)},
        sheets=(Sheet(head, [_line(entity) for entity in rebuilt.entities]),),
        notes=(*notices, *(message.format(name) for name in rebuilt.set_aside)),
    )


def _line(rebuilt: RebuiltEntity) -> Line:
    return Line((rebuilt.entity, rebuilt.before, rebuilt.records, rebuilt.quarantined, rebuilt.requests))
