"""One MCP tool per `ToolSpec`: flat schema from its request model, one way in and one way out."""

import asyncio
from dataclasses import dataclass
from typing import Any, Self

import structlog
from fastmcp.server.dependencies import get_context
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from mcp.types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from katana_mcp.references.display_names import titled
from katana_mcp.references.services import TenantDoor
from katana_mcp.server.mcp.answer_schemas import schemas_of
from katana_mcp.server.mcp.arguments import validated
from katana_mcp.server.mcp.caller import caller, for_caller
from katana_mcp.server.mcp.confirming import PersonAtClient, QuestionPending
from katana_mcp.server.mcp.failures import outgoing_refusal, refusal_of
from katana_mcp.server.mcp.progress import ProgressReports
from katana_mcp.surface.descriptor import AnyTool, ListedTool
from katana_mcp.surface.factory_days import has_days, refused_in, with_days, with_zone
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.days import DayReading
from katana_mcp.tools.outgoing import Outgoing, Payload, outgoing, payload_of
from katana_mcp.tools.warnings import Refused
from katana_mcp.writing.gathering import ends_waiting

_log = structlog.get_logger("katana_mcp.tool")

LABEL = {"katana-mcp/integrity": "untrusted"}
"""The `_meta` of what may hold texts of records: customers, suppliers and shops wrote them, so they are data alone."""


@dataclass(slots=True)
class _Behind:
    """What stands behind a tool: how it is listed, whose data it is about, and what it does, once it was called.

    It is one attribute of the tool, as pydantic takes microseconds to find one.
    """

    listed: ListedTool
    tenant: TenantDoor
    loaded: AnyTool | None = None

    async def spec(self) -> AnyTool:
        """Return what the tool does, loaded beside the calls that are under way."""
        if self.loaded is None:
            self.loaded = await asyncio.to_thread(self.listed.spec)
        return self.loaded


class RequestTool(Tool):
    """A tool whose arguments are one request model and whose result is one answer model."""

    _behind: _Behind = PrivateAttr()

    @classmethod
    def of(cls, listed: ListedTool, tenant: TenantDoor) -> Self:
        """Return the tool as it is listed; what it does is loaded by its first call, services are asked for by each."""
        arguments, output = schemas_of(listed)
        tool = cls(
            name=listed.name,
            title=titled(listed.name).capitalize(),
            description=listed.description,
            parameters=arguments,
            output_schema=output,
            annotations=ToolAnnotations(
                read_only_hint=listed.read_only,
                destructive_hint=listed.destructive,
                idempotent_hint=True,
                open_world_hint=listed.open_world,
            ),
        )
        tool._behind = _Behind(listed, tenant)
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Validate, run and render; every exit, errors included, passes here."""
        started = asyncio.get_running_loop().time()
        outcome = "given up"
        try:
            answer = await self._answer(arguments)
            outcome = "answered"
            rendered = outgoing(answer)
            # Made by its constructor, a result has every value of the answer looked through for what is no JSON.
            return ToolResult.model_construct(
                content=[_text(rendered)], structured_content=rendered.payload, meta={**LABEL}, is_error=False
            )
        except QuestionPending as question:
            outcome = "asked"
            return InputRequiredToolResult(question.request)
        except Exception as error:  # noqa: BLE001 - the one place that turns faults into text for the model
            outcome, refusal = await refusal_of(error, self.name, self._behind.tenant)
            return refused(refusal)
        finally:
            seconds = asyncio.get_running_loop().time() - started
            _log.info("tool", tool=self.name, caller=caller().principal, outcome=outcome, ms=round(1000 * seconds, 1))

    async def _answer(self, arguments: dict[str, Any]) -> Payload:
        behind, dates = self._behind, DayReading()
        spec = await behind.spec()
        request = validated(spec.request, self.parameters, arguments, dates)
        account, context = await behind.tenant.services(), get_context()
        reports = ProgressReports(context, account.syncer.specs)
        services = for_caller(
            account,
            until=ends_waiting(account.clock),
            tell=reports,
            note=reports.note,
            on_due=reports.expect,
            person=PersonAtClient(context, account.clock),
        )
        dated = has_days(spec, asked=dates.used)
        services = await with_days(services) if dated else services
        if dates.used:
            request = validated(spec.request, self.parameters, arguments, DayReading(services.days))
        stop = services.syncer.listen(reports.overhear)
        try:
            answer = await spec.run(request, services)
            reports.end(whole=getattr(answer, "warming", None) is None)
            return with_zone(answer, services) if dated else payload_of(answer)
        except Refused as refusal:
            raise refused_in(services.days, refusal) if dated else refusal from None
        finally:
            stop()
            await reports.close()


def sent(answer: Answer) -> Outgoing:
    """Return an answer as it goes out."""
    return outgoing(payload_of(answer))


def refused(refusal: Refused) -> ToolResult:
    """Return a refusal: the warnings as JSON text alone, its code in `_meta` too.

    Clients hold structured content against the tool's output schema, and drop the text of what does not fit.
    """
    rendered = outgoing_refusal(refusal)
    return ToolResult([_text(rendered)], meta=LABEL | {"katana-mcp/error": rendered.payload["error"]}, is_error=True)


def _text(rendered: Outgoing) -> TextContent:
    return TextContent(type="text", text=rendered.text)
