"""Materials: bought parts that products are made of."""

from katana_sandbox.collections.products import ARCHIVABLE
from katana_sandbox.descriptor import Collection, Context, Embed, Field, plain_fields
from katana_sandbox.rules.items import create_item, linked_supplier, settle_item, update_item
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.numbers import decimal_text


def _create(ctx: Context, body: Record) -> Record:
    return create_item(ctx, "materials", body)


def _update(ctx: Context, record: Record, changes: Record) -> Record:
    return update_item(ctx, "materials", record, changes)


def _settle(ctx: Context, _before: Record | None, after: Record | None) -> None:
    settle_item(ctx, "materials", after)


MATERIALS = Collection(
    name="materials",
    item_fields=True,
    fields=(
        *plain_fields("name uom=pcs category_name= default_supplier_id type=material is_sellable=false purchase_uom"),
        Field("purchase_uom_conversion_rate", store=decimal_text(11)),
        *plain_fields(
            "batch_tracked=false serial_tracked=false operations_in_sequence=false additional_info="
            " custom_field_collection_id"
        ),
    ),
    stamps=ARCHIVABLE,
    references={"default_supplier_id": "suppliers"},
    children=(("variants", "material_id"),),
    embeds=(Embed("variants", "variants", "material_id"),),
    extends={"supplier": linked_supplier},
    wipes="additional_info_wipe",
    on_create=_create,
    on_update=_update,
    settle=_settle,
)
