"""Variants whose stock at a location is below zero; read-only, no ids, no delta (facts 3.7)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.resource import Resource
from katana_client.wire import Amount, Moment, ReadModel


class NegativeStock(ReadModel):
    """A variant below zero at a location."""

    variant_id: int | None = None
    location_id: int | None = None
    latest_negative_stock_date: Moment = None
    name: str | None = None
    sku: str | None = None
    category: str | None = None
    quantity_on_hand: Amount = None
    quantity_allocated: Amount = None


class NegativeStocks(Resource[NegativeStock, Never, Never]):
    """`/negative_stock`, keyed by variant and location."""

    spec = Spec(
        name="negative_stock",
        model=NegativeStock,
        key=("variant_id", "location_id"),
        filters=Filters(
            single=(
                "location_id",
                "variant_id",
                "latest_negative_stock_date_min",
                "latest_negative_stock_date_max",
                "name",
                "sku",
                "category",
            )
        ),
    )
