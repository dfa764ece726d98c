"""Receiving: an action on purchase order rows, with no records of its own."""

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Route
from katana_sandbox.rules.receiving import receive


def _receive(ctx: Context, _collection: Collection, call: Call) -> Reply:
    receive(ctx, call.body())
    return Reply(204)


PURCHASE_ORDER_RECEIVE = Collection(
    name="purchase_order_receive",
    entity="receipt",
    routes=(Route("POST", "/purchase_order_receive", _receive),),
)
