"""What does not fit into one answer is cut where it can be seen, and what fits is left alone."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from katana_mcp.tools.outgoing import MAX_ANSWER_BYTES, Payload, json_of
from katana_mcp.tools.outgoing import outgoing as sent


def outgoing(payload: Payload) -> Payload:
    """Return the payload that goes out, whose text is its own."""
    answer = sent(payload)
    assert answer.text == json_of(answer.payload)
    return answer.payload


def _size(payload: Payload) -> int:
    return len(json_of(payload).encode())


def test_an_answer_that_just_fits_goes_out_as_it_is() -> None:
    around = len(json_of({"note": "", "warnings": []}))
    for much, cut in ((0, False), (1, True)):
        answer = outgoing({"note": "x" * (MAX_ANSWER_BYTES - around + much), "warnings": []})
        assert bool(answer["warnings"]) is cut
        assert (" more characters]" in answer["note"]) is cut


def test_only_the_longest_texts_are_cut_and_say_by_how_much() -> None:
    answer = outgoing({"note": "n" * 60_000, "terms": "t" * 9_000, "warnings": []})
    assert answer["note"] == "n" * 16_000 + "… [44000 more characters]"
    assert answer["terms"] == "t" * 9_000
    assert answer["warnings"] == [
        {
            "severity": "info",
            "message": "to fit into one answer, texts are cut at 16000 characters; Katana shows them in full",
            "field_path": None,
            "code": "truncated_result",
        }
    ]


@pytest.mark.parametrize("text", ["ж", "\u202e", "\x1b", '"', "\U000e0041", "\ud800"])
def test_whatever_the_texts_are_made_of_the_answer_fits(text: str) -> None:
    rows = [{f"field {nr}": text * 2_000 for nr in range(10)} for _ in range(3)]
    assert _size(outgoing({"rows": rows, "warnings": []})) <= MAX_ANSWER_BYTES


def test_lists_are_cut_only_where_short_texts_are_not_enough() -> None:
    rows = [{"sku": f"SKU-{nr}", "name": "n" * 100} for nr in range(2_000)]
    answer = outgoing({"order": {"row_count": 2_000, "rows": rows}, "warnings": []})
    assert answer["order"] == {"row_count": 2_000, "rows": rows[:100]}
    assert "lists at 100 entries" in answer["warnings"][0]["message"]


def test_a_refusal_that_had_to_be_cut_has_no_warning_but_its_own() -> None:
    own = {"severity": "blocking", "message": "m" * 50_000, "field_path": None, "code": "not_found"}
    answer = outgoing({"error": "not_found", "warnings": [own]})
    assert _size(answer) <= MAX_ANSWER_BYTES
    assert [warning["code"] for warning in answer["warnings"]] == ["not_found"]
    assert json.loads(json_of(answer)) == answer


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bolzen für die Gabel", "Bolzen für die Gabel"),
        ('a "quoted" C:\\red\\blue', 'a "quoted" C:\\red\\blue'),
        ("one\ntwo\tthree", "one\ntwo\tthree"),
        ("ü\u200b", "ü<U+200B>"),
        ("a\u202eb", "a<U+202E>b"),
        ("bell\x07", "bell<U+0007>"),
        ("back\x08", "back<U+0008>"),
        ("del\x7f", "del<U+007F>"),
        ("line\rend", "line<U+000D>end"),
    ],
)
def test_what_a_text_hides_is_shown_wherever_it_stands(text: str, shown: str) -> None:
    answer = outgoing({"rows": [{"name": text}], "warnings": []})
    assert answer["rows"] == [{"name": shown}]


def _values(numbers: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(
        st.none() | st.booleans() | numbers | st.text(),
        lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(), values, max_size=4),
        max_leaves=20,
    )


@given(_values(st.integers()))
@example(["\ud800", "\u2028\x7f\x1f\b\f/\\"])
@example({"much": [2**64, -(2**63) - 1]})
def test_the_text_of_an_answer_is_its_json_without_a_blank(value: object) -> None:
    assert json_of(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@given(_values(st.floats(allow_nan=False, allow_infinity=False)))
@example([1e22, 1e-7, 1.3685555734031053e-05, -0.0])
def test_no_number_of_an_answer_loses_a_digit(value: object) -> None:
    assert json.loads(json_of(value)) == value
