"""Variants of products and materials: SKUs may be null and may repeat; the archive is their item's."""

from typing import cast

from katana_sandbox.collections.search import search_variants
from katana_sandbox.descriptor import Collection, Context, Field, Route, plain_fields
from katana_sandbox.render import render
from katana_sandbox.rules.items import (
    LINK,
    ItemName,
    check_attributes,
    check_lead_time,
    insert_variant,
    learn_options,
    owner,
    upper,
)
from katana_sandbox.wire.encoding import Record
from katana_sandbox.wire.errors import unprocessable


def _create(ctx: Context, body: Record) -> Record:
    if ("product_id" in body) == ("material_id" in body):
        raise unprocessable("exactly one of product_id or material_id is required")
    found = owner(ctx, body)
    if found is None:
        raise unprocessable("item not found")
    name, item = found
    attributes = cast("list[Record]", body.get("config_attributes") or [])
    check_attributes(item, attributes)
    _check_complete(ctx, name, item, attributes)
    return insert_variant(ctx, name, item["id"], body)


def _check_complete(ctx: Context, name: ItemName, item: Record, attributes: list[Record]) -> None:
    if not ctx.children("variants", LINK[name], item["id"]):
        return
    configs = cast("list[Record]", item.get("configs") or [])
    given = {attribute["config_name"] for attribute in attributes}
    if not configs or any(config["name"] not in given for config in configs):
        raise unprocessable("each variant needs a value for every config of its item")


def _update(ctx: Context, variant: Record, changes: Record) -> Record:
    check_lead_time(changes)
    attributes = cast("list[Record] | None", changes.get("config_attributes"))
    found = owner(ctx, variant)
    if attributes is not None and found is not None:
        check_attributes(found[1], attributes)
        learn_options(ctx, found[0], found[1]["id"], attributes)
    return changes


def _settle(ctx: Context, before: Record | None, after: Record | None) -> None:
    if after is None:
        return
    if before is None:
        found = owner(ctx, after)
        if found is not None and found[1].get("archived_at") is not None:
            ctx.mark_archived("variants", after["id"], archived=True)
    elif before.get("sku") != after.get("sku"):
        for row in ctx.children("sales_order_rows", "variant_id", after["id"]):
            ctx.set("sales_order_rows", row["id"], {"sku": after.get("sku")})


def _product_or_material(ctx: Context, variant: Record) -> bytes:
    found = owner(ctx, variant, deleted=True)
    slot = None if found is None else ctx.db.stores[found[0]].slot(found[1]["id"])
    return b"null" if found is None or slot is None else render(ctx, ctx.collections[found[0]], slot, "one")


VARIANTS = Collection(
    name="variants",
    custom_fields=("ProductVariant", "MaterialVariant", "ServiceVariant"),
    item_fields=True,
    fields=(
        *plain_fields("sku sales_price=0 product_id material_id"),
        Field("purchase_price", 0, lambda value: value or 0),
        *plain_fields("type=product"),
        Field("internal_barcode", store=upper),
        Field("registered_barcode", store=upper),
        *plain_fields("supplier_item_codes=[] lead_time minimum_order_quantity config_attributes=[] custom_fields"),
    ),
    foreign_keys=("product_id", "material_id"),
    references={"product_id": "products", "material_id": "materials"},
    children=(("bom_rows", "product_variant_id"),),
    extends={"product_or_material": _product_or_material},
    unechoed=("config_attributes",),
    routes=(Route("POST", "/variants/search", search_variants),),
    on_create=_create,
    on_update=_update,
    settle=_settle,
)
