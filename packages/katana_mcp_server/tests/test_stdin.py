"""Half a surrogate pair on stdin: the reader of the protocol would drop the whole call."""

import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from katana_mcp.server.mcp.stdin import mended, pass_on
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


@pytest.mark.parametrize(
    "odd",
    [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900, b"9" * 5_000, b"-" + b"1" * 2_000 + b".5e10"],
    ids=["lists", "objects", "a number", "a fraction"],
)
def test_what_the_reader_would_drop_is_read_so_that_it_is_refused_and_the_rest_of_the_call_stays(odd: bytes) -> None:
    call = b'{"id": 7, "a": "[[\\"%b", "odd": %%b, "b": [{"c": 1.5}]}' % (b"[" * 200 + b"1" * 2_000)
    read = from_json(mended(call % odd))
    assert read == {**json.loads(call % b"0"), "odd": read["odd"]}
    assert re.search("<nested too deeply>|^Infinity$", json.dumps(read["odd"]))


def test_what_can_be_read_stays_as_it_is() -> None:
    for text in (b'{"a": [[[1]]], "b": "%b"}' % (b"[" * 400), b"[%b0]" % (b"[]," * 400), b"%d" % 10**999):
        assert mended(text) == text


def test_lines_come_through_a_pipe_whole_whatever_their_pieces() -> None:
    source, begin = os.pipe()
    end, target = os.pipe()
    os.write(begin, b'{"a": "\\ud83d"}\n{"b": 1}\nrest')
    os.close(begin)
    pass_on(source, target, 3)
    with os.fdopen(end, "rb") as passed:
        assert passed.read() == b'{"a": "<U+D83D>"}\n{"b": 1}\nrest'
    os.close(source)
