"""`get_manufacturing_order`: one order with recipe rows, operations and productions, by id or by order number."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from cache_core.protocol import Stored
from cache_core.records import Record
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
    serial_numbers,
)
from katana_mcp.entities.manufacturing_orders.rows import NAMED, ManufacturingOrderSummary, header
from katana_mcp.entities.manufacturing_orders.subassemblies import SUBASSEMBLIES, Subassembly, shown, subassemblies
from katana_mcp.references.display_names import CUSTOM_FIELDS, FACTORY, VARIANT_ENTITIES, Names, text
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.embedded import BatchTransaction
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    all_beside,
    document_tool,
    of_ids,
    rows_beside,
)
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import EMPTY, get_int

type Part = Literal["recipe", "operations", "productions"]


class GetManufacturingOrderRequest(DocumentRequest):
    """Arguments of `get_manufacturing_order`."""

    also = own_id("manufacturing_order_id")

    manufacturing_order_id: NameOrId
    """Manufacturing order id (integer) or order number (text, MO-7)."""
    include: Annotated[list[Part], Field(min_length=1, max_length=3)] | None = None
    """Only these parts; all three by default."""
    verbose: bool = False
    """Also the costs of operations, batches of ingredients, and what each production used."""


class ManufacturingOrderDocument(ManufacturingOrderSummary):
    """A manufacturing order with everything that belongs to it; costs are planned until it is done."""

    sales_order_no: str | None = None
    customer: str | None = None
    """Of the sales order."""
    recipe_rows: list[RecipeRow] | None = None
    operations: list[OperationRow] | None = None
    """In the order of work; times are seconds."""
    productions: list[Production] | None = None
    actual_quantity: Number | None = None
    batch_transactions: list[BatchTransaction] | None = None
    serial_numbers: list[str] | None = None
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


class GetManufacturingOrderRecipeRequest(DocumentRequest):
    """Arguments of `get_manufacturing_order_recipe`."""

    also = own_id("manufacturing_order_id")

    manufacturing_order_id: NameOrId
    """Manufacturing order id (integer) or order number (text, MO-7)."""
    subassemblies: bool = False
    """Also the orders that make its ingredients, and theirs."""


class ManufacturingOrderRecipe(ManufacturingOrderSummary):
    """A manufacturing order and its ingredients."""

    recipe_rows: list[RecipeRow] | None = None
    subassemblies: list[Subassembly] | None = None
    """Where they were asked for: of all levels."""
    base_currency: str | None = None
    """Of all costs."""


class ManufacturingOrderRecipeAnswer(DocumentAnswer):
    """The answer of `get_manufacturing_order_recipe`."""

    order: ManufacturingOrderRecipe


_PARTS: Mapping[Part, tuple[str, str]] = {
    "recipe": (RECIPE_ROWS, "id"),
    "operations": (OPERATIONS, "-rank"),
    "productions": (PRODUCTIONS, "id"),
}


async def _parts(record: Record, request: GetManufacturingOrderRequest, services: Services) -> RelatedRows:
    mine = of_ids("manufacturing_order_id", get_int(record, "id"))
    asked = [_PARTS[part] for part in request.include or _PARTS]
    return await all_beside(services, {entity: (mine, order) for entity, order in asked})


async def _recipe(record: Record, request: GetManufacturingOrderRecipeRequest, services: Services) -> RelatedRows:
    mine = of_ids("manufacturing_order_id", get_int(record, "id"))
    tree = {SUBASSEMBLIES: await subassemblies(record, services)} if request.subassemblies else {}
    return {RECIPE_ROWS: await rows_beside(services, RECIPE_ROWS, mine), **tree}


def _view(model: type[Answer], named: dict[str, tuple[str, ...]], *, verbose: bool) -> View:
    def computed(stored: Stored, names: Names, services: Services) -> dict[str, object]:
        record = stored.record
        sold = names.record("sales_order", record.get("sales_order_id")) or EMPTY
        return header(stored, names, services) | {
            "sales_order_no": text(sold, "order_no"),
            "customer": names.name("customer", sold.get("customer_id")),
            "recipe_rows": recipe_rows(record, names, verbose=verbose),
            "operations": operations(record, names, verbose=verbose),
            "productions": productions(record, names, verbose=verbose),
            "serial_numbers": serial_numbers(record),
            SUBASSEMBLIES: shown(record, names),
            "base_currency": names.base_currency(),
        }

    return View(model=model, computed_fields=computed, names=named)


_NAMES = NAMED | {
    "variant": (
        "variant_id",
        f"{RECIPE_ROWS}[].variant_id",
        f"{PRODUCTIONS}[].ingredients[].variant_id",
        f"{SUBASSEMBLIES}[].variant_id",
    ),
    "factory": (),
}
_SOLD = _NAMES | {"sales_order": ("sales_order_id",), "custom_field_definition": ()}
_PLAIN = _view(ManufacturingOrderDocument, _SOLD, verbose=False)
_VERBOSE = _view(ManufacturingOrderDocument, _SOLD, verbose=True)


def _views(request: GetManufacturingOrderRequest) -> Mapping[str, View]:
    return {"manufacturing_order": _VERBOSE if request.verbose else _PLAIN}


GET_MANUFACTURING_ORDER = document_tool(
    Document(
        source="manufacturing_order",
        changes_in_steps=True,
        toolset="manufacturing",
        key="order number",
        what="with recipe rows, operations and productions, by id or order number",
        costs="It needs three more reads than the list: for many orders, use the list first.",
        reads=(
            *(RECIPE_ROWS, OPERATIONS, PRODUCTIONS),
            *("sales_order", "customer", "location", *VARIANT_ENTITIES),
            *(*FACTORY, *CUSTOM_FIELDS),
        ),
        request=GetManufacturingOrderRequest,
        answer=ManufacturingOrderAnswer,
        view=_PLAIN,
        views=_views,
        paged=("recipe_rows", "operations", "productions"),
        beside=_parts,
    )
)

GET_MANUFACTURING_ORDER_RECIPE = document_tool(
    Document(
        tool="get_manufacturing_order_recipe",
        source="manufacturing_order",
        changes_in_steps=True,
        toolset="manufacturing",
        key="order number",
        what="with its ingredients alone: planned, consumed and remaining quantities, and what is missing",
        cross_reference=(
            "For operations and productions too, use ``get_manufacturing_order(manufacturing_order_id=...)`` — it "
            "reads two more collections; this one is cheaper if you need only ingredients."
        ),
        reads=(RECIPE_ROWS, "location", *VARIANT_ENTITIES, *FACTORY),
        request=GetManufacturingOrderRecipeRequest,
        answer=ManufacturingOrderRecipeAnswer,
        view=_view(ManufacturingOrderRecipe, _NAMES, verbose=False),
        paged=("recipe_rows", SUBASSEMBLIES),
        beside=_recipe,
    )
)
