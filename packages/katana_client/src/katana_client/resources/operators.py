"""Operators; no dates, no ids filter (facts 3.3, 1.13).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.operators import Operator
from katana_client.resource import Resource


class Operators(Resource[Operator, Never, Never]):
    """`/operators`."""

    spec = spec_of("operators", Operator)
