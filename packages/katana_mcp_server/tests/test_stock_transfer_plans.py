"""What is planned for stock transfers, and what speaks against it: pure functions of a request and of facts."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from katana_mcp.documents.transition import Facts
from katana_mcp.entities.stock_transfers.writes import WRITES
from katana_mcp.references.numbers import Numbered, next_number
from katana_mcp.references.wording import Named, NamedRecord, number_checks
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action, Recognise, Ref, as_json, resolved
from katana_mcp.writing.preview import FieldChange, PlanLine

CREATE, MODIFY, DELETE = (WRITES[verb] for verb in ("create", "modify", "delete"))
NEXT = "no stock_transfer_number was given: the next free number is used when the plan is applied, now ST-6"
NORTH, SOUTH = NamedRecord(id=1, name="North"), NamedRecord(id=2, name="South")
TAKEN, UNCOUNTED = Numbered(number="ST-6", taken=(3,)), Numbered(number="ST-6", is_counted=False)
FORK = NamedRecord(id=7, sku="FORK", name="Fork / 32", unit="pcs")
RECORD: dict[str, Any] = {
    "id": 5,
    "stock_transfer_number": "ST-5",
    "status": "draft",
    "source_location_id": 1,
    "target_location_id": 2,
    "transfer_date": "2026-03-01T10:00:00.000Z",
    "additional_info": "fragile",
    "stock_transfer_rows": [{"id": 9, "variant_id": 7, "quantity": 2}],
}


def _new(**changed: object) -> Request:
    usual: dict[str, Any] = {
        "source_location_id": "North",
        "destination_location_id": 2,
        "rows": [{"sku_or_variant_id": "FORK", "quantity": 0.1}],
    }
    return CREATE.request.model_validate(usual | changed)


def _facts(request: Request | None = None, **changed: object) -> Facts:
    """Return what is known of a request, the usual one by default: what its names stand for by their arguments."""
    asked: Any = request or _new()
    usual: dict[str, Any] = {
        "source_location_id": Named("North", (NORTH,)),
        "destination_location_id": Named(2, (SOUTH,)),
        "goods": (Named("FORK", (FORK,)),),
    }
    named: dict[str, Any] = usual | {name: changed.pop(name) for name in usual.keys() & changed.keys()}
    places = ("source_location_id", "destination_location_id")
    found = {("location", getattr(asked, name)): named[name] for name in places}
    found |= {
        ("variant", row.sku_or_variant_id): record for row, record in zip(asked.rows, named["goods"], strict=True)
    }
    fields: dict[str, Any] = {"numbered": Numbered(number="ST-6"), "references": found} | changed
    return Facts(**fields)


def _read(*records: NamedRecord) -> dict[tuple[str, int | str], Named]:
    """Return what a transfer holds the ids of, as it was read: variants have a SKU."""
    return {("variant" if record.sku else "location", record.id): Named(record.id, (record,)) for record in records}


def _summaries(warnings: Iterable[ToolWarning]) -> list[tuple[str, str | None, str | None]]:
    return [(warning.severity, warning.code, warning.field_path) for warning in warnings]


def test_a_new_transfer_is_one_request_with_everything_resolved() -> None:
    draft = CREATE.plan(_new(expected_arrival_date="2026-03-09"), _facts())
    body = {
        "stock_transfer_number": "ST-6",
        "source_location_id": 1,
        "target_location_id": 2,
        "stock_transfer_rows": [{"variant_id": 7, "quantity": "0.1"}],
        "expected_arrival_date": "2026-03-09T00:00:00Z",
    }
    look = Recognise(collection="stock_transfers", filters={"stock_transfer_number": "ST-6"})
    assert draft.actions == (
        Action(
            title="create stock transfer ST-6",
            method="POST",
            path="/stock_transfers",
            body=body,
            entity="stock_transfer",
            expects=body,
            recognise=look,
        ),
    )
    (line,) = draft.lines
    assert line == PlanLine(variant_id=7, sku="FORK", name="Fork / 32", quantity=line.quantity, unit="pcs")
    assert (str(line.quantity), draft.summary) == ("0.1", "new stock transfer ST-6 from North to South")
    assert draft.undoing == {"tool": "delete_stock_transfer", "arguments": {"stock_transfer_id": {"$ref": [0, "id"]}}}
    assert CREATE.checks(_new(), _facts()) == [ToolWarning(severity="info", code="default_number", message=NEXT)]
    assert CREATE.checks(_new(stock_transfer_number="ST-6"), _facts()) == []


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            {"destination_location_id": Named(1, (NORTH,))},
            ("blocking", "same_source_destination", "destination_location_id"),
        ),
        ({"source_location_id": Named("Nort", (), ("North",))}, ("blocking", "not_found", "source_location_id")),
        (
            {"destination_location_id": Named("x", (NORTH, SOUTH))},
            ("blocking", "ambiguous_name", "destination_location_id"),
        ),
        ({"goods": (Named("F"),)}, ("blocking", "not_found", "rows[0].sku_or_variant_id")),
        ({"goods": (Named("F", listed=False),)}, ("blocking", "cold_cache", "rows[0].sku_or_variant_id")),
        (
            {"goods": (Named(7, (NamedRecord(id=7, deleted=True),)),)},
            ("blocking", "not_found", "rows[0].sku_or_variant_id"),
        ),
        (
            {"goods": (Named(7, (NamedRecord(id=7, archived=True),)),)},
            ("advisory", "archived_item", "rows[0].sku_or_variant_id"),
        ),
        ({"numbered": TAKEN}, ("advisory", "duplicate_order_number", "stock_transfer_number")),
        ({"numbered": UNCOUNTED}, ("blocking", "cold_cache", "stock_transfer_number")),
    ],
)
def test_what_speaks_against_a_new_transfer_names_its_field(
    facts: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    request = _new(stock_transfer_number="ST-6")
    assert _summaries(CREATE.checks(request, _facts(request, **facts))) == [expected]
    planned = CREATE.plan(request, _facts(request, **facts))
    unresolved = expected[1] in {"not_found", "ambiguous_name"} or expected == (
        "blocking",
        "cold_cache",
        "rows[0].sku_or_variant_id",
    )
    assert (planned.actions == ()) is unresolved


def test_a_plan_depends_on_what_it_names_and_not_on_the_stock() -> None:
    usual = CREATE.plan(_new(), _facts())
    renamed = _facts(source_location_id=Named("North", (NamedRecord(id=1, name="Nord"),)))
    assert CREATE.plan(_new(), renamed).content != usual.content
    assert CREATE.plan(_new(), _facts(levels={7: {1: Decimal(0)}})).content == usual.content


def test_an_empty_text_is_nothing_in_a_new_transfer() -> None:
    assert CREATE.plan(_new(additional_info=""), _facts()).sent == CREATE.plan(_new(), _facts()).sent


def test_nothing_moves_nothing() -> None:
    request = _new(stock_transfer_number="ST-6", rows=[{"sku_or_variant_id": "FORK", "quantity": 0}])
    assert _summaries(CREATE.checks(request, _facts())) == [("blocking", "invalid_quantity", "rows[0].quantity")]


def _change(**fields: object) -> Request:
    return MODIFY.request.model_validate({"stock_transfer_id": 5, **fields})


def _old(**changed: object) -> Facts:
    return Facts(record=RECORD | changed)


def test_a_change_sends_what_differs_and_keeps_the_notes_that_katana_would_wipe() -> None:
    request = _change(transfer_date="2026-03-01T12:00:00+02:00", expected_arrival_date="2026-03-09", status="received")
    draft = MODIFY.plan(request, _old())
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        (
            "PATCH",
            "/stock_transfers/5",
            {"expected_arrival_date": "2026-03-09T00:00:00Z", "additional_info": "fragile"},
        ),
        ("PATCH", "/stock_transfers/5/status", {"status": "received"}),
    ]
    look = Recognise(collection="stock_transfers", filters={"ids": [5]})
    assert [action.recognise for action in draft.actions] == [look, look]
    assert draft.changes == (
        FieldChange(field="expected_arrival_date", new="2026-03-09"),
        FieldChange(field="status", old="draft", new="received"),
    )
    assert (draft.status, draft.prior_state, MODIFY.checks(request, _old())) == ("received", RECORD, [])
    assert draft.undoing == {
        "tool": "modify_stock_transfer",
        "arguments": {"stock_transfer_id": 5, "expected_arrival_date": None, "status": "draft"},
    }


def test_left_out_null_and_a_value_are_three_things() -> None:
    assert MODIFY.plan(_change(additional_info=None), _old()).actions[0].body == {"additional_info": None}
    assert MODIFY.plan(_change(additional_info=""), _old()).actions[0].body == {"additional_info": ""}
    for request in (_change(), _change(additional_info="fragile"), _change(status="draft")):
        assert _summaries(MODIFY.checks(request, _old())) == [("blocking", "no_effective_change", None)]
        assert MODIFY.plan(request, _old()).actions == ()
    with pytest.raises(ValueError, match="transfer_date cannot be null: leave it out instead"):
        _change(transfer_date=None)


@pytest.mark.parametrize("name", ["stock_transfer_number", "additional_info"])
@pytest.mark.parametrize(
    ("was", "new"), [("7", "7.0"), ("1.10", "1.1"), ("2026-03-09T00:00:00Z", "2026-03-09T02:00:00+02:00")]
)
def test_texts_that_are_the_same_number_or_moment_are_two_texts(name: str, was: str, new: str) -> None:
    request = _change(**{name: new}, transfer_date="2026-03-01T12:00:00+02:00")
    facts = _old(**{"additional_info": None, name: was})
    assert MODIFY.checks(request, facts) == []
    assert [action.body for action in MODIFY.plan(request, facts).actions] == [{name: new}]
    assert _summaries(MODIFY.checks(_change(**{name: was}), facts)) == [("blocking", "no_effective_change", None)]


def test_no_notes_and_empty_notes_are_alike() -> None:
    for was, new in ((None, ""), ("", None)):
        checks = _summaries(MODIFY.checks(_change(additional_info=new), _old(additional_info=was)))
        assert checks == [("blocking", "no_effective_change", None)]


@pytest.mark.parametrize(
    ("was", "status", "expected"),
    [
        ("draft", "inTransit", []),
        ("draft", "received", []),
        ("inTransit", "received", []),
        ("inTransit", "draft", [("advisory", "status_moves_back", "status")]),
        ("received", "draft", [("advisory", "status_moves_back", "status")]),
        ("received", "inTransit", [("blocking", "invalid_status_transition", "status")]),
    ],
)
def test_a_status_follows_the_present_one(was: str, status: str, expected: list[tuple[str, str, str]]) -> None:
    assert _summaries(MODIFY.checks(_change(status=status), _old(status=was))) == expected


def test_what_is_deleted_is_neither_changed_nor_deleted_again() -> None:
    gone = Facts(record=RECORD | {"deleted_at": "2026-03-02T08:00:00.000Z"}, deleted=True)
    delete = DELETE.request.model_validate({"stock_transfer_id": 5})
    for warnings in (MODIFY.checks(_change(status="received"), gone), DELETE.checks(delete, gone)):
        assert _summaries(warnings) == [("blocking", "not_found", "stock_transfer_id")]


def test_a_deletion_shows_what_goes_and_how_to_make_it_again() -> None:
    request = DELETE.request.model_validate({"stock_transfer_id": "ST-5"})
    facts = Facts(record=RECORD | {"status": "received"}, references=_read(FORK))
    draft = DELETE.plan(request, facts)
    assert draft.undoing is None
    assert [(action.method, action.path, action.body) for action in draft.actions] == [
        ("DELETE", "/stock_transfers/5", None)
    ]
    assert [(line.sku, line.quantity) for line in draft.lines] == [("FORK", 2)]
    assert _summaries(DELETE.checks(request, facts)) == [("advisory", "stock_was_moved", None)]
    draft = DELETE.plan(request, replace(facts, record=RECORD))
    assert draft.undoing == {
        "tool": "create_stock_transfer",
        "arguments": {
            "source_location_id": 1,
            "destination_location_id": 2,
            "rows": [{"sku_or_variant_id": 7, "quantity": 2}],
            "stock_transfer_number": "ST-5",
            "transfer_date": "2026-03-01T10:00:00.000Z",
            "additional_info": "fragile",
        },
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "inTransit"},
        {"status": "received"},
        {"stock_transfer_rows": []},
        {"stock_transfer_rows": [{"id": 9, "variant_id": None, "quantity": 2}]},
        {"stock_transfer_rows": [{"id": 9, "variant_id": 7, "quantity": 0}]},
        {"stock_transfer_rows": [{"id": 9, "variant_id": 7}]},
        {"target_location_id": None},
    ],
)
def test_what_no_new_transfer_would_bring_back_has_no_way_back(changed: dict[str, object]) -> None:
    request = DELETE.request.model_validate({"stock_transfer_id": "ST-5"})
    draft = DELETE.plan(request, Facts(record=RECORD | changed))
    assert (len(draft.actions), draft.revert) == (1, None)


def test_an_action_survives_the_journal() -> None:
    for action in (
        *CREATE.plan(_new(), _facts(numbered=TAKEN)).actions,
        *MODIFY.plan(_change(status="received"), _old()).actions,
    ):
        assert Action.read(action.to_json()) == action
    body = {"order": Ref(0, "id"), "rows": [{"of": Ref(1, "no")}], "n": None}
    answers = {0: {"id": 4}, 1: {"no": "x"}}
    expected = {"order": 4, "rows": [{"of": "x"}], "n": None}
    assert resolved(body, answers) == resolved(as_json(body), answers) == expected
    with pytest.raises(KeyError):
        resolved(as_json(body), {0: {}})


@pytest.mark.parametrize(
    ("numbers", "next_one"),
    [
        ([], "ST-1"),
        (["by hand", "noted"], "ST-1"),
        (["ST-9", "ST-10", "ST-7"], "ST-11"),
        (["TR 1", "X-99", "ST-3"], "X-100"),
        (["2026/7", "ST-90"], "2026/8"),
    ],
)
def test_the_next_number_is_like_the_newest(numbers: list[str], next_one: str) -> None:
    assert next_number(numbers, "ST-") == next_one


def test_of_a_number_only_what_is_known_is_said() -> None:
    free, path = Numbered(number="ST-6"), "stock_transfer_number"
    both, blocks = Numbered(number="ST-6", taken=(3, 4)), ("blocking", "duplicate_order_number", path)

    def said(given: str | None, numbered: Numbered) -> list[tuple[str, str]]:
        return [(check.severity, check.message) for check in number_checks("stock_transfer", path, given, numbered)]

    assert said(None, free) == [("info", NEXT)]
    assert said("ST-6", free) == []
    assert said("ST-6", TAKEN) == [("advisory", "stock transfer 3 has the number ST-6 too")]
    assert said("ST-6", both) == [("advisory", "stock transfers 3, 4 have the number ST-6 too")]
    assert said(None, both) == [
        ("blocking", "no free number was found up to ST-6, which is also in use; give a number")
    ]
    assert _summaries(number_checks("stock_transfer", path, None, both)) == [blocks]
    message = "the first sync of stock transfers is not finished, so the next free number is not known; give a number"
    assert said(None, replace(both, is_counted=False)) == [("blocking", message)]


def test_more_than_the_source_has_is_said_for_each_variant_and_nothing_of_unknown_stock() -> None:
    rows = [{"sku_or_variant_id": "FORK", "quantity": 2}, {"sku_or_variant_id": 7, "quantity": 1.5}]
    goods = (Named("FORK", (FORK,)), Named(7, (FORK,)))
    request = _new(rows=rows, stock_transfer_number="ST-6")
    for held, messages in (
        (Decimal(3), ["3.5 FORK would be taken from North, which has only 3 in stock"]),
        (Decimal("3.5"), []),
        (None, []),
    ):
        facts = _facts(request, goods=goods, levels={} if held is None else {7: {1: held}})
        told = [check.message for check in CREATE.checks(request, facts) if check.code != "duplicate_row"]
        assert told == messages
    warnings = CREATE.checks(request, _facts(request, goods=goods, levels={7: {1: Decimal(0)}}))
    assert _summaries(warnings) == [
        ("advisory", "insufficient_stock", "rows[1].quantity"),
        ("advisory", "duplicate_row", "rows[1].sku_or_variant_id"),
    ]


@pytest.mark.parametrize(("held", "codes"), [(Decimal(1), ["insufficient_stock"]), (Decimal(2), [])])
def test_a_transfer_whose_goods_leave_says_what_its_source_lacks(held: Decimal, codes: list[str]) -> None:
    request = _change(status="received")
    record = {**RECORD, "stock_transfer_rows": [{"id": 9, "variant_id": 7, "quantity": Decimal(2)}]}
    facts = Facts(record=record, references=_read(NORTH, SOUTH, FORK), levels={7: {1: held}})
    assert [check.code for check in MODIFY.checks(request, facts)] == codes


def test_each_quantity_stays_with_its_own_goods_where_a_row_has_no_variant() -> None:
    wheel = NamedRecord(id=8, sku="WHEEL")
    moved = [(None, 9), (7, 2), (0, 9), (8, 3), (7, 1)]
    record = RECORD | {
        "stock_transfer_rows": [{"variant_id": variant_id, "quantity": amount} for variant_id, amount in moved]
    }
    facts = Facts(
        record=record,
        references=_read(NORTH, SOUTH, FORK, wheel),
        levels={7: {1: Decimal(3)}, 8: {1: Decimal(2)}},
    )
    request = _change(status="received")
    lines = MODIFY.plan(request, facts).lines
    assert [(line.sku, line.quantity) for line in lines] == [("FORK", 2), ("WHEEL", 3), ("FORK", 1)]
    messages = [check.message for check in MODIFY.checks(request, facts)]
    assert messages == ["3 WHEEL would be taken from North, which has only 2 in stock"]
    unread = replace(facts, references={})
    assert (MODIFY.plan(request, unread).lines, MODIFY.checks(request, unread)) == ((), [])


def test_a_quantity_has_as_many_decimals_as_katana_keeps() -> None:
    (row,) = _new(rows=[{"sku_or_variant_id": "FORK", "quantity": 0.0000000001}]).model_dump()["rows"]
    assert row["quantity"] == Decimal("1E-10")
    with pytest.raises(ValidationError, match="must have at most 10 decimals"):
        _new(rows=[{"sku_or_variant_id": "FORK", "quantity": 0.00000000001}])
