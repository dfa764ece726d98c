"""What a question is compared by, and how tools with examples and tools without stand beside each other."""

import pytest

from katana_mcp.server.mcp.asked_alike import features, kept_examples, learned
from katana_mcp.server.mcp.tool_ranking import DescribedTool, ranked

EXAMPLES = learned(
    {
        "throw PO-7 away": "delete_purchase_order",
        "cancel PO-9, they cannot deliver": "delete_purchase_order",
        "the parcel for PO-12 is here": "receive_purchase_order",
        "12 of 20 came on PO-3": "receive_purchase_order",
        "where is OAK-40": "check_inventory",
    }
)
PAINTS = DescribedTool("paint_wall", "Paint a wall in a colour.", "colour")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("The parcel for PO-118", ["parcel", "#po", "the parcel", "parcel for", "for #po"]),
        ("25 pcs OAK-40.2", ["#number", "pcs", "#code", "#number pcs", "pcs #code", "#code #number"]),
        ("Shipping the shipped", ["sal", "sal the", "the sal"]),
        ("MO-1 and mo-22's", ["#mo", "#mo and", "and #mo"]),
        ("PO 12, st 12", ["#po", "st", "#number", "#po st", "st #number"]),
        ("", []),
        ("?! 😀", []),
    ],
)
def test_words_pairs_documents_codes_and_numbers_are_compared(question: str, told: list[str]) -> None:
    assert list(features(question)) == told


def test_the_end_of_a_very_long_question_is_left_out() -> None:
    assert list(features("buy " * 1_000)) == list(features("buy buy"))


def best(question: str, *tools: str) -> list[str]:
    """Return the tools, those first whose examples are most like the question."""
    alike = EXAMPLES.likeness(question, tools)
    return sorted(alike, key=lambda tool: -alike[tool])


def test_who_asks_alike_means_the_same() -> None:
    every = ("delete_purchase_order", "receive_purchase_order", "check_inventory")
    assert best("parcel of PO-44 came", *every)[0] == "receive_purchase_order"
    assert best("they cannot deliver PO-44", *every)[0] == "delete_purchase_order"
    assert best("where is FAB-22", *every)[0] == "check_inventory"
    assert best("where is FAB-22", *every[:2], "paint_wall") == []
    assert best("xyzzy", *every) == []


def test_a_tool_without_examples_stands_where_its_description_puts_it() -> None:
    tools = [DescribedTool(name, "", "") for name in ("check_inventory", "receive_purchase_order")]
    assert ranked("paint the wall red", [*tools, PAINTS])[0] == "paint_wall"
    assert ranked("paint the wall for order SO-7", [*tools, PAINTS])[0] == "paint_wall"
    assert ranked("fretted gizmos", [*tools, DescribedTool("fret", "Fret a gizmo.", "")]) == ["fret"]
    assert ranked("how many do we have on hand", [*tools, PAINTS])[0] == "check_inventory"
    assert ranked("xyzzy", [*tools, PAINTS]) == []
    assert ranked("paint", []) == []


@pytest.mark.parametrize(
    "question",
    [
        *("order_readiness", " Order  Readiness ", "ORDER-READINESS"),
        *("mcp__katana__order_readiness", "order_readyness", "order_readines"),
    ],
)
def test_a_tool_is_found_first_by_its_name_and_by_one_like_it(question: str) -> None:
    names = ("list_sales_orders", "create_sales_order", "order_readiness", "modify_purchase_order")
    found = ranked(question, [DescribedTool(name, "", "") for name in names])
    assert found[0] == "order_readiness"
    assert len(found) == len(set(found))


def test_examples_are_learned_once() -> None:
    assert kept_examples() is kept_examples()
