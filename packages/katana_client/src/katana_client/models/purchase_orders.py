"""Purchase orders as Katana sends them.

Rendered by scripts/render_models.py: change the facts of katana_schema, or read_models.toml.
"""

from katana_client.models.purchase_order_rows import PurchaseOrderRow
from katana_client.wire import Amount, Linked, Moment, ReadModel


class PurchaseOrder(ReadModel):
    """A purchase order, regular or outsourced (`entity_type`). `total` is with tax.

    `tracking_location_id`, `ingredient_availability` and `ingredient_expected_date` belong to outsourced orders and are
    null on regular ones. `default_group_id` is the group of its additional costs. An update is answered without rows
    (facts 5.8). `supplier` comes with `extend=["supplier"]` only.
    """

    id: int | None = None
    status: str | None = None
    order_no: str | None = None
    entity_type: str | None = None
    default_group_id: int | None = None
    supplier_id: int | None = None
    currency: str | None = None
    expected_arrival_date: Moment = None
    order_created_date: Moment = None
    additional_info: str | None = None
    location_id: int | None = None
    total: Amount = None
    total_in_base_currency: Amount = None
    billing_status: str | None = None
    last_document_status: str | None = None
    purchase_order_rows: list[PurchaseOrderRow] | None = None
    supplier: Linked = None
    tracking_location_id: int | None = None
    ingredient_availability: str | None = None
    ingredient_expected_date: Moment = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None
