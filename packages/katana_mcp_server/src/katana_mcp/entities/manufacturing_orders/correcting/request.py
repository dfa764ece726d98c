"""What may be asked of a correction: quantities, dates, ingredients and operations of a done order, and its place."""

from collections.abc import Iterator
from dataclasses import replace

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.correcting import ONE_WAY
from katana_mcp.documents.declaration import ONLY_LATER, Field
from katana_mcp.documents.traces import Batches
from katana_mcp.documents.transition import Transition
from katana_mcp.documents.usual_fields import Made
from katana_mcp.entities.manufacturing_orders.checks import makes_nothing
from katana_mcp.entities.manufacturing_orders.completing.production import COMPLETING
from katana_mcp.entities.manufacturing_orders.writes import MANUFACTURING_ORDER
from katana_mcp.tools.warnings import ToolWarning

_RECIPE, _OPERATIONS, _PRODUCTIONS = COMPLETING.parts
_LOCKED = ("order_no", "planned_quantity", "location_id", "production_deadline_date")
BATCHES, MADE = "batches", "completed_quantity"
"""What only a correction knows: the batches that an ingredient was taken from, and how many were made in all."""


def _one_way(_: Transition) -> str:
    return ONE_WAY


def _located(change: Transition) -> Iterator[ToolWarning]:
    """Yield that nothing is made where the order is to be made, or where it is reopened."""
    yield from makes_nothing(change.facts, change.old, "manufacturing_order_id")
    if "location_id" in change.head:
        yield from makes_nothing(change.facts, change.new, "location_id")


_head = tuple(field for field in MANUFACTURING_ORDER.head if field.name in _LOCKED)
_done = next(field for field in MANUFACTURING_ORDER.head if field.name == "done_date")
_recipe, _work = (
    tuple(replace(field, says="", clears=False) for field in part.fields) for part in (_RECIPE, _OPERATIONS)
)
_batches = Field(BATCHES, Batches, "Used; the rest has no batch.", clears=False, filled=True)
SHOWN = replace(
    MANUFACTURING_ORDER,
    head=(*_head, _done),
    status=None,
    switches=(),
    rules=(_located,),
    no_way_back=_one_way,
)
"""A manufacturing order with what a correction changes of its head."""
CORRECTED = replace(
    SHOWN,
    head=(*_head, Field(MADE, Made, "Good ones made, in all.", verbs=ONLY_LATER, clears=False), _done),
    parts=(
        replace(_RECIPE, fields=(*_recipe, _batches)),
        replace(_OPERATIONS, fields=_work),
    ),
)
"""The same as a correction is asked for."""
EDITED = replace(MANUFACTURING_ORDER, head=_head)
"""What of an order is edited once it is open."""
PRODUCED = replace(MANUFACTURING_ORDER, head=(_done,), parts=(_PRODUCTIONS,))
"""What closes it again."""
REQUEST = request_of(CORRECTED, "modify")
