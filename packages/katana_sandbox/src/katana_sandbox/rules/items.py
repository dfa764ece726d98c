"""Items and their variants: tracking, purchase unit, option configs, archiving."""

from collections.abc import Iterable, Mapping
from typing import Literal, cast

from katana_sandbox.custom_fields import check_custom_fields
from katana_sandbox.descriptor import Context
from katana_sandbox.operations.create import build
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import Refused, unprocessable

type ItemName = Literal["products", "materials"]
_LONGEST = 999
LINK = {"products": "product_id", "materials": "material_id"}


def create_item(ctx: Context, name: ItemName, body: Record) -> Record:
    """Store an item with its configs and variants."""
    collection = ctx.collections[name]
    fields = build(collection, body)
    check_item(ctx, name, fields)
    configs = cast("list[Record]", body.get("configs", []))
    variants = cast("list[Record]", body["variants"])
    _check_names(configs)
    for variant in variants:
        _check_options(configs, variant, several=len(variants) > 1)
    item = ctx.insert(name, {**fields, "configs": []})
    owned = [_config(ctx, item["id"], config) for config in configs]
    ctx.set(name, item["id"], {"configs": owned})
    for variant in variants:
        insert_variant(ctx, name, item["id"], variant)
    return item


def check_item(ctx: Context, name: str, item: Mapping[str, object]) -> None:
    """Refuse combinations that an item cannot have."""
    if (item.get("purchase_uom") is None) != (item.get("purchase_uom_conversion_rate") is None):
        raise unprocessable("purchase_uom and purchase_uom_conversion_rate must be provided together")
    if item.get("batch_tracked") and item.get("serial_tracked"):
        raise unprocessable("an item can not be batch tracked and serial tracked at the same time")
    if name != "products":
        return
    if not item.get("is_producible") and not item.get("is_purchasable"):
        raise unprocessable("product must be purchasable, producible or both")
    if item.get("is_auto_assembly") and (not item.get("is_producible") or item.get("batch_tracked")):
        raise unprocessable("auto assembly needs a producible product without batch tracking")
    if item.get("default_supplier_id") is not None and not item.get("is_purchasable"):
        raise unprocessable("default supplier needs a purchasable product")


def update_item(ctx: Context, name: ItemName, item: Record, changes: Record) -> Record:
    """The stored changes of an item PATCH."""
    archived = changes.pop("is_archived", None)
    configs = changes.pop("configs", None)
    check_item(ctx, name, {**item, **changes})
    if archived is not None:
        changes["archived_at"] = (item.get("archived_at") or ctx.now) if archived else None
    if configs is not None:
        changes["configs"] = _replaced_configs(ctx, name, item, cast("list[Record]", configs))
    return changes


def settle_item(ctx: Context, name: ItemName, after: Record | None) -> None:
    """Variants follow their item into the archive and back."""
    if after is None:
        return
    archived = after.get("archived_at") is not None
    for variant in ctx.children("variants", LINK[name], after["id"]):
        ctx.mark_archived("variants", variant["id"], archived=archived)


def insert_variant(ctx: Context, name: ItemName, item_id: int, body: Mapping[str, object]) -> Record:
    """Store a variant of an item; option values new to the item are added to it."""
    fields = {key: value for key, value in body.items() if key not in LINK.values()}
    check_lead_time(fields)
    check_custom_fields(ctx, ctx.collections["variants"], fields)
    link = {LINK[name]: item_id, "type": "product" if name == "products" else "material"}
    variant = ctx.insert("variants", {**build(ctx.collections["variants"], fields), **link})
    learn_options(ctx, name, item_id, cast("list[Record]", body.get("config_attributes") or []))
    return variant


def check_lead_time(fields: Mapping[str, object]) -> None:
    """Refuse a lead time above 999 days (422), and fail at one that is no whole number (500)."""
    days = fields.get("lead_time")
    if isinstance(days, float) and not days.is_integer():
        raise Refused(500)
    if isinstance(days, int | float) and days > _LONGEST:
        raise unprocessable("lead_time must not be above 999")


def upper(value: object) -> object:
    """The stored form of a barcode."""
    return value.upper() if isinstance(value, str) else value


def check_attributes(item: Mapping[str, object], attributes: Iterable[Record]) -> None:
    """Refuse an option the item does not know."""
    names = {config["name"] for config in cast("list[Record]", item.get("configs") or [])}
    for attribute in attributes:
        if attribute["config_name"] not in names:
            raise unprocessable(f"config attribute {attribute['config_name']} not found")


def learn_options(ctx: Context, name: ItemName, item_id: object, attributes: Iterable[Record]) -> None:
    """Append option values that the item's configs do not list yet."""
    item = ctx.get(name, item_id)
    if item is None:
        return
    configs = cast("list[Record]", item.get("configs") or [])
    learned = False
    for attribute in attributes:
        for config in configs:
            values = cast("list[object]", config["values"])
            if config["name"] == attribute["config_name"] and attribute["config_value"] not in values:
                values.append(attribute["config_value"])
                learned = True
    if learned and ctx.switches.word("new_option_values") == "refuse":
        raise unprocessable("config value not found")
    if learned:
        ctx.change(name, item["id"], {"configs": configs})


def linked_supplier(ctx: Context, item: Record) -> bytes:
    """The default supplier with its addresses, or {} when there is none."""
    supplier = ctx.get("suppliers", item.get("default_supplier_id"))
    if supplier is None:
        return b"{}"
    supplier["addresses"] = ctx.children("supplier_addresses", "supplier_id", supplier["id"])
    return encode(supplier)


def owner(ctx: Context, variant: Record, *, deleted: bool = False) -> tuple[ItemName, Record] | None:
    """The item a variant belongs to."""
    name: ItemName
    for name in ("products", "materials"):
        item = ctx.get(name, variant.get(LINK[name]), deleted=deleted)
        if item is not None:
            return name, item
    return None


def is_tracked(ctx: Context, variant_id: object, by: tuple[str, ...] = ("serial_tracked", "batch_tracked")) -> bool:
    """Whether a variant is tracked by serial numbers or batches, or by the one that is named."""
    variant = ctx.get("variants", variant_id, deleted=True)
    found = owner(ctx, variant, deleted=True) if variant is not None else None
    return found is not None and any(found[1].get(name) for name in by)


def _check_names(configs: Iterable[Record]) -> None:
    names = [config["name"] for config in configs]
    if len(names) != len(set(names)):
        raise unprocessable("config names must be unique")


def _check_options(configs: list[Record], variant: Record, *, several: bool) -> None:
    attributes = cast("list[Record]", variant.get("config_attributes") or [])
    check_attributes({"configs": configs}, attributes)
    given = {attribute["config_name"] for attribute in attributes}
    if several and (not configs or any(config["name"] not in given for config in configs)):
        raise unprocessable("each variant needs a value for every config of its item")


def _config(ctx: Context, item_id: int, config: Record) -> Record:
    return {
        "id": ctx.db.next_id("configs"),
        "name": config["name"],
        "values": list(cast("list[object]", config["values"])),
        "product_id": item_id,
    }


def _replaced_configs(ctx: Context, name: ItemName, item: Record, entries: list[Record]) -> list[Record]:
    old = cast("list[Record]", item.get("configs") or [])
    by_id = {config["id"]: config for config in old}
    by_name = {config["name"]: config for config in old}
    kept: list[Record] = []
    for entry in entries:
        with_id = "id" in entry
        found = by_id.get(entry["id"]) if with_id else by_name.get(entry.get("name"))
        if found is not None:
            kept.append({**found, "values": list(entry["values"])})
        elif not with_id and "name" not in entry:
            raise unprocessable("Config name or id has to be set")
        elif with_id:
            raise unprocessable("config not found")
        else:
            kept.append(_config(ctx, item["id"], entry))
    _check_names(kept)
    _drop_options(ctx, name, item["id"], {config["name"] for config in kept})
    return kept


def _drop_options(ctx: Context, name: ItemName, item_id: object, names: set[object]) -> None:
    for variant in ctx.children("variants", LINK[name], item_id):
        attributes = cast("list[Record]", variant.get("config_attributes") or [])
        left = [attribute for attribute in attributes if attribute["config_name"] in names]
        if len(left) != len(attributes):
            ctx.change("variants", variant["id"], {"config_attributes": left})
