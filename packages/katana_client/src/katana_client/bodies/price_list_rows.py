"""Fields of bodies of `price_list_rows` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from typing import Literal

from katana_client.wire import Omittable, Ref, WriteModel


class PriceListRowUpdateBody(WriteModel):
    """What `UpdatePriceListRowRequest` has of the facts alone."""

    variant_id: Omittable[Ref] = None
    adjustment_method: Omittable[Literal["fixed", "percentage", "markup"]] = None


class PriceListRowsCreateBody(WriteModel):
    """What `CreatePriceListRowRequest` has of the facts alone."""

    price_list_id: Ref
