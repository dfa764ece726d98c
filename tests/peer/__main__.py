"""`make peer`: every GET of the foreign client parses, and its server's tools do their work in the sandbox's state.

Exits with 1 below the goals. Needs the environment that the Makefile makes, and the package index once to make it.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from katana_sandbox import Sandbox, SandboxConfig

from .desk import Desk, Failed
from .reading_cases import READING
from .writing_cases import WRITING

HERE = Path(__file__).parents[1] / "clients" / "python" / "peer"
GOAL = 72
_ONLY_REFUSED = {400, 422}
_PLENTY = 1 << 24


def environment(url: str, home: str) -> dict[str, str]:
    """What the foreign programs see: the sandbox, and nothing of the person's own."""
    return {"KATANA_API_KEY": "sandbox-key", "KATANA_BASE_URL": url, "HOME": home, "PATH": os.environ["PATH"]}


async def start(driver: str, url: str, home: str) -> asyncio.subprocess.Process:
    """A driver, in the foreign environment."""
    pipe, quiet = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    python = str(HERE / ".venv" / "bin" / "python")
    command = (python, str(HERE / driver))
    settings = environment(url, home)
    return await asyncio.create_subprocess_exec(
        *command, env=settings, stdin=pipe, stdout=pipe, stderr=quiet, limit=_PLENTY
    )


def seed(desk: Desk) -> None:
    """A record of each collection that the generated account has none of."""
    desk.shelved()
    desk.returned()
    hook = {"url": "https://shop.example/katana", "subscribed_events": ["sales_order.created"]}
    desk.tenant.create("webhooks", hook)
    variant = desk.product(is_purchasable=True)["id"]
    place = desk.location
    head = {"supplier_id": desk.first("suppliers")["id"], "location_id": place, "tracking_location_id": place}
    row = {"variant_id": variant, "quantity": 1, "price_per_unit": 2}
    desk.tenant.create("purchase_orders", {**head, "entity_type": "outsourced", "purchase_order_rows": [row]})


def unparsed(call: dict[str, Any]) -> str | None:
    """Why a call does not count as parsed; a refusal of a made-up value is an answer like any other."""
    if "problem" in call or "skipped" in call:
        return call.get("problem") or call["skipped"]
    if call["status"] == 200:
        return "the reply is not understood" if call["parsed"] == "NoneType" else None
    return None if call["status"] in _ONLY_REFUSED else f"status {call['status']}"


async def reads(desk: Desk, url: str, home: str) -> bool:
    """Every GET of the client."""
    seed(desk)
    process = await start("reads.py", url, home)
    said, _ = await process.communicate()
    calls = [json.loads(line) for line in said.splitlines()]
    wrong = Counter((call["path"], why) for call in calls if (why := unparsed(call)) is not None)
    refused = sum(call.get("status") in _ONLY_REFUSED for call in calls)
    paths = len({call["path"] for call in calls})
    print(f"reads: {len(calls)} calls of {paths} GETs, {wrong.total()} not parsed, {refused} refused made-up values")  # noqa: T201 - the result
    for (path, why), count in wrong.most_common():
        print(f"  {path} ({count}): {why}")  # noqa: T201 - the result
    return process.returncode == 0 and bool(calls) and not wrong


async def tools(desk: Desk, words: list[str]) -> bool:
    """Every tool of the server, judged by the state."""
    cases = READING | WRITING
    names = await desk.names()
    chosen = [name for name in names if not words or name in words]
    outcomes = {name: await outcome(desk, name) if name in cases else "no case" for name in chosen}
    done = sum(why is None for why in outcomes.values())
    print(f"tools: {done} of {len(chosen)} do their work; the goal is {GOAL} of {len(names)}")  # noqa: T201 - the result
    for name, why in outcomes.items():
        if why is not None:
            print(f"  {name}: {' '.join(why.split())[:400]}")  # noqa: T201 - the result
    return done >= min(GOAL, len(chosen))


async def outcome(desk: Desk, name: str) -> str | None:
    """Why a tool did not do its work; None when it did."""
    try:
        return None if await (READING | WRITING)[name](desk) else "the state does not show it"
    except Failed as failed:
        return f"it said: {failed}"
    except (LookupError, StopIteration, RuntimeError, TypeError) as problem:
        return f"the state does not show it: {problem!r}"


async def main(words: list[str]) -> int:
    """Both judgements; 0 when both are as they should be."""
    sandbox = Sandbox(SandboxConfig(switches={"rate_limit": 0}))
    with tempfile.TemporaryDirectory() as home:
        async with sandbox.serve() as url:
            process = await start("tools.py", url, home)
            desk = Desk(sandbox.tenant(), process)
            try:
                fine = await tools(desk, words)
            finally:
                if process.stdin is not None:
                    process.stdin.close()
                await process.wait()
            return 0 if fine and (words or await reads(desk, url, home)) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make peer", description=__doc__)
    parser.add_argument("tools", nargs="*", help="only these tools, and no reads")
    sys.exit(asyncio.run(main(parser.parse_args().tools)))
