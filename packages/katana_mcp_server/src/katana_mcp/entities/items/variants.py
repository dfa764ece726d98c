"""Variants of an item that is written: their fields, as they are now, and what speaks against changing them."""

from collections.abc import Iterator, Mapping
from functools import partial

from cache_core.records import moment_in
from katana_mcp.documents.custom_fields import custom_values
from katana_mcp.documents.declaration import Field, Part
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.usual_fields import Reference
from katana_mcp.entities.items.fields import Barcode, Codes, LeadTime, Minimum, VariantPrice
from katana_mcp.entities.items.options import OWN, VARIANTS, Config, called, in_words
from katana_mcp.surface.operations.custom_filters import VARIANT_KINDS
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import NewName
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import get_int, number, rows

_FIELDS = (
    Field("sku", NewName, "Need not be unique."),
    Field(OWN, Config, "Its options, {Size: L}.", argument="config", clears=False, filled=True, in_words=in_words),
    Field("sales_price", VariantPrice, "Base currency.", clears=False, filled=True),
    Field("purchase_price", VariantPrice, "Supplier's currency.", clears=False, filled=True),
    Field("supplier_item_codes", Codes, clears=False, filled=True),
    Field("internal_barcode", Barcode),
    Field("registered_barcode", Barcode),
    Field("lead_time", LeadTime, "Days."),
    Field("minimum_order_quantity", Minimum),
    custom_values(*VARIANT_KINDS, filled=True, says=False),
)
"""Without a price Katana stores 0 (October 1), so none is taken away: 0 is a value."""


def read(record: State, facts: Facts) -> State:
    """Return an item with its variants, each in its newest version: as the item embeds it, or as it is cached."""
    newest: dict[object, State] = {}
    for row in (*rows(record, VARIANTS), *facts.beside.get("variant", ())):
        previous = newest.get(row.get("id"))
        if previous is None or _changed_at(row) >= _changed_at(previous):
            newest[row.get("id")] = {**_formed(row), "supplier_item_codes": row.get("supplier_item_codes") or []}
    return {**record, VARIANTS: list(newest.values())}


def _formed(row: State) -> State:
    """Return a variant whose custom fields are an object by definition, or are kept apart in their older form."""
    if not isinstance(row.get(_CUSTOM), list):
        return row
    return {**{name: value for name, value in row.items() if name != _CUSTOM}, _OLDER: row[_CUSTOM]}


_CUSTOM, _OLDER = "custom_fields", "older_custom_fields"


def _changed_at(row: State) -> str:
    return moment_in(row.get("updated_at")) or ""


def variants_of(parent: str) -> Part:
    """Return the variants of items; `parent` is the field in which each names its item."""
    return Part(
        name=VARIANTS,
        one="variant",
        held=VARIANTS,
        fields=_FIELDS,
        says={
            "new": "One or more; with several, give `config`.",
            "add": "New ones.",
            "update": "Changes, by `variant_id`: id or SKU.",
            "delete": "Ids or SKUs.",
        },
        most=100,
        needed=True,
        collection=VARIANTS,
        parent=parent,
        look=lambda body: {parent: body[parent]},
        kind=lambda _: "variant",
        called=called,
        unsaid=(_OLDER,),
        entity="variant",
        inside=_is_nested if parent == "material_id" else lambda _, __: True,
        finish=partial(_finished, parent),
        title=lambda _, row: called(row),
        key_kind=Reference,
        also={**dict.fromkeys(("sku_or_variant_id", "parent_variant_id"), ("variant_id",)), OWN: ("config",)},
        is_brief=True,
        leads=True,
        text="sku",
        completes=True,
        unechoed=(OWN,),
    )


def _is_nested(row: State, material: State) -> bool:
    """Return whether a variant goes inside of a new material: that takes no sales price, and needs one variant."""
    plain = [variant for variant in rows(material, VARIANTS) if "sales_price" not in variant]
    return row in plain if plain else row is rows(material, VARIANTS)[0]


def _finished(parent: str, row: State, _: State, __: Facts) -> State:
    """Return a new variant without what says nothing: an empty list, and the price that Katana begins with."""
    unpriced = parent == "material_id" and not number(row, "sales_price")
    return {name: value for name, value in row.items() if value != [] and not (name == "sales_price" and unpriced)}


def left_over(change: Transition) -> Iterator[ToolWarning]:
    """Yield that an item would be left without variants."""
    if change.before is not None and change.after is not None and not rows(change.new, VARIANTS):
        message = f"an item needs a variant: delete item {change.old.get('id')} itself instead"
        yield blocking(warning_codes.NO_ROWS_LEFT, message, "delete_variant_ids")


def older_fields(change: Transition) -> Iterator[ToolWarning]:
    """Yield that custom fields are set where the account keeps those of items in collections, which have no labels."""
    diff = change.sent[VARIANTS]
    is_asked = any(_CUSTOM in row for row in (*diff.adds, *diff.updates.values()))
    if is_asked and any(row.get(_OLDER) for row in rows(change.old, VARIANTS)):
        message = "custom fields of these variants are kept in a collection, without definitions: change them in Katana"
        yield blocking(warning_codes.INVALID_ARGUMENT, f"custom_fields: {message}", _CUSTOM)


def ids_of(item: State) -> tuple[int, ...]:
    """Return the ids of its variants."""
    return tuple(key for row in rows(item, VARIANTS) if (key := get_int(row, "id")) is not None)


def kept_in(change: Transition) -> Mapping[str, str]:
    """Return SKUs that are given, by the path of their argument."""
    argument = VARIANTS if change.before is None else f"add_{VARIANTS}"
    diff = change.sent[VARIANTS]
    found = {f"{argument}[{nr}].sku": row.get("sku") for nr, row in enumerate(diff.adds)}
    found |= {f"update_{VARIANTS}[id={key}].sku": fields.get("sku") for key, fields in diff.updates.items()}
    return {path: sku for path, sku in found.items() if isinstance(sku, str)}
