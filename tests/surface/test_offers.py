"""Resource templates, completions and prompts: what a host offers people besides tools."""

import json
import re

import pytest
from mcp.types import PromptReference, ResourceTemplateReference

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.resources.prompts import PROMPTS
from katana_mcp.resources.reference import REFERENCE
from katana_mcp.server.mcp.catalogue import catalogue
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import Tenant

LISTED = {row["name"]: row for row in catalogue()}
SHOWN_EARLIER: dict[str, object] = {
    "<manufacturing order>": "MO-1",
    "<skus>": ["FSKT-35M"],
    "<lines>": [{"sku": "FSKT-35M", "quantity": 1}],
}
TEMPLATES = {resource.template: resource for resource in REFERENCE if resource.template}


async def test_every_record_of_the_reference_data_can_be_read_by_its_id(stage: Stage) -> None:
    listed = [
        list_resource_template.uri_template for list_resource_template in await stage.client.list_resource_templates()
    ]
    assert listed == [*TEMPLATES, "katana://journal/{entry}", "katana://help/tools/{tool}"]
    for template, resource in TEMPLATES.items():
        for row in json.loads(await stage.read(resource.uri))["rows"]:
            one = json.loads(await stage.read(template.replace("{id}", str(row["id"]))))
            assert one["source"] == "sandbox"
            assert {name: one["record"][name] for name in row} == row, template


@pytest.mark.parametrize("template", TEMPLATES)
async def test_ids_are_offered_by_id_and_by_name(stage: Stage, template: str) -> None:
    rows = json.loads(await stage.read(TEMPLATES[template].uri))["rows"]
    ref = ResourceTemplateReference(uri=template)
    offered = (await stage.client.complete(ref, {"name": "id", "value": ""})).values
    assert offered == [str(row["id"]) for row in rows]
    last = rows[-1]
    name = last.get("name") or last["operator_name"]
    by_name = (await stage.client.complete(ref, {"name": "id", "value": name[:6].upper()})).values
    assert str(last["id"]) in by_name
    assert (await stage.client.complete(ref, {"name": "id", "value": str(last["id"])})).values == [str(last["id"])]
    assert (await stage.client.complete(ref, {"name": "id", "value": "zzzzz"})).values == []


async def test_what_stands_beyond_the_first_thousand_is_offered_and_a_cut_page_tells_how_to_reach_it(
    stage: Stage, tenant: Tenant
) -> None:
    for number in range(1_100):
        tenant.create("suppliers", {"name": f"Temp {number}", "currency": "EUR"})
    last = max(tenant.all("suppliers"), key=lambda supplier: supplier["id"])
    tenant.edit("suppliers", last["id"], name="Zoltan Quist")
    ref = ResourceTemplateReference(uri="katana://supplier/{id}")
    for typed in ("zoltan", "quist", str(last["id"])):
        assert str(last["id"]) in (await stage.client.complete(ref, {"name": "id", "value": typed})).values, typed
    page = json.loads(await stage.read("katana://suppliers"))
    assert page["truncated"] == f"{len(page['rows'])} of {page['total']}"
    assert last["id"] not in [row["id"] for row in page["rows"]]
    assert [action.startswith(f"{ref.uri}: ") for action in page["next_actions"]] == [True]
    assert json.loads(await stage.read("katana://locations"))["next_actions"] == []


async def test_order_numbers_and_names_are_offered_for_prompts(stage: Stage) -> None:
    offers = {
        ("promise_date", "sales_order", "SO-6"): "SO-61",
        ("supplier_document_check", "purchase_order", "PO-1"): "PO-13",
        ("morning_shortage_check", "location", "north"): "North warehouse",
    }
    for (prompt, name, typed), expected in offers.items():
        ref = PromptReference(name=prompt)
        assert expected in (await stage.client.complete(ref, {"name": name, "value": typed})).values
        assert (await stage.client.complete(ref, {"name": name, "value": ""})).values
    free = PromptReference(name="month_end_stock_review")
    assert (await stage.client.complete(free, {"name": "first_day", "value": "2026"})).values == []


async def test_every_prompt_names_only_tools_and_arguments_that_there_are(stage: Stage) -> None:
    listed = await stage.client.list_prompts()
    assert [offered.name for offered in listed] == [prompt.name for prompt in PROMPTS]
    resources = {str(resource.uri) for resource in await stage.client.list_resources()}
    for prompt in PROMPTS:
        given = {argument.name: f"<{argument.name}>" for argument in prompt.arguments}
        (message,) = (await stage.client.get_prompt(prompt.name, given)).messages
        text = getattr(message.content, "text", "")
        assert all(value in text for value in given.values())
        named = set(re.findall(r"`([a-z]+_[a-z_]+)`", text))
        fields = {"as_of", "location_id", "inventory_closing_date"}
        assert named - fields <= prompt.tools <= set(LISTED), prompt.name
        assert set(re.findall(r"katana://[a-z-]+", text)) <= resources
        for step in prompt.steps:
            arguments = set(LISTED[step.tool]["inputSchema"]["properties"])
            used = set(re.findall(r"\b([a-z_]+)=", step.says)) | set(re.findall(r"\b\w+_(?:from|to)\b", step.says))
            assert used | set(step.arguments) <= arguments, (prompt.name, step.tool)
            assert used <= set(step.arguments), (prompt.name, step.tool)


async def test_the_calls_of_every_way_of_work_can_be_made_as_they_stand(stage: Stage) -> None:
    for prompt in PROMPTS:
        for tool, arguments in prompt.calls():
            given = {name: SHOWN_EARLIER.get(str(value), value) for name, value in arguments.items()}
            assert (await stage.call(tool, **given))["source"] == "sandbox", (prompt.name, tool)


async def test_the_ways_of_work_are_told_as_data(stage: Stage) -> None:
    workflows = json.loads(await stage.read("katana://help/workflows"))
    assert [row["name"] for row in workflows] == [prompt.name for prompt in PROMPTS]
    for workflow, prompt in zip(workflows, PROMPTS, strict=True):
        assert set(workflow["arguments"]) == {argument.name for argument in prompt.arguments}
        assert [(step["tool"], step["arguments"]) for step in workflow["steps"]] == [
            (step.tool, step.arguments) for step in prompt.steps
        ]
        named = set(re.findall(r"\{(\w+)\}", json.dumps([step["arguments"] for step in workflow["steps"]])))
        assert named <= set(workflow["arguments"])


async def test_an_argument_that_is_left_out_leaves_no_gap(stage: Stage) -> None:
    (message,) = (await stage.client.get_prompt("morning_shortage_check", {})).messages
    assert "Location: any" in getattr(message.content, "text", "")


async def test_a_prompt_whose_tools_are_not_served_is_not_offered(own: OwnSandbox) -> None:
    async with staged(own, Setup(flags={"toolsets": ("purchasing", "catalog")})) as stage:
        assert [prompt.name for prompt in await stage.client.list_prompts()] == ["goods_in", "supplier_document_check"]
        page = await stage.read("katana://help")
        assert "supplier_document_check" in page
        assert "promise_date" not in page
