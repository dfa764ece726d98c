"""Characters of records that nobody sees or that steer a terminal: `<U+202E>` on the way out, themselves on the way in.

Nothing is dropped, so an SKU or a name can be given back as it was given out. Line breaks and tabs stay.
"""

import re
from collections.abc import Mapping
from typing import cast

_CLASSES = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad"  # controls, soft hyphen
    r"\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # joiners and fillers without a shape
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\uffff"  # zero width, direction, marks
    r"\ufe00-\ufe0e\ud800-\udfff"  # variation selectors, halves of pairs
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # shorthand, music, tags
)
# U+FE0F after a symbol is how emoji are written; a carriage return before a line feed is a line break.
_SYMBOLS = r"\xa9\xae\u203c\u2049\u2122-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_HIDDEN = re.compile(rf"[{_CLASSES}]|(?<![{_SYMBOLS}])\ufe0f|\r(?!\n)")
_HIDDEN_SOMEWHERE = re.compile(rf"[{_CLASSES}\ufe0f\r]")
"""What may be hidden, whatever stands beside it."""
_ESCAPED = re.compile(r"\\[bfru]")
"""How JSON has controls in a text; a line break and a tab are shown as they are."""
_ASCII = bytes(range(128))
_DELETE = "\x7f"
_SHOWN = re.compile(r"<U\+([0-9A-F]{4,6})>")


def escape_hidden(text: str) -> str:
    """Return the text with its hidden characters as `<U+200B>`."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def hides_nothing(json_text: str) -> bool:
    """Return whether no text in a JSON text has hidden characters; of some that have none it is not seen."""
    if _ESCAPED.search(json_text) or _DELETE in json_text:
        return False
    if json_text.isascii():
        return True  # all else of ASCII that is hidden is escaped in JSON
    # An answer has many characters, and few beyond ASCII.
    others = json_text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return not _HIDDEN_SOMEWHERE.search(others) or not _HIDDEN.search(json_text)


def without_hidden(text: str) -> str:
    """Return what of a text can be seen."""
    return _HIDDEN.sub("", text)


def escape_hidden_in_name(text: str) -> str:
    """Return a name with every character shown so that a reader could miss: blanks but the usual one, private use too.

    Texts of records keep those: an ideographic or a no-break blank is everyday in them.
    """
    return "".join(
        character if character.isprintable() else f"<U+{ord(character):04X}>" for character in escape_hidden(text)
    )


def meant(text: str) -> str:
    """Return the text that `shown` made this one of."""
    return _SHOWN.sub(lambda found: _character(found[0], int(found[1], 16)), text) if "<U+" in text else text


def escape_hidden_in(value: object) -> object:
    """Return a value of JSON with the hidden characters of its texts shown; its structure stays."""
    if isinstance(value, str):
        return escape_hidden(value)
    if isinstance(value, Mapping):
        return {name: escape_hidden_in(item) for name, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [escape_hidden_in(item) for item in cast("list[object]", value)]
    return value


def _character(shown_as: str, code: int) -> str:
    character = chr(code) if code <= 0x10FFFF else ""
    return character if _HIDDEN.fullmatch(character) else shown_as
