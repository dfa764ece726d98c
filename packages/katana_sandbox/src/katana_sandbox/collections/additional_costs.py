"""Additional costs: the system's presets, read-only."""

from katana_sandbox.descriptor import Collection, Filter

ADDITIONAL_COSTS = Collection(
    name="additional_costs",
    entity="additional cost",
    operations=("list",),
    filters=(Filter("name"),),
)
