"""Sales returns: what customers send back of what was shipped; it is in stock again once all is restocked."""

from decimal import Decimal

from katana_sandbox.calls import Call, Reply
from katana_sandbox.descriptor import Collection, Context, Embed, Filter, Ranges, Route, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.operations.query import path_record
from katana_sandbox.rules.ledger import Movement, check_open_period, keep, unpost
from katana_sandbox.rules.sales import settle_stock
from katana_sandbox.rules.stock import pair_of, shipped
from katana_sandbox.wire.encoding import Record, encode, rows
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.numbers import as_decimal, fixed, shortest

_REASONS = ("Defective or damaged", "Incorrect spec", "Warranty", "Wrong item", "Dissatisfied", "Other")
# Movements have no kind of their own for returns.
_SOURCE, _PART = "SystemGenerated", "return"
_UNTIL_RETURNED = ("quantity", "reason_id")


def _create(ctx: Context, body: Record) -> Record:
    order = ctx.get("sales_orders", body["sales_order_id"]) or {}
    fields = build(SALES_RETURNS, body)
    fields["order_no"] = body.get("order_no") or ctx.db.next_number("RO")
    fields["order_created_date"] = body.get("order_created_date") or ctx.now
    inherited = {"customer_id": order["customer_id"], "currency": order["currency"]}
    return ctx.insert("sales_returns", {**fields, **inherited, "status": "NOT_RETURNED"})


def _update(ctx: Context, header: Record, changes: Record) -> Record:
    if header["status"] == "RESTOCKED_ALL" and set(changes) - {"status"}:
        raise unprocessable("sales return with status RESTOCKED_ALL can not be edited")
    if changes.get("status", "NOT_RETURNED") != "NOT_RETURNED" and not header["return_date"]:
        changes.setdefault("return_date", ctx.now)
    return changes


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    for row in ctx.children("sales_return_rows", "sales_return_id", (after or before or {}).get("id")):
        _restock(ctx, after, row)


def _restock(ctx: Context, header: Record | None, row: Record) -> None:
    """Let the ledger show what a row has brought back, at what it had cost."""
    if header is None or header["status"] != "RESTOCKED_ALL":
        settle_stock(ctx, unpost(ctx, _SOURCE, row["id"], _PART))
        return
    sold = ctx.get("sales_order_rows", row["sales_order_row_id"], deleted=True) or {}
    gone = shipped(ctx, sold.get("sales_order_id")).get(row["sales_order_row_id"], (Decimal(0),))[0]
    cost = as_decimal(sold.get("cogs_value")) / (gone or 1)
    pair = row["variant_id"], row["restock_location_id"]
    document = header["order_no"], header["id"], _PART
    movement = Movement(*pair, as_decimal(row["quantity"]), cost, header["return_date"], _SOURCE, row["id"], *document)
    check_open_period(ctx, header["return_date"])
    settle_stock(ctx, keep(ctx, _SOURCE, row["id"], movement, _PART))


def _check_deletable(_ctx: Context, header: Record) -> None:
    if header["status"] != "NOT_RETURNED":
        raise unprocessable("sales return can only be deleted in status NOT_RETURNED")


def _reasons(_ctx: Context, _collection: Collection, _call: Call) -> Reply:
    return Reply(200, encode([{"id": key, "name": name} for key, name in enumerate(_REASONS, 1)]))


def returnable_items(ctx: Context, collection: Collection, call: Call) -> Reply:
    """What a sales order has shipped and not got back, by fulfillment row."""
    order = path_record(ctx, collection, call)
    shown: list[Record] = []
    for fulfillment in ctx.children("sales_order_fulfillments", "sales_order_id", order["id"]):
        for line in rows(fulfillment, "sales_order_fulfillment_rows"):
            row = ctx.get("sales_order_rows", line["sales_order_row_id"], deleted=True) or {}
            pair = pair_of(ctx, row) or (row["variant_id"], order["location_id"])
            shown.append(
                {
                    "variant_id": pair[0],
                    "fulfillment_row_id": line["id"],
                    "location_id": pair[1],
                    "available_for_return_quantity": shortest(_available(ctx, line)),
                    "quantity_sold": fixed(line["quantity"], 20),
                    "net_price_per_unit": fixed(_price(row), 10),
                }
            )
    return Reply(200, encode(shown))


def _available(ctx: Context, line: Record, but: object = None) -> Decimal:
    returned = ctx.children("sales_return_rows", "fulfillment_row_id", line["id"])
    taken = (as_decimal(row["quantity"]) for row in returned if row["id"] != but)
    return as_decimal(line["quantity"]) - sum(taken, Decimal(0))


def _price(row: Record) -> Decimal:
    return as_decimal(row.get("total")) / (as_decimal(row.get("quantity")) or 1)


def _shipped_line(ctx: Context, header: Record, key: object) -> Record:
    for fulfillment in ctx.children("sales_order_fulfillments", "sales_order_id", header["sales_order_id"]):
        for line in rows(fulfillment, "sales_order_fulfillment_rows"):
            if line["id"] == key:
                return line
    raise unprocessable("fulfillment row not found")


def _create_row(ctx: Context, body: Record) -> Record:
    header = ctx.get("sales_returns", body["sales_return_id"]) or {}
    _check_deletable(ctx, header)
    line = _shipped_line(ctx, header, body["fulfillment_row_id"])
    row = ctx.get("sales_order_rows", line["sales_order_row_id"], deleted=True) or {}
    if row.get("variant_id") != body["variant_id"]:
        raise unprocessable("variant of the fulfillment row is another")
    _check_quantity(ctx, line, body)
    pair = pair_of(ctx, row)
    fields = build(SALES_RETURN_ROWS, {"restock_location_id": pair[1] if pair else None, **body})
    priced = {"sales_order_row_id": row["id"], "net_price_per_unit": fixed(_price(row), 10)}
    return ctx.insert(
        "sales_return_rows", {**fields, **priced, "quantity": shortest(body["quantity"]), "batch_transactions": []}
    )


def _check_quantity(ctx: Context, line: Record, body: Record, own: object = None) -> None:
    if not 0 < as_decimal(body["quantity"]) <= _available(ctx, line, own):
        raise unprocessable("quantity exceeds the quantity available for return")


def _update_row(ctx: Context, row: Record, changes: Record) -> Record:
    header = ctx.get("sales_returns", row["sales_return_id"]) or {}
    status = header["status"]
    if status == "RESTOCKED_ALL" or (status != "NOT_RETURNED" and any(name in changes for name in _UNTIL_RETURNED)):
        raise unprocessable(f"sales return row can not be edited in status {status}")
    if "quantity" in changes:
        _check_quantity(ctx, _shipped_line(ctx, header, row["fulfillment_row_id"]), changes, row["id"])
        changes["quantity"] = shortest(changes["quantity"])
    return changes


def _check_row_deletable(ctx: Context, row: Record) -> None:
    _check_deletable(ctx, ctx.get("sales_returns", row["sales_return_id"]) or {})


def _unassigned(ctx: Context, collection: Collection, call: Call) -> Reply:
    """The batches of a row's shipment that its return has not named yet."""
    row = path_record(ctx, collection, call)
    header = ctx.get("sales_returns", row["sales_return_id"]) or {}
    given = {batch["batch_id"] for batch in rows(row, "batch_transactions")}
    gone = rows(_shipped_line(ctx, header, row["fulfillment_row_id"]), "batch_transactions")
    left = [batch for batch in gone if batch["batch_id"] is not None and batch["batch_id"] not in given]
    shown = [{"id": place, **batch, "status": "UNASSIGNED"} for place, batch in enumerate(left, 1)]
    return Reply(200, encode({"data": shown}))


def returns_of(ctx: Context, fulfillment: Record) -> bool:
    """Whether anything of a shipment is on a return."""
    lines = rows(fulfillment, "sales_order_fulfillment_rows")
    return any(ctx.children("sales_return_rows", "fulfillment_row_id", line["id"]) for line in lines)


SALES_RETURNS = Collection(
    name="sales_returns",
    fields=plain_fields(
        "customer_id sales_order_id order_no return_location_id status currency return_date order_created_date"
        " additional_info refund_status tracking_number tracking_number_url tracking_carrier tracking_method"
    ),
    filters=(
        Filter("order_return_date_min", "moment_min", "return_date"),
        Filter("order_return_date_max", "moment_max", "return_date"),
    ),
    ranges=Ranges(deleted=False),
    foreign_keys=("sales_order_id",),
    references={"sales_order_id": "sales_orders", "return_location_id": "locations"},
    children=(("sales_return_rows", "sales_return_id"),),
    embeds=(Embed("sales_return_rows", "sales_return_rows", "sales_return_id"),),
    on_create=_create,
    on_update=_update,
    on_delete=_check_deletable,
    settle=_settle,
    routes=(Route("GET", "/sales_returns/return_reasons", _reasons),),
)
SALES_RETURN_ROWS = Collection(
    name="sales_return_rows",
    fields=plain_fields(
        "sales_return_id variant_id fulfillment_row_id sales_order_row_id quantity net_price_per_unit reason_id"
        " restock_location_id batch_transactions"
    ),
    ranges=Ranges(deleted=False),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("sales_return_id", "fulfillment_row_id"),
    references={"sales_return_id": "sales_returns", "restock_location_id": "locations"},
    on_create=_create_row,
    on_update=_update_row,
    on_delete=_check_row_deletable,
    routes=(Route("GET", "/sales_return_rows/{id}/unassigned_batch_transactions", _unassigned),),
)
