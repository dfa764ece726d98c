"""Error answers and errors, to the letter: what is read of a body, at each of its bounds, and what an error says."""

import json

import pytest

from katana_client.errors import (
    FieldError,
    IncompleteListing,
    KatanaUnavailable,
    KeyRejected,
    NotFound,
    RateLimited,
    Refusal,
    RequestRejected,
    clip,
)
from katana_client.exchange import Call, Reply
from katana_client.refusals import is_katanas_own, read_refusal, rejection

CALL = Call("POST", "/sales_orders")


def tags(size: int) -> str:
    """Return tags of 500 characters, and one that makes them as long as this."""
    tag = f"<{'x' * 498}>"
    return tag * (size // 500) + (f"<{'x' * (size % 500 - 2)}>" if size % 500 else "")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Bad Request"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "Not found"),
        (412, "Precondition failed"),
        (422, "Unprocessable"),
        (429, "Too Many Requests"),
        (500, "Internal Server Error"),
        (502, "Bad Gateway"),
        (503, "Service Unavailable"),
        (504, "Gateway Timeout"),
        (418, "no message in the answer"),
    ],
)
def test_an_answer_without_a_message_is_named_by_its_status(status: int, message: str) -> None:
    assert read_refusal(status, b"") == Refusal(status, message)


@pytest.mark.parametrize(
    ("value", "refusal"),
    [
        ({"message": "m", "error": "e", "name": "N", "code": "C"}, Refusal(422, "m", "N", "C")),
        ({"message": "", "error": "e", "name": "N"}, Refusal(422, "e", "N")),
        ({"message": None, "error": 5, "name": "N"}, Refusal(422, "5", "N")),
        ({"message": True, "name": "N"}, Refusal(422, "N", "N")),
        ({"message": ["m"], "code": 7}, Refusal(422, "Unprocessable", "", "7")),
        ({"error": {"message": "inner"}, "message": "outer"}, Refusal(422, "inner")),
        ([{"message": "first"}, {"message": "second"}], Refusal(422, "first")),
        (["first"], Refusal(422, "Unprocessable")),
        (7, Refusal(422, "Unprocessable")),
        ("", Refusal(422, "Unprocessable")),
        ({"message": "m", "allowedValues": []}, Refusal(422, "m")),
        ({"message": "m", "allowedValues": "x" * 300}, Refusal(422, f"m (allowed: {'x' * 300})")),
        ({"message": "m", "allowedValues": "x" * 301}, Refusal(422, f"m (allowed: {'x' * 299}…)")),
    ],
)
def test_what_an_answer_says_is_read_from_its_object(value: object, refusal: Refusal) -> None:
    assert read_refusal(422, json.dumps(value).encode()) == refusal


@pytest.mark.parametrize(
    ("details", "field_errors"),
    [
        (None, ()),
        ("", ()),
        (dict[str, object](), ()),
        ([None, "", dict[str, object](), "text"], (FieldError("", "text"),)),
        (7, (FieldError("", "7"),)),
        ({"path": "/a", "message": "m", "code": "c", "info": {"i": 1}}, (FieldError("/a", "m", "c", {"i": 1}),)),
        ([{"path": 5, "message": True, "info": [1]}], (FieldError("5", ""),)),
        ([{"info": {str(nr): nr for nr in range(21)}}], (FieldError("", "", "", {str(nr): nr for nr in range(20)}),)),
        (["x"] * 101, (FieldError("", "x"),) * 100),
    ],
)
def test_the_details_of_an_answer_are_read_one_by_one(details: object, field_errors: tuple[FieldError, ...]) -> None:
    body = json.dumps({"message": "m", "details": details}).encode()
    assert read_refusal(422, body) == Refusal(422, "m", field_errors=field_errors)


@pytest.mark.parametrize(("size", "name"), [(200_000, "N"), (200_001, "")])
def test_a_body_is_read_up_to_a_size_and_its_message_is_saved_beyond(size: int, name: str) -> None:
    body = b'{"message":"m","name":"N"'.ljust(size - 1) + b"}"
    assert read_refusal(422, body) == Refusal(422, "m", name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (' {"message": "m', "m"),
        ('{"message":"a\\\\b', "a\\b"),
        ('{"code":"c","message":"m","x', "m"),
        ('["message":"m"', '["message":"m"'),
        ("[" * 100_000, f"{'[' * 299}…"),
        (" <title>A &amp; <b>B</b></title><h1>A &amp; B</h1>", "A & B"),
        ("<title>A</title><H1 class='x'>A</H1 >", "A"),
        ("<title></title><p>text</p>", "text"),
        ("<title>A</title>\n<h1>\nB\n</h1>", "A / B"),
        ("text <title>A</title>", "text <title>A</title>"),
        ("<" + "x" * 500 + ">y", "y"),
        ("<" + "x" * 501 + ">y", f"<{'x' * 298}…"),
        (tags(4_998) + "yz", "yz"),
        (tags(4_998) + "xyz", "xy"),
        (tags(19_984) + "<title>A</title>", "A"),
        (tags(19_985) + "<title>A</title>", "Unprocessable"),
    ],
    ids=lambda text: str(len(text)),
)
def test_what_is_no_json_is_read_as_a_person_would(text: str, message: str) -> None:
    assert read_refusal(422, text.encode()) == Refusal(422, message)


@pytest.mark.parametrize(
    ("status", "body", "own"),
    [
        (422, {"error": {"statusCode": 422, "message": "m"}}, True),
        (422, {"error": {"statusCode": 500, "message": "m"}}, False),
        (422, {"error": {"message": "m"}}, True),
        (422, {"error": {"message": "m", "code": "C"}}, True),
        (422, {"error": {"message": "m", "code": 7}}, False),
        (422, {"error": {"message": 7}}, False),
        (422, {"error": {}}, False),
        (422, {"statusCode": 422, "message": "m"}, True),
        (422, {"statusCode": 422, "message": "m", "error": "Unprocessable"}, True),
        (422, {"statusCode": 500, "message": "m"}, False),
        (422, {"message": "m"}, False),
        (422, [{"statusCode": 422, "message": "m"}], False),
        (422, "text", False),
        (422, None, False),
    ],
)
def test_an_error_in_katanas_form_is_katanas_own(status: int, body: object, *, own: bool) -> None:
    assert is_katanas_own(Reply(status, {}, json.dumps(body).encode())) is own


def test_an_error_that_broke_off_or_is_no_json_is_not_katanas_own() -> None:
    body = b'{"error":{"message":"m"}}'
    bodies = (
        Reply(422, {}, body),
        Reply(422, {}, body, complete=False),
        Reply(422, {}, b"{"),
        Reply(422, {}, b"[" * 99_999),
    )
    assert [is_katanas_own(reply) for reply in bodies] == [True, False, False, False]


@pytest.mark.parametrize(
    ("status", "kind", "message", "details"),
    [
        (401, KeyRejected, "the Katana API key was refused: m", ()),
        (404, NotFound, "m", (FieldError("/a", "x"),)),
        (403, RequestRejected, "m", (FieldError("/a", "x"),)),
        (422, RequestRejected, "m", (FieldError("/a", "x"),)),
    ],
)
def test_a_rejection_has_the_class_and_the_facts_of_its_status(
    status: int, kind: type[RequestRejected], message: str, details: tuple[FieldError, ...]
) -> None:
    body = {"message": "m", "name": "N", "code": "C", "details": [{"path": "/a", "message": "x"}]}
    error = rejection(CALL, Reply(status, {}, json.dumps(body).encode()))
    assert (type(error), error.method, error.path, error.status) == (kind, "POST", "/sales_orders", status)
    assert (error.message, error.name, error.code, error.field_errors) == (message, "N", "C", details)
    tail = " [/a: x]" if details else ""
    assert str(error) == f"POST /sales_orders: {status} {message}{tail}"


@pytest.mark.parametrize(
    ("text", "limit", "clipped"),
    [
        ("", 10, ""),
        (" a \x00\u200b\n b ", 10, "a b"),
        ("a" * 10, 10, "a" * 10),
        ("a" * 11, 10, "a" * 9 + "…"),
        ("漢" * 633 + "a", 1_900, "漢" * 633 + "a"),
        ("漢" * 633 + "aa", 1_900, "漢" * 632 + "…"),
        ("a" + "漢" * 634, 1_900, "a" + "漢" * 632 + "…"),
        ("a" * 1_900, 2_000, "a" * 1_900),
        ("a" * 1_901, 2_000, "a" * 1_897 + "…"),
    ],
    ids=lambda value: str(len(value)) if isinstance(value, str) else None,
)
def test_a_text_is_cut_to_its_limit_and_to_so_many_bytes(text: str, limit: int, clipped: str) -> None:
    assert clip(text, limit) == clipped
    assert clip("a" * 1_901) == "a" * 1_897 + "…" != clip("a" * 1_900)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FieldError("/a", "m", "c"), "/a: m"),
        (FieldError("", "m"), "body: m"),
        (FieldError("/a", "", "c"), "/a: c"),
        (FieldError("/a", "m", "", {"missingProperty": "b", "additionalProperty": "d"}), "/a/b: m"),
        (FieldError("", "m", "", {"additionalProperty": "d"}), "/d: m"),
        (FieldError("/a", "m", "", {"allowedValues": ["x"]}), "/a: m (allowed: ['x'])"),
        (FieldError("/a", "m", "", {"allowedValues": []}), "/a: m"),
        (FieldError("/a", "m" * 296), f"/a: {'m' * 296}"),
        (FieldError("/a", "m" * 297), f"/a: {'m' * 295}…"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_entry_of_the_details_says_where_and_what(error: FieldError, text: str) -> None:
    assert str(error) == text


def test_an_error_names_its_call_and_its_status() -> None:
    path = "/" + "a" * 199
    known, unknown = KatanaUnavailable("GET", path, "m", 500), KatanaUnavailable("GET", f"{path}a", "m")
    assert (str(known), known.method, known.path, known.status) == (f"GET {path}: 500 m", "GET", path, 500)
    assert (str(unknown), unknown.path, unknown.status) == (f"GET {path[:-1]}…: m", f"{path}a", None)
    long = KatanaUnavailable("GET", "/a", "m" * 2_000)
    assert str(long) == f"GET /a: {'m' * 1_889}…"


@pytest.mark.parametrize(("count", "more"), [(0, None), (1, ""), (10, ""), (11, "; and 1 more"), (12, "; and 2 more")])
def test_a_rejection_shows_ten_entries_and_counts_the_others(count: int, more: str | None) -> None:
    error = RequestRejected("POST", "/a", Refusal(422, "m" * 601, field_errors=(FieldError("/a", "x"),) * count))
    shown = "; ".join(["/a: x"] * min(count, 10))
    tail = "" if more is None else f" [{shown}{more}]"
    assert str(error) == f"POST /a: 422 {'m' * 599}…{tail}"
    assert error.message == "m" * 601


def test_a_limit_of_requests_says_when_to_try_again() -> None:
    error = RateLimited("GET", "/a", Refusal(429, "m" * 601), 7.5)
    assert str(error) == f"GET /a: 429 {'m' * 599}… (retry after 7.5 s)"
    assert (error.retry_after, error.status) == (7.5, 429)


def test_an_incomplete_listing_says_what_was_seen_and_what_was_reported() -> None:
    known = IncompleteListing("/a", "it is short", seen=3, reported=0)
    assert str(known) == "GET /a: incomplete listing: it is short; 3 rows seen, 0 reported"
    assert (known.seen, known.reported, known.reason, known.status) == (3, 0, "it is short", None)
    unknown = IncompleteListing("/a", "it is short", seen=0, reported=None)
    assert str(unknown) == "GET /a: incomplete listing: it is short; 0 rows seen, no readable total"
