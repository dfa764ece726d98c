"""No answer of any tool or resource outgrows what hosts take, whatever is written into the records."""

import json

import pytest

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.mcp.resources import RESOURCES, TEMPLATES
from katana_mcp.testing import staged, text_of
from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES
from katana_sandbox import ManualClock, Tenant

from .matrix import let_ask
from .texts import NAMES_NONE, plant, planted_calls

SHORTENED = ("get_sales_order", "list_customers")
HELP = ("katana://help", "katana://help/tools", "katana://help/workflows")


@pytest.mark.parametrize("every", [pytest.param(8, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)])
async def test_no_answer_outgrows_what_hosts_take_however_long_the_texts_are(
    own: OwnSandbox, clock: ManualClock, every: int
) -> None:
    tenant = own.sandbox.tenant()
    calls, texts = planted_calls(tenant, "long"), dict[str, str]()
    calls = {tool: calls[tool] for tool in dict.fromkeys([*[*calls][::every], *SHORTENED, "replenish"])}
    plant(tenant, lambda name, key: f"{'long ' * 2_800} {name} {key}")
    async with staged(own) as stage:
        for tool, arguments in calls.items():
            let_ask(tool, clock)
            result = await stage.result(tool, arguments)
            assert not result.is_error, (tool, text_of(result)[:300])
            texts[tool] = text_of(result)
            assert json.loads(texts[tool]) == result.structured_content, tool
        texts["refusal"] = json.dumps(await stage.refusal("get_customer", customer_id="long"))
        of_records = [template for template in TEMPLATES if "{id}" in template]
        of_tools = [f"katana://help/tools/{tool}" for tool in calls]
        uris = [*RESOURCES, *of_tools, *(record.replace("{id}", _first(tenant, record)) for record in of_records)]
        texts |= {uri: await stage.read(uri) for uri in uris}
    assert {name: len(text) for name, text in texts.items() if len(text.encode()) > MAX_ANSWER_BYTES} == {}
    # the journal names what `replenish` planned, and the location that it is for
    plain = {name for name, text in texts.items() if "long long" not in text}
    assert plain == {*NAMES_NONE, "cache_status", "rebuild_cache"} & {*calls} | {*HELP, *of_tools}
    for name in (*SHORTENED, "katana://suppliers", "refusal"):
        assert " more characters]" in texts[name], name
    codes = [warning["code"] for warning in json.loads(texts["get_sales_order"])["warnings"]]
    assert codes == ["time_zone_unknown", "truncated_result"]  # its name is a text like any other


def _first(tenant: Tenant, template: str) -> str:
    """Return the oldest id of what `katana://tax-rate/{id}` shows one of."""
    collection = f"{template.split('/')[2].replace('-', '_')}s"
    return str(next(tenant.all(collection))["id"])
