"""What is answered to calls that are neither listings nor changes of one record: read as far as it can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from katana_client.errors import UnexpectedResponse
from katana_client.normalise import normalise
from katana_client.page import Shape, read_what_is_there
from katana_client.wire import ReadModel

if TYPE_CHECKING:
    from katana_client.exchange import Call
    from katana_client.sending import Answer, Sender


async def answered_rows[R: ReadModel](sender: Sender, call: Call, model: type[R]) -> tuple[R, ...]:
    """Send a call and return the rows of its answer, those that are objects; none after an unreadable one.

    A row has the fields that could be read; others are None and missing from `model_fields_set`.
    """
    return tuple(
        read_what_is_there(Shape(model, key=()), normalise(row, model)) for row in rows_of(await sender.send(call))
    )


async def answered[R: ReadModel](sender: Sender, call: Call, model: type[R]) -> R:
    """Send a call and return the object of its answer; one without fields after an unreadable answer to a write.

    Raises:
        UnexpectedResponse: What was read is no object.
    """
    rows = await answered_rows(sender, call, model)
    if not rows and call.method == "GET":
        raise UnexpectedResponse("GET", call.path, "the answer is no object")
    return rows[0] if rows else model()


def rows_of(answer: Answer) -> list[dict[str, object]]:
    """Return the objects of an answer: of a list, of the list in `data`, or the one object that it is."""
    value = answer.value
    if isinstance(value, dict):
        body = cast("dict[str, object]", value)
        alone: list[object] = [body]
        value = body.get("data", alone)
    rows = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", row) for row in rows if isinstance(row, dict)]
