"""Sales order shipping fee as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.wire import Amount, ReadModel


class SalesOrderShippingFee(ReadModel):
    """A shipping fee; it has no timestamps."""

    id: int | None = None
    sales_order_id: int | None = None
    amount: Amount = None
    tax_rate_id: int | None = None
    description: str | None = None
