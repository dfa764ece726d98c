"""Prices of variants in a price list."""

from katana_sandbox.descriptor import Collection, Route, plain_fields
from katana_sandbox.rules.price_lists import create_many

PRICE_LIST_ROWS = Collection(
    name="price_list_rows",
    fields=plain_fields("price_list_id variant_id adjustment_method amount"),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("price_list_id", "variant_id"),
    references={"price_list_id": "price_lists", "variant_id": "variants"},
    parent=("price_list_id", "price_lists"),
    routes=(Route("POST", "/price_list_rows", create_many),),
)
