"""Units as suppliers write them: `Stk.`, `box of 500`, `500/ctn`, `1 kg`; what is not known is not guessed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from katana_mcp.entities.purchase_orders.verifying.amounts import amount

_SPELT: Mapping[str, str] = {
    spelling: name
    for name, spellings in {
        "pcs": "pcs pc pce pces piece pieces ea each unit units un st stk stck stueck stück szt ks tk kpl pz no nos",
        "box": "box boxes bx bxs",
        "carton": "carton cartons ctn ctns karton kartons krt",
        "pack": "pack packs pk pks pkt package packages packung",
        "pair": "pair pairs pr prs paar",
        "set": "set sets",
        "roll": "roll rolls rl rolle",
        "h": "h hr hrs hour hours",
        "kg": "kg kgs kilo kilos kilogram kilograms",
        "g": "g gr gram grams",
        "t": "t to ton tons tonne tonnes",
        "l": "l lt ltr liter liters litre litres",
        "ml": "ml",
        "m": "m mtr mtrs meter meters metre metres lfm",
        "cm": "cm",
        "mm": "mm",
    }.items()
    for spelling in spellings.split()
}
_METRIC: Mapping[str, tuple[str, Fraction]] = {
    "t": ("g", Fraction(1_000_000)),
    "kg": ("g", Fraction(1_000)),
    "g": ("g", Fraction(1)),
    "l": ("ml", Fraction(1_000)),
    "ml": ("ml", Fraction(1)),
    "m": ("mm", Fraction(1_000)),
    "cm": ("mm", Fraction(10)),
    "mm": ("mm", Fraction(1)),
}
_FILLING = frozenset(["of", "x", "a", "à", "@", "je", "mit", "with", "each", "per", "zu", "the"])
_PER = re.compile(r"/|\bper\b|\bpro\b")
_HELD = re.compile(r"\d[\d.,]*")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as a document writes it: `box of 500 pcs` is a box that holds 500 of pcs."""

    name: str | None = None
    holds: Decimal | None = None
    of: str | None = None


@dataclass(frozen=True, slots=True)
class OrderUnit:
    """How an order counts a good: in which unit, how many stock units are in one, and what those are."""

    name: str | None
    rate: Decimal
    stock: str | None


@lru_cache(maxsize=512)
def unit_named(text: str | None) -> str | None:
    """Return the one name of a unit that has many, `Stk.` and `pieces` are both `pcs`; None where there is none."""
    words = [word for word in _WORD.findall((text or "").casefold()) if word not in _FILLING]
    return _SPELT.get(words[0], words[0]) if words else None


@lru_cache(maxsize=512)
def unit(text: str) -> Unit:
    """Return the unit that a text says."""
    inner, outer = [*_PER.split(text.casefold(), maxsplit=1), ""][:2]
    held = _HELD.search(inner)
    if held is not None and outer:  # 500 pcs/box
        return Unit(unit_named(outer), _size(held[0]), unit_named(inner[held.end() :]))
    said = inner if held is not None else text.casefold()  # box of 500, bx/500
    held = _HELD.search(said)
    if held is None or not _size(held[0]):
        return Unit(unit_named(said))
    return Unit(unit_named(said[: held.start()]), _size(held[0]), unit_named(said[held.end() :]))


def _size(written: str) -> Decimal | None:
    return amount(written, ".").value


def in_one(written: Unit, order: OrderUnit) -> Fraction | None:
    """Return how many units of the order are in one of the document; None where that is not known."""
    own, stock, rate = unit_named(order.name), unit_named(order.stock), Fraction(order.rate)
    if written.holds is not None:
        held = _in_stock(written.of or stock, stock)
        if held is not None:
            return held * Fraction(written.holds) / rate
        return Fraction(written.holds) if written.of == own else None
    if written.name is None or written.name == own:
        return Fraction(1)
    stocked = _in_stock(written.name, stock)
    return _metric(written.name, own) if stocked is None else stocked / rate


def _in_stock(name: str | None, stock: str | None) -> Fraction | None:
    return Fraction(1) if name == stock else _metric(name, stock)


def _metric(name: str | None, other: str | None) -> Fraction | None:
    one, another = _METRIC.get(name or ""), _METRIC.get(other or "")
    if one is None or another is None:
        return None
    (kind, size), (as_kind, as_size) = one, another
    return size / as_size if kind == as_kind else None


def exact(value: Fraction) -> Decimal | None:
    """Return a number with as many decimals as Katana keeps; None where it needs more."""
    scaled, more = divmod(value.numerator * 10**10, value.denominator)
    return None if more else Decimal(scaled).scaleb(-10).normalize() + 0
