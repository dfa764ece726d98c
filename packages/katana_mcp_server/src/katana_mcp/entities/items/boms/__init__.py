"""Bills of materials: `modify_bom` changes one with operations, `replace_ingredient` an ingredient in all of them."""

from collections.abc import Mapping

from katana_mcp.entities.items.boms.replacing import REPLACING, TOOL
from katana_mcp.entities.items.boms.with_operations import MODIFYING
from katana_mcp.writing.change import AnyChange

_MODIFIES = (
    "Plan to modify the bill of materials or operations of one product: add, change, delete rows, or copy those of "
    "another product; nothing is written.\n\nWithout changes it shows both. Gives a `plan_token` for `apply_plan`."
)
_REPLACES = (
    "Plan to replace one ingredient by another in every bill of materials that uses it; nothing is written.\n\n"
    "Shows each product with its new quantity, and a `plan_token` for `apply_plan`."
)
WORKFLOWS: Mapping[str, tuple[AnyChange, str]] = {
    "modify_bom": (MODIFYING, _MODIFIES),
    TOOL: (REPLACING, _REPLACES),
}
