"""Fields of bodies of `supplier_addresses` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Ref, WriteModel


class SupplierAddressCreateBody(WriteModel):
    """What `CreateSupplierAddressRequest` has of the facts alone."""

    supplier_id: Ref
