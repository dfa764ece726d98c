"""What a mounted server brings is listed, called and read like our own; what nothing has is refused with hints."""

from collections.abc import AsyncGenerator

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import McpError

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.application import application
from katana_mcp.server.wiring import Environment
from katana_mcp.testing import Stage, payload_of, text_of


def shipping() -> FastMCP[None]:
    toy: FastMCP[None] = FastMCP("shipping")

    @toy.tool
    def book_parcel(weight: int) -> str:
        return f"booked {weight} kg"

    @toy.resource("shipping://carriers")
    def carriers() -> str:
        return "post, courier"

    @toy.resource("shipping://parcel/{number}")
    def parcel(number: str) -> str:
        return f"parcel {number}"

    @toy.prompt
    def label(parcel: str) -> str:
        return f"print the label of {parcel}"

    return toy


@pytest.fixture
async def mounted(own: OwnSandbox) -> AsyncGenerator[Stage]:
    settings = load(sandbox=True, api_key=own.api_key, sync="lazy")
    outside = Environment(transport=own.transport(), clock=own.sandbox.clock, in_memory=True)
    server = application(settings, outside)
    server.mount(shipping())
    async with Client(server) as client:
        yield Stage(client, own)


async def test_tools_resources_and_prompts_of_a_mounted_server_are_served(mounted: Stage) -> None:
    names = [tool.name for tool in await mounted.client.list_tools()]
    assert {"book_parcel", "search_items"} <= set(names)
    assert text_of(await mounted.result("book_parcel", {"weight": 3})) == "booked 3 kg"
    assert await mounted.read("shipping://carriers") == "post, courier"
    assert await mounted.read("shipping://parcel/7") == "parcel 7"
    prompt = await mounted.client.get_prompt("label", {"parcel": "7"})
    assert getattr(prompt.messages[0].content, "text", "") == "print the label of 7"
    assert (await mounted.call("search_items", query="FSKT"))["rows"]


async def test_names_that_nothing_has_are_refused_with_what_was_meant_here_or_there(mounted: Stage) -> None:
    for name, near in (("book_parcels", "book_parcel"), ("search_item", "search_items")):
        refusal = payload_of(await mounted.result(name, {}))
        assert refusal["warnings"][0]["message"] == f"no tool is called {name!r}; did you mean {near!r}?"
    with pytest.raises(McpError, match="no resource is called 'shipping://nothing'"):
        await mounted.read("shipping://nothing")
    with pytest.raises(McpError, match="no prompt is called 'labels'"):
        await mounted.client.get_prompt("labels", {})
