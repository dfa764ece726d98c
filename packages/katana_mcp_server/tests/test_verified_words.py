"""What suppliers write, as it is read: amounts, units and codes; what may mean two things is not guessed."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_mcp.entities.purchase_orders.verifying.amounts import amount, decimal_mark
from katana_mcp.entities.purchase_orders.verifying.matching import OrderedGood, matched, plain
from katana_mcp.entities.purchase_orders.verifying.request import DocumentLine
from katana_mcp.entities.purchase_orders.verifying.units import OrderUnit, Unit, exact, in_one, unit

BOX, KILO = OrderUnit("box", Decimal(500), "pcs"), OrderUnit("kg", Decimal(1), "kg")
FORK = OrderedGood(
    1, "FRK-9.44", "Air fork 29 / 44 mm", {"sku": ["FRK-9.44"], "supplier_item_code": ["00.4021.018.003"]}
)
LONG = OrderedGood(2, "FRK-9.51", "Air fork 29 / 51 mm", {"sku": ["FRK-9.51"], "barcode": ["04006381333931"]})
BELL = OrderedGood(3, "BELL", "Bicycle bell brass", {"sku": ["BELL"], "supplier_item_code": ["S-77"]})
GOODS = (FORK, LONG, BELL)


@pytest.mark.parametrize(
    ("written", "mark", "value", "rest"),
    [
        ("12", None, "12", ""),
        ("12,5", None, "12.5", ""),
        ("1.234,50 EUR", None, "1234.50", "EUR"),
        ("€ 1,234.50", None, "1234.50", "€"),
        ("1'234.50", None, "1234.50", ""),
        ("1 000 Stk.", None, "1000", "Stk."),
        ("1.234.567", None, "1234567", ""),
        ("1.500", ",", "1500", ""),
        ("1.500", ".", "1.500", ""),
        ("0,500", None, "0.500", ""),
        ("2 x 500 pcs", None, "2", "x 500 pcs"),
        ("\u22123", None, "-3", ""),
    ],
)
def test_an_amount_is_read_as_it_is_written(written: str, mark: str | None, value: str, rest: str) -> None:
    read = amount(written, mark)
    assert (read.value, read.rest, read.problem) == (Decimal(value), rest, None)


@pytest.mark.parametrize("written", ["1.500", "12,345", "many", "", "1,2,3", "1.2.3,4"])
def test_what_may_be_two_numbers_or_none_is_not_read(written: str) -> None:
    read = amount(written, None)
    assert read.value is None
    assert read.problem


def test_a_document_tells_by_its_other_amounts_what_stands_before_decimals() -> None:
    assert decimal_mark(["1.500", "12,5 Stk."]) == ","
    assert decimal_mark(["1,500", "0.50", Decimal(3)]) == "."
    assert decimal_mark(["1,5", "2.5"]) is None
    assert decimal_mark(["1.500", "7"]) is None


@given(st.decimals(0, 10**9, places=2), st.sampled_from([",", "."]))
def test_any_amount_with_cents_is_read_back_in_either_spelling(value: Decimal, mark: str) -> None:
    english = f"{value:,.2f}"
    written = english if mark == "." else english.translate(str.maketrans(",.", ".,"))
    assert amount(written, None).value == value


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Stk.", Unit("pcs")),
        ("pieces", Unit("pcs")),
        ("box of 500", Unit("box", Decimal(500))),
        ("Box (500 pcs)", Unit("box", Decimal(500), "pcs")),
        ("500 pcs/box", Unit("box", Decimal(500), "pcs")),
        ("BX/500", Unit("box", Decimal(500))),
        ("x 500 pcs", Unit(None, Decimal(500), "pcs")),
        ("", Unit()),
    ],
)
def test_a_unit_is_read_as_it_is_written(written: str, read: Unit) -> None:
    assert unit(written) == read


@pytest.mark.parametrize(
    ("written", "order", "factor"),
    [
        ("", BOX, Fraction(1)),
        ("boxes", BOX, Fraction(1)),
        ("pcs", BOX, Fraction(1, 500)),
        ("box of 250", BOX, Fraction(1, 2)),
        ("pallet of 40 boxes", BOX, Fraction(40)),
        ("g", KILO, Fraction(1, 1000)),
        ("bag of 500 g", KILO, Fraction(1, 2)),
        ("carton", BOX, None),
        ("kg", BOX, None),
        ("m", KILO, None),
    ],
)
def test_a_unit_is_converted_or_not_known(written: str, order: OrderUnit, factor: Fraction | None) -> None:
    assert in_one(unit(written), order) == factor


def test_an_amount_that_needs_more_decimals_than_katana_keeps_is_not_exact() -> None:
    assert exact(Fraction(1, 3)) is None
    assert exact(Fraction(1, 8)) == Decimal("0.125")
    assert str(exact(Fraction(100))) in {"100", "1E+2"}


def _line(**said: object) -> DocumentLine:
    return DocumentLine.model_validate(said)


@pytest.mark.parametrize(
    ("line", "good", "by"),
    [
        ({"sku": "frk944"}, FORK, "sku"),
        ({"sku": "004021018003"}, FORK, "supplier_item_code"),
        ({"supplier_item_code": "4021 018 003"}, FORK, "supplier_item_code"),
        ({"barcode": "4006381333931"}, LONG, "barcode"),
        ({"sku": "unknown", "barcode": "4006381333931"}, LONG, "barcode"),
        ({"description": "Gabel 00.4021.018.003 schwarz"}, FORK, "code in the description"),
        ({"description": "brass bell for a bicycle"}, BELL, "description"),
        ({"description": "Air fork 29, 51 mm"}, LONG, "description"),
    ],
)
def test_a_line_means_the_good_that_a_code_or_its_words_name(
    line: dict[str, object], good: OrderedGood, by: str
) -> None:
    match = matched(_line(**line), GOODS)
    assert (match.good, match.by) == (good, by)


def test_what_fits_several_goods_or_none_is_not_taken_for_one() -> None:
    several = matched(_line(description="Air fork 29"), GOODS)
    assert (several.good, set(several.near)) == (None, {"FRK-9.44", "FRK-9.51"})
    torn = matched(_line(sku="BELL", barcode="4006381333931"), GOODS)
    assert (torn.good, "several goods" in (torn.problem or "")) == (None, True)
    other = matched(_line(sku="FRK-9.45"), GOODS)
    assert (other.good, other.problem, set(other.near)) == (None, None, {"FRK-9.44", "FRK-9.51"})
    assert matched(_line(description="\u202e---"), GOODS).good is None


@given(st.text(max_size=40))
def test_no_text_breaks_the_reading_or_the_matching(text: str) -> None:
    amount(text, None)
    in_one(unit(text), BOX)
    assert plain(plain(text)) == plain(text)
    matched(DocumentLine.model_construct(sku=text, description=text), GOODS)
