"""Variants whose stock at a location is below zero; read-only, no ids, no delta (facts 3.7)."""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.negative_stock import NegativeStock
from katana_client.resource import Resource


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
