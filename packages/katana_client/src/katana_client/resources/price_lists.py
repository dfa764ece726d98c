"""Price lists (facts 3.2, 4.2); no delta."""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, Omittable, ReadModel, WriteModel


class PriceList(ReadModel):
    """A price list; its rows and customers have collections of their own."""

    id: int | None = None
    name: str | None = None
    is_active: bool | None = None
    created_at: Moment = None
    updated_at: Moment = None


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
