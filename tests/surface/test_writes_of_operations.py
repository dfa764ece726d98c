"""Operations of a product: several are made by one request, and what a preview says of them by name comes true."""

import pytest

from katana_mcp.testing import payload_of, staged
from katana_sandbox import ManualClock, Tenant

from .all_writes import WRITES
from .effects import Watched
from .held import held, proves_named
from .prepared import prepared
from .writes import Arguments, Record
from .writes_boms import operations_of

ADDED: list[Arguments] = [
    {"operation_name": "Cutting", "cost_parameter": 9482},
    {"operation_name": "Sanding", "planned_time_parameter": 7},
]


def _asked(change: str, tenant: Tenant, variant: Record) -> Arguments:
    first, second = operations_of(tenant, variant["id"])
    changed: list[Arguments] = [
        {"operation_row_id": first, "operation_name": "Sanding"},
        {"operation_row_id": second, "cost_parameter": 3},
    ]
    asked: dict[str, Arguments] = {
        "added": {"add_operation_rows": ADDED},
        "named twice": {"add_operation_rows": ADDED * 2},
        "changed": {"update_operation_rows": changed},
        "gone": {"delete_operation_row_ids": [first]},
        "others": {"delete_operation_row_ids": [first, second], "add_operation_rows": ADDED},
    }
    return asked[change]


@pytest.mark.parametrize("change", ["added", "named twice", "changed", "gone", "others"])
async def test_what_a_preview_says_of_operations_comes_true(change: str) -> None:
    write, own = WRITES["modify_bom"], prepared(ManualClock(auto=False))
    tenant = own.sandbox.tenant()
    async with staged(own) as stage:
        variant = write.document(tenant, f"WORK-{change}")
        asked = {**_asked(change, tenant, variant), **write.named(variant)}
        preview = payload_of(await stage.result("modify_bom", asked))
        watched, before = Watched(own.sandbox, preview["requests"]), held(tenant, write.follows)
        (outcome,) = (await stage.call("apply_plan", plan_tokens=[preview["plan_token"]]))["outcomes"]
        watched.proves_true(outcome)
        assert (watched.sent, outcome["applied"]) == (watched.planned, len(preview["requests"]))
        proves_named(write, preview, before, held(tenant, write.follows))
