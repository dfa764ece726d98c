"""Fields of bodies of `purchase_order_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from pydantic import AwareDatetime

from katana_client.wire import FreeFields, Omittable, Ref, WriteModel


class PurchaseOrderRowCreateBody(WriteModel):
    """What `CreatePurchaseOrderRowRequest` has of the facts alone."""

    purchase_order_id: Ref
    custom_fields: FreeFields | None = None
    location_id: Omittable[Ref] = None


class PurchaseOrderRowUpdateBody(WriteModel):
    """What `UpdatePurchaseOrderRowRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    variant_id: Omittable[Ref] = None
    tax_rate_id: Omittable[Ref] = None
    tax_name: Omittable[str] = None
    received_date: Omittable[AwareDatetime] = None
    arrival_date: Omittable[AwareDatetime] = None
    location_id: Omittable[Ref] = None
