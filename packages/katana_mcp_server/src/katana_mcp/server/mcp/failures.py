"""What a failed read says: every exception becomes warnings here, and nowhere else."""

import traceback
import uuid
from pathlib import Path

import structlog

from cache_core.errors import CacheCorrupt, CacheError
from katana_mcp.references.services import TenantDoor
from katana_mcp.tools import warning_codes
from katana_mcp.tools.outgoing import Outgoing, outgoing
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking

_log = structlog.get_logger("katana_mcp.tool")


async def refusal_of(error: Exception, name: str, tenant: TenantDoor) -> tuple[str, Refused]:
    """Return how a read ended, in two words for the log, and what its caller is told.

    A damaged cache is set aside on the way, so that the next read begins anew.
    """
    if isinstance(error, Refused):
        return "refused", error
    if isinstance(error, CacheError):
        _log.warning("cache unavailable", tool=name, reason=str(error))
        return "cache unavailable", Refused(await _without_cache(error, tenant))
    return "failed", Refused(_fault(name, error))


def outgoing_refusal(refusal: Refused) -> Outgoing:
    """Return a refusal as it goes out: its code, its warnings, and how current the rows are that it goes by."""
    warnings = [warning.model_dump(mode="json") for warning in refusal.warnings]
    return outgoing({"error": refusal.warnings[0].code, **refusal.envelope, "warnings": warnings})


async def _without_cache(error: CacheError, tenant: TenantDoor) -> ToolWarning:
    if isinstance(error, CacheCorrupt):
        await tenant.recover()
        message = "the local cache was damaged; it is set aside and rebuilt from Katana: ask again"
    else:
        message = "the local cache cannot be read or written just now; the server's log says why"
    return blocking(warning_codes.CACHE_UNAVAILABLE, message)


def _fault(name: str, error: Exception) -> ToolWarning:
    """Log a fault that nobody foresaw, and name the log entry instead of the fault."""
    reference = uuid.uuid4().hex[:8]
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    _log.error("tool failed", tool=name, reference=reference, kind=type(error).__name__, at=place)
    _log.debug("tool failed", reference=reference, exc_info=error)
    return blocking(
        warning_codes.INTERNAL_ERROR, f"{name} failed unexpectedly; the server's log has it under {reference}"
    )
