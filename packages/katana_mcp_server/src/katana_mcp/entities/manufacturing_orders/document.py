"""`get_manufacturing_order`: one order with recipe rows, operations and productions, by id or by order number."""

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.descriptor import View
from katana_mcp.entities.manufacturing_orders.parts import (
    OPERATIONS,
    PRODUCTIONS,
    RECIPE_ROWS,
    OperationRow,
    Production,
    RecipeRow,
    operations,
    productions,
    recipe_rows,
)
from katana_mcp.entities.manufacturing_orders.rows import NAMED, ManufacturingOrderSummary, header
from katana_mcp.names import FACTORY, Names
from katana_mcp.operations.get import (
    Beside,
    Document,
    DocumentAnswer,
    DocumentRequest,
    document_tool,
    of_ids,
    rows_beside,
)
from katana_mcp.services import Services
from katana_mcp.tools.answers import Number
from katana_mcp.tools.requests import NameOrId
from katana_mcp.values import whole


class GetManufacturingOrderRequest(DocumentRequest):
    """Arguments of `get_manufacturing_order`."""

    manufacturing_order_id: NameOrId
    """Manufacturing order id (integer) or order number (text, MO-7)."""


class ManufacturingOrderDocument(ManufacturingOrderSummary):
    """A manufacturing order with everything that belongs to it; costs are planned until it is done."""

    recipe_rows: list[RecipeRow] | None = None
    operations: list[OperationRow] | None = None
    """In the order of work; times are seconds."""
    productions: list[Production] | None = None
    actual_quantity: Number | None = None
    additional_info: str | None = None
    sales_order_delivery_deadline: str | None = None
    total_planned_time: Number | None = None
    total_actual_time: Number | None = None
    total_cost: Number | None = None
    material_cost: Number | None = None
    subassemblies_cost: Number | None = None
    operations_cost: Number | None = None
    base_currency: str | None = None
    """Of all costs."""
    created_at: str | None = None
    updated_at: str | None = None


class ManufacturingOrderAnswer(DocumentAnswer):
    """The answer of `get_manufacturing_order`."""

    order: ManufacturingOrderDocument


async def _parts(record: Record, services: Services) -> Beside:
    mine = of_ids("manufacturing_order_id", whole(record, "id"))
    return {
        RECIPE_ROWS: await rows_beside(services, RECIPE_ROWS, mine),
        OPERATIONS: await rows_beside(services, OPERATIONS, mine, "-rank"),
        PRODUCTIONS: await rows_beside(services, PRODUCTIONS, mine),
    }


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    record = stored.record
    return header(stored, names, services) | {
        "recipe_rows": recipe_rows(record, names),
        "operations": operations(record),
        "productions": productions(record),
        "base_currency": names.base_currency(),
    }


_NAMES = NAMED | {"variant": ("variant_id", f"{RECIPE_ROWS}[].variant_id"), "factory": ()}

GET_MANUFACTURING_ORDER = document_tool(
    Document(
        source="manufacturing_order",
        toolset="manufacturing",
        called=("manufacturing_order_id", "manufacturing order", "order number"),
        key_path="order_no",
        what="with recipe rows, operations and productions, by id or order number",
        reads=(
            *(RECIPE_ROWS, OPERATIONS, PRODUCTIONS),
            *("location", "variant", "product", "material", "service"),
            *FACTORY,
        ),
        request=GetManufacturingOrderRequest,
        answer=ManufacturingOrderAnswer,
        view=View(model=ManufacturingOrderDocument, own=_document, names=_NAMES),
        paged=("recipe_rows", "operations", "productions"),
        beside=_parts,
    )
)
