"""Fields of bodies of `price_lists` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, WriteModel


class PriceListUpdateBody(WriteModel):
    """What `UpdatePriceListRequest` has of the facts alone."""

    name: Omittable[str] = None
    is_active: Omittable[bool] = None
