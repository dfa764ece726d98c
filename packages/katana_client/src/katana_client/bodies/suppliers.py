"""Fields of bodies of `suppliers` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import FreeFields, WriteModel


class SupplierCreateBody(WriteModel):
    """What `CreateSupplierRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None


class SupplierUpdateBody(WriteModel):
    """What `UpdateSupplierRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
