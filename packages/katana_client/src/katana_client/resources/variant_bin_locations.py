"""Default bins of variants.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from collections.abc import Sequence
from typing import Annotated, Never

from pydantic import StringConstraints

from katana_client.answers import answered_rows
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.variant_bin_locations import VariantBinLocation
from katana_client.resource import Resource
from katana_client.wire import Ref, WriteModel


class VariantDefaultStorageBinLink(WriteModel):
    """`VariantDefaultStorageBinLink` of the facts."""

    variant_id: Ref
    bin_name: Annotated[str, StringConstraints(min_length=1)]
    location_id: Ref | None = None


class UnlinkVariantBinLocation(WriteModel):
    """`UnlinkVariantBinLocationRequest` of the facts."""

    location_id: Ref
    variant_id: Ref


class VariantBinLocations(Resource[VariantBinLocation, Never, Never]):
    """`/variant_bin_locations`."""

    spec = spec_of("variant_bin_locations", VariantBinLocation)

    async def link(self, rows: Sequence[VariantDefaultStorageBinLink]) -> tuple[VariantBinLocation, ...]:
        """Set default bins of variants."""
        return await answered_rows(
            self.sender, Call("POST", "/variant_bin_locations", (), [row.wire() for row in rows]), VariantBinLocation
        )

    async def unlink(self, rows: Sequence[UnlinkVariantBinLocation]) -> None:
        """Take default bins from variants."""
        await self.sender.send(Call("POST", "/unlink_variant_bin_locations", (), [row.wire() for row in rows]))
