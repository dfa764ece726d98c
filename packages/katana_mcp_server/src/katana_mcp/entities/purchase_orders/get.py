"""`get_purchase_order`: one order with its rows, ingredients, additional costs and bills, by id or by order number."""

from cache_core.protocol import Stored
from cache_core.records import Record
from katana_mcp.entities.purchase_orders.rows import (
    PARTIES,
    ROW_VARIANTS,
    PurchaseOrderLine,
    PurchaseOrderSummary,
    with_rows,
)
from katana_mcp.references.display_names import CUSTOM_FIELDS, FACTORY, VARIANT_ENTITIES, Names
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import View
from katana_mcp.surface.operations.embedded import BatchTransaction, CustomField
from katana_mcp.surface.operations.get import (
    Document,
    DocumentAnswer,
    DocumentRequest,
    RelatedRows,
    all_beside,
    document_tool,
    of_ids,
)
from katana_mcp.surface.operations.rows import filled, line
from katana_mcp.tools.answers import Answer, Number
from katana_mcp.tools.requests import NameOrId, own_id
from katana_mcp.values import get_int, rows

_COSTS = "purchase_order_additional_cost_row"
_INGREDIENTS = "outsourced_purchase_order_recipe_row"
_BILLS = "purchase_order_accounting_metadata"


class GetPurchaseOrderRequest(DocumentRequest):
    """Arguments of `get_purchase_order`."""

    also = own_id("purchase_order_id")

    purchase_order_id: NameOrId
    """Purchase order id (integer) or order number (text, PO-42)."""


class PurchaseOrderDocumentLine(PurchaseOrderLine):
    """A row of a purchase order with its cost and its batches."""

    location: str | None = None
    tax_rate: Number | None = None
    """Percent."""
    conversion_rate: Number | None = None
    total_in_base_currency: Number | None = None
    landed_cost: Number | None = None
    """In `base_currency`, with additional costs."""
    group_id: int | None = None
    """What was received together; costs and bills name it too."""
    batch_transactions: list[BatchTransaction] | None = None
    custom_fields: list[CustomField] | None = None


class AdditionalCost(Answer):
    """A cost beside the goods, such as freight."""

    additional_cost_row_id: int | None = None
    additional_cost_id: int | None = None
    name: str | None = None
    group_id: int | None = None
    price: Number | None = None
    currency: str | None = None
    price_in_base: Number | None = None
    tax_rate: Number | None = None
    distribution_method: str | None = None
    reference: str | None = None


class Ingredient(Answer):
    """What we hand to the supplier for a row of an outsourced order."""

    recipe_row_id: int | None = None
    purchase_order_row_id: int | None = None
    variant_id: int | None = None
    sku: str | None = None
    name: str | None = None
    planned_quantity_per_unit: Number | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None
    cost: Number | None = None
    """In `base_currency`."""
    notes: str | None = None
    batch_transactions: list[BatchTransaction] | None = None


class Bill(Answer):
    """A bill that accounting made of what was received."""

    bill_id: str | None = None
    received_items_group_id: int | None = None
    integration_type: str | None = None
    created_at: str | None = None


class PurchaseOrderDocument(PurchaseOrderSummary):
    """A purchase order with everything that its header says."""

    rows: list[PurchaseOrderDocumentLine] | None = None
    ingredients: list[Ingredient] | None = None
    additional_costs: list[AdditionalCost] | None = None
    bills: list[Bill] | None = None
    additional_info: str | None = None
    net_total: Number | None = None
    total_in_base_currency: Number | None = None
    base_currency: str | None = None
    last_document_status: str | None = None
    default_group_id: int | None = None
    """Of costs of the whole order."""
    tracking_location_id: int | None = None
    tracking_location: str | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: str | None = None
    custom_fields: list[CustomField] | None = None
    created_at: str | None = None
    updated_at: str | None = None


class PurchaseOrderAnswer(DocumentAnswer):
    """The answer of `get_purchase_order`."""

    order: PurchaseOrderDocument


async def _beside(record: Record, _: object, services: Services) -> RelatedRows:
    """Costs name no order but a group: that of the order, or of its rows."""
    groups = (get_int(row, "group_id") for row in rows(record, "purchase_order_rows"))
    mine = of_ids("purchase_order_id", get_int(record, "id"))
    its_costs = of_ids("group_id", get_int(record, "default_group_id"), *groups)
    wanted = {_COSTS: its_costs, _INGREDIENTS: mine, _BILLS: mine}
    return await all_beside(services, {entity: (where, "id") for entity, where in wanted.items()})


def _line(row: Record, names: Names, **own: object) -> PurchaseOrderDocumentLine:
    location, rate = names.name("location", row.get("location_id")), names.rate(row.get("tax_rate_id"))
    return line(PurchaseOrderDocumentLine, row, names, location=location, tax_rate=rate, **own)


def _ingredient(row: Record, names: Names) -> Ingredient:
    used = row.get("ingredient_variant_id")
    return filled(
        Ingredient,
        row,
        recipe_row_id=get_int(row, "id"),
        variant_id=used,
        sku=names.sku(used),
        name=names.variant(used),
    )


def _document(stored: Stored, names: Names, services: Services) -> dict[str, object]:
    record = stored.record
    costs = [filled(AdditionalCost, row, additional_cost_row_id=get_int(row, "id")) for row in rows(record, _COSTS)]
    return with_rows(stored, names, services, _line) | {
        "ingredients": [_ingredient(row, names) for row in rows(record, _INGREDIENTS)],
        "additional_costs": costs,
        "bills": [filled(Bill, row) for row in rows(record, _BILLS)],
        "base_currency": names.base_currency(),
        "tracking_location": names.name("location", record.get("tracking_location_id")),
    }


_NAMED: dict[str, tuple[str, ...]] = {
    "location": (*PARTIES["location"], "purchase_order_rows[].location_id"),
    "tax_rate": ("purchase_order_rows[].tax_rate_id",),
    "variant": (*ROW_VARIANTS["variant"], f"{_INGREDIENTS}[].ingredient_variant_id"),
    "factory": (),
    "custom_field_definition": (),
}
GET_PURCHASE_ORDER = document_tool(
    Document(
        source="purchase_order",
        changes_in_steps=True,
        toolset="purchasing",
        key="order number",
        what="with rows received or open, ingredients, additional costs and bills, by id or order number; rows carry "
        "SKU and name",
        reads=(
            _COSTS,
            _INGREDIENTS,
            _BILLS,
            "supplier",
            "location",
            "tax_rate",
            *VARIANT_ENTITIES,
            *FACTORY,
            *CUSTOM_FIELDS,
        ),
        request=GetPurchaseOrderRequest,
        answer=PurchaseOrderAnswer,
        view=View(model=PurchaseOrderDocument, computed_fields=_document, names=PARTIES | _NAMED),
        paged=("rows", "ingredients", "additional_costs", "bills"),
        beside=_beside,
    )
)
