"""The tool that plans to make or change a batch."""

from katana_mcp.surface.operations.planning import planning_tool
from katana_mcp.workflows.batches.batches import READS, BatchFacts, gather
from katana_mcp.workflows.batches.changing import TOOL, draft_of
from katana_mcp.workflows.batches.checks import checks
from katana_mcp.workflows.batches.request import ModifyTraceabilityRequest, ModifyTraceabilityResponse
from katana_mcp.writing.change import Change, Draft


def _plan(request: ModifyTraceabilityRequest, facts: BatchFacts) -> Draft:
    against = checks(request, facts)
    return draft_of(request, facts, is_lawful=not any(warning.severity == "blocking" for warning in against))


CHANGING = Change(
    request=ModifyTraceabilityRequest,
    gather=gather,
    plan=_plan,
    checks=checks,
    reads=READS,
    answer=ModifyTraceabilityResponse,
)
MODIFY_TRACEABILITY = planning_tool(
    TOOL,
    "inventory",
    "Plan to make a new batch (lot) of an item, or to correct a batch number, barcode, date made or expiration date; "
    "nothing is written.\n\nSerial numbers are made and taken by the tools that make, receive and ship. Shows a "
    "`plan_token` for `apply_plan`.",
    CHANGING,
)
