"""Customers a price list is for."""

from katana_sandbox.descriptor import Collection, Field, Filter, Ranges, Route
from katana_sandbox.rules.price_lists import create_many

PRICE_LIST_CUSTOMERS = Collection(
    name="price_list_customers",
    entity="price list customer",
    operations=("list", "get", "update", "delete"),
    fields=(Field("price_list_id"), Field("customer_id")),
    filters=(
        Filter("customer_ids", "int", "customer_id", many=True),
        Filter("price_list_ids", "int", "price_list_id", many=True),
    ),
    ranges=Ranges(dates=False, deleted=False),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    foreign_keys=("price_list_id", "customer_id"),
    references={"price_list_id": "price_lists", "customer_id": "customers"},
    parent=("price_list_id", "price_lists"),
    routes=(Route("POST", "/price_list_customers", create_many),),
)
