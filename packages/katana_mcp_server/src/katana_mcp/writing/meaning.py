"""Whether what Katana holds is what was meant, by what each field is: an amount by value, a moment as an instant.

What a field is, the client's read models declare; how its value looks says nothing. A text is itself: 10.1 and 10.10
are two. Cleared is nothing, whatever the field.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import AwareDatetime

from katana_client import KatanaClient
from katana_client.models.tracking import Traceability
from katana_client.wire import ReadModel, models_in, parts_of
from katana_mcp.writing.actions import SOME

if TYPE_CHECKING:
    from katana_client.collection import Bound

type Model = type[ReadModel]
type Kind = Literal["text", "number", "moment", "rows", "as it stands"]


def model_of(collection: str) -> Model:
    """Return the declaration of what a collection's records hold."""
    bound = cast("Bound[Any]", getattr(KatanaClient, collection))
    return bound.kind.spec.model


def kind_of(model: Model, name: str) -> Kind:
    """Return what a field of a record is."""
    return _declared(model, name)[0]


def entry_model(model: Model, name: str) -> Model:
    """Return the declaration of what the entries of a list hold."""
    inner = _declared(model, name)[1]
    return model if inner is None else inner


def differing(model: Model, expected: Mapping[str, object], found: Mapping[str, object]) -> list[str]:
    """Return the fields that are there and mean something else; what an answer leaves out says nothing."""
    return [name for name, value in expected.items() if name in found and not same(model, name, value, found[name])]


def holds(model: Model, expected: Mapping[str, object], found: Mapping[str, object]) -> bool:
    """Return whether every field is there and means what is expected; a field that is cleared may be missing."""
    return all(same(model, name, value, found.get(name)) for name, value in expected.items())


def same(model: Model, name: str, expected: object, found: object) -> bool:
    """Return whether two values of a field mean the same; an object may hold more than is expected."""
    if expected == SOME:
        return found not in _NOTHING
    if _is_nothing(expected) or _is_nothing(found):
        return _is_nothing(expected) and _is_nothing(found)
    kind, inner = _declared(model, name)
    if inner is not None and isinstance(expected, Mapping):
        return isinstance(found, Mapping) and holds(
            inner, cast("Mapping[str, object]", expected), cast("Mapping[str, object]", found)
        )
    if inner is not None and isinstance(expected, list):
        if not isinstance(found, list):
            return False
        alike = _same_traces if issubclass(inner, Traceability) else partial(all_same, inner)
        return alike(cast("list[object]", expected), cast("list[object]", found))
    return _meant(kind, expected) == _meant(kind, found)


def all_same(model: Model, expected: list[object], found: list[object]) -> bool:
    """Return whether each record of one list is in the other; their order means nothing."""
    left = list(found)
    for record in expected:
        match = next((place for place, other in enumerate(left) if _one_same(model, record, other)), None)
        if match is None:
            return False
        del left[match]
    return not left


def _same_traces(expected: list[object], found: list[object]) -> bool:
    """Return whether two lists name the same batches, units and bins; goods in none of them need not be named.

    A serial number is one unit, whatever quantity stands beside it; where no bin is expected, it may be any.
    """
    entries = [cast("Mapping[str, object]", entry) for entry in expected if isinstance(entry, Mapping)]
    names = ("batch_id", "serial_number_id", *(["bin_location_id"] if any(map(_names_bin, entries)) else []))
    others = [cast("Mapping[str, object]", entry) for entry in found if isinstance(entry, Mapping)]
    is_counted = all(entry.get("quantity") is not None for entry in entries if not entry.get("serial_number_id"))
    mine, theirs = _amounts(entries, names), _amounts(others, names)
    return mine == theirs if is_counted else mine.keys() == theirs.keys()


def _names_bin(entry: Mapping[str, object]) -> bool:
    return entry.get("bin_location_id") is not None


def _amounts(entries: Iterable[Mapping[str, object]], names: Sequence[str]) -> dict[tuple[object, ...], Decimal]:
    """Return how much is of each batch, unit and bin, by their ids."""
    found: dict[tuple[object, ...], Decimal] = {}
    for entry in entries:
        key = tuple(entry.get(name) for name in names)
        if any(part is not None for part in key):
            amount = 1 if entry.get("serial_number_id") else _number(str(entry.get("quantity") or 0))
            found[key] = found.get(key, Decimal(0)) + (amount if isinstance(amount, int | Decimal) else 0)
    return found


_NOTHING = (None, "")


def _is_nothing(value: object) -> bool:
    """Return whether a value is none; an object of which nothing is set is none either."""
    if isinstance(value, Mapping):
        return all(item is None for item in cast("Mapping[str, object]", value).values())
    return value in _NOTHING


def _one_same(model: Model, expected: object, found: object) -> bool:
    if not isinstance(expected, Mapping) or not isinstance(found, Mapping):
        return expected == found
    return holds(model, cast("Mapping[str, object]", expected), cast("Mapping[str, object]", found))


@cache
def _declared(model: Model, name: str) -> tuple[Kind, Model | None]:
    """Return what a field is, and what its records hold where it has any; one that nobody declares is as it stands."""
    field = model.model_fields.get(name)
    if field is None:
        return "as it stands", None
    inner = models_in(field.annotation, ReadModel)
    if inner:
        return "rows", inner[0]
    plain = _plain_types(field.annotation)
    if str in plain:
        return "text", None
    if plain & {datetime, AwareDatetime}:
        return "moment", None
    return ("number" if plain & {int, Decimal} else "as it stands"), None


def _plain_types(annotation: object) -> set[object]:
    origin: object = getattr(annotation, "__origin__", None)
    if isinstance(origin, type):
        return {origin}
    parts = parts_of(annotation)
    return {kind for part in parts for kind in _plain_types(part)} if parts else {annotation}


def _meant(kind: Kind, value: object) -> object:
    if isinstance(value, bool):
        return str(value)  # or it would be 1
    if kind == "text":
        return str(value) if isinstance(value, int | Decimal) else value
    if kind == "number" and isinstance(value, str):
        return _number(value)
    if kind == "moment" and isinstance(value, str):
        return _instant(value)
    return value


def _number(text: str) -> object:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def _instant(text: str) -> object:
    """Return the moment that a text names, to the millisecond: Katana keeps no more, and cuts off the rest.

    Without an offset it is UTC, as everywhere in what Katana sends.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=moment.tzinfo or UTC)
