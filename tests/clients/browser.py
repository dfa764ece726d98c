"""Pages in Chromium before the server over HTTP: one of an allowed origin, one of another, one of the server's own."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from clients.scenarios import check
from clients.sdks import NPM
from clients.servers import TOKEN, served, site
from clients.table import Row

SCENARIO = "page"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_LONGEST = 120.0


async def browser(node: str) -> Row:
    """Try the pages; install Chromium first where there is none."""
    program = await _chromium()
    if program is None:
        return Row("Chromium", "http", {SCENARIO: "there is no Chromium, and apt-get could not install one"})
    try:
        await _pages(node, program)
    except (AssertionError, KeyError, TimeoutError, RuntimeError, ValueError) as error:
        return Row("Chromium", "http", {SCENARIO: f"{type(error).__name__}: {error}"})
    return Row("Chromium", "http", {SCENARIO: "ok"})


async def _chromium() -> str | None:
    if (found := _found()) or not shutil.which("apt-get"):
        return found
    sys.stderr.write("installing Debian's package chromium\n")
    rights = () if os.geteuid() == 0 else ("sudo", "-n")
    for words in (("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", "chromium")):
        # What it prints belongs beside the table, not into it.
        process = await asyncio.create_subprocess_exec(*rights, "apt-get", *words, stdout=sys.stderr)
        await process.wait()
    return _found()


def _found() -> str | None:
    return next((path for path in map(shutil.which, _BROWSERS) if path), None)


async def _pages(node: str, program: str) -> None:
    async with (
        site("stdio") as here,
        _blank() as allowed,
        _blank() as foreign,
        served(here, "--allowed-origins", allowed) as url,
    ):
        own = url.removesuffix("/mcp")
        process = await asyncio.create_subprocess_exec(
            *(node, str(NPM / "page.mjs"), program, url, TOKEN, allowed, foreign, own),
            stdout=asyncio.subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(here.home)},
        )
        said, _ = await asyncio.wait_for(process.communicate(), _LONGEST)
    check(process.returncode == 0, said)
    seen: dict[str, Any] = json.loads(said)
    check([page["origin"] for page in seen.values()] == [allowed, foreign, own], seen)
    for origin in (allowed, own):
        right, wrong = seen[origin]["right"], seen[origin]["wrong"]
        check(right.get("server") == "katana" and right["tools"] > 1 and right["ended"] == 200, seen)
        check(wrong == {"status": 401, "challenge": "Bearer"}, seen)
    check(all("Failed to fetch" in seen[foreign][token]["thrown"] for token in ("right", "wrong")), seen)


@asynccontextmanager
async def _blank() -> AsyncGenerator[str]:
    """Serve an empty page on an origin of its own."""
    listener = await asyncio.start_server(_blank_page, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"


async def _blank_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readline()
    body = b"<!doctype html><title>a page</title>"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    writer.close()
