"""The argument models that a declaration of a document is made into: schemas as a whole, and what they refuse."""

from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic import ValidationError

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.declaration import ONLY_LATER, ONLY_NEW, Field, Key, Part, Selector, Status, Writable
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.requests import Request

ROWS = Part(
    name="rows",
    one="row",
    held="purchase_order_rows",
    says={"new": "New rows.", "add": "More rows.", "update": "Other rows.", "delete": "Rows that go."},
    most=3,
    needed=True,
    collection="purchase_order_rows",
    fields=(
        Field("variant_id", int, "What it is of.", argument="sku", required=True, clears=False),
        Field("quantity", int),
        Field("received", bool, "Came.", verbs=ONLY_LATER),
    ),
    key_kind=int,
    also={"code": ("sku",), "came": ("received",)},
)
NOTES = Part(
    name="notes",
    one="note",
    held="notes",
    says={"new": "Notes."},
    most=2,
    fields=(Field("text", str, verbs=ONLY_NEW),),
)
STATUS = Status(kind=str, says="How it is.", first="DRAFT", refused={}, path="")
ORDER = Writable(
    entity="purchase_order",
    noun="bought_order",
    collection="purchase_orders",
    says_id="Which one.",
    id_kind=int,
    key=Key(name="order_no", words="number"),
    head=(
        Field("order_no", str, "Another number.", says_new="Its number."),
        Field("supplier_id", int, "From whom.", required=True, clears=False),
        Field("entity_type", str, argument="sort", default="regular", verbs=ONLY_NEW),
        Field("reason", str, "Why.", verbs=ONLY_LATER, required=True, clears=False),
    ),
    parts=(ROWS, NOTES),
    status=STATUS,
    words={"lines": "name rows"},
    switches=(Field("all_rows", bool, "Or some.", verbs=ONLY_LATER, default=False),),
    described=lambda _: "",
    what={},
    answers={},
)
KIND = Selector(argument="type", value="bought", kinds=("bought", "made"), says="Which kind.", also="kind")
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def or_null(shape: dict[str, Any], says: str = "") -> dict[str, Any]:
    """Return an argument that need not be given."""
    return {"anyOf": [shape, {"type": "null"}], "default": None, **({"description": says} if says else {})}


def listed(items: dict[str, Any], most: int, says: str, least: int = 0) -> dict[str, Any]:
    """Return an argument that is a list."""
    limits = {"maxItems": most, **({"minItems": least} if least else {})}
    return {"type": "array", "items": items, "description": says, **limits}


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Return an object that has no other fields."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, "additionalProperties": False, **needed}


def shape_of(model: type[Request]) -> object:
    """Return the schema of a model, without titles, and with what it refers to in place."""
    schema = model.model_json_schema()
    known = cast("dict[str, object]", schema.pop("$defs", {}))

    def plain(value: object) -> object:
        if isinstance(value, list):
            return [plain(item) for item in cast("list[object]", value)]
        if not isinstance(value, dict):
            return value
        shape = cast("dict[str, object]", value)
        if "$ref" in shape:
            return plain(known[str(shape["$ref"]).removeprefix("#/$defs/")])
        return {name: plain(item) for name, item in shape.items() if name != "title" or not isinstance(item, str)}

    return plain(schema)


ROW = closed({"sku": {**NUMBER, "description": "What it is of."}, "quantity": or_null(NUMBER)}, "sku")
CHANGED_ROW = closed(
    {
        "sku": or_null(NUMBER, "What it is of."),
        "quantity": or_null(NUMBER),
        "received": or_null(FLAG, "Came."),
        "row_id": NUMBER,
    },
    "row_id",
)
NOTE = closed({"text": or_null(TEXT)})
NEW: dict[str, Any] = {
    "order_no": or_null(TEXT, "Its number."),
    "supplier_id": {**NUMBER, "description": "From whom."},
    "sort": {**TEXT, "default": "regular"},
    "rows": listed(ROW, 3, "New rows.", 1),
    "notes": listed(NOTE, 2, "Notes."),
}
ID = {"bought_order_id": {**NUMBER, "description": "Which one."}}
CHANGED: dict[str, Any] = {
    **ID,
    "order_no": or_null(TEXT, "Another number."),
    "supplier_id": or_null(NUMBER, "From whom."),
    "reason": or_null(TEXT, "Why."),
    "all_rows": {**FLAG, "default": False, "description": "Or some."},
    "status": or_null(TEXT, "How it is."),
    "add_rows": listed(ROW, 3, "More rows."),
    "update_rows": listed(CHANGED_ROW, 3, "Other rows."),
    "delete_row_ids": listed(NUMBER, 3, "Rows that go."),
}


@pytest.mark.parametrize(
    ("verb", "shape", "name"),
    [
        ("create", closed(NEW, "supplier_id", "rows"), "CreateBoughtOrderRequest"),
        ("modify", closed(CHANGED, "bought_order_id"), "ModifyBoughtOrderRequest"),
        ("delete", closed(ID, "bought_order_id"), "DeleteBoughtOrderRequest"),
    ],
)
def test_a_declaration_is_the_schema_of_its_tools(verb: Verb, shape: object, name: str) -> None:
    model = request_of(ORDER, verb)
    assert (shape_of(model), model.__name__) == (shape, name)


def test_a_status_can_be_asked_for_where_there_is_one() -> None:
    stated = replace(ORDER, status=replace(STATUS, new_kind=str, says_new="How it begins."))
    status = {"status": {**TEXT, "default": "DRAFT", "description": "How it begins."}}
    assert shape_of(request_of(stated, "create")) == closed({**NEW, **status}, "supplier_id", "rows")
    without = {name: shape for name, shape in CHANGED.items() if name != "status"}
    assert shape_of(request_of(replace(ORDER, status=None), "modify")) == closed(without, "bought_order_id")
    assert shape_of(request_of(replace(ORDER, status=None), "create")) == closed(NEW, "supplier_id", "rows")


def test_a_new_document_has_no_parts_that_only_come_later() -> None:
    later = replace(ORDER, parts=(replace(ROWS, verbs=ONLY_LATER), replace(NOTES, needed=False)))
    without = {name: shape for name, shape in NEW.items() if name != "rows"}
    assert shape_of(request_of(later, "create")) == closed(without, "supplier_id")


def test_a_brief_part_is_described_only_where_it_is_new() -> None:
    brief = replace(ORDER, parts=(replace(ROWS, is_brief=True),))
    bare = {"sku": NUMBER, "quantity": or_null(NUMBER)}
    changed = closed(
        {"sku": or_null(NUMBER), "quantity": or_null(NUMBER), "received": or_null(FLAG), "row_id": NUMBER}, "row_id"
    )
    rows = {"add_rows": listed(closed(bare, "sku"), 3, "More rows."), "update_rows": listed(changed, 3, "Other rows.")}
    assert shape_of(request_of(brief, "modify")) == closed({**CHANGED, **rows}, "bought_order_id")
    new = {name: shape for name, shape in NEW.items() if name != "notes"}
    assert shape_of(request_of(brief, "create")) == closed(new, "supplier_id", "rows")


@pytest.mark.parametrize(
    ("verb", "never_null"),
    [
        ("create", {"order_no", "sort", "rows", "notes"}),
        (
            "modify",
            {
                "supplier_id",
                "reason",
                "status",
                *(f"{what}_{part}" for part in ("rows", "notes") for what in ("add", "update")),
                "delete_row_ids",
                "delete_note_ids",
            },
        ),
        ("delete", set[str]()),
    ],
)
def test_what_cannot_be_cleared_cannot_be_null(verb: Verb, never_null: set[str]) -> None:
    model = cast("Any", request_of(ORDER, verb))
    assert model.never_null == never_null


def test_a_document_without_a_status_has_no_null_status_to_refuse() -> None:
    model = cast("Any", request_of(replace(ORDER, status=None, parts=()), "modify"))
    assert model.never_null == {"supplier_id", "reason"}


def refused(verb: Verb, **given: object) -> list[str]:
    """Return why arguments are not taken."""
    with pytest.raises(ValidationError) as refusal:
        request_of(ORDER, verb).model_validate(given)
    return [error["msg"].removeprefix("Value error, ") for error in refusal.value.errors()]


def test_null_is_refused_in_rows_too() -> None:
    assert refused("create", supplier_id=1, rows=[{"sku": 1, "quantity": None}]) == [
        "quantity cannot be null: leave it out instead"
    ]
    assert refused("modify", bought_order_id=1, update_rows=[{"row_id": 1, "sku": None}]) == [
        "sku cannot be null: leave it out instead"
    ]
    cleared = request_of(ORDER, "modify").model_validate(
        {"bought_order_id": 1, "update_rows": [{"row_id": 1, "quantity": None}]}
    )
    assert cleared.model_dump(exclude_unset=True)["update_rows"] == [{"row_id": 1, "quantity": None}]
    assert refused("create", supplier_id=1, rows=[]) == ["List should have at least 1 item after validation, not 0"]


def rows_in(verb: Verb, name: str) -> type[Request]:
    """Return the model of the entries of a list."""
    annotation = request_of(ORDER, verb).model_fields[name].annotation
    (model,) = cast("tuple[type[Request]]", cast("Any", annotation).__args__)
    return model


def test_further_names_are_taken_where_their_arguments_are() -> None:
    own = {"id": ("bought_order_id",)}
    assert [request_of(ORDER, verb).also for verb in ("create", "modify", "delete")] == [{}, own, own]
    assert rows_in("create", "rows").also == {"code": ("sku",)}
    assert rows_in("modify", "add_rows").also == {"code": ("sku",)}
    assert rows_in("modify", "update_rows").also == ROWS.also
    chosen = replace(ORDER, selector=KIND)
    kind = {"kind": ("type",)}
    assert [request_of(chosen, verb).also for verb in ("create", "modify", "delete")] == [
        kind,
        {**own, **kind},
        {**own, **kind},
    ]


def test_other_words_are_answered_of_a_change_only() -> None:
    assert [request_of(ORDER, verb).words for verb in ("create", "modify", "delete")] == [
        {},
        {"lines": "name rows"},
        {},
    ]


@pytest.mark.parametrize("verb", ["create", "modify", "delete"])
def test_the_kind_is_named_in_capitals_or_small_letters(verb: Verb) -> None:
    chosen = replace(ORDER, selector=KIND, parts=(), head=())
    subject = {} if verb == "create" else {"bought_order_id": 1}
    model = request_of(chosen, verb)
    assert model.model_validate({"type": " Bought ", **subject}).model_dump()["type"] == "bought"
    with pytest.raises(ValidationError, match="Input should be 'bought' or 'made'"):
        model.model_validate({"type": 5, **subject})
    shape = cast("dict[str, dict[str, object]]", shape_of(model))
    assert shape["properties"]["type"] == {**TEXT, "enum": ["bought", "made"], "description": "Which kind."}
    assert shape["required"] == ["type", *subject]
