"""Fields of bodies of `customers` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import FreeFields, Ref, WriteModel


class CustomerCreateBody(WriteModel):
    """What `CreateCustomerRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None


class CustomerUpdateBody(WriteModel):
    """What `UpdateCustomerRequest` has of the facts alone."""

    custom_fields: FreeFields | None = None
    default_shipping_id: Ref | None = None
