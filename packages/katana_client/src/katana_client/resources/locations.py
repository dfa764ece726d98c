"""Locations; read-only (facts 3.3).

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.locations import Location
from katana_client.resource import Resource


class Locations(Resource[Location, Never, Never]):
    """`/locations`."""

    spec = spec_of("locations", Location)
