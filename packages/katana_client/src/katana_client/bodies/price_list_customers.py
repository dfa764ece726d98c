"""Fields of bodies of `price_list_customers` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Ref, WriteModel


class PriceListCustomerUpdateBody(WriteModel):
    """What `UpdatePriceListCustomerRequest` has of the facts alone."""

    customer_id: Ref


class PriceListCustomersCreateBody(WriteModel):
    """What `CreatePriceListCustomerRequest` has of the facts alone."""

    price_list_id: Ref
