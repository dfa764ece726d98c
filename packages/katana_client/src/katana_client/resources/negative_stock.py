"""Variants whose stock at a location is below zero; no ids, no delta (facts 3.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.negative_stock import NegativeStock
from katana_client.resource import Resource


class NegativeStocks(Resource[NegativeStock, Never, Never]):
    """`/negative_stock`."""

    spec = Spec(
        name="negative_stock",
        model=NegativeStock,
        key=(
            "variant_id",
            "location_id",
        ),
        filters=Filters(
            single=(
                "location_id",
                "variant_id",
                "latest_negative_stock_date_max",
                "latest_negative_stock_date_min",
                "name",
                "sku",
                "category",
            )
        ),
    )
