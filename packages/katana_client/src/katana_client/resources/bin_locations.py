"""Bins of locations.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import StringConstraints

from katana_client.collection import spec_of
from katana_client.models.bin_locations import StorageBin
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class StorageBinCreate(WriteModel):
    """`StorageBinCreate` of the facts."""

    bin_name: Annotated[str, StringConstraints(min_length=1)]
    location_id: Ref


class StorageBinUpdate(WriteModel):
    """`StorageBinUpdate` of the facts."""

    bin_name: Annotated[str, StringConstraints(min_length=1)]


class BinLocations(Resource[StorageBin, StorageBinCreate, StorageBinUpdate]):
    """`/bin_locations`."""

    spec = spec_of("bin_locations", StorageBin, create=StorageBinCreate, update=StorageBinUpdate)
