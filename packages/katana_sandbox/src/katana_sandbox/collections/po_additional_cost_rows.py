"""Additional costs of purchase orders, by cost group."""

from katana_sandbox.descriptor import Collection, plain_fields
from katana_sandbox.rules.purchase_edits import create_cost, update_cost
from katana_sandbox.rules.purchases import settle_cost

PO_ADDITIONAL_COST_ROWS = Collection(
    name="po_additional_cost_rows",
    entity="additional cost row",
    fields=plain_fields(
        "additional_cost_id group_id name distribution_method=BY_VALUE tax_rate_id tax_rate price"
        " price_in_base currency currency_conversion_rate currency_conversion_rate_fix_date reference"
    ),
    foreign_keys=("group_id",),
    references={"additional_cost_id": "additional_costs", "tax_rate_id": "tax_rates"},
    on_create=create_cost,
    on_update=update_cost,
    settle=settle_cost,
)
