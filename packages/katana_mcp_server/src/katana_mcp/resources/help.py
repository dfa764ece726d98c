"""`katana://help`: how to work with this server, rendered from the tools that are really there."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from katana_mcp.resources.journal import TEMPLATE as ENTRY
from katana_mcp.resources.journal import URI as JOURNAL
from katana_mcp.resources.prompts import served
from katana_mcp.resources.reference import REFERENCE, ReferenceResource
from katana_mcp.surface.descriptor import ListedTool

type Schema = Mapping[str, object]

URI, TOOLS, TOOL = "katana://help", "katana://help/tools", "katana://help/tools/{tool}"
WORKFLOWS = "katana://help/workflows"

EXAMPLES: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("Find a part by any part of its code", "search_items", {"query": "00.4021.018.003"}),
    ("See what is in stock, many at once", "check_inventory", {"skus_or_variant_ids": ["FSKT-35M", "FSKT-32M"]}),
    ("Read a whole item by a SKU", "get_item", {"item_id": "FSKT-35M"}),
    ("What can be bought of a category", "list_items", {"type": ["material"], "category": "Wheels"}),
    ("Orders that are late", "list_sales_orders", {"overdue": True, "order_by": "delivery_date", "limit": 5}),
    ("Large orders, with their rows", "list_sales_orders", {"total_min": 5000, "include_rows": True, "limit": 3}),
    ("One order with shipments and what is made for it", "get_sales_order", {"sales_order_id": "SO-61"}),
    ("What is still to come", "list_purchase_orders", {"open": True, "order_by": "expected_arrival_date"}),
    ("What cannot be made", "list_manufacturing_orders", {"ingredient_availability": ["NOT_AVAILABLE"]}),
    ("What an order is made of", "get_manufacturing_order_recipe", {"manufacturing_order_id": "MO-1"}),
    ("Find a customer", "search_customers", {"query": "bike"}),
    ("Customers of a category", "list_customers", {"category": "Dealer", "order_by": "name"}),
    (
        "Plan a move to another location; `apply_plan` with its token writes it",
        "create_stock_transfer",
        {
            "source_location_id": "Main workshop",
            "destination_location_id": "North warehouse",
            "rows": [{"sku_or_variant_id": "FSKT-35M", "quantity": 2}],
        },
    ),
    (
        "Plan a new customer",
        "create_customer",
        {"name": "Velo Nova", "addresses": [{"entity_type": "billing", "city": "Tallinn", "country": "EE"}]},
    ),
    ("What was counted", "list_stock_adjustments", {"include_rows": True, "limit": 3}),
)
"""Title, tool and arguments; each is run against the sandbox by a test."""


def overview(tools: Sequence[ListedTool], unlisted: Collection[str] = ()) -> str:
    """Return the help page: what there is, worked examples, and how to read an answer.

    Args:
        tools: what is served.
        unlisted: those of them that are not listed.
    """
    names = {tool.name for tool in tools}
    lines = [
        "# Katana: what this server can do",
        "",
        "Reads come from a local cache that is brought up to date before each answer; `as_of` says how current it",
        "is, `stale` (`age_seconds`, `reason`) why it could not be refreshed, `warming` that the first sync runs.",
        "A day is a day of the factory's `time_zone`: in arguments, where a date alone is enough, and in",
        "`overdue`, which means due before today. Moments in answers are UTC: say which day they are in that zone.",
        "Each of `warnings` has a `severity` (info, advisory, blocking), a `code` for programs, a `message` and the",
        "`field_path` of the argument that it is about.",
        "A `source` of `sandbox` means that the data is invented. `empty` says what was searched, in which fields,",
        "among how many records, and what may have been meant (`did_you_mean`); `next_actions` are calls that go on.",
        "",
        "## Tools",
        *(f"- `{tool.name}`: {_purpose(tool)}" for tool in tools if tool.name not in unlisted),
        *_through_another([tool for tool in tools if tool.name in unlisted]),
        "",
        "## Examples",
        *(f"- {title}: `{call(tool, arguments)}`" for title, tool, arguments in EXAMPLES if tool in names),
        "",
        "## Prompts",
        *(f"- `{prompt.name}`: {prompt.description}" for prompt in served(names)),
        "",
        f"`{WORKFLOWS}` has the calls of each, in order, as data.",
        "",
        "## Resources",
        *(f"- `{resource.uri}`{_one(resource)}: {resource.title}" for resource in REFERENCE),
        f"- `{JOURNAL}`, `{ENTRY}`: which writes were planned, and what became of them",
        f"- `{TOOLS}`, `{TOOL}`: the tools, and of one of them every argument and what its answer means",
        "",
        "## Warnings",
        "Each has `severity` (blocking: fix it first; advisory: know it; info), `message`, `field_path`, `code`.",
    ]
    return "\n".join(lines)


def _purpose(tool: ListedTool) -> str:
    return tool.description.splitlines()[0]


def _through_another(tools: Sequence[ListedTool]) -> list[str]:
    if not tools:
        return []
    lines = [f"- `{tool.name}`: {_purpose(tool)}" for tool in tools]
    return ["", "Not listed; `search_tools` shows their arguments, `call_tool` calls them:", "", *lines]


def _one(resource: ReferenceResource) -> str:
    return f", `{resource.template}`" if resource.template else ""


@dataclass(frozen=True, slots=True)
class ReferredTool:
    """What the reference says of a tool.

    Attributes:
        name: as listed.
        description: as listed.
        arguments: its input schema as listed.
        answer: keys of its answer and what they mean.
    """

    name: str
    description: str
    arguments: Schema
    answer: Sequence[tuple[str, str]]


def tool_index(tools: Sequence[ListedTool]) -> str:
    """Return the names of the tools, what each is for, and where the rest of it stands."""
    lines = [f"- `{TOOL.replace('{tool}', tool.name)}`: {_purpose(tool)}" for tool in tools]
    return "\n".join(["# Tools", "", "Every argument of each, and what its answer means:", "", *lines, ""])


_ARGUMENTS = """An argument can be left out unless it is `required`. Limits of a text are characters. Keys of an answer
that are not explained are what they are called; those that every answer may have stand in `katana://help`.
"""


def tool_page(tool: ReferredTool) -> str:
    """Return one tool with its description, its arguments and what the keys of its answer mean."""
    return "\n".join([*_section_with_answer(tool), _ARGUMENTS])


def tool_reference(tools: Sequence[ReferredTool]) -> str:
    """Return the same of every tool."""
    return "\n".join(["# Tools", "", _ARGUMENTS, *(part for tool in tools for part in _section_with_answer(tool))])


def _section_with_answer(tool: ReferredTool) -> list[str]:
    section = [tool_section(tool.name, tool.description, tool.arguments)]
    if tool.answer:
        section += ["In the answer:", "", *(f"- `{path}`: {meaning}" for path, meaning in tool.answer), ""]
    return section


def tool_section(name: str, description: str, schema: Schema) -> str:
    """Return one tool with its description and all that is needed to call it."""
    parts = [f"## {name}", "", description, ""]
    required = cast("Sequence[str]", schema.get("required", ()))
    for argument, field in cast("Mapping[str, Schema]", schema["properties"]).items():
        details = [*(["required"] if argument in required else []), shape(field)]
        details += [f"default {json.dumps(field['default'])}"] if "default" in field else []
        parts.append(f"- `{argument}` ({'; '.join(details)}){_meaning(field)}")
    return "\n".join([*parts, ""])


def _meaning(schema: Schema) -> str:
    """Return what a schema is described as, if it is."""
    meaning = " ".join(str(schema.get("description", "")).split())
    return f": {meaning}" if meaning else ""


def shape(schema: Schema) -> str:
    """Return what a value must be, in words: `list of up to 250: integer`."""
    branches = cast("Sequence[Schema] | None", schema.get("anyOf"))
    if branches is not None:
        return " or ".join(shape(branch) for branch in branches)
    if schema.get("type") == "array":
        return f"list{_length(schema, 'minItems', 'maxItems')}: {shape(cast('Schema', schema['items']))}"
    return _of_object(schema) if "properties" in schema else _of_value(schema)


def _of_object(schema: Schema) -> str:
    """Return the fields of an object, those of the same shape together."""
    alike: dict[str, list[str]] = {}
    required = cast("Sequence[str]", schema.get("required", ()))
    for name, field in cast("Mapping[str, Schema]", schema["properties"]).items():
        description = f"{'required; ' if name in required else ''}{shape(field)}{_meaning(field)}"
        alike.setdefault(description, []).append(name)
    return f"object with {', '.join(f'{", ".join(names)} ({description})' for description, names in alike.items())}"


def _of_value(schema: Schema) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, cast('Sequence[object]', schema['enum'])))}"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_of_value({**schema, "type": type_name}) for type_name in cast("Sequence[str]", kind))
    if kind in {"integer", "number"}:
        return f"{kind}{_range(schema)}"
    if "examples" in schema:
        return f"text, such as {', '.join(map(str, cast('Sequence[object]', schema['examples'])))}"
    if kind == "string" and "maxLength" in schema:
        return f"text{_length(schema, 'minLength', 'maxLength')}"
    return _FORMS[str(schema.get("format") or schema.get("pattern") or kind)]


def _length(schema: Schema, least: str, most: str) -> str:
    if most not in schema:
        return ""
    return f" of {schema[least]} to {schema[most]}" if schema.get(least, 1) != 1 else f" of up to {schema[most]}"


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is None:
        return "" if low is None else f" {low} or more"
    return f" {low} to {high}"


_FORMS = {
    "date-time": "moment in ISO-8601",
    "^[A-Z]{3}$": "three letters",
    "boolean": "true or false",
    "string": "text",
    "object": "object",
}


def call(tool: str, arguments: dict[str, object]) -> str:
    """Return a call as people write it: `search_items(query='x')`."""
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"
