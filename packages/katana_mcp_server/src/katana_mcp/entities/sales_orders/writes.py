"""How sales orders are written: head, rows, addresses, shipping fee and status; `fulfilling` ships."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, StrictStr
from pydantic import Field as Argument

from katana_client.resources.addresses import PERSON, PLACE
from katana_mcp.documents.custom_fields import Attributes, custom_values, of_documents, of_rows
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Status, Writable
from katana_mcp.documents.tracking import BINS, TRACEABILITY, traced_field
from katana_mcp.documents.transition import State
from katana_mcp.documents.usual_fields import (
    BRIEF_GOODS,
    ROW_PLACE,
    TAX_RATE,
    Amount,
    Ordered,
    PartId,
    Reference,
    filled,
)
from katana_mcp.documents.verbs import writes
from katana_mcp.entities.sales_orders import checks, pricing
from katana_mcp.entities.sales_orders.free_stock import uncovered
from katana_mcp.entities.sales_orders.pricing import ADDRESSES, FEE, ROWS
from katana_mcp.entities.sales_orders.reading import BY_VERB, gather
from katana_mcp.entities.sales_orders.responses import ANSWERS
from katana_mcp.entities.sales_orders.shipped_goods import returned
from katana_mcp.surface.operations.filters import Currency, Moment, spelling
from katana_mcp.tools.requests import DocumentNumber, Notes, ShortText
from katana_mcp.writing.actions import JsonObject


def _in_cents(value: Decimal) -> Decimal:
    if value != value.quantize(Decimal("0.01")):
        raise ValueError("must have at most 2 decimals: Katana keeps no more of a discount")
    return value


type _Discount = Annotated[Amount, AfterValidator(_in_cents)]
type _Said = Annotated[StrictStr, Argument(min_length=1, max_length=255)]
type _Page = Annotated[StrictStr, Argument(min_length=1, max_length=2_048)]
type _NewStatus = Literal["PENDING", "NOT_SHIPPED"]
type _Settable = Literal["PENDING", "NOT_SHIPPED", "READY_FOR_FULFILLMENT"]
_SHIPPING = "shipments have a tool of their own: `fulfill_order` ships, changes a shipment and takes one back"


def _of_order(body: JsonObject) -> JsonObject:
    """Return what a listing is narrowed by to find what was added to an order."""
    return {"sales_order_ids": [body["sales_order_id"]]}


def _place_of(row: State) -> str:
    """Return an address in words."""
    return ", ".join(str(row[name]) for name in ("line_1", "zip", "city", "country") if row.get(name))


SALES_ORDER = Writable(
    entity="sales_order",
    collection="sales_orders",
    says_id="Id or number.",
    id_kind=Reference,
    key=Key(name="order_no", words="order number", prefix="SO-"),
    head=(
        Field("order_no", DocumentNumber, "Its number.", clears=False),
        Field("customer_id", Reference, "Id or name.", required=True, clears=False, names="customer"),
        Field("location_id", Reference, "Ship from.", clears=False, filled=True, names="location"),
        Field("order_created_date", Moment, "Ordered on.", clears=False, filled=True),
        Field("delivery_date", Moment, "Due on.", clears=False),
        Field("currency", Currency, "The customer's.", clears=False, filled=True),
        Field("customer_ref", ShortText, "Their reference."),
        Field("additional_info", Notes, "Its notes."),
        Field("tracking_number", _Said, "Of a parcel."),
        Field("tracking_number_url", _Page, "Its page."),
        custom_values(*of_documents("SalesOrder")),
        *(
            Field(name, _Said, "Of the web shop.", verbs=ONLY_NEW)
            for name in ("ecommerce_order_type", "ecommerce_store_name", "ecommerce_order_id")
        ),
    ),
    parts=(
        Part(
            name="rows",
            one="row",
            held=ROWS,
            fields=(
                *filled(
                    BRIEF_GOODS,
                    Field("quantity", Ordered, "In stock units.", required=True),
                    Field("price_per_unit", Amount, "Without tax; the item's own by default."),
                    Field("total_discount", _Discount, "Deducted from the whole row."),
                    TAX_RATE,
                    ROW_PLACE,
                    Field("attributes", Attributes, "Texts by key."),
                ),
                traced_field(ONLY_LATER),
                custom_values(*of_rows("SalesOrder"), filled=True, says=False),
            ),
            says={"new": "What is sold.", "add": "New rows.", "update": "Changed rows.", "delete": "To delete."},
            most=250,
            needed=True,
            collection=ROWS,
            parent="sales_order_id",
            look=_of_order,
            line=pricing.row_line,
            finish=pricing.finish_row,
            adds_first=True,
            unsaid=(TRACEABILITY, BINS),
            key_kind=PartId,
            also={"sales_order_row_id": ("row_id",)},
            is_brief=True,
        ),
        Part(
            name="addresses",
            one="address",
            held=ADDRESSES,
            fields=(
                Field("entity_type", Literal["billing", "shipping"], verbs=ONLY_NEW, required=True),
                *(Field(name, ShortText) for name in (*PERSON, *PLACE)),
            ),
            says={
                "new": "One for billing, one for shipping; the customer's own by default.",
                "add": "New ones.",
                "update": "Changed ones.",
                "delete": "To delete.",
            },
            most=2,
            collection="sales_order_addresses",
            parent="sales_order_id",
            look=_of_order,
            kind=lambda row: f"{row['entity_type']} address",
            called=_place_of,
            filled=True,
            key_kind=PartId,
            is_brief=True,
        ),
        Part(
            name="shipping_fees",
            one="shipping_fee",
            held=FEE,
            fields=filled(
                Field("amount", Amount, "Without tax.", required=True, is_paired=True),
                Field("tax_rate_id", Reference, "Id or name.", names="tax_rate", is_paired=True),
                Field("description", ShortText, "", is_paired=True),
            ),
            says={"new": "One at most.", "add": "New one.", "update": "Changed fee.", "delete": "To delete."},
            most=1,
            collection="sales_order_shipping_fee",
            parent="sales_order_id",
            look=lambda body: {"sales_order_id": body["sales_order_id"]},
            kind=lambda _: "shipping fee",
            line=pricing.fee_line,
            inside=lambda _, __: False,
            finish=pricing.finish_fee,
            key_kind=PartId,
            is_brief=True,
        ),
    ),
    status=Status(
        kind=Annotated[_Settable, spelling(_Settable)],
        says="PENDING: a quote.",
        first="NOT_SHIPPED",
        refused=checks.REFUSED,
        path="",
        new_kind=Annotated[_NewStatus, spelling(_NewStatus)],
        says_new="PENDING is a quote.",
    ),
    words={
        **dict.fromkeys(("rows", "lines", "items"), "say `update_rows` to change rows, `add_rows` to add some"),
        **dict.fromkeys(("addresses", "shipping_address", "billing_address"), ("add_addresses", "update_addresses")),
        **dict.fromkeys(("shipping_fee", "shipping", "freight"), ("add_shipping_fees", "update_shipping_fees")),
        **dict.fromkeys(("fulfillments", "picked_date", "shipments"), _SHIPPING),
    },
    described=pricing.described,
    reads=BY_VERB,
    answers=ANSWERS,
    what={"create": " with its rows", "modify": "", "delete": " with its rows and shipments"},
    parties=("customer_id",),
    gather=gather,
    read=pricing.read,
    no_way_back=checks.no_way_back,
    back=checks.back,
    left=checks.left,
    moves=returned,
    totals=pricing.totals,
    currency=pricing.currency,
    rules=(*pricing.RULES, *checks.RULES, uncovered),
    binds=pricing.binds,
    linked=checks.linked,
)
WRITES = writes(SALES_ORDER)
