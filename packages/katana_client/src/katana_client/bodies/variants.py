"""Fields of bodies of `variants` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.wire import Omittable, WriteModel


class VariantCreateBody(WriteModel):
    """What `CreateVariantRequest` has of the facts alone."""

    sku: Omittable[str] = None
    internal_barcode: Omittable[Annotated[str, StringConstraints(min_length=3, max_length=40)]] = None
    registered_barcode: Omittable[Annotated[str, StringConstraints(max_length=120)]] = None
