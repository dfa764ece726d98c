"""Default bins: the bin that a variant belongs in at a location."""

from katana_sandbox.descriptor import Context
from katana_sandbox.wire.encoding import Record


def default_bin(ctx: Context, variant_id: object, location_id: object) -> Record | None:
    """The link of a variant to a bin of a location, or None."""
    for link in ctx.children("variant_bin_locations", "variant_id", variant_id):
        if (ctx.get("bin_locations", link["storage_bin_id"]) or {}).get("location_id") == location_id:
            return link
    return None
