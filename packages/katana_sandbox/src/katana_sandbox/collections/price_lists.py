"""Price lists; they are not applied to sales orders by themselves."""

from katana_sandbox.descriptor import Collection, Field, Filter, Ranges

PRICE_LISTS = Collection(
    name="price_lists",
    entity="price list",
    operations=("list", "get", "create", "update", "delete"),
    fields=(Field("name"), Field("is_active", default=True)),
    filters=(Filter("name"), Filter("is_active", "bool")),
    ranges=Ranges(dates=False, deleted=False),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    children=(("price_list_rows", "price_list_id"), ("price_list_customers", "price_list_id")),
)
