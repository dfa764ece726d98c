"""How an answer goes out: hidden characters shown, and over-long texts and lists cut, so that hosts take all of it.

What is cut says so where it is cut. Refuses to cut what fits.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from pydantic import BaseModel

from katana_mcp.tools.hidden import escape_hidden_in, hides_nothing
from katana_mcp.tools.warning_codes import TRUNCATED_RESULT
from katana_mcp.tools.warnings import info

MAX_ANSWER_BYTES = 40_000
"""An answer is no larger: hosts cut what is much longer."""

LONG_TEXT = 2_000
"""Characters from which a text no longer keeps other rows out of an answer: what is longer may be cut."""

LONGEST_TEXT = 16_000
"""Characters that a text never has more of in an answer that had to be cut."""

type Payload = dict[str, Any]

_WARNING_BYTES = 300
_WHOLE: Mapping[object, str] = {
    None: "Katana shows them in full",
    True: "plan it in parts to read them in full",
    False: "katana-mcp journal show --json shows them in full",
}
"""Where to read what was left out: of data, of a preview, of what was written."""
_ALL = 1_000_000
# Texts to at most so many characters, then lists to so many entries.
_STEPS = (
    *((texts, _ALL) for texts in (LONGEST_TEXT, 8_000, 4_000, LONG_TEXT, 1_000, 500, 250)),
    *((250, entries) for entries in (100, 50, 20, 10)),
    *((60, entries) for entries in (10, 5, 1)),
)


_encoder = msgspec.json.Encoder()


def json_of(payload: object) -> str:
    """Return the JSON text of an answer."""
    try:
        return _encoder.encode(payload).decode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def cut_in(value: object, texts: int, entries: int = _ALL) -> object:
    """Return a value of JSON with longer texts and lists cut; a text says how many characters are left out."""
    if isinstance(value, str):
        return value if len(value) <= texts else f"{value[:texts]}… [{len(value) - texts} more characters]"
    if isinstance(value, Mapping):
        return {name: cut_in(item, texts, entries) for name, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [cut_in(item, texts, entries) for item in cast("list[object]", value)[:entries]]
    return value


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An answer or a refusal as it goes out, and its JSON text."""

    payload: Payload
    text: str

    @property
    def size(self) -> int:
        """Bytes of the text."""
        return len(self.text.encode())


def payload_of(answer: BaseModel) -> Payload:
    """Return an answer as JSON has it; keys without a value are left out."""
    return answer.model_dump(mode="json", exclude_none=True)


def outgoing(payload: Payload) -> Outgoing:
    """Return the payload as it goes out; a warning says what was cut, but in a refusal, which has only its own."""
    escaped = _escaped(payload)
    if escaped.size <= MAX_ANSWER_BYTES:
        return escaped
    for step in _STEPS:
        escaped = _escaped(cast("Payload", cut_in(payload, *step)))
        if escaped.size <= MAX_ANSWER_BYTES - _WARNING_BYTES:
            return escaped if "error" in escaped.payload else _warned(escaped.payload, *step)
    raise ValueError("an answer cannot be cut to what hosts take")


def _warned(payload: Payload, texts: int, entries: int) -> Outgoing:
    lists = "" if entries == _ALL else f", lists at {entries} entries"
    message = f"to fit into one answer, texts are cut at {texts} characters{lists}; {_WHOLE[payload.get('is_preview')]}"
    warning = info(TRUNCATED_RESULT, message)
    warned = {**payload, "warnings": [*payload.get("warnings", ()), warning.model_dump(mode="json")]}
    return Outgoing(warned, json_of(warned))


def _escaped(payload: Payload) -> Outgoing:
    text = json_of(payload)
    if hides_nothing(text):
        return Outgoing(payload, text)
    shown = cast("Payload", escape_hidden_in(payload))
    return Outgoing(shown, json_of(shown))
