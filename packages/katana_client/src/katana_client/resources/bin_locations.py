"""Bins of locations.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated

from pydantic import Field, StringConstraints

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.bin_locations import StorageBin
from katana_client.resource import Resource
from katana_client.wire import WriteModel


class StorageBinCreate(WriteModel):
    """`StorageBinCreate` of the facts."""

    bin_name: Annotated[str, StringConstraints(min_length=1)]
    location_id: Annotated[int, Field(ge=1)]


class StorageBinUpdate(WriteModel):
    """`StorageBinUpdate` of the facts."""

    bin_name: str


class BinLocations(Resource[StorageBin, StorageBinCreate, StorageBinUpdate]):
    """`/bin_locations`."""

    spec = Spec(
        name="bin_locations",
        model=StorageBin,
        create=StorageBinCreate,
        update=StorageBinUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(
            single=(
                "location_id",
                "include_deleted",
                "bin_name",
            ),
            repeated=("ids",),
        ),
    )
