"""Additional costs: the system's presets, read-only."""

from katana_sandbox.descriptor import Collection

ADDITIONAL_COSTS = Collection(
    name="additional_costs",
)
