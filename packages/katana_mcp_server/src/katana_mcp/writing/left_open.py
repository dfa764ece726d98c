"""What a record holds that a plan left open, where it is taken for the plan's own because the answer was lost.

Somebody else may have made it at that moment, with all that the plan was to send. Tells it, and refuses nothing.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, cast, get_origin

from katana_client import KatanaClient
from katana_client.wire import parts_of
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import Action
from katana_mcp.writing.meaning import kind_of
from katana_mcp.writing.preview import value_in_words

if TYPE_CHECKING:
    from katana_client.collection import Bound

_FILLED_IN = {"currency", "uom", "purchase_uom", "category_name"}
"""Texts that Katana takes from other records where they are left out."""
_STAMPED = timedelta(days=1)
"""How far a date that was left out is from the making at most: Katana stamps it then."""


def left_open(action: Action, state: ActionState) -> list[ToolWarning]:
    """Return the notes, dates and custom fields of a recognised record that the plan did not send."""
    look = action.recognise
    is_made = action.method == "POST" and action.record is None and action.part is None
    is_found = state.state == "applied" and state.look_up is not None
    if look is None or not is_made or not is_found or look.collection != action.collection:
        return []
    record = state.result or {}
    values = ", ".join(f"{name} is {value_in_words(record[name])}" for name in _open_fields(action, record))
    if not values:
        return []
    why = "Katana's answer was lost, and the record that Katana lists holds what the plan left open"
    return [
        advisory(
            warning_codes.UNEXPECTED_RESULT,
            f"{action.title}: {why}: {values}; where this is not Katana's default, somebody else may have made it",
        )
    ]


def _open_fields(action: Action, record: JsonObject) -> list[str]:
    """Return the fields that a new record may be given, were not sent, and hold what is no known default."""
    bound = cast("Bound[Any]", getattr(KatanaClient, action.collection))
    form, model = bound.kind.spec.create, bound.kind.spec.model
    if form is None:
        return []
    return [
        name
        for name, field in form.model_fields.items()
        if name not in action.fields
        and name not in _FILLED_IN
        and not _is_choice(field.annotation)
        and _tells(kind_of(model, name), name, record)
    ]


def _is_choice(annotation: object) -> bool:
    """Return whether a field has one of a few values, of which one is Katana's default."""
    return get_origin(annotation) is Literal or any(_is_choice(part) for part in parts_of(annotation))


def _tells(kind: str, name: str, record: JsonObject) -> bool:
    value = record.get(name)
    if name == "custom_fields":
        entries = [*cast("JsonObject", value).values()] if isinstance(value, Mapping) else cast("list[object]", value)
        return any(entry not in (None, "") for entry in entries or ())
    if value in (None, "") or kind not in {"text", "moment"}:
        return False
    return kind == "text" or not _is_stamped(str(value), str(record.get("created_at") or ""))


def _is_stamped(date: str, made: str) -> bool:
    try:
        moments = [datetime.fromisoformat(text) for text in (date, made)]
    except ValueError:
        return False
    first, second = (moment.replace(tzinfo=moment.tzinfo or UTC) for moment in moments)
    return abs(first - second) <= _STAMPED
