"""Price lists; they are not applied to sales orders by themselves."""

from katana_sandbox.descriptor import Collection, plain_fields

PRICE_LISTS = Collection(
    name="price_lists",
    fields=plain_fields("name is_active=true"),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    children=(("price_list_rows", "price_list_id"), ("price_list_customers", "price_list_id")),
)
