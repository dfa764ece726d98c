"""The parts of a request at their bounds: paths, ids, keys and hosts, values of filters, and JSON without a float."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import override
from uuid import UUID

import pytest

from katana_client.errors import ConfigurationError, InvalidRequest
from katana_client.filters import (
    Abilities,
    Filters,
    FilterValue,
    Parameters,
    batches,
    disobeyed,
    one_request,
    parameters,
    query,
    split,
)
from katana_client.jsontext import UNREADABLE, decode, encode, number, stamp
from katana_client.paths import check_path, checked_base_url, checked_id, checked_key, checked_uuid, is_loopback

KNOWN = Filters.of("page_id status", "ids sku")
NOTHING: Parameters = {}
NONE: list[Parameters] = []
U1 = "00000000-0000-0000-0000-00000000000a"


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("/a", True),
        ("/a_1-b/2", True),
        ("/" + "a" * 198, True),
        ("/" + "a" * 199, True),
        ("/" + "a" * 200, False),
        ("", False),
        ("a", False),
        ("/A", False),
        ("/a/", False),
        ("/-a", False),
    ],
)
def test_a_path_is_made_of_plain_segments_and_not_too_long(path: str, *, fits: bool) -> None:
    if fits:
        check_path(path)
        return
    text = r"^a path is made of /segments of a-z, 0-9, _ and -, at most 200 characters$"
    with pytest.raises(InvalidRequest, match=text):
        check_path(path)


@pytest.mark.parametrize("identity", [1, 2, 2_147_483_647])
def test_an_id_of_32_bits_is_taken(identity: int) -> None:
    assert checked_id(identity) == identity


@pytest.mark.parametrize("identity", [0, 2_147_483_648, True, "1", Decimal(1), None])
def test_any_other_id_is_refused_with_the_bounds(identity: object) -> None:
    with pytest.raises(InvalidRequest, match=r"^an id is a whole number from 1 to 2147483647$"):
        checked_id(identity)


@pytest.mark.parametrize("identity", [U1, U1.upper(), UUID(U1)])
def test_a_uuid_is_taken_in_its_plain_form(identity: object) -> None:
    assert checked_uuid(identity) == U1


@pytest.mark.parametrize("identity", [7, None, "", "x", U1.replace("-", ""), f"{{{U1}}}"])
def test_any_other_uuid_is_refused(identity: object) -> None:
    with pytest.raises(InvalidRequest, match=r"^the ids of this collection are UUIDs$"):
        checked_uuid(identity)


BLANKS = "holds blanks or characters that no key has: copy it again"


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("  ", "is missing: make one in Katana under Settings > API > API keys"),
        ("Bearer abc", "is given with a leading 'Bearer': give the key alone"),
        ("bearer  abc", "is given with a leading 'Bearer': give the key alone"),
        ('abc"', "holds quotes: give the key alone"),
        ("..", "is a placeholder: copy the key from Katana"),
        ("a b", BLANKS),
        ("a\x7f", BLANKS),
        ("ä", BLANKS),
        ("k" * 4_097, BLANKS),
    ],
)
def test_a_key_that_is_none_is_refused_with_the_reason(key: str, why: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        checked_key(key)
    assert str(raised.value) == f"the Katana API key {why}"


@pytest.mark.parametrize("key", ["!~", "bearer", "a.", ".a", "a\"b'c`d", "k" * 4_095, "k" * 4_096])
def test_a_key_may_hold_any_printable_character_inside(key: str) -> None:
    assert checked_key(f" {key}\n") == key


LABEL = "a" * 63


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        (f"https://{LABEL}.example", True),
        (f"https://{LABEL}a.example", False),
        (f"https://{'.'.join([LABEL] * 3)}.{'a' * 60}", True),
        (f"https://{'.'.join([LABEL] * 3)}.{'a' * 61}", True),
        (f"https://{'.'.join([LABEL] * 3)}.{'a' * 62}", False),
        ("https://x.example.", True),
        ("https://[::1]", True),
        ("https://[fe80::1]/v1", True),
        ("https://1.2.3.4", True),
        ("https://1.2.3.4.5", False),
        ("https://a.xn--b", False),
        ("https://x.example/v1/...", True),
        ("https://x.example/~a.b-c_d/", True),
        ("https://x.example/ä", False),
    ],
)
def test_a_base_url_has_a_plain_host_and_path(url: str, *, fits: bool) -> None:
    if fits:
        assert checked_base_url(url) == url.rstrip("/")
        return
    with pytest.raises(ConfigurationError, match="needs a plain ASCII host and a path"):
        checked_base_url(url)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *(("localhost", True), ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True)),
        *(("LOCALHOST", False), ("10.0.0.1", False), ("::2", False), ("x", False)),
    ],
)
def test_only_this_machine_is_loopback(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback


def test_filters_are_known_by_name_and_told_in_order() -> None:
    assert Filters.of("") == Filters() == Abilities().filters == Abilities().get_filters
    assert Filters(("page_id", "status"), ("ids", "sku")) == KNOWN
    assert [name in KNOWN for name in ("status", "sku", "stat", "")] == [True, True, False, False]
    assert KNOWN.names() == ["ids", "page_id", "sku", "status"]
    assert (Abilities().deletes, Abilities().lists, Abilities().gets, Abilities().uuid) == (False, True, None, False)


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("a b", ("a b",)),
        ("", ("",)),
        (7, ("7",)),
        (True, ("true",)),
        (False, ("false",)),
        (Decimal("1E+2"), ("100",)),
        (UUID(U1), (U1,)),
        (datetime(2026, 1, 2, 3, 4, 5, 6_789, tzinfo=UTC), ("2026-01-02T03:04:05.006Z",)),
        (datetime(2026, 1, 2, 3, 4, 5, 999, tzinfo=UTC), ("2026-01-02T03:04:05.000Z",)),
        ([3, 1, 3, "1"], ("3", "1")),
        ((), ()),
        pytest.param(iter(["a", True]), ("a", "true"), id="iterator"),
    ],
    ids=str,
)
def test_a_value_of_a_filter_has_one_text(value: FilterValue, texts: tuple[str, ...]) -> None:
    assert parameters(KNOWN, {"sku": value, "status": None}, "GET /x") == {"sku": texts}


@pytest.mark.parametrize(
    ("known", "name", "text"),
    [
        (KNOWN, "stat", "GET /x has no filter 'stat'; it knows ids, page_id, sku, status"),
        (Filters(), "a" * 61, f"GET /x has no filter '{'a' * 60}'; it knows none"),
    ],
)
def test_a_filter_that_is_not_known_is_refused_even_without_a_value(known: Filters, name: str, text: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        parameters(known, {name: None}, "GET /x")
    assert str(raised.value) == text


@pytest.mark.parametrize(
    ("requested", "requests"),
    [
        (NOTHING, [NOTHING]),
        ({"status": ("a",)}, [{"status": ("a",)}]),
        ({"sku": ("a", "b")}, [{"sku": ("a", "b")}]),
        ({"sku": ()}, NONE),
        ({"sku": (), "status": ("a",)}, NONE),
        (
            {"status": ("a", "b"), "sku": ("x",)},
            [{"status": ("a",), "sku": ("x",)}, {"status": ("b",), "sku": ("x",)}],
        ),
    ],
)
def test_long_lists_are_cut_into_requests(requested: Parameters, requests: list[Parameters]) -> None:
    assert list(split(KNOWN, requested)) == requests
    if len(requests) == 1:
        assert one_request(KNOWN, requested, "x") == requests[0]
        return
    with pytest.raises(InvalidRequest) as raised:
        one_request(KNOWN, requested, "x")
    assert str(raised.value) == f"these filters of x need {len(requests)} listings: use list()"


@pytest.mark.parametrize(
    ("name", "count", "length", "runs"),
    [
        ("ids", 250, 1, [250]),
        ("ids", 251, 1, [250, 1]),
        # A value takes its name, itself and two characters: 2 * 2,000 are 4,000.
        ("ids", 2, 1_995, [2]),
        ("ids", 2, 1_996, [1, 1]),
        ("ids", 1, 9_000, [1]),
        ("status", 3, 1, [1, 1, 1]),
        ("ids", 0, 1, []),
    ],
)
def test_a_run_of_values_is_as_long_as_a_request_allows(name: str, count: int, length: int, runs: list[int]) -> None:
    values = [chr(200 + nr) if length == 1 else f"{nr}".ljust(length, "x") for nr in range(count)]
    short = [str(nr) for nr in range(count)] if length == 1 else values
    assert [len(run) for run in batches(KNOWN, name, short)] == runs
    assert [value for run in batches(KNOWN, name, values) for value in run] == values


@pytest.mark.parametrize(
    ("most", "runs"), [(None, [(1, 2, 3)]), (0, [(1, 2, 3)]), (2, [(1, 2), (3,)]), (3, [(1, 2, 3)]), (999, [(1, 2, 3)])]
)
def test_a_run_is_no_longer_than_asked_for(most: int | None, runs: list[tuple[int, ...]]) -> None:
    assert batches(KNOWN, "ids", [1, 2, 3, 1], most) == runs


def test_what_is_written_longer_in_a_query_counts_longer() -> None:
    assert [len(run) for run in batches(KNOWN, "ids", ["ä" * 332 + "xxx", "ö" * 332 + "xxx"])] == [2]
    assert [len(run) for run in batches(KNOWN, "ids", ["ä" * 332 + "xxxx", "ö" * 332 + "xxxx"])] == [1, 1]
    assert batches(KNOWN, "ids", ["\ud800"]) == [("\ud800",)]


def test_each_run_is_measured_from_its_own_beginning() -> None:
    lengths = (1_995, 1_996, 1_995, 1_995, 1_996)
    values = [f"{nr}".ljust(length, "x") for nr, length in enumerate(lengths)]
    assert [len(run) for run in batches(KNOWN, "ids", values)] == [1, 1, 2, 1]


def test_a_query_repeats_the_name_of_a_list() -> None:
    assert query({"a": ("1", "2"), "b": (), "c": ("3",)}) == (("a", "1"), ("a", "2"), ("c", "3"))


@pytest.mark.parametrize(
    ("name", "row", "sentence"),
    [
        ("id", {"id": 6}, "the filter id was ignored: a row has id 6"),
        ("ids", {"id": 6}, "the filter ids was ignored: a row has id 6"),
        ("order_ids", {"order_id": 6}, "the filter order_ids was ignored: a row has order_id 6"),
        ("order_id", {"order_id": "x" * 41}, f"the filter order_id was ignored: a row has order_id {'x' * 40}"),
        ("ids", {"id": 5}, None),
        ("ids", {"id": "5"}, None),
        ("ids", {"id": "AB"}, None),
        ("ids", {"id": None}, None),
        ("ids", {"id": Decimal(6)}, None),
        ("ids", {}, None),
        ("sku", {"sku": "6"}, None),
    ],
)
def test_a_row_that_contradicts_a_filter_of_ids_is_told(
    name: str, row: dict[str, object], sentence: str | None
) -> None:
    key = "order_id" if name.startswith("order") else "id"
    assert disobeyed({"sku": ("z",), name: ("5", "ab")}, [{key: 5}, row]) == sentence
    assert disobeyed({name: ("5", "ab")}, []) is None


class Nowhere(tzinfo):
    """A time zone that knows no offset."""

    @override
    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None

    @override
    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    @override
    def tzname(self, dt: datetime | None) -> str | None:
        return None


@pytest.mark.parametrize(
    ("microsecond", "zone", "text"),
    [
        (0, UTC, "2026-01-02T03:04:05.000Z"),
        (6_000, UTC, "2026-01-02T03:04:05.006Z"),
        (6_001, UTC, "2026-01-02T03:04:05.006001Z"),
        (6_999, timezone(timedelta(hours=-2)), "2026-01-02T03:04:05.006999-02:00"),
    ],
)
def test_a_moment_has_milliseconds_at_least_and_its_offset(microsecond: int, zone: tzinfo, text: str) -> None:
    assert stamp(datetime(2026, 1, 2, 3, 4, 5, microsecond, zone)) == text


@pytest.mark.parametrize("zone", [None, Nowhere()])
def test_a_moment_without_an_offset_is_refused(zone: tzinfo | None) -> None:
    with pytest.raises(InvalidRequest, match=r"^a date and time needs an offset: Katana refuses naive ones$"):
        stamp(datetime(2026, 1, 2, 3, 4, 5, 0, zone))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("-1.50", "-1.50"),
        ("1E+40", "1" + "0" * 40),
        ("1E+41", "1E+41"),
        ("1E-60", f"0.{'0' * 59}1"),
        ("1E-61", "1E-61"),
    ],
)
def test_a_decimal_is_written_plainly_unless_it_is_very_long(value: str, text: str) -> None:
    assert number(Decimal(value)) == text


def nested(levels: int) -> object:
    """Return so many lists and objects, one inside of the other."""
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_a_body_is_nested_sixty_levels_deep_at_most() -> None:
    assert encode(nested(60)).count(b"[") == 30
    with pytest.raises(InvalidRequest, match=r"^a body may not be nested deeper than 60 levels$"):
        encode(nested(61))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"x", "a body cannot hold a bytes"),
        ({1: 2}, "the keys of a body are texts"),
        ([{"a": {None: 1}}], "the keys of a body are texts"),
        ([Decimal("NaN")], "a number must be finite"),
        (float("-inf"), "a number must be finite"),
    ],
)
def test_what_has_no_form_in_json_is_refused_with_the_reason(value: object, text: str) -> None:
    with pytest.raises(InvalidRequest, match=f"^{text}$"):
        encode(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "[]"),
        ((1, 2, 3), "[1,2,3]"),
        ({"a": 1, "b": {"c": []}}, '{"a":1,"b":{"c":[]}}'),
        (None, "null"),
        (True, "true"),
        (1e-7, "0.0000001"),
        (date(2026, 1, 2), '"2026-01-02"'),
        (UUID(U1), f'"{U1}"'),
        ("ä\ud800", '"\\u00e4\\ud800"'),
    ],
    ids=str,
)
def test_a_value_is_written_without_blanks_in_ascii(value: object, text: str) -> None:
    assert encode(value) == text.encode()


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a":[1,1.50,true,null]}', {"a": [1, Decimal("1.50"), True, None]}),
        (b"-Infinity", "-Infinity"),
        (b"[1e9999999999999999999]", ["1e9999999999999999999"]),
        (b"[1e9999999999999999999,1.50,7]", ["1e9999999999999999999", Decimal("1.50"), 7]),
        (b"[NaN,1e9999999999999999999]", ["NaN", "1e9999999999999999999"]),
        (b"9" * 5_000, "9" * 5_000),
        (b"", UNREADABLE),
        (b"{", UNREADABLE),
        (b"\xff", UNREADABLE),
        (b"[" * 100_000, UNREADABLE),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_body_is_read_exactly_or_is_unreadable(body: bytes, value: object) -> None:
    read = decode(body)
    assert (type(read), str(read)) == (type(value), str(value))


def test_an_iterable_of_values_is_read_once() -> None:
    assert batches(KNOWN, "ids", iter([1, 2, 1])) == [(1, 2)]
