"""Decimal text: the API sends some amounts as strings with a fixed number of places."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from katana_sandbox.wire.encoding import plain


def as_decimal(value: object) -> Decimal:
    """A wire number or decimal string, exactly; nothing and nonsense count as zero."""
    if isinstance(value, bool) or value is None:
        return Decimal(0)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return Decimal(0)
    return number if number.is_finite() else Decimal(0)


def is_decimal_text(text: str) -> bool:
    """Whether the text is a finite decimal number."""
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def fixed(value: object, places: int) -> str:
    """Decimal text with so many places, such as "10.00000"."""
    return f"{as_decimal(value):.{places}f}"


def shortest(value: object) -> str:
    """Decimal text without trailing zeros, such as "2"."""
    text = f"{as_decimal(value):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def number(value: Decimal) -> int | float:
    """A JSON number of a sum."""
    return plain(float(f"{value:.10f}"))


def decimal_text(places: int) -> Callable[[object], object]:
    """The stored form of a field whose read form is decimal text; null stays null."""

    def store(value: object) -> object:
        return None if value is None else fixed(value, places)

    return store
