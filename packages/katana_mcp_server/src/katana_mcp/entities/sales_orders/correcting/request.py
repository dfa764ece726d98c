"""What may be asked of a correction: rows of a shipped order changed, added or deleted, and fields of its head."""

from dataclasses import replace

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.correcting import ONE_WAY
from katana_mcp.documents.declaration import ONLY_NEW, Field
from katana_mcp.documents.traces import Batches
from katana_mcp.documents.transition import State, Transition
from katana_mcp.documents.usual_fields import PartId
from katana_mcp.entities.sales_orders.fulfilling.shipment import SHIPPING
from katana_mcp.entities.sales_orders.writes import SALES_ORDER

_ROWS, *_, _SHIPMENTS = SHIPPING.parts
_LOCKED = ("order_no", "customer_id", "location_id", "delivery_date", "currency")
_ROW = ("variant_id", "quantity", "price_per_unit", "total_discount", "tax_rate_id", "location_id")
BATCHES, SHIPMENT = "batches", "fulfillment_id"
"""What of a row only a correction knows: the batches that it left from, and the shipment that a new one left with."""
MADE_WITH = ("attributes", "custom_fields")
"""What else a row is made again with."""


def _one_way(_: Transition) -> str:
    return ONE_WAY


def _shipment(row: State) -> str:
    return f"{row['status']} shipment of {str(row.get('picked_date'))[: len('2026-02-20')]}"


_head = tuple(
    replace(field, clears=False, says="Such as EUR." if field.name == "currency" else field.says)
    for field in SALES_ORDER.head
    if field.name in _LOCKED
)
_fields = tuple(field for field in _ROWS.fields if field.name in _ROW)
_asked = (
    *(replace(field, says="", **({"verbs": ONLY_NEW} if field.name == "variant_id" else {})) for field in _fields),
    Field(BATCHES, Batches, "Shipped; the rest has no batch.", clears=False, filled=True),
    Field(SHIPMENT, PartId, "Its shipment; the last by default.", clears=False, filled=True, verbs=ONLY_NEW),
)
_says = {**_ROWS.says, "add": "Also shipped.", "update": "Corrected rows.", "delete": "Not sold."}
SHOWN = replace(SALES_ORDER, head=_head, no_way_back=_one_way)
"""A sales order with what a correction changes of its head."""
CORRECTED = replace(
    SHOWN,
    parts=(
        replace(
            _ROWS,
            fields=_asked,
            says=_says,
            is_brief=False,
            also={**_ROWS.also, "sales_order_fulfillment_id": (SHIPMENT,)},
        ),
        *SALES_ORDER.parts[1:],
    ),
)
"""The same as a correction is asked for."""
_PACKER = Field("packer_id", PartId, clears=False, filled=True)
EDITED = replace(SHOWN, parts=(replace(_ROWS, fields=_fields),))
"""What of an order is edited once it is open."""
SHIPPED = replace(SHOWN, parts=(replace(_SHIPMENTS, fields=(*_SHIPMENTS.fields, _PACKER), kind=_shipment),))
"""What closes it again."""
REQUEST = request_of(replace(CORRECTED, parts=CORRECTED.parts[:1], status=None), "modify")
