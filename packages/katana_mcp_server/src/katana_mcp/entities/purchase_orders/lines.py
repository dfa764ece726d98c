"""Rows of purchase orders: what may be said of them, how they are sent, shown, and what speaks against them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, StrictStr

from cache_core.records import Json, Record, canonical
from katana_client.resources.purchase_order_rows import NewPurchaseOrderRow, PurchaseOrderRowUpdate
from katana_mcp.entities.purchase_orders.facts import Directory, Good
from katana_mcp.entities.purchase_orders.head import Amount, PartChange, PartId, PartRequest, Reference, told_elsewhere
from katana_mcp.names import text
from katana_mcp.naming import unnamed
from katana_mcp.operations.filters import Moment
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number
from katana_mcp.tools.argument_words import Offers
from katana_mcp.tools.requests import WriteRequest
from katana_mcp.tools.warnings import ToolWarning, advisory, blocking, info
from katana_mcp.values import NOTHING, number, whole
from katana_mcp.writing.preview import PlanLine

_PLAIN = ("quantity", "price_per_unit", "purchase_uom", "purchase_uom_conversion_rate", "arrival_date")
UNIT = ("purchase_uom", "purchase_uom_conversion_rate")
"""What of a row is set together only."""
ROW_NAMES = ("tax_rate_id", "location_id")
"""What of a row names a record, except its good."""
LOCKED = frozenset({"variant_id", *_PLAIN[:-1], *ROW_NAMES})
"""What of a row stays as it is once it is received."""
FIELDS = ("variant_id", *_PLAIN, *ROW_NAMES)
"""What of a row may be written, under Katana's names."""


type _Unit = Annotated[StrictStr, Field(min_length=1, max_length=7)]


class _RowFields(WriteRequest):
    price_per_unit: Amount | None = None
    """Without tax."""
    tax_rate_id: Reference | None = None
    """Id or name."""
    purchase_uom: _Unit | None = None
    """Purchase unit."""
    purchase_uom_conversion_rate: Amount | None = None
    """Stock units in one."""
    arrival_date: Moment | None = None
    """Expected."""
    location_id: Reference | None = None
    """If not the order's."""


class NewRow(_RowFields, PartRequest):
    """A row to add."""

    never_null: ClassVar[frozenset[str]] = frozenset(_RowFields.model_fields)

    sku_or_variant_id: Reference
    """SKU or variant id."""
    quantity: Amount
    """In purchase units."""


class AddedRow(NewRow):
    """A row to add to an order that is there."""

    model_config = ConfigDict(json_schema_extra=told_elsewhere)


class RowChange(_RowFields, PartChange):
    """A row to change; what is left out stays."""

    also: ClassVar[Offers] = {"purchase_order_row_id": ("row_id",)}

    never_null: ClassVar[frozenset[str]] = frozenset(
        {*_RowFields.model_fields, "sku_or_variant_id", "quantity", "received_date"}
    )

    row_id: PartId
    """Of the order."""
    sku_or_variant_id: Reference | None = None
    """Another item."""
    quantity: Amount | None = None
    """In purchase units."""
    received_date: Moment | None = None
    """Of a received row."""


def fields_of(row: NewRow | RowChange, facts: Directory, currency: str | None = None) -> dict[str, Json]:
    """Return what is set of a row, under Katana's names, except `received_date`; what is not known is left out.

    Args:
        row: as it was asked for.
        facts: what is behind its names.
        currency: of the order.
    """
    found: dict[str, object] = {name: getattr(row, name) for name in _PLAIN if name in row.model_fields_set}
    if row.sku_or_variant_id is not None:
        good = facts.good(row.sku_or_variant_id)
        found["variant_id"] = None if good.named.one is None else good.named.one.id
        if isinstance(row, NewRow) and row.price_per_unit is None:
            found["price_per_unit"] = own_price(row, good, currency)
    if isinstance(row, NewRow):
        # Sent, so that it is certain which one it gets.
        found["tax_rate_id"] = facts.default_tax
    found |= facts.ids_in(ROW_NAMES, row)
    return canonical({name: value for name, value in found.items() if value is not None})


def own_price(row: NewRow, good: Good, currency: str | None) -> Decimal | None:
    """Return the price that the item has, where it is one of this currency and of this unit."""
    alike = row.purchase_uom in (None, good.unit) and row.purchase_uom_conversion_rate in (None, good.rate)
    return good.price if alike and good.currency is not None and currency in (None, good.currency) else None


def new_body(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return a new row as it is sent, without order and location."""
    plain = {name: value for name, value in fields.items() if name != "location_id"}
    return canonical(NewPurchaseOrderRow.model_validate(plain).wire())


def changed_body(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return a change of a row as it is sent."""
    return canonical(PurchaseOrderRowUpdate.model_validate(fields).wire())


def line(
    fields: Record, facts: Directory, change: Literal["add", "update", "delete"] | None = None, home: object = None
) -> PlanLine:
    """Return a row as a plan shows it, with its location where that is not `home`."""
    place = fields.get("location_id")
    asked = fields.get("variant_id")
    good = facts.good(asked)
    known = good.named.found[0] if good.named.found else None
    quantity, price = number(fields, "quantity"), number(fields, "price_per_unit")
    return PlanLine(
        row_id=whole(fields, "id"),
        change=change,
        variant_id=whole(fields, "variant_id"),
        sku=None if known is None else known.sku,
        is_shared=None if known is None else known.is_shared or None,
        name=None if known is None else known.name,
        quantity=quantity,
        unit=_unit(fields, good),
        price=price,
        total=None if quantity is None or price is None else quantity * price,
        tax_rate=facts.tax_rate(fields),
        location=None if home is None or place == home else facts.called("location", place),
    )


def _unit(fields: Record, good: Good) -> str | None:
    """Return the purchase unit, and what it holds: `box (12 pcs)`."""
    own = text(fields, "purchase_uom")
    unit = own or good.unit
    rate = number(fields, "purchase_uom_conversion_rate") or (good.rate if own in (None, good.unit) else None)
    stock = good.named.found[0].unit if good.named.found else None
    holds = rate not in (None, 1) and unit != stock and stock is not None
    return f"{unit} ({plain_number(rate)} {stock})" if unit and rate is not None and holds else unit


def new_row_checks(rows: Sequence[NewRow], path: str, facts: Directory, currency: str | None) -> list[ToolWarning]:
    """Return what speaks against new rows.

    Args:
        rows: the rows.
        path: of their list.
        facts: what is behind their names.
        currency: of the order.
    """
    warnings: list[ToolWarning] = []
    for place, row in enumerate(rows):
        here = f"{path}[{place}]"
        warnings += field_checks(row, here, facts)
        good = facts.good(row.sku_or_variant_id)
        if row.price_per_unit is None and good.named.one is not None:
            warnings.append(_priced(row, good, f"{here}.price_per_unit", currency))
    return warnings


def _priced(row: NewRow, good: Good, path: str, currency: str | None) -> ToolWarning:
    called = good.named.found[0].called
    price = own_price(row, good, currency)
    if price is not None:
        told = f"{path}: {called} is bought at its own price, {plain_number(price)} {good.currency or ''}"
        return info(warning_codes.DEFAULT_PRICE, told.rstrip(), path)
    return blocking(warning_codes.PRICE_REQUIRED, f"{path}: {called} {_unfit(good, currency)}; give one", path)


def _unfit(good: Good, currency: str | None) -> str:
    """Return in words what the item's own price is, which does not fit an order."""
    if good.price is None:
        return "has no purchase price"
    price = f"{plain_number(good.price)} {good.currency or ''}".rstrip()
    unit = _unit(NOTHING, good)
    per = f" per {unit}" if unit else ""
    if good.currency is None:
        return f"has a price of {price}{per}, in which currency is not known yet"
    if currency not in (None, good.currency):
        return f"has a price of {price}{per}, and the order is in {currency}"
    return f"has a price of {price}{per}, and the row has another purchase unit"


def field_checks(row: NewRow | RowChange, here: str, facts: Directory) -> list[ToolWarning]:
    """Return what speaks against what is set of a row."""
    warnings: list[ToolWarning] = []
    if row.sku_or_variant_id is not None:
        good, path = facts.good(row.sku_or_variant_id), f"{here}.sku_or_variant_id"
        warnings += [*unnamed("variant", good.named, path), *_not_bought(good, path)]
    warnings += facts.unnamed_in(ROW_NAMES, row, f"{here}.")
    if row.quantity == 0:
        told = f"{here}.quantity is 0: delete the row or leave it out"
        warnings.append(blocking(warning_codes.INVALID_QUANTITY, told, f"{here}.quantity"))
    return [*warnings, *_half_a_unit(row, here)]


def _half_a_unit(row: NewRow | RowChange, here: str) -> list[ToolWarning]:
    """Return that a purchase unit was given without its rate, or a rate without its unit."""
    missing = [name for name in UNIT if getattr(row, name) is None]
    if len(missing) != 1:
        return []
    path = f"{here}.{missing[0]}"
    told = f"{path}: a purchase unit and how many stock units are in one go together; give both, or neither"
    return [blocking(warning_codes.INVALID_ARGUMENT, told, path)]


def _not_bought(good: Good, path: str) -> list[ToolWarning]:
    if good.named.one is None:
        return []
    told = f"{path}: {good.named.one.called}"
    if not good.known:
        why = "is not read yet, so whether it is bought, and how it is tracked, is not known; ask again in a moment"
        return [blocking(warning_codes.COLD_CACHE, f"{told} {why}", path)]
    if good.service:
        return [blocking(warning_codes.NOT_PURCHASABLE, f"{told} is a service, which is never received", path)]
    return [] if good.bought else [advisory(warning_codes.NOT_PURCHASABLE, f"{told} is not marked as bought", path)]
