"""What every client that can be told what to do has to be able to do, and what has to stand in Katana afterwards.

A scenario raises an AssertionError, whose text says what the client saw instead.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from clients.servers import Site
from katana_sandbox import Fault, Hang


class Client(Protocol):
    """A client that can be told to list and to call."""

    async def do(self, do: str, **more: object) -> dict[str, Any]:
        """Tell it to do something; return what it saw."""
        ...

    async def call(self, tool: str, *, answer: str = "decline", **arguments: object) -> dict[str, Any]:
        """Call a tool; return what the client saw, `answer` is what the person says when asked."""
        ...


class Cancelling(Client, Protocol):
    """A client that can do something else while a call runs."""

    def tell(self, do: str, **more: object) -> asyncio.Future[dict[str, Any]]:
        """Tell it to do something; what it saw comes later."""
        ...


type Scenario = Callable[[Any, Site], Awaitable[None]]


async def outcome(scenario: Scenario, client: Client, here: Site) -> str:
    """Return "ok", or what the client saw instead."""
    try:
        await scenario(client, here)
    except (AssertionError, KeyError, TimeoutError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "ok"


def check(true: object, seen: object) -> None:
    """Fail with what was seen."""
    if not true:
        raise AssertionError(str(seen)[:1_000])


async def lists_tools(client: Client, _: Site) -> None:
    """Tools are listed."""
    seen = await client.do("list")
    check({"search_customers", "apply_plan"} <= set(seen.get("tools", ())), seen)


async def shows_progress(client: Client, _: Site) -> None:
    """A read of an empty cache reports what it waits for, each report greater than the one before."""
    seen = await client.call("list_low_stock_items", limit=3)
    done = [report[0] for report in seen["progress"]]
    check(answer_of(seen).get("rows") and done and done == sorted(set(done)), seen)


async def finds(client: Client, here: Site) -> None:
    """A search has its hit."""
    name = next(here.rows("customers"))["name"]
    seen = await client.call("search_customers", query=name)
    check(name in [row["name"] for row in answer_of(seen)["rows"]], seen)


async def reads_refusals(client: Client, here: Site) -> None:
    """The words of a refusal arrive, with what was probably meant."""
    number = max((row["order_no"] for row in here.rows("sales_orders")), key=len)
    for tool, arguments in (
        ("get_sales_order", {"sales_order_id": f"{number}z"}),
        ("search_customers", {"quary": "velo"}),
    ):
        _check_refusal(await client.call(tool, **arguments))


async def reads_unknown_tools(client: Client, _: Site) -> None:
    """So do those about a tool that is not there."""
    _check_refusal(await client.call("search_custmers", query="velo"))


def _check_refusal(seen: Mapping[str, Any]) -> None:
    text = seen.get("text", "")
    check("thrown" not in seen and seen["is_error"] and "did you mean" in text and json.loads(text)["error"], seen)


async def accepts(client: Client, here: Site) -> None:
    """The person is asked once, and the yes writes."""
    seen = await _applied(client, "a customer that is accepted", "accept")
    check([result["applied"] for result in answer_of(seen)["outcomes"]] == [1] and len(seen["questions"]) == 1, seen)
    check("a customer that is accepted" in seen["questions"][0], seen)
    check(here.customers("a customer that is accepted") == 1, "it is not in Katana")


async def declines(client: Client, here: Site) -> None:
    """The person is asked, and a no writes nothing."""
    before = writes(here)
    seen = await _applied(client, "a customer that is declined", "decline")
    check(answer_of(seen)["outcomes"] == [] and len(seen["questions"]) == 1, seen)
    check(writes(here) == before and here.customers("a customer that is declined") == 0, "it was written")


async def cancels(client: Cancelling, here: Site) -> None:
    """A running call is given up, and the next one is answered."""
    before = len(here.sandbox.journal)
    here.sandbox.faults.add(Fault("GET /stock_adjustments*", action=Hang("before"), times=None))
    running = client.tell("call", tool="list_stock_adjustments", arguments={"limit": 1})
    async with asyncio.timeout(60):
        while not any("/stock_adjustments" in entry.path for entry in list(here.sandbox.journal)[before:]):
            check(not running.done(), running)
            await asyncio.sleep(0.05)
    await client.do("cancel")
    seen = await asyncio.wait_for(running, 20)
    check("thrown" in seen, seen)
    here.sandbox.faults.clear()
    await finds(client, here)


async def is_not_asked(client: Client, here: Site) -> None:
    """A client that cannot ask writes with its own call."""
    seen = await _applied(client, "a customer without a question", "accept")
    check([result["applied"] for result in answer_of(seen)["outcomes"]] == [1] and not seen["questions"], seen)
    check(here.customers("a customer without a question") == 1, "it is not in Katana")


async def is_refused(client: Client, here: Site) -> None:
    """Where a question is demanded, a client that cannot ask writes nothing and reads why."""
    before = writes(here)
    seen = await _applied(client, "a customer that waits", "accept")
    check(json.loads(seen.get("text", "{}")).get("error") == "confirmation_required", seen)
    check(writes(here) == before and here.customers("a customer that waits") == 0, "it was written")


WITH_PERSON: Mapping[str, Scenario] = {
    "list": lists_tools,
    "progress": shows_progress,
    "search": finds,
    "refusal": reads_refusals,
    "unknown": reads_unknown_tools,
    "accepted": accepts,
    "declined": declines,
    "cancel": cancels,
}
"""In this order: progress needs an empty cache."""
WITHOUT_PERSON: Mapping[str, Scenario] = {"unasked": is_not_asked}
DEMANDED: Mapping[str, Scenario] = {"required": is_refused}
"""Under `--confirm required`."""
NAMES = (*WITH_PERSON, *WITHOUT_PERSON, *DEMANDED)


def answer_of(seen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer in what a client saw.

    Raises:
        AssertionError: it saw none.
    """
    check("thrown" not in seen and not seen.get("is_error"), seen)
    answer: dict[str, Any] = json.loads(seen["text"])
    return answer


def writes(here: Site) -> list[str]:
    """Return every request that was no read."""
    return [f"{entry.method} {entry.path}" for entry in here.sandbox.journal if entry.method != "GET"]


async def _applied(client: Client, name: str, answer: str) -> dict[str, Any]:
    token = answer_of(await client.call("create_customer", name=name))["plan_token"]
    return await client.call("apply_plan", answer=answer, plan_tokens=[token])
