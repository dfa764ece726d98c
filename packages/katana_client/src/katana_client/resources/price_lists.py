"""Price lists (facts 3.2, 4.2); no delta."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.bodies.price_lists import PriceListUpdateBody
from katana_client.collection import spec_of
from katana_client.models.price_lists import PriceList
from katana_client.resource import Resource
from katana_client.wire import WriteModel


class PriceListCreate(WriteModel):
    """A new price list; it is switched on and off by an update."""

    name: Annotated[str, StringConstraints(max_length=100)]


class PriceListUpdate(PriceListUpdateBody):
    """A change of a price list."""


class PriceLists(Resource[PriceList, PriceListCreate, PriceListUpdate]):
    """`/price_lists`."""

    spec = spec_of("price_lists", PriceList, PriceListCreate, PriceListUpdate)
