"""One MCP tool per `ToolSpec`: flat schema from its request model, one way in and one way out.

Refuses to let anything but this module turn an exception into text for the model.
"""

import asyncio
import json
import traceback
import uuid
from pathlib import Path
from typing import Any, Protocol, Self

import structlog
from fastmcp import Context
from fastmcp.server.dependencies import get_context
from fastmcp.tools.base import Tool, ToolResult
from mcp.types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from cache_core.errors import CacheCorrupt, CacheError
from cache_core.sync import Progress
from katana_mcp.adapter.arguments import validated
from katana_mcp.adapter.schemas import input_schema, output_schema
from katana_mcp.descriptor import AnyTool
from katana_mcp.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking


class TenantDoor(Protocol):
    """Where a tool gets the services of its tenant from, per call."""

    async def services(self) -> Services:
        """Return the services, opening them first if need be."""
        ...

    async def recover(self) -> None:
        """Close a damaged cache, so that the next call sets it aside and begins anew."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...


_log = structlog.get_logger("katana_mcp.tool")


class RequestTool(Tool):
    """A tool whose arguments are one request model and whose result is one answer model."""

    _spec: AnyTool = PrivateAttr()
    _tenant: TenantDoor = PrivateAttr()

    @classmethod
    def of(cls, spec: AnyTool, tenant: TenantDoor) -> Self:
        """Return the tool for a spec; services are asked for per call."""
        tool = cls(
            name=spec.name,
            title=spec.name.replace("_", " ").capitalize(),
            description=spec.description,
            parameters=input_schema(spec.request),
            output_schema=output_schema(spec.answer),
            tags={spec.toolset, "read"},
            annotations=ToolAnnotations(
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=spec.open_world,
            ),
        )
        tool._spec = spec
        tool._tenant = tenant
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Validate, run and render; every exit, errors included, passes here."""
        started = asyncio.get_running_loop().time()
        outcome = "answered"
        try:
            answer = await self._answer(arguments)
            return rendered(answer)
        except Refused as refusal:
            outcome = "refused"
            return refused(*refusal.warnings)
        except CacheError as error:
            outcome = "cache unavailable"
            _log.warning("cache unavailable", tool=self.name, reason=str(error))
            return refused(await self._without_cache(error))
        except Exception as error:  # noqa: BLE001 - the one place that turns faults into text for the model
            outcome = "failed"
            return refused(_fault(self.name, error))
        finally:
            seconds = asyncio.get_running_loop().time() - started
            _log.info("tool", tool=self.name, outcome=outcome, ms=round(1000 * seconds, 1))

    async def _without_cache(self, error: CacheError) -> ToolWarning:
        """Have a damaged cache set aside, and say what to do."""
        if isinstance(error, CacheCorrupt):
            await self._tenant.recover()
            message = "the local cache was damaged; it is set aside and rebuilt from Katana: ask again"
        else:
            message = "the local cache cannot be read or written just now; the server's log says why"
        return blocking(warning_codes.CACHE_UNAVAILABLE, message)

    async def _answer(self, arguments: dict[str, Any]) -> Answer:
        request = validated(self._spec.request, self.parameters, arguments)
        services = await self._tenant.services()
        told = _ProgressReports(get_context())
        stop = services.syncer.listen(told)
        try:
            return await self._spec.run(request, services)
        finally:
            stop()
            await told.close()


class _ProgressReports:
    """Passes the progress of listings on to the client that waits for this call."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sending: set[asyncio.Task[None]] = set()

    def __call__(self, progress: Progress) -> None:
        message = f"syncing {progress.entity.replace('_', ' ')}s"
        report = self._context.report_progress(progress.done, progress.total, message)
        task = asyncio.ensure_future(report)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def close(self) -> None:
        """Wait until what was reported is on its way; a client that is gone is no reason to fail."""
        await asyncio.gather(*self._sending, return_exceptions=True)


def rendered(answer: Answer) -> ToolResult:
    """Return an answer as structured content and the same JSON as text."""
    payload = answer.model_dump(mode="json", exclude_none=True)
    return ToolResult(content=[_text(payload)], structured_content=payload)


def refused(*warnings: ToolWarning) -> ToolResult:
    """Return a refusal: the warnings, as structured content and as the same JSON."""
    payload = {
        "error": warnings[0].code,
        "warnings": [warning.model_dump(mode="json") for warning in warnings],
    }
    return ToolResult(content=[_text(payload)], structured_content=payload, is_error=True)


def _text(payload: dict[str, Any]) -> TextContent:
    return TextContent(type="text", text=json.dumps(payload, ensure_ascii=False, separators=(",", ":")))


def _fault(tool: str, error: Exception) -> ToolWarning:
    """Log a fault that nobody foresaw, and name the log entry instead of the fault."""
    reference = uuid.uuid4().hex[:8]
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    _log.error("tool failed", tool=tool, reference=reference, kind=type(error).__name__, at=place)
    _log.debug("tool failed", reference=reference, exc_info=error)
    return blocking(
        warning_codes.INTERNAL_ERROR, f"{tool} failed unexpectedly; the server's log has it under {reference}"
    )
