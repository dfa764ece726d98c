"""Products: made, bought or both; their prices live on variants."""

from katana_sandbox.descriptor import Collection, Context, Embed, Field, plain_fields
from katana_sandbox.rules.items import create_item, linked_supplier, settle_item, update_item
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import decimal_text

ARCHIVABLE = ("created_at", "updated_at", "archived_at", "deleted_at")


def _create(ctx: Context, body: Record) -> Record:
    return create_item(ctx, "products", body)


def _update(ctx: Context, record: Record, changes: Record) -> Record:
    return update_item(ctx, "products", record, changes)


def _settle(ctx: Context, _before: Record | None, after: Record | None) -> None:
    settle_item(ctx, "products", after)


PRODUCTS = Collection(
    name="products",
    item_fields=True,
    fields=(
        *plain_fields(
            "name uom=pcs category_name= is_producible=true default_supplier_id is_purchasable=false"
            " is_auto_assembly=false is_sellable=true type=product purchase_uom"
        ),
        Field("purchase_uom_conversion_rate", store=decimal_text(11)),
        *plain_fields(
            "batch_tracked=false serial_tracked=false operations_in_sequence=false additional_info="
            " custom_field_collection_id"
        ),
    ),
    stamps=ARCHIVABLE,
    references={"default_supplier_id": "suppliers"},
    children=(("variants", "product_id"), ("bom_rows", "product_item_id")),
    embeds=(Embed("variants", "variants", "product_id"),),
    extends={"supplier": linked_supplier},
    wipes="additional_info_wipe",
    on_create=_create,
    on_update=_update,
    settle=_settle,
)
