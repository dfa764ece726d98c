"""An action as the journal keeps it and as it is sent: its references, and what is left out where it is usual."""

from collections.abc import Mapping

import pytest

from katana_mcp.writing.actions import Action, Body, IfApplied, JsonObject, Recognise, Ref, as_json, on_record, resolved

ANSWERS: dict[int, JsonObject] = {
    0: {"id": 7, "variants": [{"id": 70}, {"id": 71}], "note": None, "empty": "", "zero": 0},
    2: {"id": "uuid"},
}
FULL = Action(
    title="add rows",
    method="POST",
    path="/purchase_orders/{}/rows",
    body={"order": Ref(0, "id"), "rows": [{"id": 1}, IfApplied(2, {"other": Ref(2, "id")})]},
    entity="purchase_order",
    record=5,
    part="purchase_order_rows",
    row=9,
    expects={"order_id": Ref(0, "id"), "quantity": 2},
    implies={"status": "open"},
    recognise=Recognise(
        collection="purchase_order_rows", filters={"order_id": Ref(0, "id")}, besides=(1, "x"), since="2026-01-01"
    ),
    is_answered=False,
    answers_many=2,
    answers_ids="ids",
    answers_body=True,
    is_repeatable=True,
    pending="in_progress",
    document=("sales_order", 4),
    answers="purchase_order_rows",
    refreshes=("variant", "stock"),
    target=Ref(0, "id"),
    leaves=True,
    embeds={"rows": "variant"},
)
FULL_JSON: JsonObject = {
    "title": "add rows",
    "method": "POST",
    "path": "/purchase_orders/{}/rows",
    "body": {"order": {"$ref": [0, "id"]}, "rows": [{"id": 1}, {"$if_applied": [2, {"other": {"$ref": [2, "id"]}}]}]},
    "entity": "purchase_order",
    "record": 5,
    "part": "purchase_order_rows",
    "row": 9,
    "expects": {"order_id": {"$ref": [0, "id"]}, "quantity": 2},
    "implies": {"status": "open"},
    "is_answered": False,
    "answers_many": 2,
    "answers_ids": "ids",
    "answers_body": True,
    "is_repeatable": True,
    "pending": "in_progress",
    "document": ["sales_order", 4],
    "answers": "purchase_order_rows",
    "refreshes": ["variant", "stock"],
    "target": {"$ref": [0, "id"]},
    "leaves": True,
    "embeds": {"rows": "variant"},
    "recognise": {
        "collection": "purchase_order_rows",
        "filters": {"order_id": {"$ref": [0, "id"]}},
        "besides": [1, "x"],
        "since": "2026-01-01",
    },
}
PLAIN = Action(title="new", method="POST", path="/customers", entity="customer")
PLAIN_JSON: JsonObject = {
    "title": "new",
    "method": "POST",
    "path": "/customers",
    "body": None,
    "entity": "customer",
    "record": None,
    "part": None,
    "row": None,
    "expects": {},
    "implies": {},
    "recognise": None,
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Ref(0, "id"), 7),
        (Ref(2, "id"), "uuid"),
        ({"$ref": [0, "variants.1.id"]}, 71),
        ({"$ref": (0, "variants.0")}, {"id": 70}),
        (Ref(0, "empty"), ""),
        (Ref(0, "zero"), 0),
        ({"a": {"$ref": [0, "id"]}, "b": 1}, {"a": 7, "b": 1}),
        # What holds more beside it is no reference.
        ({"$ref": [0, "id"], "b": 1}, {"$ref": [0, "id"], "b": 1}),
        ([{"$ref": [0, "id"]}, 2, "x", None, [{"$ref": [2, "id"]}]], [7, 2, "x", None, ["uuid"]]),
        ([{"$if_applied": [2, {"$ref": [2, "id"]}]}, {"$if_applied": [1, "never"]}, "last"], ["uuid", "last"]),
        ([{"$if_applied": [1, 3], "b": 1}], [{"$if_applied": [1, 3], "b": 1}]),
        ({"$if_applied": [1, 3]}, {"$if_applied": [1, 3]}),
        ([], []),
        ({}, {}),
        ("text", "text"),
        (None, None),
    ],
)
def test_a_reference_is_replaced_by_what_it_refers_to_and_all_else_stays(value: object, expected: object) -> None:
    assert resolved(value, ANSWERS) == expected


@pytest.mark.parametrize(
    ("value", "error", "what"),
    [
        (Ref(1, "id"), KeyError, 1),
        (Ref(0, "name"), KeyError, "name"),
        (Ref(0, "note"), LookupError, "note"),
        (Ref(0, "id.more"), LookupError, "more"),
        (Ref(0, "variants.2.id"), IndexError, "list index out of range"),
        ([{"$if_applied": [0, {"$ref": [0, "name"]}]}], KeyError, "name"),
    ],
)
def test_a_reference_to_what_was_not_answered_says_what_is_missing(
    value: object, error: type[LookupError], what: object
) -> None:
    with pytest.raises(error) as raised:
        resolved(value, ANSWERS)
    assert raised.value.args == (what,)


def test_a_reference_and_what_depends_on_an_action_stand_in_a_body_as_marked_objects() -> None:
    assert Ref(3, "rows.0.id").to_json() == {"$ref": [3, "rows.0.id"]}
    assert IfApplied(1, [Ref(0, "id"), 2]).to_json() == {"$if_applied": [1, [{"$ref": [0, "id"]}, 2]]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Ref(0, "id"), {"$ref": [0, "id"]}),
        ({"a": [Ref(0, "id"), 1]}, {"a": [{"$ref": [0, "id"]}, 1]}),
        ((1, IfApplied(0, 2)), [1, {"$if_applied": [0, 2]}]),
        ([], []),
        ("text", "text"),
        (None, None),
    ],
)
def test_references_anywhere_in_a_value_stand_there_as_json(value: object, expected: object) -> None:
    assert as_json(value) == expected


@pytest.mark.parametrize(("action", "kept"), [(FULL, FULL_JSON), (PLAIN, PLAIN_JSON)])
def test_an_action_is_kept_with_what_differs_from_the_usual(action: Action, kept: Mapping[str, object]) -> None:
    assert action.to_json() == kept


def test_what_was_kept_is_read_as_the_action_that_it_was() -> None:
    assert Action.read(PLAIN_JSON) == PLAIN
    read = Action.read(FULL_JSON)
    assert (read.target, read.document, read.refreshes, read.embeds) == (
        Ref(0, "id"),
        ("sales_order", 4),
        ("variant", "stock"),
        {"rows": "variant"},
    )
    assert read.to_json() == FULL_JSON
    old: JsonObject = {**PLAIN_JSON, "recognise": {"collection": "customers", "filters": {"name": "a"}, "besides": []}}
    assert Action.read(old).recognise == Recognise(collection="customers", filters={"name": "a"})


def test_an_action_is_sent_with_each_reference_replaced() -> None:
    sent = Action.read(FULL_JSON).resolved(ANSWERS)
    assert sent.to_json() == {
        **{name: value for name, value in FULL_JSON.items() if name != "target"},
        "path": "/purchase_orders/7/rows",
        "record": 7,
        "body": {"order": 7, "rows": [{"id": 1}, {"other": "uuid"}]},
        "expects": {"order_id": 7, "quantity": 2},
        "recognise": {
            "collection": "purchase_order_rows",
            "filters": {"order_id": 7},
            "besides": [1, "x"],
            "since": "2026-01-01",
        },
    }
    assert PLAIN.resolved({}) == PLAIN
    kept = Action(title="a", method="PATCH", path="/customers/3", entity="customer", record=3)
    assert kept.resolved({}) == kept
    assert Action(title="a", method="PATCH", path="/customers", entity="a", target=Ref(2, "id")).resolved(
        ANSWERS
    ) == Action(title="a", method="PATCH", path="/customers/uuid", entity="a", record="uuid")


@pytest.mark.parametrize(
    ("path", "target", "shown"),
    [
        ("/customers/3", None, "/customers/3"),
        ("/customers", Ref(1, "id"), '/customers/{"$ref":[1,"id"]}'),
        ("/orders/{}/rows", Ref(1, "id"), '/orders/{"$ref":[1,"id"]}/rows'),
    ],
)
def test_a_path_is_shown_with_what_it_refers_to(path: str, target: Ref | None, shown: str) -> None:
    assert Action(title="a", method="PATCH", path=path, entity="a", target=target).shown_path == shown


@pytest.mark.parametrize(
    ("path", "answers", "collection"),
    [("/customers", "", "customers"), ("/orders/3/rows", "", "orders"), ("/orders/3", "order_rows", "order_rows")],
)
def test_what_katana_answers_with_is_what_the_path_begins_with_unless_it_is_named(
    path: str, answers: str, collection: str
) -> None:
    assert Action(title="a", method="PATCH", path=path, entity="a", answers=answers).collection == collection


@pytest.mark.parametrize(("body", "fields"), [({"a": 1}, {"a": 1}), ([{"a": 1}], {}), ({}, {}), (None, {})])
def test_only_a_body_that_is_an_object_has_fields(body: Body | None, fields: JsonObject) -> None:
    assert Action(title="a", method="POST", path="/a", entity="a", body=body).fields == fields


@pytest.mark.parametrize(
    ("body", "method", "expects"), [({"name": "b"}, "PATCH", {"name": "b"}), ({}, "PATCH", {}), (None, "DELETE", {})]
)
def test_a_change_of_a_record_has_a_body_and_its_deletion_has_none(
    body: JsonObject | None, method: str, expects: JsonObject
) -> None:
    action = on_record("change", "customer", "customers", 3, body)
    assert action.to_json() == {
        **PLAIN_JSON,
        "title": "change",
        "method": method,
        "path": "/customers/3",
        "body": body,
        "record": 3,
        "expects": expects,
        "recognise": {"collection": "customers", "filters": {"ids": [3]}, "besides": []},
    }
