"""How sales returns are written: head, rows of what was shipped, and the status, which puts the goods in stock."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field as Argument
from pydantic import StrictStr

from katana_client.models.values import SalesReturnStatus
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.quantities import BatchQuantity
from katana_mcp.documents.usual_fields import Made, PartId, Reference, number_field
from katana_mcp.documents.verbs import completed, writes
from katana_mcp.entities.sales_returns import restocking, returning
from katana_mcp.entities.sales_returns.responses import ANSWERS
from katana_mcp.entities.sales_returns.rows import ROWS
from katana_mcp.surface.descriptor import Verb
from katana_mcp.surface.operations.filters import Moment, spelling
from katana_mcp.tools.requests import Notes
from katana_mcp.writing.change import AnyChange

type _Said = Annotated[StrictStr, Argument(min_length=1, max_length=256)]
type _Page = Annotated[StrictStr, Argument(min_length=1, max_length=2_048)]
type _Batches = Annotated[list[BatchQuantity], Argument(min_length=1, max_length=50)]
_REFUNDED = "Katana takes no refund by its API, only from accounting: `list_sales_returns` shows what is refunded"

SALES_RETURN = Writable(
    entity="sales_return",
    collection="sales_returns",
    says_id="Id or number.",
    id_kind=Reference,
    key=Key(name="order_no", words="return number", prefix="RO-"),
    head=(
        number_field("order_no", "RO-6"),
        Field(
            "sales_order_id",
            Reference,
            "What was shipped: id or number.",
            verbs=ONLY_NEW,
            required=True,
            names="sales_order",
        ),
        Field(
            "return_location_id",
            Reference,
            "Where it comes back: id or name.",
            required=True,
            clears=False,
            names="location",
        ),
        Field("order_created_date", Moment, "When it was opened.", clears=False, filled=True),
        Field("return_date", Moment, "When it came back.", verbs=ONLY_LATER, clears=False, filled=True),
        Field("additional_info", Notes, "Its notes."),
        Field("tracking_number", _Said, "Of the parcel."),
        Field("tracking_number_url", _Page, "Its page."),
        Field("tracking_carrier", _Said, "Who carries it."),
        Field("tracking_method", _Said, "How it is sent."),
    ),
    parts=(
        Part(
            name="rows",
            one="row",
            held=returning.HELD,
            fields=(
                Field("fulfillment_row_id", PartId, "Row of a shipment.", verbs=ONLY_NEW, required=True),
                Field("quantity", Made, "All that can be returned by default.", clears=False, filled=True),
                Field("reason_id", PartId, "`list_reference` has return reasons."),
                Field(
                    "restock_location_id",
                    Reference,
                    "Where it goes in stock, id or name; where it left by default.",
                    clears=False,
                    filled=True,
                    names="location",
                ),
                Field(
                    "batch_transactions", _Batches, "", argument="batches", verbs=ONLY_LATER, clears=False, filled=True
                ),
            ),
            says={
                "new": "By default all that can be returned.",
                "add": "New rows.",
                "update": "Changed rows.",
                "delete": "To delete.",
            },
            most=250,
            collection="sales_return_rows",
            entity=ROWS,
            parent="sales_return_id",
            look=lambda body: {"sales_return_id": body["sales_return_id"]},
            inside=lambda _, __: False,
            finish=returning.finish,
            line=returning.line,
            filled=True,
            unsaid=("batch_transactions",),
            key_kind=PartId,
            also={"sales_return_row_id": ("row_id",)},
            is_brief=True,
        ),
    ),
    status=Status(
        kind=Annotated[SalesReturnStatus, spelling(SalesReturnStatus)],
        says="RETURNED_ALL: back, not in stock. RESTOCKED_ALL: in stock at each row's location.",
        first="NOT_RETURNED",
        refused={},
        path="",
        unlocks=restocking.unlocks,
        is_alone=restocking.is_restocked,
    ),
    words={
        **dict.fromkeys(("rows", "lines", "items"), "say `update_rows` to change rows, `add_rows` to add some"),
        **dict.fromkeys(("refund_status", "refund"), _REFUNDED),
        "sales_order_id": "a return is of one sales order: `create_sales_return` plans one of another",
    },
    described=returning.described,
    reads=dict.fromkeys(("create", "modify", "delete"), ("sales_order", ROWS, *returning.READ)),
    answers=ANSWERS,
    what={
        "create": " of goods shipped on a sales order; without `rows`, all that can be returned",
        "modify": ": received, put in stock, or its head and rows",
        "delete": " with its rows",
    },
    gather=returning.gather,
    is_sendable=returning.is_sendable,
    read=returning.read,
    left=restocking.left,
    currency=returning.currency,
    rules=(*returning.RULES, *restocking.RULES),
    moves=restocking.moves,
    binds=returning.binds,
    lanes=returning.lanes,
)
_PLAIN = writes(SALES_RETURN)
WRITES: Mapping[Verb, AnyChange] = {**_PLAIN, "create": completed(_PLAIN["create"], returning.whole)}
