"""Tax rates: list and create only."""

from katana_sandbox.descriptor import Collection, Context, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.rules.tax_rates import settle_tax_rate
from katana_sandbox.wire.encoding import Record, plain


def display_name(rate: float, name: str) -> str:
    """The label that the server derives, such as "15% VAT"."""
    return f"{plain(rate)}% {name}".strip()


def _create(ctx: Context, body: Record) -> Record:
    fields = build(TAX_RATES, body)
    return ctx.insert("tax_rates", {**fields, "display_name": display_name(body["rate"], fields["name"])})


TAX_RATES = Collection(
    name="tax_rates",
    fields=plain_fields("name= rate is_default_sales=false is_default_purchases=false display_name="),
    stamps=("created_at", "updated_at"),
    on_create=_create,
    settle=settle_tax_rate,
)
