"""One planned action sent once, and the truth about how it ended. Never sends anything twice."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from cache_core.records import as_id, canonical
from katana_client import KatanaClient
from katana_client.answers import rows_of
from katana_client.errors import InvalidRequest, KatanaError, KatanaUnavailable, RateLimited, RequestRejected
from katana_client.exchange import Body, Call
from katana_client.normalise import normalise
from katana_client.sending import Answer
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import ToolWarning, advisory
from katana_mcp.writing.actions import Action
from katana_mcp.writing.lost_answers import look_up_in_katana
from katana_mcp.writing.meaning import differing, holds, model_of
from katana_mcp.writing.preview import value_in_words

if TYPE_CHECKING:
    from katana_client.collection import Collection

_CERTAINLY_NOT = (RequestRejected, RateLimited, KatanaUnavailable, InvalidRequest)
"""Katana refused it, or it never left."""
_OK, _NO_CONTENT = 200, 204


async def send(action: Action, answers: Mapping[int, JsonObject], client: KatanaClient) -> ActionState:
    """Send an action, and look up what became of it where no answer says so.

    Args:
        action: what to send.
        answers: of the actions before it, for its references.
        client: sends.
    """
    try:
        action = action.resolved(answers)
    except LookupError as error:
        return ActionState("failed", error=lacking(error))
    try:
        answer = await client.send(Call(action.method, action.path, (), cast("Body | None", action.body)))
    except _CERTAINLY_NOT as error:
        return ActionState("failed", error=str(error))
    except KatanaError as error:
        return await look_up_in_katana(action, client, str(error))
    record = _record(action, answer.value, client) if action.is_answered else None
    if _is_katanas(action, answer, record):
        return ActionState("applied", record)
    why = f"Katana's answer ({answer.reply.status}) does not show what was written"
    return await look_up_in_katana(action, client, why, is_said=True)


def _is_katanas(action: Action, answer: Answer, record: JsonObject | None) -> bool:
    """Return whether an answer says that it was done: a page of a gateway comes with the same status.

    Katana answers a deletion with 204 and nothing, anything else with a record that has an id, or with the ids that it
    was sent. What a 200 says of a deletion, or leaves out, anybody may have said: it is believed when the record is
    gone.
    """
    if action.answers_many and action.is_answered:
        made = [as_id(row.get("id")) for row in rows_of(answer)]
        return len(made) == action.answers_many and None not in made
    is_empty = answer.reply.status == _NO_CONTENT and answer.reply.complete and not answer.reply.body.strip()
    if action.answers_ids:
        return is_empty or _holds_all_ids(action, answer)
    if action.answers_body:
        return answer.reply.status == _OK and holds(model_of(action.collection), action.fields, _fields(answer))
    if action.method == "DELETE" or not action.is_answered:
        return is_empty
    return record is not None and as_id(record.get("id")) is not None


def _holds_all_ids(action: Action, answer: Answer) -> bool:
    """Return whether an answer lists all the ids that were sent, among others maybe."""
    sent, listed = (fields.get(action.answers_ids) for fields in (action.fields, _fields(answer)))
    if answer.reply.status != _OK or not isinstance(listed, list):
        return False
    listed_ids = {as_id(value) for value in cast("list[object]", listed)}
    return all(as_id(value) in listed_ids for value in cast("list[object]", sent))


def _fields(answer: Answer) -> JsonObject:
    return cast("JsonObject", answer.value) if isinstance(answer.value, dict) else {}


def lacking(error: LookupError) -> str:
    """Return why an action was not sent whose references lead nowhere."""
    return f"an earlier answer of Katana does not contain the value it needs: {error}"


def surprises(action: Action, state: ActionState) -> list[ToolWarning]:
    """Return what Katana's answer says otherwise than was planned."""
    found = (state.result or {}) if action.is_answered else {}
    return [
        advisory(
            warning_codes.UNEXPECTED_RESULT,
            f"{action.title}: {name} is {value_in_words(found[name])}, not {value_in_words(action.expects[name])}",
        )
        for name in (differing(model_of(action.collection), action.expects, found) if found else ())
    ]


def _record(action: Action, value: object, client: KatanaClient) -> JsonObject | None:
    if not isinstance(value, dict):
        return None
    collection = cast("Collection", getattr(client, action.collection))
    return canonical(normalise(cast("dict[str, object]", value), collection.spec.model))
