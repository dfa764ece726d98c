"""The key travels to one host, on known paths, or not at all."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katana_client.errors import ConfigurationError, InvalidRequest
from katana_client.exchange import MAX_TARGET, Call
from katana_client.paths import checked_base_url, checked_key, record_path

HOSTILE = [
    "../",
    "..",
    "%2f",
    "1%2f..",
    "?",
    "#",
    "1?x=1",
    "1\r\nHost: x",
    "\u2024\u2024/",
    "1" * 10_000,
    "",
    " 1",
    "1 ",
    "٣",
]


@pytest.mark.parametrize("identity", [*HOSTILE, 0, -1, 2**31, True])
def test_an_id_that_is_no_positive_32_bit_number_is_refused(identity: int | str) -> None:
    with pytest.raises(InvalidRequest):
        record_path("sales_orders", identity)


@pytest.mark.parametrize(
    "identity", [*HOSTILE, 7, "{00000000-0000-0000-0000-000000000001}", "urn:uuid:" + str(UUID(int=1))]
)
def test_an_id_that_is_no_plain_uuid_is_refused(identity: int | str) -> None:
    with pytest.raises(InvalidRequest):
        record_path("bom_rows", identity, uuid=True)


def test_good_ids_make_good_paths() -> None:
    assert record_path("sales_orders", 7) == "/sales_orders/7"
    assert record_path("bom_rows", UUID(int=1), uuid=True) == "/bom_rows/00000000-0000-0000-0000-000000000001"


@given(st.text() | st.sampled_from(HOSTILE).map(lambda text: f"/sales_orders/{text}"))
def test_a_call_is_made_of_plain_segments_or_not_at_all(path: str) -> None:
    try:
        call = Call("GET", path)
    except InvalidRequest:
        return
    assert re.fullmatch(r"(/[a-z0-9_-]+)+", call.target)


@given(st.text(), st.text())
def test_a_query_never_leaves_the_query(name: str, value: str) -> None:
    try:
        call = Call("GET", "/variants", ((name, value),))
    except InvalidRequest:
        return
    assert call.target.startswith("/variants?")
    assert re.fullmatch(r"[A-Za-z0-9_.~=&%+-]*", call.target.removeprefix("/variants?"))


def test_a_query_that_is_too_long_or_no_text_is_refused() -> None:
    for value in ("x" * 20_000, "\ud800"):
        with pytest.raises(InvalidRequest):
            Call("GET", "/variants", (("sku", value),))


def test_a_key_is_trimmed() -> None:
    assert checked_key(" abc-123\n") == "abc-123"


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ('"abc-123"', "holds quotes: give the key alone"),
        ("'abc-123", "holds quotes: give the key alone"),
        ("abc-123'", "holds quotes: give the key alone"),
        ("`abc-123`", "holds quotes: give the key alone"),
        ("...", "is a placeholder: copy the key from Katana"),
        *(
            (key, "is a placeholder: copy the key from Katana")
            for key in (
                *("<key>", "<your key>", "your-key", "YOUR_API_KEY", "yourkey", "your-katana-api-key-here", "changeme"),
                *("change-me", "xxx", "XXXXXXXX", "***", "api-key", "KATANA_API_KEY", "paste-key-here", "TODO"),
            )
        ),
    ],
)
def test_a_key_that_was_copied_with_what_stands_around_it_is_told_so(key: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^the Katana API key {told}$"):
        checked_key(key)


@pytest.mark.parametrize("key", ["0b1f6d3c-7a55-4f0e-9d3e-2f6a1c9e8b70", "key-1", "yourself", "sandbox-key", "other"])
def test_a_key_that_only_begins_like_a_placeholder_is_one(key: str) -> None:
    assert checked_key(key) == key


@pytest.mark.parametrize("key", ["", "  ", "Bearer abc", "a b", "a\nb", "schlüssel", "x" * 5_000])
def test_a_key_that_cannot_be_one_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked_key(key)
    assert "API key" in str(caught.value)
    if key.strip():
        assert key.strip() not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.katanamrp.com/v1",
        "https://proxy_1.example/a.b/v1",
        "https://10.0.0.1/v1",
        "http://127.0.0.1:8000",
        "http://localhost/v1/",
        "http://[::1]:8000/v1",
    ],
)
def test_https_and_loopback_are_accepted(url: str) -> None:
    assert checked_base_url(f" {url} ") == url.rstrip("/")


_MORE = "may not carry a user, a query or a fragment"
_HOST = "needs a scheme and a host, such as https://api.katanamrp.com/v1"
_PLAIN = "needs a plain ASCII host and a path without dot segments, escapes or '//'"
_SAFE = "must be https, or http on a loopback address: the key travels with it"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", _HOST),
        ("api.katanamrp.com", _HOST),
        ("https://", _HOST),
        ("https://api katanamrp.com", _HOST),
        ("https://a\x7fb", _HOST),
        ("https://api.katanamrp.com/v1 /x", _HOST),
        ("http://api.katanamrp.com", _SAFE),
        ("http://127.0.0.1.evil.example", _SAFE),
        ("http://localhost.evil.example", _SAFE),
        ("http://10.0.0.1", _SAFE),
        ("ftp://127.0.0.1", _SAFE),
        ("https://user:pw@api.katanamrp.com", _MORE),
        ("https://@api.katanamrp.com", _MORE),
        ("https://api.katanamrp.com/v1?x=1", _MORE),
        ("https://api.katanamrp.com/v1?", _MORE),
        ("https://api.katanamrp.com/v1#x", _MORE),
        ("https://api.katanamrp.com/v1#", _MORE),
        ("https://xn--a", _PLAIN),
        ("https://b\xfc.example/v1", _PLAIN),
        ("https://ex..com", _PLAIN),
        ("https://999.1.1.1/v1", _PLAIN),
        ("https://1.2.3/v1", _PLAIN),
        ("https://exa%6dple.com/v1", _PLAIN),
        ("https://-x.example/v1", _PLAIN),
        ("https://x.example/v1/../admin", _PLAIN),
        ("https://x.example/v1/..", _PLAIN),
        ("https://x.example/./v1", _PLAIN),
        ("https://x.example/v1/%2e%2e/admin", _PLAIN),
        ("https://x.example//v1", _PLAIN),
        ("https://x.example\\v1", _PLAIN),
    ],
)
def test_any_other_base_url_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        checked_base_url(url)
    assert str(caught.value) == f"the Katana base URL {why}"


@pytest.mark.parametrize("url", ["https://[::1", "https://host:99999"])
def test_a_base_url_that_cannot_be_read_is_refused_with_what_stops_it(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^the Katana base URL cannot be read: [A-Z].+"):
        checked_base_url(url)


def test_a_query_is_taken_up_to_its_limit_and_refused_beyond() -> None:
    longest = MAX_TARGET - len("/variants?name=")
    assert len(Call("GET", "/variants", (("name", "x" * longest),)).target) == MAX_TARGET
    with pytest.raises(InvalidRequest, match=f"the query is too long: {MAX_TARGET + 1} characters"):
        Call("GET", "/variants", (("name", "x" * (longest + 1)),))
