"""How a variant is bought: at which price, in which unit, of whom; what is not known of it stays unknown."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from cache_core.records import Record, is_set
from katana_mcp.references.display_names import Names, text
from katana_mcp.values import EMPTY, get_bool, number


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasableVariant:
    """How a variant is bought: `price` per purchase unit, in `currency`, its own supplier's.

    At least `minimum` stock units of it are ordered. Where `is_cached` is false its item is not cached yet, so neither
    whether it is bought nor how it is tracked is known.
    """

    price: Decimal | None = None
    currency: str | None = None
    unit: str | None = None
    rate: Decimal | None = None
    bought: bool = True
    in_batches: bool = False
    in_units: bool = False
    service: bool = False
    is_cached: bool = True
    item: tuple[str, int] | None = None
    supplier: int | None = None
    supplier_name: str | None = None
    minimum: Decimal | None = None


_STATES = {"archived": "archived_at", "deleted": "deleted_at"}


def is_gone(variant: Record, item: Record) -> bool:
    """Return whether a variant, or its item, is archived or deleted in Katana."""
    return any(is_set(record, name) for record in (variant, item) for name in _STATES.values())


def soft_states(variant: Record | None, names: Names) -> Mapping[str, bool | None]:
    """Return whether a variant or its item is `archived`, and whether one is `deleted`; None where not."""
    own, item = variant or EMPTY, names.item(variant) or EMPTY
    return {state: is_set(own, name) or is_set(item, name) or None for state, name in _STATES.items()}


def is_supplier_deleted(supplier: object, names: Names) -> bool:
    """Return whether a supplier that the names hold is deleted in Katana."""
    return is_set(names.record("supplier", supplier) or EMPTY, "deleted_at")


def purchasable_variant(variant: Record, names: Names) -> PurchasableVariant:
    """Return how a variant is bought, by its item and that one's supplier; `names` hold both and the factory."""
    item, parent = names.item(variant) or EMPTY, names.parent(variant)
    of = item.get("default_supplier_id")
    supplier = names.record("supplier", of)
    is_unknown = item is EMPTY or (of is not None and supplier is None)
    return PurchasableVariant(
        is_cached=item is not EMPTY,
        currency=None if is_unknown else text(supplier, "currency") or names.base_currency(),
        price=number(variant, "purchase_price"),
        item=parent,
        supplier=of if isinstance(of, int) else None,
        supplier_name=text(supplier, "name"),
        minimum=number(variant, "minimum_order_quantity"),
        unit=text(item, "purchase_uom") or text(item, "uom"),
        rate=number(item, "purchase_uom_conversion_rate"),
        bought=get_bool(item, "is_purchasable") is not False,
        in_batches=bool(get_bool(item, "batch_tracked")),
        in_units=bool(get_bool(item, "serial_tracked")),
        service=parent is not None and parent[0] == "service",
    )
