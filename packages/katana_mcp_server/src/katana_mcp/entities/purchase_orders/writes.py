"""How purchase orders are written: head, rows, additional costs and status; received by a status, never in part."""

from typing import Annotated, Literal

from katana_client.models.values import PurchaseOrderEntityType
from katana_mcp.documents.custom_fields import custom_values, of_documents, of_rows
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.usual_fields import (
    BRIEF_GOODS,
    ROW_PLACE,
    TAX_RATE,
    Amount,
    Ordered,
    PartId,
    Reference,
    Unit,
    filled,
)
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.purchase_orders import cascading, checks, pricing
from katana_mcp.entities.purchase_orders.following import (
    again,
    back,
    derive,
    follow,
    for_own_place,
    is_sendable,
    left,
    no_way_back,
    read,
    requested_status,
    unlocks,
)
from katana_mcp.entities.purchase_orders.pricing import COSTS, ROWS, finish_cost, finish_row
from katana_mcp.entities.purchase_orders.reading import BY_VERB, COST, binds, gather, uses
from katana_mcp.entities.purchase_orders.receipts import moves
from katana_mcp.entities.purchase_orders.responses import ANSWERS
from katana_mcp.entities.purchase_orders.showing import (
    cost_line,
    cost_title,
    described,
    linked,
    row_line,
    row_title,
    totals,
)
from katana_mcp.references.item_codes import BOUGHT
from katana_mcp.surface.operations.filters import Currency, Moment, spelling
from katana_mcp.tools.requests import DocumentNumber, Notes

type _Distribution = Literal["BY_VALUE", "NON_DISTRIBUTED"]
type _NewStatus = Literal["DRAFT", "NOT_RECEIVED"]
type _Settable = Literal["DRAFT", "NOT_RECEIVED", "RECEIVED"]
"""What a request may set a status to: that an order is received in part follows from receipts."""
_TO_ROWS = "say `update_rows` to change rows, `add_rows` to add some"
_TO_COSTS = "say `update_additional_costs` to change costs, `add_additional_costs` to add some"


_HEAD = (
    Field("order_no", DocumentNumber, "Its number.", clears=False),
    Field("supplier_id", Reference, "Id or exact name.", required=True, clears=False, names="supplier"),
    Field("location_id", Reference, "Id or exact name.", required=True, clears=False, names="location"),
    Field("tracking_location_id", Reference, "For outsourced orders.", clears=False, names="location"),
    Field("currency", Currency, "Such as EUR.", clears=False, filled=True),
    Field("expected_arrival_date", Moment, "Of every row.", clears=False, filled=True, follows="arrival_date"),
    Field("order_created_date", Moment, "When it was ordered.", clears=False, filled=True),
    Field("additional_info", Notes, "Its notes.", empty=""),
    custom_values(*of_documents("PurchaseOrder")),
    Field(
        "entity_type",
        Annotated[PurchaseOrderEntityType, spelling(PurchaseOrderEntityType)],
        "Outsourced: made from our ingredients.",
        verbs=ONLY_NEW,
        default="regular",
        filled=True,
    ),
)
_ROW = filled(
    BRIEF_GOODS,
    Field("quantity", Ordered, "In purchase units.", required=True),
    Field("price_per_unit", Amount, "Without tax."),
    TAX_RATE,
    Field("purchase_uom", Unit, "Purchase unit.", is_paired=True),
    Field("purchase_uom_conversion_rate", Amount, "Stock units in one.", is_paired=True),
    Field("arrival_date", Moment, "Expected."),
    ROW_PLACE,
    custom_values(*of_rows("PurchaseOrder"), says=False),
    Field("received_date", Moment, "Of a received row.", verbs=ONLY_LATER, is_late=True, becomes="receipt date"),
)
_COST = filled(
    Field("additional_cost_id", Reference, "Id or name.", required=True, names="additional_cost"),
    TAX_RATE,
    Field("price", Amount, "Without tax.", required=True),
    Field("distribution_method", Annotated[_Distribution, spelling(_Distribution)], "How it is split."),
)

PURCHASE_ORDER = Writable(
    entity="purchase_order",
    collection="purchase_orders",
    says_id="Id or number.",
    id_kind=Reference,
    key=Key(name="order_no", words="order number", prefix="PO-"),
    head=_HEAD,
    parts=(
        Part(
            name="rows",
            one="row",
            held=ROWS,
            fields=_ROW,
            says={
                "new": "No price: the item's own.",
                "add": "New rows, as of `create_purchase_order`.",
                "update": "Rows to change.",
                "delete": "Rows to delete.",
            },
            most=250,
            needed=True,
            collection=ROWS,
            parent="purchase_order_id",
            look=lambda body: {name: body[name] for name in ("purchase_order_id", "variant_id")},
            line=row_line,
            inside=for_own_place,
            adds_first=True,
            finish=finish_row,
            title=row_title,
            again=again,
            key_kind=PartId,
            also={"purchase_order_row_id": ("row_id",)},
            is_brief=True,
        ),
        Part(
            name=COSTS,
            one="additional_cost_row",
            held=COSTS,
            fields=_COST,
            says={
                "new": "Freight, duty, other.",
                "add": "New costs.",
                "update": "Costs to change.",
                "delete": "Costs to delete.",
            },
            most=50,
            collection="po_additional_cost_rows",
            entity=COST,
            parent="group_id",
            parent_is="default_group_id",
            look=lambda body: {name: body[name] for name in ("group_id", "additional_cost_id")},
            kind=lambda _: "additional cost",
            line=cost_line,
            inside=lambda _, __: False,
            adds_first=True,
            finish=finish_cost,
            title=cost_title,
            key_kind=PartId,
            also={"row_id": ("additional_cost_row_id",)},
            is_brief=True,
        ),
    ),
    status=Status(
        kind=Annotated[_Settable, spelling(_Settable)],
        says="RECEIVED receives open rows.",
        first="NOT_RECEIVED",
        refused=checks.REFUSED,
        path="",
        new_kind=Annotated[_NewStatus, spelling(_NewStatus)],
        says_new="Ordered or not.",
        asked=requested_status,
        unlocks=unlocks,
    ),
    switches=(Field("unreceive", bool, "Undo receipts: goods leave stock.", verbs=ONLY_LATER, default=False),),
    words={
        **dict.fromkeys(("rows", "lines", "line_items", "order_lines", "items"), _TO_ROWS),
        **dict.fromkeys(("costs", "additional_costs", "freight", "shipping", "fees"), _TO_COSTS),
        **dict.fromkeys(("row_id", "purchase_order_row_id", "row_ids"), "give it in `update_rows`, with what changes"),
        **dict.fromkeys(("modify_rows", "change_rows", "edit_rows", "updated_rows"), ("update_rows",)),
        **dict.fromkeys(("new_rows", "append_rows", "insert_rows", "create_rows"), ("add_rows",)),
        **dict.fromkeys(("delete_rows", "remove_rows", "remove_row_ids", "deleted_rows"), ("delete_row_ids",)),
    },
    described=described,
    reads=BY_VERB,
    answers=ANSWERS,
    what={"create": " with its rows", "modify": "", "delete": " with its rows"},
    parties=("supplier_id",),
    is_sendable=is_sendable,
    gather=gather,
    read=read,
    follow=follow,
    derive=derive,
    no_way_back=no_way_back,
    back=back,
    left=left,
    totals=totals,
    currency=pricing.currency,
    rules=(*cascading.RULES, *checks.RULES, *pricing.RULES),
    moves=moves,
    uses=uses,
    binds=binds,
    linked=linked,
    codes=BOUGHT,
)
WRITES = writes(PURCHASE_ORDER)
