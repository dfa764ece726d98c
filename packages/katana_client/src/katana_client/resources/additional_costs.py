"""Kinds of costs of purchase orders: Katana's presets.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.additional_costs import AdditionalCost
from katana_client.resource import Resource


class AdditionalCosts(Resource[AdditionalCost, Never, Never]):
    """`/additional_costs`."""

    spec = spec_of("additional_costs", AdditionalCost)
