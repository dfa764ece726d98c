"""Pages in a browser before the HTTP door: what a browser asks first, and what a page may read of the answer."""

import pytest
from http_door import TOKEN, Door, opened
from structlog.testing import capture_logs

from katana_mcp.configuration.sandbox import OwnSandbox

SHOP = "https://shop.example"
SENT = (
    "accept,authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id,"
    "x-katana-read-only"
)
"""What MCP clients send from a page, as a browser names it."""


def _headers(answer: str) -> dict[str, str]:
    head = answer.partition("\r\n\r\n")[0].split("\r\n")[1:]
    return {name.lower(): value for name, _, value in (line.partition(": ") for line in head)}


async def _preflight(door: Door, origin: str, method: str = "POST", sent: str = SENT) -> tuple[int, dict[str, str]]:
    status, answer = await door.request(
        "OPTIONS",
        {
            "Host": f"127.0.0.1:{door.port}",
            "Origin": origin,
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": sent,
        },
    )
    return status, _headers(answer)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_browser_may_ask_without_a_token_whether_a_listed_page_may_call(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
        status, headers = await _preflight(door, SHOP, method)
    assert (status, headers["access-control-allow-origin"]) == (200, SHOP)
    assert method in headers["access-control-allow-methods"].split(", ")
    assert set(SENT.split(",")) <= set(headers["access-control-allow-headers"].lower().split(", "))
    assert "access-control-allow-credentials" not in headers
    assert len(own.sandbox.journal) == 0


async def test_a_browser_is_told_no_for_other_pages_other_methods_and_other_headers(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
        for origin in ("https://evil.example", "http://shop.example", "null", f"{SHOP}.evil.example"):
            status, headers = await _preflight(door, origin)
            assert (status, [header for header in headers if header.startswith("access-control")]) == (403, []), origin
        assert (await _preflight(door, SHOP, method="PUT"))[0] == 400
        assert (await _preflight(door, SHOP, sent="authorization,x-other"))[0] == 400


async def test_what_a_browser_is_told_no_to_is_counted_with_what_else_is_refused(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    with capture_logs() as logs:
        async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
            assert [(await _preflight(door, SHOP, method="PUT"))[0] for _ in range(3)] == [400] * 3
            assert (await _preflight(door, SHOP))[0] == 200
    refused = [(log["status"], log["reason"], log.get("times")) for log in logs if "refused" in log["event"]]
    assert refused == [(400, "a page may not call so", None), (400, "a page may not call so", 2)]


async def test_a_listed_page_that_is_one_too_many_reads_when_to_come_again(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,), max_sessions=1) as door:
        page = {"Host": f"127.0.0.1:{door.port}", "Origin": SHOP, "Authorization": f"Bearer {TOKEN}"}
        (first, _), (status, answer) = await door.knock(page), await door.knock(page)
    headers = _headers(answer)
    assert (first, status, headers["retry-after"], headers["access-control-allow-origin"]) == (200, 503, "30", SHOP)
    assert "retry-after" in headers["access-control-expose-headers"].lower().split(", ")


async def test_a_listed_page_reads_its_answer_its_session_and_that_its_token_was_refused(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
        page = {"Host": f"127.0.0.1:{door.port}", "Origin": SHOP}
        answers = [await door.knock(page | {"Authorization": f"Bearer {token}"}) for token in (TOKEN, "another-token")]
    for status, answer in answers:
        headers = _headers(answer)
        assert headers["access-control-allow-origin"] == SHOP
        readable = headers["access-control-expose-headers"].lower().split(", ")
        name = {200: "mcp-session-id", 401: "www-authenticate"}[status]
        assert (name in headers, name in readable) == (True, True), status
        assert "origin" in headers["vary"].lower()
    assert [status for status, _ in answers] == [200, 401]


async def test_a_foreign_page_with_the_token_reads_nothing(own: OwnSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
        page = {"Host": f"127.0.0.1:{door.port}", "Origin": "https://evil.example", "Authorization": f"Bearer {TOKEN}"}
        status, answer = await door.knock(page)
    assert (status, "access-control-allow-origin" in _headers(answer)) == (403, False)


async def test_what_is_no_question_of_a_browser_needs_the_token(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, allowed_origins=(SHOP,)) as door:
        mine = {"Host": f"127.0.0.1:{door.port}"}
        asking = {"Access-Control-Request-Method": "POST"}
        statuses = [(await door.request("OPTIONS", mine | more))[0] for more in ({"Origin": SHOP}, asking, {})]
    assert statuses == [401] * 3


async def test_the_servers_own_origin_is_no_foreign_one_and_needs_the_token_like_all(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    async with opened(own, capsys, host="127.0.0.1", allowed_hosts=("katana.example",)) as door:
        here, local = f"127.0.0.1:{door.port}", f"localhost:{door.port}"
        expected = {
            (here, f"http://{here}"): 200,
            (local, f"http://{local}"): 200,
            ("katana.example", "https://katana.example"): 200,
            ("katana.example", f"http://{here}"): 403,
            (here, "https://katana.example"): 403,
            (here, f"http://{here}/"): 403,
            (here, f"ftp://{here}"): 403,
            (here, "http://127.0.0.1:1"): 403,
            ("evil.example", "http://evil.example"): 421,
        }
        token = {"Authorization": f"Bearer {TOKEN}"}
        statuses = {
            (host, origin): (await door.knock({**token, "Host": host, "Origin": origin}))[0]
            for host, origin in expected
        }
        assert statuses == expected
        assert (await door.knock({"Host": here, "Origin": f"http://{here}"}))[0] == 401
