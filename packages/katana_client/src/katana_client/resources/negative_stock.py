"""Variants whose stock at a location is below zero; no ids, no delta (facts 3.7).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.negative_stock import NegativeStock
from katana_client.resource import Resource


class NegativeStocks(Resource[NegativeStock, Never, Never]):
    """`/negative_stock`."""

    spec = spec_of("negative_stock", NegativeStock, key=("variant_id", "location_id"))
