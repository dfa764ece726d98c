"""Resources and templates as hosts list them; what they read is in `katana_mcp.resources`.

They are made directly: FastMCP's decorator examines the function behind each one, which costs 15 ms of each start.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import PrivateAttr

from katana_mcp.references.services import Services, TenantDoor
from katana_mcp.resources import help as help_pages
from katana_mcp.resources import journal as journal_pages
from katana_mcp.resources.prompts import workflows
from katana_mcp.resources.reference import REFERENCE, read, read_one
from katana_mcp.server.catalogue import absent_tools
from katana_mcp.server.mcp.answer_schemas import referred
from katana_mcp.server.mcp.caller import for_caller
from katana_mcp.server.mcp.failures import outgoing_refusal, refusal_of
from katana_mcp.server.mcp.tool import LABEL, sent
from katana_mcp.surface.descriptor import ListedTool
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import Answer
from katana_mcp.tools.hints import unknown_tool

type Held = ResourceResult | str

JSON, MARKDOWN = "application/json", "text/markdown"
RESOURCES = (
    *(resource.uri for resource in REFERENCE),
    journal_pages.URI,
    help_pages.URI,
    help_pages.TOOLS,
    help_pages.WORKFLOWS,
)
TEMPLATES = (
    *(resource.template for resource in REFERENCE if resource.template is not None),
    journal_pages.TEMPLATE,
    help_pages.TOOL,
)


class ServedResource(Resource):
    """A resource that a function reads."""

    _reading: Callable[[], Awaitable[Held]] = PrivateAttr()

    @classmethod
    def of(cls, reading: Callable[[], Awaitable[Held]], **listed: str) -> Self:
        """Return the resource that is listed so."""
        fields: dict[str, Any] = {**listed}
        resource = cls(**fields)
        resource._reading = reading
        return resource

    async def read(self) -> Held:
        """Return what there is now."""
        return await self._reading()


class ServedTemplate(ResourceTemplate):
    """A template of one parameter, by which a function reads."""

    _reading: Callable[[str], Awaitable[Held]] = PrivateAttr()

    @classmethod
    def of(cls, reading: Callable[[str], Awaitable[Held]], **listed: str) -> Self:
        """Return the template that is listed so."""
        fields: dict[str, Any] = {"parameters": _ONE_TEXT, **listed}
        template = cls(**fields)
        template._reading = reading
        return template

    async def create_resource(self, uri: str, params: dict[str, Any]) -> Resource:
        """Return what an address of the template reads."""
        (given,) = params.values()
        return ServedResource.of(partial(self._reading, given), uri=uri, name=self.name, mime_type=self.mime_type)


_ONE_TEXT: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}


def resources(tools: Sequence[ListedTool], tenant: TenantDoor, unlisted: Collection[str]) -> Iterator[ServedResource]:
    """Yield every resource, in the order in which they are listed."""
    for resource in REFERENCE:
        yield ServedResource.of(
            partial(_read, resource.uri, partial(read, resource), tenant),
            uri=resource.uri,
            name=resource.title,
            description=f"{resource.title} as JSON.",
            mime_type=JSON,
        )
    yield ServedResource.of(
        partial(_read, journal_pages.URI, journal_pages.newest, tenant),
        uri=journal_pages.URI,
        name="Journal of writes",
        description="The newest plans of writes and what became of them, as JSON.",
        mime_type=JSON,
    )
    yield ServedResource.of(
        partial(_page, partial(help_pages.overview, tools, unlisted)),
        uri=help_pages.URI,
        name="Help",
        description="What this server can do.",
        mime_type=MARKDOWN,
    )
    yield ServedResource.of(
        partial(_page, partial(help_pages.tool_index, tools)),
        uri=help_pages.TOOLS,
        name="Tools",
        description="Every tool, and where its arguments are explained.",
        mime_type=MARKDOWN,
    )
    yield ServedResource.of(
        partial(_page, partial(workflows, [tool.name for tool in tools])),
        uri=help_pages.WORKFLOWS,
        name="Ways of work",
        description="What to call, in which order, for work that comes back every day or month, as JSON.",
        mime_type=JSON,
    )


def templates(tools: Sequence[ListedTool], tenant: TenantDoor) -> Iterator[ServedTemplate]:
    """Yield every template, in the order in which they are listed."""
    for resource in REFERENCE:
        if resource.template is not None:
            yield ServedTemplate.of(
                partial(_read_one, resource.uri, partial(read_one, resource), tenant),
                uri_template=resource.template,
                name=f"{resource.title}, one by id",
                description=f"One record of {resource.uri} as JSON.",
                mime_type=JSON,
            )
    yield ServedTemplate.of(
        partial(_read_one, journal_pages.URI, journal_pages.one_entry, tenant),
        uri_template=journal_pages.TEMPLATE,
        name="Journal of writes, one entry",
        description="One plan: what was asked for, what was sent, how each request ended, as JSON.",
        mime_type=JSON,
    )
    yield ServedTemplate.of(
        partial(_tool_page, {tool.name: tool for tool in tools}),
        uri_template=help_pages.TOOL,
        name="Tool reference, one tool",
        description="Every argument of a tool, with its limits and its default, and what its answer means.",
        mime_type=MARKDOWN,
    )


async def _page(text: Callable[[], str]) -> str:
    return text()


async def _tool_page(tools: Mapping[str, ListedTool], name: str) -> str:
    if name not in tools:
        raise MCPError(INVALID_PARAMS, unknown_tool(name, tools, absent_tools(served=tools), ()))
    return help_pages.tool_page(referred(tools[name]))


async def _read_one(
    uri: str, reading: Callable[[str, Services], Awaitable[Answer]], tenant: TenantDoor, given: str
) -> ResourceResult:
    return await _read(uri, partial(reading, given), tenant)


async def _read(uri: str, reading: Callable[[Services], Awaitable[Answer]], tenant: TenantDoor) -> ResourceResult:
    try:
        text = sent(await reading(for_caller(await tenant.services()))).text
        return ResourceResult([ResourceContent(text, JSON, LABEL)])
    except Exception as error:
        _, refusal = await refusal_of(error, uri, tenant)
        data = outgoing_refusal(refusal).payload
        # The protocol's answer to a resource that is not there; what cannot be read just now is another matter.
        code = INVALID_PARAMS if data["error"] == warning_codes.NOT_FOUND else INTERNAL_ERROR
        raise MCPError(code, "; ".join(warning["message"] for warning in data["warnings"]), data) from error
