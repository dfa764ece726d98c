"""Tools of other servers as FastMCP lists and calls them: as they were adopted, or refused with the reason."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self, override

import mcp.types as mt
import structlog
from fastmcp.server.dependencies import get_context
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp.types import TextContent, ToolAnnotations
from pydantic import PrivateAttr

from cache_core.clock import Clock
from katana_mcp.gateway.intended import Entry
from katana_mcp.gateway.mapping import answer, checked, request, sent
from katana_mcp.gateway.model import Rule
from katana_mcp.gateway.schemas import Json, digest
from katana_mcp.server.mcp.beside import OtherServers
from katana_mcp.server.mcp.caller import caller
from katana_mcp.server.mcp.confirming import PersonAtClient, QuestionPending
from katana_mcp.server.mcp.tool import LABEL, refused
from katana_mcp.server.mcp.upstreams import Upstreams
from katana_mcp.tools import warning_codes
from katana_mcp.tools.hidden import escape_hidden_in
from katana_mcp.tools.outgoing import json_of
from katana_mcp.tools.warnings import Refused, blocking

_log = structlog.get_logger("katana_mcp.tool")

_SHOWN_ARGUMENTS = 500
"""Characters of a call's arguments that a person is shown who is asked about it."""


class CatalogProvider(OtherServers):
    """The tools of other servers.

    Args:
        upstreams: the servers.
        clock: where time comes from.
        must_confirm: whether a call that may change something needs a person's yes.
    """

    def __init__(self, upstreams: Upstreams, clock: Clock, *, must_confirm: bool) -> None:
        super().__init__()
        self.upstreams = upstreams
        self.clock = clock
        self.must_confirm = must_confirm

    @property
    @override
    def is_ready(self) -> bool:
        """Whether every server is up that is required."""
        return not self.upstreams.live.serves or self.upstreams.live.is_ready

    @override
    def is_unlisted(self, name: str) -> bool:
        """Whether a tool of another server is found by a search only."""
        entry = self._entries().get(name)
        return entry is not None and not entry.listed

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Look at the servers as long as this one runs."""
        self.upstreams.start()
        try:
            yield
        finally:
            await self.upstreams.stop()

    async def _list_tools(self) -> Sequence[Tool]:
        live = self.upstreams.live
        return [self._tool(entry) for entry in self._entries().values() if live.is_served(entry)]

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        """Return a tool that is meant to be served; one that is not just now refuses with the reason."""
        del version
        entry = self._entries().get(name)
        return None if entry is None else self._tool(entry)

    def _entries(self) -> Mapping[str, Entry]:
        live = self.upstreams.live
        return {name: entry for name, entry in live.entries.items() if entry.targets and live.serves}

    def _tool(self, entry: Entry) -> Tool:
        return GatewayTool.of(entry, self.upstreams.live.descriptor(entry), self)


class GatewayTool(Tool):
    """A tool of another server, or one made of several of them."""

    _entry: Entry = PrivateAttr()
    _provider: CatalogProvider = PrivateAttr()

    @classmethod
    def of(cls, entry: Entry, descriptor: Json, provider: CatalogProvider) -> Self:
        """Return the tool with this descriptor."""
        tool = cls(
            name=descriptor["name"],
            title=descriptor["title"],
            description=descriptor.get("description"),
            parameters=descriptor["inputSchema"],
            output_schema=descriptor.get("outputSchema"),
            annotations=ToolAnnotations.model_validate(descriptor["annotations"]),
        )
        tool._entry = entry
        tool._provider = provider
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Check, ask whoever can be asked, call and map; every exit passes here."""
        started = asyncio.get_running_loop().time()
        outcome = "given up"
        try:
            result = await self._answer(arguments)
            outcome = "failed" if result.is_error else "answered"
            return result
        except QuestionPending as question:
            outcome = "asked"
            return InputRequiredToolResult(question.request)
        except Refused as refusal:
            outcome = "refused"
            return refused(refusal)
        finally:
            seconds = asyncio.get_running_loop().time() - started
            _log.info("tool", tool=self.name, caller=caller().principal, outcome=outcome, ms=round(1000 * seconds, 1))

    async def _answer(self, arguments: Json) -> ToolResult:
        upstreams = self._provider.upstreams
        target, made, rules, mapped = self._call(checked(arguments, self.parameters, self.name))
        upstreams.check_served(target)
        if self._entry.changes_something:
            await self._confirm(target, made)
        given = await upstreams.call(target, made, get_context().report_progress)
        result = _cleaned(given, upstreams, target)
        if result.is_error:
            return ToolResult(result.content or [_text("")], meta=LABEL, is_error=True)
        if not mapped:
            upstreams.live.judge(target, result.structured_content)
            return ToolResult(result.content, result.structured_content, LABEL)
        texts = [block.text for block in result.content if isinstance(block, TextContent)]
        structured = answer(texts, result.structured_content, rules)
        if rules is None:
            upstreams.live.judge(target, structured)
        content = [_text(json_of(structured))] if rules is not None or not result.content else result.content
        return ToolResult(content, structured if structured is not None else {"result": "\n".join(texts)}, LABEL)

    def _call(self, arguments: Json) -> tuple[str, Json, Sequence[Rule] | None, bool]:
        """Return what is called with what, how its answer is mapped, and whether this tool is made of several."""
        live = self._provider.upstreams.live
        if self._entry.operations:
            aggregate = live.catalog.aggregates[self.name]
            inputs = {target: live.input_of(target) for target in self._entry.targets}
            operation, made = request(aggregate, arguments, inputs)
            return operation.tool, made, operation.response, True
        (target,) = self._entry.targets
        return target, sent(arguments, live.catalog.override(target).arguments), None, False

    async def _confirm(self, target: str, made: Json) -> None:
        """Have a person say yes where one can be asked: there is no preview of what another server does."""
        context = get_context()
        person = PersonAtClient(context, self._provider.clock)
        if not person.can_answer:
            if self._provider.must_confirm:
                message = f"{self.name} may change something at {target.partition('.')[0]}, and nobody can be asked"
                raise Refused(blocking(warning_codes.CONFIRMATION_REQUIRED, message))
            return
        shown = json_of(escape_hidden_in(made))[:_SHOWN_ARGUMENTS]
        question = f"Call {target} with {shown}? It may change something there, and there is no preview."
        consent = await person.confirm(question, digest([target, made]))
        if consent != "accepted":
            message = f"{self.name} was not called: the person who was asked did not say yes ({consent})"
            raise Refused(blocking(warning_codes.DECLINED_PLAN, message))


def _cleaned(result: mt.CallToolResult, upstreams: Upstreams, target: str) -> mt.CallToolResult:
    """Return an answer without what its server was given in secret, and with hidden characters shown."""
    secrets = upstreams.secrets_of(target.partition(".")[0])
    payload = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = {key: payload[key] for key in ("content", "structuredContent", "isError") if key in payload}
    return mt.CallToolResult.model_validate(escape_hidden_in(secrets.without(kept)))


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
