"""Stock transfers to plan and apply: a request, its preview, and what the sandbox holds afterwards."""

import re
from typing import Any

from server_wire import live

from katana_mcp.testing import Payload, Stage, SteppedClock, payload_of, within
from katana_sandbox import Tenant

NUMBER = "ST-900"


def new_transfer(tenant: Tenant, **changed: object) -> dict[str, object]:
    """Return the arguments of a usual new transfer."""
    source, destination = live(tenant, "locations")[:2]
    sku = next(variant["sku"] for variant in live(tenant, "variants") if variant["sku"])
    usual: dict[str, object] = {
        "source_location_id": source["name"],
        "destination_location_id": destination["id"],
        "rows": [{"sku_or_variant_id": sku, "quantity": 2.5}],
        "stock_transfer_number": NUMBER,
    }
    return usual | changed


async def planned(stage: Stage, tool: str = "create_stock_transfer", **arguments: object) -> str:
    """Return the token of a plan; a usual new transfer by default."""
    given = arguments or new_transfer(stage.own.sandbox.tenant())
    return (await stage.call(tool, **given))["plan_token"]


async def applied(stage: Stage, *tokens: str) -> Payload:
    """Return the answer of `apply_plan`; time stands still."""
    return payload_of(await stage.result("apply_plan", {"plan_tokens": list(tokens)}))


async def applied_in_time(stage: Stage, clock: SteppedClock, *tokens: str) -> Payload:
    """Return the answer of `apply_plan`, with time going on while it waits."""
    return await within(clock, 400, applied(stage, *tokens))


_BEFORE = re.compile(r"used before, at [\d-]{10} [\d:]{8} UTC, and nothing is sent again: ")


def without_before(answer: Payload) -> Payload:
    """Return an answer without what says that its plans were used before, and when."""
    return {**answer, "message": _BEFORE.sub("", answer["message"])}


def of_before(answer: Payload, first: Payload) -> bool:
    """Return whether an answer is that of the first time, and says so of each of its plans."""
    said = len(_BEFORE.findall(answer["message"]))
    return said == len(answer["outcomes"]) and without_before(answer) == first


def made(tenant: Tenant, number: str = NUMBER) -> list[dict[str, Any]]:
    """Return the transfers that have this number in Katana."""
    return [transfer for transfer in live(tenant, "stock_transfers") if transfer["stock_transfer_number"] == number]


def writes(stage: Stage) -> list[tuple[str, str]]:
    """Return method and path of every request that was no read."""
    return [(request.method, request.path) for request in stage.own.sandbox.journal if request.method != "GET"]


def counted(outcome: Payload) -> dict[str, int]:
    """Return how many actions of an outcome ended how, those that did."""
    return {name: outcome[name] for name in ("applied", "failed", "unknown", "not_tried") if outcome[name]}
