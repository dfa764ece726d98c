"""Price lists (facts 3.2, 4.2); no delta.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import spec_of
from katana_client.models.price_lists import PriceList
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class PriceListCreate(WriteModel):
    """A new price list; it is switched on and off by an update."""

    name: Annotated[str, StringConstraints(max_length=100)]


class PriceListUpdate(WriteModel):
    """`UpdatePriceListRequest` of the facts."""

    name: Omittable[str] = None
    is_active: Omittable[bool] = None


class PriceLists(Resource[PriceList, PriceListCreate, PriceListUpdate]):
    """`/price_lists`."""

    spec = spec_of("price_lists", PriceList, create=PriceListCreate, update=PriceListUpdate)
