"""Half a surrogate pair on stdin: the reader of the protocol would drop the whole call."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.adapter.stdin import mended, pass_on
from katana_mcp.tools.hidden import meant


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('"a\\ud83d"', '"a<U+D83D>"'),
        ('"\\uDE00b"', '"<U+DE00>b"'),
        ('"\\ud83d\\ud83d\\ude00"', '"<U+D83D>\\ud83d\\ude00"'),
        ('"\\ud83d\\ude00 \\u00e9"', '"\\ud83d\\ude00 \\u00e9"'),
        ('"\\\\ud83d"', '"\\\\ud83d"'),
        ('"\\\\\\ud83d"', '"\\\\<U+D83D>"'),
        ('"\\n\\"\\ud83d\\n"', '"\\n\\"<U+D83D>\\n"'),
    ],
)
def test_halves_are_shown_and_everything_else_stays(sent: str, read: str) -> None:
    assert mended(sent.encode()).decode() == read


@given(st.text(st.characters(exclude_categories=()), max_size=12))
def test_any_text_can_be_read_afterwards_and_means_what_was_sent(text: str) -> None:
    read = json.loads(mended(json.dumps(text).encode()))
    read.encode("utf-8")
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert meant(read) == meant(joined)


def test_lines_come_through_a_pipe_whole_whatever_their_pieces() -> None:
    source, begin = os.pipe()
    end, target = os.pipe()
    os.write(begin, b'{"a": "\\ud83d"}\n{"b": 1}\nrest')
    os.close(begin)
    pass_on(source, target, 3)
    with os.fdopen(end, "rb") as passed:
        assert passed.read() == b'{"a": "<U+D83D>"}\n{"b": 1}\nrest'
    os.close(source)
