"""Price lists (facts 3.2, 4.2); no delta."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.price_lists import PriceList
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class PriceListCreate(WriteModel):
    """A new price list; it is switched on and off by an update."""

    name: Annotated[str, StringConstraints(max_length=100)]


class PriceListUpdate(WriteModel):
    """A change of a price list."""

    name: Omittable[str] = None
    is_active: Omittable[bool] = None


class PriceLists(Resource[PriceList, PriceListCreate, PriceListUpdate]):
    """`/price_lists`."""

    spec = Spec(
        name="price_lists",
        model=PriceList,
        create=PriceListCreate,
        update=PriceListUpdate,
        deletes=True,
        gets="path",
        filters=Filters(single=("name", "is_active"), repeated=("ids",)),
    )
