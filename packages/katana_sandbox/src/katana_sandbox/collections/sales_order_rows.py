"""Rows of sales orders."""

from katana_sandbox.collections.search import search
from katana_sandbox.descriptor import Collection, Context, Field, Route, plain_fields
from katana_sandbox.render import render_key
from katana_sandbox.rules.manufacturing_open import release_row
from katana_sandbox.rules.sales import settle_order
from katana_sandbox.rules.sales_rows import check_row_deletable, insert_row, update_row
from katana_sandbox.rules.serials import SOLD, unbind
from katana_sandbox.rules.stock import pair_of
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import decimal_text


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    line = before or after or {}
    if after is None:
        release_row(ctx, line)
        unbind(ctx, SOLD, line["id"])
    settle_order(ctx, line.get("sales_order_id"), [pair_of(ctx, row) for row in (before, after) if row])


def _variant(ctx: Context, row: Record) -> bytes:
    for name in ("variants", "service_variants"):
        raw = render_key(ctx, name, row.get("variant_id"))
        if raw is not None:
            return raw
    return b"null"


SALES_ORDER_ROWS = Collection(
    name="sales_order_rows",
    custom_fields=("SalesOrderRow",),
    fields=(
        *plain_fields(
            "sales_order_id quantity variant_id tax_rate_id tax_rate location_id product_availability"
            " product_expected_date"
        ),
        Field("price_per_unit", store=decimal_text(10)),
        *plain_fields("price_per_unit_in_base_currency=0 total=0 total_in_base_currency=0"),
        Field("total_discount", "0.00", decimal_text(2)),
        *plain_fields(
            "cogs_value attributes=[] batch_transactions=[] serial_numbers=[] serial_number_transactions=[]"
            " linked_manufacturing_order_id conversion_rate conversion_date custom_fields traceability=[] sku"
        ),
    ),
    foreign_keys=("sales_order_id", "variant_id"),
    references={
        "sales_order_id": "sales_orders",
        "variant_id": "variants",
        "tax_rate_id": "tax_rates",
        "location_id": "locations",
    },
    extends={"variant": _variant},
    parent=("sales_order_id", "sales_orders"),
    routes=(Route("POST", "/sales_order_rows/search", search),),
    on_create=insert_row,
    on_update=update_row,
    on_delete=check_row_deletable,
    settle=_settle,
)
