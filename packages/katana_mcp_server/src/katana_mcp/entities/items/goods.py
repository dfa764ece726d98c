"""How products and materials are written: head, options, and variants with their prices and codes."""

from collections.abc import Iterator, Mapping
from functools import partial

from katana_mcp.documents.declaration import ONLY_LATER, Field, Key, Writable
from katana_mcp.documents.leaving import left_open
from katana_mcp.documents.transition import State, Transition
from katana_mcp.documents.usual_fields import Made, Reference, Unit
from katana_mcp.entities.items import options, variants
from katana_mcp.entities.items.fields import (
    ARCHIVED,
    CATEGORY,
    INFO,
    NAME,
    NO_ARGUMENT,
    SELLABLE,
    UOM,
    WORDS,
    type_of,
)
from katana_mcp.entities.items.headers import ItemType
from katana_mcp.entities.items.responses import ANSWERS, NO_WORDS
from katana_mcp.entities.items.skus import described
from katana_mcp.entities.items.unusual_prices import unusual_prices
from katana_mcp.entities.items.using import (
    ORDERS,
    READ,
    Used,
    binds,
    currency,
    find,
    gather,
    lanes,
    linked,
    taken,
    used_in,
)
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import so_many
from katana_mcp.tools.warnings import ToolWarning, blocking

_UNIT, _RATE = "purchase_uom", "purchase_uom_conversion_rate"


def _flag(name: str, says: str) -> Field:
    return Field(name, bool, says, clears=False, filled=True)


_HEAD = (
    NAME,
    UOM,
    CATEGORY,
    SELLABLE,
    _flag("is_producible", "Whether it is made."),
    _flag("is_purchasable", "Whether it is bought."),
    _flag("is_auto_assembly", "A kit, built when it is sold."),
    Field("default_supplier_id", Reference, "Id or exact name.", argument="supplier_id", names="supplier"),
    Field(_UNIT, Unit, "Unit it is bought in.", is_paired=True),
    Field(_RATE, Made, "Stock units in one of these.", is_paired=True),
    _flag("batch_tracked", "In batches."),
    _flag("serial_tracked", "By unit."),
    _flag("operations_in_sequence", "In order."),
    INFO,
    ARCHIVED,
    Field(
        options.CONFIGS,
        options.Options,
        "All values of an option, {Size: [S, M]}; [] drops it.",
        verbs=ONLY_LATER,
        clears=False,
        filled=True,
        in_words=options.in_words,
        first=options.before_variants,
    ),
)
_OF_PRODUCTS = {"is_producible", "is_purchasable", "is_auto_assembly", "serial_tracked", "operations_in_sequence"}


def _settle(before: State | None, goal: State) -> State:
    """Return an item with all its options; with its purchase unit goes the rate."""
    unit_goes = goal.get(_UNIT) is None and (before or {}).get(_UNIT) is not None
    return options.settle(before, {**goal, _RATE: None} if unit_goes else goal)


def _purposes(change: Transition) -> Iterator[ToolWarning]:
    """Yield what an item cannot be at once (facts 4.1)."""
    if change.after is None:
        return
    new = change.new
    if (new.get(_UNIT) is None) is not (new.get(_RATE) is None):
        message = f"{_UNIT} and {_RATE} go together: give both, or null for both"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, _UNIT)
    if new.get("batch_tracked") and new.get("serial_tracked"):
        message = "batch_tracked: an item is tracked by batches or by serial numbers, not by both"
        yield blocking(warning_codes.INVALID_ARGUMENT, message, "batch_tracked")


def _of_products(change: Transition) -> Iterator[ToolWarning]:
    """Yield what a product cannot be at once; a new one is made, and not bought, where nothing is said."""
    if change.after is None:
        return
    new = {"is_producible": True, "is_purchasable": False, **change.new}
    found = {
        "is_producible": "a product is made or bought, or both"
        if not (new["is_producible"] or new["is_purchasable"])
        else None,
        "is_auto_assembly": "a kit is a product that is made, and not tracked by batches"
        if new.get("is_auto_assembly") and (not new["is_producible"] or new.get("batch_tracked"))
        else None,
        "supplier_id": "a product with a supplier is one that is bought: give is_purchasable=true"
        if new.get("default_supplier_id") is not None and not new["is_purchasable"]
        else None,
    }
    yield from (blocking(warning_codes.INVALID_ARGUMENT, f"{name}: {why}", name) for name, why in found.items() if why)


def _left(change: Transition) -> Mapping[str, str]:
    """Return what a deleted item had that no argument of a new one gives."""
    if change.after is not None:
        return {}
    found = {name: why for held, (name, why) in NO_ARGUMENT.items() if change.old.get(held) is not None}
    if unused := options.unused(change.old):
        found[options.CONFIGS] = f"no variant has {unused}: the revert makes only options and values that one has"
    used = change.facts.own
    if isinstance(used, Used) and used.made_of:
        rows = so_many(used.made_of, "row")
        found["modify_bom"] = f"its bill of materials ({rows}) goes with it: the revert makes none"
    return found


def _goods(kind: ItemType) -> Writable:
    link = f"{kind}_id"
    return Writable(
        entity=kind,
        noun="item",
        selector=type_of(kind),
        collection=f"{kind}s",
        says_id="Id (integer), exact name or SKU (text).",
        find=partial(find, kind),
        key=Key(name="name", words="name"),
        head=tuple(field for field in _HEAD if kind == "product" or field.name not in _OF_PRODUCTS),
        parts=(variants.variants_of(link),),
        words={
            **WORDS,
            **dict.fromkeys(("rows", "variants", "add_rows", "update_rows"), ("add_variants", "update_variants")),
            **dict.fromkeys(("delete_variants", "remove_variants", "delete_row_ids"), ("delete_variant_ids",)),
            **dict.fromkeys(("supplier", "default_supplier_id"), ("supplier_id",)),
            **dict.fromkeys(("options", "config"), ("configs",)),
        },
        head_title="change {}",
        blank_clears=True,
        described=described,
        reads={"create": READ, "modify": (*READ, "bom_row"), "delete": (*READ, "bom_row", *ORDERS)},
        answers=ANSWERS,
        what=NO_WORDS,
        gather=partial(gather, link),
        read=variants.read,
        settle=_settle,
        embeds={options.VARIANTS: "variant"},
        back=options.back,
        no_way_back=options.one_way,
        left=_left,
        currency=currency,
        linked=linked,
        rules=(
            *((_of_products,) if kind == "product" else ()),
            _purposes,
            options.checks,
            variants.left_over,
            variants.older_fields,
            taken,
            used_in,
            unusual_prices,
            partial(left_open, kind),
        ),
        binds=binds,
        lanes=lanes,
        leaves=True,
    )


PRODUCT, MATERIAL = _goods("product"), _goods("material")
