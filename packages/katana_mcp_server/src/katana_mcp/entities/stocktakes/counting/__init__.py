"""`count_stock`: a stocktake begun, counted, completed or deleted, with what differs in pieces and in money."""

from collections.abc import Mapping
from dataclasses import replace

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stocktakes.counting.booked import booked
from katana_mcp.entities.stocktakes.counting.checks import checks
from katana_mcp.entities.stocktakes.counting.plan import TOOL, plan
from katana_mcp.entities.stocktakes.counting.reading import READS, gather
from katana_mcp.entities.stocktakes.counting.request import CountStockRequest, CountStockResponse
from katana_mcp.entities.stocktakes.counting.steps import look, rest
from katana_mcp.references.numbers import Numbered
from katana_mcp.writing.change import AnyChange, Change, Saga

_COUNTS = (
    "Plan a stocktake: begin one, enter counts, complete or delete it; nothing is written.\n\n"
    "Shows what differs in pieces and money, what is not counted, and a `plan_token` for `apply_plan`."
)


def _renumbered(facts: Facts, numbered: Numbered) -> Facts:
    return replace(facts, numbered=numbered)


COUNTING = Change(
    request=CountStockRequest,
    gather=gather,
    plan=plan,
    checks=checks,
    reads=READS,
    renumbered=_renumbered,
    answer=CountStockResponse,
    saga=Saga(look=look, rest=rest, ended=booked),
)
WORKFLOWS: Mapping[str, tuple[AnyChange, str]] = {TOOL: (COUNTING, _COUNTS)}
