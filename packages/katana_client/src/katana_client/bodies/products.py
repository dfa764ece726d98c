"""Fields of bodies of `products` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, WriteModel


class ProductCreateBody(WriteModel):
    """What `CreateProductRequest` has of the facts alone."""

    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None


class ProductUpdateBody(WriteModel):
    """What `UpdateProductRequest` has of the facts alone."""

    is_producible: Omittable[bool] = None
    is_purchasable: Omittable[bool] = None
    is_auto_assembly: Omittable[bool] = None
    serial_tracked: Omittable[bool] = None
    operations_in_sequence: Omittable[bool] = None
