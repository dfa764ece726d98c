"""How manufacturing orders are written: head, recipe, operations and status; what is made of them is reported apart."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field as Argument
from pydantic import StrictStr

from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.goods import goods_line
from katana_mcp.documents.transition import State, Transition, Unknown
from katana_mcp.documents.usual_fields import BRIEF_GOODS, Amount, Made, PartId, Reference, number_field
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.manufacturing_orders import checks
from katana_mcp.entities.manufacturing_orders.parts import OPERATIONS, RECIPE_ROWS
from katana_mcp.entities.manufacturing_orders.producing import undone
from katana_mcp.entities.manufacturing_orders.reading import BY_VERB, gather, read
from katana_mcp.entities.manufacturing_orders.responses import ANSWERS
from katana_mcp.surface.operations.filters import Moment, spelling
from katana_mcp.tools.requests import Notes, ShortText
from katana_mcp.writing.actions import JsonObject
from katana_mcp.writing.preview import PlanLine

type _Settable = Literal["NOT_STARTED", "BLOCKED", "IN_PROGRESS"]
"""What a request may set a status to: how much is completed follows from productions."""
type _Kind = Literal["process", "setup", "perUnit", "fixed"]
type _Named = Annotated[StrictStr, Argument(min_length=1, max_length=255)]
_COMPLETES = "`complete_manufacturing_order` reports what is made, in whole or in part"
_TO_RECIPE = "say `update_recipe_rows` to change ingredients, `add_recipe_rows` to add some"


def _of_order(body: JsonObject) -> JsonObject:
    """Return what a listing is narrowed by to find a row that was added to an order."""
    return {"manufacturing_order_id": body["manufacturing_order_id"]}


def _says(what: str) -> Mapping[str, str]:
    return {
        "add": f"New {what}.",
        "update": f"{what.capitalize()} to change.",
        "delete": f"{what.capitalize()} to delete.",
    }


def _ingredient(change: Transition, row: State) -> str:
    """Return what people call an ingredient; nothing where that was not read."""
    variant = row.get("variant_id")
    good = change.facts.with_id("variant", variant)
    return str(variant.asked) if isinstance(variant, Unknown) else "" if good is None else good.called


def _line(change: Transition, row: State) -> PlanLine | None:
    """Return an ingredient, and how much of it one of the product takes."""
    return goods_line(change, {**row, "quantity": row.get("planned_quantity_per_unit")})


def _operation(row: State) -> str:
    return str(row.get("operation_name"))


MANUFACTURING_ORDER = Writable(
    entity="manufacturing_order",
    collection="manufacturing_orders",
    says_id="Id or number.",
    id_kind=Reference,
    key=Key(name="order_no", words="order number", prefix="MO-"),
    head=(
        number_field("order_no", "MO-7"),
        replace(BRIEF_GOODS, says="The product: SKU or variant id.", verbs=ONLY_NEW),
        Field("planned_quantity", Made, "How many.", required=True, clears=False),
        Field("location_id", Reference, "Made at: id or name.", required=True, clears=False, names="location"),
        Field("order_created_date", Moment, "When it was ordered.", clears=False, filled=True),
        Field("production_deadline_date", Moment, "Due on.", clears=False),
        Field("done_date", Moment, "Of a done order.", verbs=ONLY_LATER, clears=False),
        Field("additional_info", Notes, "Its notes."),
    ),
    parts=(
        Part(
            name="recipe_rows",
            one="recipe_row",
            held="recipe_rows",
            fields=(
                replace(BRIEF_GOODS, clears=False),
                Field("planned_quantity_per_unit", Made, "For one of the product.", required=True, clears=False),
                Field("notes", ShortText, "Its notes."),
            ),
            says=_says("ingredients"),
            most=100,
            collection="manufacturing_order_recipe_rows",
            entity=RECIPE_ROWS,
            parent="manufacturing_order_id",
            look=_of_order,
            verbs=ONLY_LATER,
            filled=True,
            kind=lambda _: "ingredient",
            title=_ingredient,
            written=_line,
            unsaid=("batch_transactions", "custom_fields"),
            key_kind=PartId,
            leads=True,
        ),
        Part(
            name="operation_rows",
            one="operation_row",
            held="operation_rows",
            fields=(
                Field("operation_name", _Named, "What is done.", required=True, clears=False),
                Field("resource_name", _Named, "Where, or with what."),
                Field(
                    "type", Annotated[_Kind, spelling(_Kind)], "What its cost depends on.", clears=False, filled=True
                ),
                Field("planned_time_parameter", Amount, "Seconds.", clears=False, filled=True),
                Field("cost_parameter", Amount, "Per hour, or by type.", clears=False, filled=True),
            ),
            says=_says("operations"),
            most=50,
            collection="manufacturing_order_operation_rows",
            entity=OPERATIONS,
            parent="manufacturing_order_id",
            look=_of_order,
            verbs=ONLY_LATER,
            filled=True,
            kind=lambda _: "operation",
            called=_operation,
            unsaid=("assigned_operators", "completed_by_operators", "custom_fields"),
            key_kind=PartId,
            leads=True,
        ),
    ),
    status=Status(
        kind=Annotated[_Settable, spelling(_Settable)],
        says="How far it is.",
        first="NOT_STARTED",
        refused=checks.REFUSED,
        path="",
        unlocks=checks.unlocks,
    ),
    switches=(Field("reopen", bool, "Undo a done order's productions.", verbs=ONLY_LATER, default=False),),
    words={
        **dict.fromkeys(("recipe_rows", "ingredients", "rows"), _TO_RECIPE),
        **dict.fromkeys(("operations", "operation_rows"), ("add_operation_rows", "update_operation_rows")),
        **dict.fromkeys(("productions", "completed_quantity", "actual_quantity"), _COMPLETES),
        "sku_or_variant_id": "an order makes one product: `create_manufacturing_order` plans one for another",
    },
    blank_clears=True,
    described=checks.described,
    reads=BY_VERB,
    answers=ANSWERS,
    what={
        "create": " with the product's recipe and operations",
        "modify": ", its deadline, recipe, operations or status",
        "delete": " with all that belongs to it",
    },
    gather=gather,
    read=read,
    derive=checks.derive,
    no_way_back=checks.no_way_back,
    left=checks.left,
    rules=checks.RULES,
    moves=undone,
    refreshes=checks.refreshes,
    binds=checks.binds,
    linked=checks.sold_for,
)
WRITES = writes(MANUFACTURING_ORDER)
