"""Po additional cost rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, Moment, ReadModel


class PurchaseOrderAdditionalCostRow(ReadModel):
    """A cost of the rows of a group (`PurchaseOrder.default_group_id`); `name` is that of the kind of cost."""

    id: int | None = None
    additional_cost_id: int | None = None
    group_id: int | None = None
    name: str | None = None
    reference: str | None = None
    distribution_method: str | None = None
    tax_rate_id: int | None = None
    tax_rate: Amount = None
    price: Amount = None
    price_in_base: Amount = None
    currency: str | None = None
    currency_conversion_rate: Amount = None
    currency_conversion_rate_fix_date: Moment = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
