"""What requests and records of purchase orders name, found for them: parties, tax rates, costs, goods with prices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal

from cache_core.protocol import Selection
from cache_core.records import Record
from katana_mcp.days import IN_UTC, Days
from katana_mcp.lookup import as_they_are_now, resolved
from katana_mcp.names import look_up, text
from katana_mcp.naming import Named, named, unnamed, variants
from katana_mcp.services import Services
from katana_mcp.tools.requests import WriteRequest
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.values import NOTHING, flag, number

type Asked = tuple[str, int | str]
"""A cache entity, and the id or the exact name of one of its records."""
ENTITIES = {
    "supplier_id": "supplier",
    "location_id": "location",
    "tracking_location_id": "location",
    "tax_rate_id": "tax_rate",
    "additional_cost_id": "additional_cost",
}
"""What each field names that names a record, except goods."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Good:
    """A variant that was named, and how it is bought: `price` per purchase unit, in `currency`, its own supplier's.

    At least `minimum` stock units of it are ordered. Where `known` is false its item is not cached yet, so neither
    whether it is bought nor how it is tracked is known.
    """

    named: Named
    price: Decimal | None = None
    currency: str | None = None
    unit: str | None = None
    rate: Decimal | None = None
    bought: bool = True
    in_batches: bool = False
    service: bool = False
    known: bool = True
    supplier: int | None = None
    supplier_name: str | None = None
    minimum: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """What is behind ids and names; `default_tax` is the account's tax rate of purchases, `rates` are all, in percent.

    `supplier_currency` is that of the supplier that was read anew; in `days` dates are shown.
    """

    names: Mapping[Asked, Named] = field(default_factory=dict[Asked, Named])
    goods: Mapping[int | str, Good] = field(default_factory=dict[int | str, Good])
    default_tax: int | None = None
    rates: Mapping[int, Decimal] = field(default_factory=dict[int, Decimal])
    supplier_currency: str | None = None
    days: Days = IN_UTC

    def id(self, entity: str, asked: int | str) -> int | None:
        """Return the id of what was named, if exactly one live record was meant."""
        known = self.names[entity, asked].one
        return None if known is None else known.id

    def called(self, entity: str, asked: object) -> str | None:
        """Return what people call a record, as well as it is known."""
        found = self.names.get((entity, asked)) if isinstance(asked, int | str) else None
        known = found.found[0] if found is not None and found.found else None
        return known.called if known is not None else None if asked is None else str(asked)

    def ids_in(self, names: Sequence[str], part: WriteRequest) -> dict[str, int | None]:
        """Return the ids of what a part of a request names in these fields; None where it is not known."""
        return {name: self.id(*asked) for name, asked in _given(names, part).items()}

    def unnamed_in(self, names: Sequence[str], part: WriteRequest, here: str = "") -> list[ToolWarning]:
        """Return what is wrong with what a part of a request names in these fields; `here` is the path before them."""
        found = [unnamed(asked[0], self.names[asked], here + name) for name, asked in _given(names, part).items()]
        return [warning for each in found for warning in each]

    def good(self, asked: object) -> Good:
        """Return a good by the SKU or id by which it was asked for."""
        known = asked if isinstance(asked, int | str) else 0
        return self.goods.get(known) or Good(named=Named(known))

    def tax_rate(self, row: Record) -> Decimal | None:
        """Return the tax rate of a row or a cost in percent, if it is known."""
        named = row.get("tax_rate_id")
        return self.rates.get(named) if isinstance(named, int) else None

    def sku(self, row: Record) -> str:
        """Return what people call the good of a row, as well as it is known."""
        found = self.good(row.get("variant_id")).named.found
        return found[0].called if found else str(row.get("variant_id"))

    @property
    def content(self) -> dict[str, object]:
        """What a plan depends on of it."""
        told = {
            f"{entity} {asked}": [asdict(each) for each in one.found] for (entity, asked), one in self.names.items()
        }
        goods = {str(asked): asdict(one) | {"named": asdict(one.named)["found"]} for asked, one in self.goods.items()}
        return {"names": told, "goods": goods, "default_tax": self.default_tax}


def asked_in(names: Sequence[str], *parts: WriteRequest) -> list[Asked]:
    """Return what parts of a request name in these fields."""
    return [asked for part in parts for asked in _given(names, part).values()]


def _given(names: Sequence[str], part: WriteRequest) -> dict[str, Asked]:
    return {name: (ENTITIES[name], asked) for name in names if (asked := getattr(part, name)) is not None}


async def directory(
    services: Services,
    asked: Iterable[Asked | None],
    goods: Iterable[int | str | None],
    supplier: int | str | None = None,
) -> Directory:
    """Find what is named, and the goods by SKU or variant id, and read the supplier as it is now; None names nothing.

    Raises:
        Refused: Katana does not say how the supplier is.
    """
    goods = [each for each in dict.fromkeys(goods) if each is not None]
    names = [each for each in dict.fromkeys(asked) if each is not None]
    await resolved(services, [*names, *(("variant", each) for each in goods)])
    currency = None if supplier is None else await _currency_now(services, supplier)
    found = {each: await named(services, *each) for each in names}
    known = {(each[0], named.one.id): named for each, named in found.items() if named.one is not None}
    taxes = await services.cache.select("tax_rate", Selection(limit=200))
    default = (each.id for each in taxes if flag(each.record, "is_default_purchases"))
    tax = next((each for each in default if isinstance(each, int)), None)
    rates = {each.id: rate for each in taxes if (rate := number(each.record, "rate")) is not None}
    return Directory(
        names=found | known,
        goods=await _goods(services, goods),
        default_tax=tax,
        rates={key: rate for key, rate in rates.items() if isinstance(key, int)},
        supplier_currency=currency,
        days=services.days,
    )


async def _currency_now(services: Services, asked: int | str) -> str | None:
    """Read the supplier that is named from Katana, as it is now; return its currency."""
    known = (await named(services, "supplier", asked)).one
    if known is None:
        return None
    await as_they_are_now(services, "supplier", [known.id])
    stored = (await services.cache.get_many("supplier", [known.id])).rows
    return text(stored[0].record, "currency") if stored else None


async def _goods(services: Services, asked: Sequence[int | str]) -> dict[int | str, Good]:
    found = await variants(services, asked)
    known = [each.one.id for each in found if each.one is not None]
    names = await look_up(services.cache, {"variant": known, "supplier": (), "factory": ()})

    def good(each: Named) -> Good:
        variant = None if each.one is None else names.record("variant", each.one.id)
        item = names.item(variant) or NOTHING
        parent = names.parent(variant or NOTHING)
        of = item.get("default_supplier_id")
        supplier = names.record("supplier", of)
        unknown = item is NOTHING or (of is not None and supplier is None)
        return Good(
            named=each,
            known=variant is None or item is not NOTHING,
            currency=None if unknown else text(supplier, "currency") or names.base_currency(),
            price=number(variant or NOTHING, "purchase_price"),
            supplier=of if isinstance(of, int) else None,
            supplier_name=text(supplier, "name"),
            minimum=number(variant or NOTHING, "minimum_order_quantity"),
            unit=text(item, "purchase_uom") or text(item, "uom"),
            rate=number(item, "purchase_uom_conversion_rate"),
            bought=flag(item, "is_purchasable") is not False,
            in_batches=bool(flag(item, "batch_tracked")),
            service=parent is not None and parent[0] == "service",
        )

    goods = {each.asked: good(each) for each in found}
    return goods | {each.named.one.id: each for each in goods.values() if each.named.one is not None}
