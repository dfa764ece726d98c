"""The schemas of our own tools, kept beside the code: to make them from the models costs a third of each start.

`python -m scripts.render_schemas` writes them; a test holds them to the models.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import BaseModel

from katana_mcp.server.catalogue import tools
from katana_mcp.server.mcp.answer_schemas import output_schema
from katana_mcp.server.mcp.schemas import Schema, input_schema
from katana_mcp.surface.descriptor import AnyTool

KEPT = Path(__file__).with_name("tool_schemas.json")


class ToolSchemas(NamedTuple):
    """What a tool is listed with."""

    arguments: Schema
    answer: Schema


def schemas_of(spec: AnyTool) -> ToolSchemas:
    """Return the schemas of a tool: those that are kept, or made where its models are not those of our own tools."""
    return _kept().get((spec.request, spec.answer)) or made(spec)


def made(spec: AnyTool) -> ToolSchemas:
    """Return the schemas of a tool as its models say."""
    return ToolSchemas(input_schema(spec.request), output_schema(spec.answer))


@cache
def _kept() -> dict[tuple[type[BaseModel], type[BaseModel]], ToolSchemas]:
    kept = cast("dict[str, list[Schema]]", json.loads(KEPT.read_text("utf-8")))
    return {(tool.request, tool.answer): ToolSchemas(*kept[tool.name]) for tool in tools() if tool.name in kept}
