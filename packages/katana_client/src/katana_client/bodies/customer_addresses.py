"""Fields of bodies of `customer_addresses` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from katana_client.wire import Ref, WriteModel


class CustomerAddressCreateBody(WriteModel):
    """What `CreateCustomerAddressRequest` has of the facts alone."""

    customer_id: Ref
    entity_type: Literal["billing", "shipping"]
