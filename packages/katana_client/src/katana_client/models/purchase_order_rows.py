"""Purchase order rows as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.tracking import BatchTransaction
from katana_client.wire import Amount, Moment, ReadModel


class PurchaseOrderRow(ReadModel):
    """A row. `quantity` and `price_per_unit` are per purchase unit; `total` is without tax.

    A partial receipt splits a row: the open rest keeps the id, and what arrived is a new row (facts 5.52), so rows are
    told apart by id, never by variant. `received_date` is null until received.
    """

    id: int | None = None
    quantity: Amount = None
    variant_id: int | None = None
    tax_rate_id: int | None = None
    price_per_unit: Amount = None
    price_per_unit_in_base_currency: Amount = None
    purchase_uom_conversion_rate: Amount = None
    purchase_uom: str | None = None
    currency: str | None = None
    conversion_rate: Amount = None
    total: Amount = None
    total_in_base_currency: Amount = None
    conversion_date: Moment = None
    received_date: Moment = None
    arrival_date: Moment = None
    batch_transactions: list[BatchTransaction] | None = None
    purchase_order_id: int | None = None
    location_id: int | None = None
    landed_cost: Amount = None
    group_id: int | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
