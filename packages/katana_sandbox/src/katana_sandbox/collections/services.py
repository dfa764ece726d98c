"""Services: sold work without stock, each with exactly one variant."""

from typing import cast

from katana_sandbox.collections.products import ARCHIVABLE
from katana_sandbox.custom_fields import check_custom_fields, written_custom_fields
from katana_sandbox.descriptor import Collection, Context, Embed, plain_fields
from katana_sandbox.operations.create import build
from katana_sandbox.wire.encoding import Record

_VARIANT_FIELDS = ("sku", "sales_price", "default_cost", "custom_fields")


def _create(ctx: Context, body: Record) -> Record:
    given = cast("list[Record]", body["variants"])[0]
    check_custom_fields(ctx, SERVICE_VARIANTS, given)
    service = ctx.insert("services", build(SERVICES, body))
    ctx.insert("service_variants", {**build(SERVICE_VARIANTS, given), "service_id": service["id"]})
    return service


def _update(ctx: Context, service: Record, changes: Record) -> Record:
    archived = changes.pop("is_archived", None)
    if archived is not None:
        changes["archived_at"] = (service.get("archived_at") or ctx.now) if archived else None
    own = {name: changes.pop(name) for name in _VARIANT_FIELDS if name in changes}
    check_custom_fields(ctx, SERVICE_VARIANTS, own)
    for variant in ctx.children("service_variants", "service_id", service["id"]) if own else ():
        if "custom_fields" in own:
            held = variant.get("custom_fields")
            own["custom_fields"] = written_custom_fields(ctx, SERVICE_VARIANTS, held, own["custom_fields"])
        ctx.change("service_variants", variant["id"], own)
    return changes


SERVICES = Collection(
    name="services",
    item_fields=True,
    fields=plain_fields(
        "name uom=pcs category_name= is_sellable=true type=service additional_info= custom_field_collection_id"
    ),
    stamps=ARCHIVABLE,
    children=(("service_variants", "service_id"),),
    embeds=(Embed("variants", "service_variants", "service_id"),),
    wipes="additional_info_wipe_untested",
    on_create=_create,
    on_update=_update,
)

SERVICE_VARIANTS = Collection(
    name="service_variants",
    sequence="variants",
    custom_fields=("ProductVariant", "MaterialVariant", "ServiceVariant"),
    item_fields=True,
    fields=plain_fields("sku sales_price default_cost service_id type=service custom_fields"),
    foreign_keys=("service_id",),
)
