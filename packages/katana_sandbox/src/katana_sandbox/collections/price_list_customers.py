"""Customers a price list is for."""

from katana_sandbox.descriptor import Collection, Route, plain_fields
from katana_sandbox.rules.price_lists import create_many

PRICE_LIST_CUSTOMERS = Collection(
    name="price_list_customers",
    fields=plain_fields("price_list_id customer_id"),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("price_list_id", "customer_id"),
    references={"price_list_id": "price_lists", "customer_id": "customers"},
    parent=("price_list_id", "price_lists"),
    routes=(Route("POST", "/price_list_customers", create_many),),
)
