"""Rows that fit into an answer are found at once where they surely do; never are there others than one by one."""

from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from katana_mcp.tools.answers import ENVELOPE_BYTES, Answer, Number, fitting, size_of
from katana_mcp.tools.outgoing import LONG_TEXT, MAX_ANSWER_BYTES

ROOM = MAX_ANSWER_BYTES - ENVELOPE_BYTES


class Line(Answer):
    """A row with a text and an amount."""

    text: str
    amount: Number | None = None


def fit_one_by_one(rows: list[Line], beside: list[Line]) -> list[Line]:
    """Return what fits, with every row measured by itself."""
    size = ENVELOPE_BYTES + sum(size_of(part) + 1 for part in beside)
    for index, row in enumerate(rows):
        size += size_of(row) + 1
        if size > MAX_ANSWER_BYTES and index:
            return rows[:index]
    return rows


CHARACTERS = st.sampled_from(["a", "é", "木", "\x7f", "\x00", "\u200b", "\U000e0001", '"', "\n", "\r", "\xad"])


@given(
    CHARACTERS,
    st.integers(1, 40),
    st.integers(0, 2 * LONG_TEXT) | st.integers(LONG_TEXT, LONG_TEXT + 30),
    st.integers(0, 3),
)
@example("\x7f", 2, ROOM // 16, 0)
@example("\U000e0001", 2, ROOM // 18, 0)
@example("a", 18, LONG_TEXT + 1, 0)
@example("a", 2, ROOM // 2 - 20, 0)
@example("a", 3, 1_000, 3)
def test_the_rows_that_fit_are_those_that_fit_one_by_one(character: str, count: int, length: int, beside: int) -> None:
    rows = [Line(text=character * length, amount=Decimal(number)) for number in range(count)]
    others = [Line(text="é" * 3_000)] * beside
    assert fitting(rows, others) == fit_one_by_one(rows, others)


def test_what_stands_beside_is_measured_too() -> None:
    rows = [Line(text="a" * 1_000)] * 20
    assert fitting(rows) == rows
    assert len(fitting(rows, iter([Line(text="b" * LONG_TEXT)] * 12))) == len(
        fit_one_by_one(rows, [Line(text="b" * LONG_TEXT)] * 12)
    )
    assert fitting([], [Line(text="b")]) == []
