"""Totals, requests and values in the words in which a preview tells them, and what of them is different by now."""

from collections.abc import Mapping, Sequence
from datetime import timedelta, timezone
from decimal import Decimal

import pytest

from katana_mcp.tools.days import Days
from katana_mcp.writing.actions import Action, Ref
from katana_mcp.writing.differences import differences
from katana_mcp.writing.preview import PlanLine, PlannedRequest, field_in_words, value_in_words
from katana_mcp.writing.totals import NO_TOTALS, Totals, totals_in_words, totals_of

D = Decimal
RIGA = Days(timezone(timedelta(hours=2)), "Riga")


def line(total: str | None, rate: str | None = "20", *, gone: bool = False) -> PlanLine:
    """Return a line that comes to so much, with so much tax."""
    return PlanLine(
        total=None if total is None else D(total),
        tax_rate=None if rate is None else D(rate),
        change="delete" if gone else "update",
    )


def sums(total: str, net: str, costs: str) -> Totals:
    """Return totals that are all known."""
    return Totals(total=D(total), net_total=D(net), additional_costs=D(costs))


ONE_EACH = ", ".join(f"{name}: 0 → 1" for name in "abcde")


@pytest.mark.parametrize(
    ("rows", "costs", "totals"),
    [
        ([], [], Totals(total=D(0), net_total=D(0))),
        ([line("10"), line("5.5", "0")], [], Totals(total=D("17.5"), net_total=D("15.5"))),
        ([line("10"), line("5", gone=True)], [line("3")], Totals(total=D(12), net_total=D(10), additional_costs=D(3))),
        ([line("1")], [line("3"), line("2"), line("9", gone=True)], sums("1.2", "1", "5")),
        ([line("10")], [line("3", gone=True)], Totals(total=D(12), net_total=D(10))),
        ([line("10"), line("5", None)], [], Totals(net_total=D(15))),
        ([line("10"), line(None)], [line(None), line("3")], NO_TOTALS),
        # As Katana, to ten decimals: each row first, then all of them.
        ([line("0.12345678915", "0")], [], Totals(total=D("0.1234567892"), net_total=D("0.1234567892"))),
        ([line("0.00000000005", "100")], [], Totals(total=D(0), net_total=D(0))),
        ([line("1.10", "0")], [line("2.50")], Totals(total=D("1.1"), net_total=D("1.1"), additional_costs=D("2.5"))),
    ],
)
def test_rows_and_costs_that_stay_are_summed(
    rows: Sequence[PlanLine], costs: Sequence[PlanLine], totals: Totals
) -> None:
    assert totals_of(rows, costs) == totals


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ({}, ""),
        ({"total": 12, "currency": "EUR"}, ""),
        ({"net_total": 0}, "0 without tax"),
        ({"net_total": 10, "currency": ""}, "10 without tax"),
        ({"net_total": 10, "currency": "EUR"}, "10 EUR without tax"),
        ({"net_total": 10, "total": 0, "currency": "EUR"}, "0 EUR with tax, 10 without"),
        ({"net_total": 10, "total": 12}, "12 with tax, 10 without"),
        ({"net_total": 10, "additional_costs": 0}, "10 without tax; plus additional costs of 0"),
        (
            {"net_total": 10, "total": 12, "additional_costs": 3, "currency": "EUR"},
            "12 EUR with tax, 10 without; plus additional costs of 3",
        ),
    ],
)
def test_totals_are_told_as_far_as_they_are_known(shown: Mapping[str, object], words: str) -> None:
    assert totals_in_words(shown) == words


@pytest.mark.parametrize(
    ("action", "request_"),
    [
        (
            Action(title="new", method="POST", path="/a", entity="a", body={"q": D("1.50"), "of": Ref(0, "id")}),
            PlannedRequest(title="new", method="POST", path="/a", body='{"q":1.50,"of":{"$ref":[0,"id"]}}'),
        ),
        (
            Action(title="many", method="POST", path="/a", entity="a", body=[{"a": 1}]),
            PlannedRequest(title="many", method="POST", path="/a", body='[{"a":1}]'),
        ),
        (
            Action(title="gone", method="DELETE", path="/a", entity="a", target=Ref(0, "id")),
            PlannedRequest(title="gone", method="DELETE", path='/a/{"$ref":[0,"id"]}'),
        ),
    ],
)
def test_a_request_is_shown_as_it_would_be_sent(action: Action, request_: PlannedRequest) -> None:
    assert PlannedRequest.of(action) == request_


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, None), ("", ""), ("ü", "ü"), (1, "1"), (True, "true"), ({"ü": [None, "x"]}, '{"ü": [null, "x"]}')],
)
def test_a_text_is_told_as_it_is_and_all_else_as_json(value: object, words: str | None) -> None:
    assert value_in_words(value) == words


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("created_at", "2026-03-01T22:00:00Z", "2026-03-02"),
        ("due_date", "2026-03-01T22:30:00Z", "2026-03-02T00:30:00+02:00"),
        ("created_at", None, None),
        ("created_at", "", ""),
        ("note", "2026-03-01T22:00:00Z", "2026-03-01T22:00:00Z"),
    ],
)
def test_a_moment_is_told_as_the_factory_says_it_and_a_text_is_left_alone(
    name: str, value: object, words: str | None
) -> None:
    assert field_in_words(name, value, RIGA) == words


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ({"a": None}, {"a": ""}, ""),
        ({"a": ""}, {}, ""),
        ({}, {"a": 0}, "a: nothing → 0"),
        ({"a": 0}, {"a": None}, "a: 0 → nothing"),
        ({"a": ""}, {"a": "x"}, "a: nothing → x"),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, "a.b.c: 1 → 2"),
        ({"a": {"b": 1}}, {"a": 2}, 'a: {"b": 1} → 2'),
        ({"a": [1]}, {"a": {"b": 1}}, 'a: [1] → {"b": 1}'),
        ({"b": 1, "a": 1}, {"c": 1, "a": 2}, "b: 1 → nothing, a: 1 → 2, c: nothing → 1"),
        # A sum that was not read again yet is not gone.
        ({"total": 24.4, "a": 1}, {"a": 2}, "a: 1 → 2"),
        ({"a": [{"id": 1, "total_in_base_currency": 2}]}, {"a": [{"id": 1}]}, ""),
        ({"a": 1}, {"total": 24.4, "a": 2}, "a: 1 → 2"),
        ({"total": 24.4}, {"total": None}, "total: 24.4 → nothing"),
        ({"total": 24.4}, {"total": 30}, "total: 24.4 → 30"),
        ({"total_discount": 5}, {}, "total_discount: 5 → nothing"),
        # Of clocks only what no other field tells.
        ({"a": {"updated_at": 1, "b": 1}}, {"a": {"updated_at": 2, "b": 2}}, "a.b: 1 → 2"),
        (
            {"deleted_at": None, "updated_at": 1},
            {"deleted_at": 3, "updated_at": 2},
            "deleted_at: nothing → 3, updated_at: 1 → 2",
        ),
        ({"a": "x" * 60}, {"a": "y" * 61}, f"a: {'x' * 60} → {'y' * 59}…"),
        ({"rows": ["x" * 61]}, {"rows": []}, f"rows[{'x' * 60}] is gone"),
        ({"rows": [1, "b"]}, {"rows": ["b", 2]}, "rows[1] is gone, rows[2] is new"),
        ({"rows": [{"id": 0, "q": 1}]}, {"rows": [{"id": 0, "q": 2}]}, "rows[id 0].q: 1 → 2"),
        (
            {"rows": [{}, [1], {"q": 1}]},
            {"rows": [{}, [2], {"q": 2}]},
            "rows[#2][1] is gone, rows[#2][2] is new, rows[#3].q: 1 → 2",
        ),
        (dict.fromkeys("abcde", 0), dict.fromkeys("abcde", 1), ONE_EACH),
        (dict.fromkeys("abcdef", 0), dict.fromkeys("abcdef", 1), f"{ONE_EACH} and 1 more"),
    ],
)
def test_what_is_different_by_now_is_named_by_its_place(
    old: Mapping[str, object], new: Mapping[str, object], text: str
) -> None:
    assert differences(old, new) == text
