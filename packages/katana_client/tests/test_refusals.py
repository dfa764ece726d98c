"""Any error body becomes a bounded error that keeps Katana's message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client.errors import FieldError, KatanaError, KeyRejected, NotFound, RequestRejected, clip
from katana_client.exchange import Call, Reply
from katana_client.refusals import is_katanas_own, read_refusal, rejection

CALL = Call("POST", "/sales_orders")
AJV = {
    "statusCode": 422,
    "name": "UnprocessableEntityError",
    "message": "The request body is invalid. See error object `details` property for more info.",
    "code": "VALIDATION_FAILED",
    "details": [
        {"path": "/ids/0", "code": "type", "message": "must be number", "info": {"type": "number"}},
        {
            "path": "",
            "code": "required",
            "message": "must have required property 'name'",
            "info": {"missingProperty": "name"},
        },
        {
            "path": "/status",
            "code": "enum",
            "message": "must be one of",
            "info": {"allowedValues": ["A", "B"]},
        },
    ],
}


@pytest.mark.parametrize("body", [AJV, {"error": AJV}])
def test_schema_errors_are_read_wrapped_and_bare(body: object) -> None:
    error = rejection(CALL, Reply(422, {}, json.dumps(body).encode()))
    assert error.status == 422
    assert [(field_error.path, field_error.code) for field_error in error.field_errors] == [
        ("/ids/0", "type"),
        ("", "required"),
        ("/status", "enum"),
    ]
    assert error.field_errors[1].info == {"missingProperty": "name"}
    text = str(error)
    for part in (
        "POST /sales_orders: 422",
        "request body is invalid",
        "/ids/0: must be number",
        "/name: must have",
        "A', 'B",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error":{"message":"Location has selling disabled"}}', "Location has selling disabled"),
        (b'{"error":"plain words"}', "plain words"),
        (b'"just text"', "just text"),
        (b'{"message":"bad","allowedValues":["x","y"]}', "bad (allowed: ['x', 'y'])"),
        (
            b"<html><head><title>502 Bad Gateway</title></head><body><h1>Oops</h1></body></html>",
            "502 Bad Gateway / Oops",
        ),
        (b"<title>One</title><h1>Two</h1><h1>Three</h1>", "One / Two"),
        (b"<p>no title</p>", "no title"),
        (b"upstream\r\nfailed\x00", "upstream failed"),
        (b'{"error":{"message":"cut \\"o', 'cut "o'),
        (b'{"error":{"mess', '{"error":{"mess'),
        (b"", "Unprocessable"),
        (b"{}", "Unprocessable"),
        (b"[]", "Unprocessable"),
        (b"null", "Unprocessable"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_the_message_survives_any_envelope(body: bytes, message: str) -> None:
    assert read_refusal(422, body).message == message


@pytest.mark.parametrize(
    ("form", "most"),
    [
        ('{{"message":"{}"}}', 600),
        ('"{}"', 600),
        ('{{"message":"{}","cut":', 600),
        ("{}", 300),
        ("<title>{}</title>", 200),
        ("<p>{}</p>", 300),
    ],
)
def test_a_message_is_whole_up_to_its_limit_and_cut_beyond(form: str, most: int) -> None:
    whole, cut = (read_refusal(422, form.format("y" * length).encode()).message for length in (most, most + 1))
    assert whole == "y" * most
    assert cut == clip("y" * (most + 1), most) != whole


def test_blanks_count_as_one_and_what_is_not_looked_at_is_told_as_cut() -> None:
    blanks = " " * (4 * 10 - 2)
    assert [clip(f"a{blanks}b", 10), clip(f"a{blanks} b", 10)] == ["a b", "a…"]


def test_details_that_are_a_text_are_cut_too() -> None:
    bodies = [json.dumps({"details": ["", {}, "d" * length]}).encode() for length in (300, 301)]
    field_errors = [read_refusal(422, body).field_errors for body in bodies]
    assert field_errors == [(FieldError("", "d" * 300),), (FieldError("", "d" * 299 + "…"),)]


@pytest.mark.parametrize(("size", "expected"), [(200_000, True), (200_001, False)])
def test_an_error_of_katanas_own_is_read_up_to_a_size(size: int, expected: bool) -> None:
    body = b'{"error":{"statusCode":422,"message":"x"'.ljust(size - 2) + b"}}"
    assert is_katanas_own(Reply(422, {}, body)) is expected


def test_a_body_of_ten_megabytes_gives_a_short_message() -> None:
    for body in (
        b"x" * 10_000_000,
        json.dumps({"error": {"message": "y" * 10_000_000}}).encode(),
        b"<" * 10_000_000,
    ):
        assert len(str(rejection(CALL, Reply(422, {}, body)))) < 2_000


def test_thousands_of_field_errors_give_a_short_message_and_a_hundred_entries() -> None:
    details = [{"path": f"/rows/{number}/{'ä' * 50}", "message": "must be number"} for number in range(5_000)]
    error = rejection(
        CALL, Reply(422, {}, json.dumps({"error": {"message": "bad", "details": details}}).encode()[:190_000])
    )
    whole = rejection(CALL, Reply(422, {}, json.dumps({"message": "bad", "details": details[:400]}).encode()))
    assert len(str(error).encode()) < 2_000
    assert len(str(whole).encode()) < 2_000
    assert len(whole.field_errors) == 100
    assert "and 90 more" in str(whole)


def test_the_bound_is_in_bytes() -> None:
    details = [{"path": "/漢" * 50, "message": "字" * 300}] * 10
    body = json.dumps({"error": {"message": "漢" * 900, "details": details}}).encode()
    text = str(rejection(CALL, Reply(422, {}, body)))
    assert len(text.encode()) < 2_000
    assert text.startswith("POST /sales_orders: 422 漢漢")


def test_401_names_the_key_and_404_is_its_own_class() -> None:
    refused = rejection(CALL, Reply(401, {}, b'{"error":{"message":"Unauthorized"}}'))
    assert isinstance(refused, KeyRejected)
    assert "API key was refused: Unauthorized" in str(refused)
    assert isinstance(rejection(CALL, Reply(404, {}, b"")), NotFound)
    assert isinstance(refused, RequestRejected)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: (
        st.lists(children)
        | st.dictionaries(st.sampled_from(["error", "message", "details", "info", "path", "x"]), children)
    ),
)


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()), st.integers(400, 599))
def test_no_body_breaks_the_mapping(body: bytes, status: int) -> None:
    error = rejection(CALL, Reply(status, {}, body))
    assert isinstance(error, KatanaError)
    assert 0 < len(str(error).encode()) < 2_000
    assert error.message
