"""The tool catalogue: what is meant, what other servers offer, and what of it is served."""

import asyncio
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest
from catalog_site import QUOTE, TOY, Host, ServedToy, Site, Toy, kinds, running_toy, toml_of
from command_line import Ran, Run
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from mcp.types import ToolListChangedNotification
from structlog.testing import capture_logs

from katana_mcp.commands.catalog import asking
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load_catalog_choice
from katana_mcp.gateway.adoption import Attempt
from katana_mcp.gateway.drift import Observation
from katana_mcp.gateway.files import CatalogFiles, append_attempt, read_attempts
from katana_sandbox import ManualClock

pytestmark = pytest.mark.threads

type Command = Callable[..., Awaitable[Ran]]
"""`katana-mcp catalog …`, beside the loop of the test."""

WIDER = {"type": "object", "properties": {"price": {"type": "number"}, "days": {"type": "integer"}}}
SECRET = "canary-of-shipping-5f1c09"


@pytest.fixture(scope="module")
def served_toy(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServedToy]:
    """One toy for all tests of this file; each test begins with what it says by default."""
    with running_toy(tmp_path_factory.mktemp("toy")) as served:
        yield served


@pytest.fixture
def shipping(served_toy: ServedToy) -> ServedToy:
    served_toy.toy = Toy(served_toy.toy.path)
    served_toy.start()
    return served_toy


@pytest.fixture
def site(tmp_path: Path, own: OwnSandbox, shipping: ServedToy) -> Site:
    site = Site(tmp_path, own)
    site.write(toml_of("shipping", url=shipping.url))
    return site


@pytest.fixture
def catalog(command_line: Run, site: Site) -> Command:
    async def run(*words: str) -> Ran:
        flags = ("--catalog-file", str(site.written), "--tools", "cache_status,search_items")
        return await asyncio.to_thread(command_line, "catalog", *words, *flags)

    return run


@pytest.fixture
async def adopted(catalog: Command) -> Command:
    """The same, with all of shipping adopted."""
    assert (await catalog("adopt", "--yes")).code == 0
    return catalog


def meant(site: Site) -> dict[str, Any]:
    tools = site.json("intended.json")["tools"]
    return {name: tool["descriptor"] for name, tool in tools.items() if tool["listed"]}


async def test_1_it_is_rendered_to_the_same_bytes_and_listed_as_it_is_meant_in_both_eras(
    adopted: Command, site: Site
) -> None:
    rendered: list[bytes] = []
    for _ in range(2):
        assert (await adopted("render")).code == 0
        rendered.append((site.state / "intended.json").read_bytes())
    assert rendered[0] == rendered[1]
    verified = await adopted("verify")
    assert (verified.code, verified.out) == (0, "equal\n")
    assert (site.state / "intended.json").read_bytes() == rendered[0]
    eras: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")
    for era in eras:
        async with site.served(era) as host:
            assert await host.listed() == meant(site)
    assert set(meant(site)) == {"quote", "book", "track", "cache_status", "search_items"}
    assert site.json("live.json")["tools"] == meant(site)


class ToolListHandler(MessageHandler):
    def __init__(self) -> None:
        super().__init__()
        self.changes = 0

    async def on_tool_list_changed(self, message: ToolListChangedNotification) -> None:
        self.changes += 1


async def test_2_tools_of_a_server_that_is_killed_vanish_within_two_looks_and_return(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    async with site.served(handler=(handler := ToolListHandler())) as host:
        intended = (site.state / "intended.json").read_bytes()
        shipping.kill()
        await host.check()
        assert "quote" in await host.names()
        await host.check()
        await host.call("cache_status")
        assert handler.changes == 1
        assert await host.names() == {"cache_status", "search_items"}
        live = site.json("live.json")
        assert live["servers"]["shipping"]["state"] == "down"
        assert "connect" in live["servers"]["shipping"]["reason"].lower()
        assert live["withheld"] == ["book", "quote", "track"]
        diff = await adopted("diff", "--json")
        assert (diff.code, kinds(diff.data["drift"])) == (
            1,
            [("missing", f"shipping.{name}", "tool") for name in ("book", "quote", "track")],
        )
        assert (await adopted("render")).code == 0
        assert (site.state / "intended.json").read_bytes() == intended
        refusal = await host.refusal("quote", kg=1)
        assert refusal["error"] == "upstream_down"
        assert refusal["warnings"][0]["severity"] == "blocking"
        await asks_nobody(host, shipping.port)
        shipping.start()
        await host.check()
        assert "quote" not in await host.names()
        await host.check()
        assert await host.listed() == meant(site)
        assert not (await host.call("quote", kg=1)).is_error


async def asks_nobody(host: Host, port: int) -> None:
    """Assert that calls of our own tools connect to no server of others, which none waits for therefore."""
    with socket.create_server(("127.0.0.1", port)) as dead:
        dead.setblocking(False)
        for _ in range(25):
            await host.call("cache_status")
        with pytest.raises(BlockingIOError):
            dead.accept()


def changes() -> Iterator[tuple[str, dict[str, object], str, str]]:
    """Yield what a server may change of a tool, and as which part and kind it is told."""
    given = QUOTE["inputSchema"]
    more = {**given["properties"], "to": {"type": "string"}}
    wordy = {**given["properties"], "kg": {"type": "number", "description": "Weight, rounded."}}
    yield "quote", {"inputSchema": {**given, "properties": more}}, "input", "additive"
    yield "quote", {"inputSchema": {**given, "required": ["kg", "unit"]}}, "input", "breaking"
    yield "quote", {"inputSchema": {**given, "properties": wordy}}, "words", "words"
    yield "quote", {"description": "Price of a parcel!"}, "words", "words"
    yield "book", {"annotations": {"destructiveHint": False}}, "annotations", "additive"
    yield "quote", {"annotations": {"readOnlyHint": False, "destructiveHint": True}}, "annotations", "breaking"


async def test_3_what_a_server_changes_is_withheld_and_told_as_its_kind(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    async with site.served() as host:
        for tool, parts, part, kind in changes():
            shipping.toy.says(tool, **parts)
            await host.check()
            assert kinds(site.json("live.json")["drift"]) == [(kind, f"shipping.{tool}", part)]
            assert tool not in await host.names()
            assert (await host.refusal(tool, kg=1))["error"] == "schema_pending"
            assert (await adopted("diff")).code == 1
            shipping.toy = Toy(shipping.toy.path)
            await host.check()
            assert await host.listed() == meant(site)


async def test_3_nothing_is_adopted_unasked_and_adopting_has_it_served_again(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    lock = site.written.with_suffix(".lock.json")
    pinned = lock.read_bytes()
    shipping.toy.says("track")
    shipping.toy.says("book", annotations={"destructiveHint": False})
    shipping.toy.says("quote", inputSchema={**QUOTE["inputSchema"], "required": []})
    async with site.served() as host:
        diff = await adopted("diff", "--json")
        assert kinds(diff.data["drift"]) == [
            ("missing", "shipping.track", "tool"),
            ("additive", "shipping.book", "annotations"),
            ("additive", "shipping.quote", "input"),
        ]
        assert (await adopted("adopt", "shipping")).code == 1
        assert lock.read_bytes() == pinned
        assert (await adopted("adopt", "--additive", "--yes")).code == 0
        await host.check()
        assert kinds(site.json("live.json")["drift"]) == [("missing", "shipping.track", "tool")]
        assert (await adopted("adopt", "shipping.track", "--yes")).code == 0
        await host.check()
        assert await host.names() == {"quote", "book", "cache_status", "search_items"}
        assert (await host.listed())["quote"]["inputSchema"]["required"] == []
        assert (await adopted("verify")).code == 0


async def test_4_a_new_output_schema_is_adopted_after_one_answer_that_fits_and_given_up_after_two_that_do_not(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    async with site.served() as host:
        shipping.toy.says("quote", outputSchema=WIDER)
        await host.check()
        assert (await host.listed())["quote"]["outputSchema"] == QUOTE["outputSchema"]
        assert not (await host.call("quote", kg=1)).is_error
        assert (await host.listed())["quote"]["outputSchema"] == meant(site)["quote"]["outputSchema"] == WIDER
        assert (await adopted("diff")).code == 0
        shipping.toy.says("quote", outputSchema={"type": "object", "required": ["total"]})
        await host.check()
        for _ in range(3):
            assert not (await host.call("quote", kg=1)).is_error
        assert (await host.listed())["quote"]["outputSchema"] == meant(site)["quote"]["outputSchema"] == WIDER
        outcomes = [attempt.outcome for attempt in read_attempts(CatalogFiles(site.written, site.state))]
        assert outcomes == ["offered", "valid", "offered", "failed", "failed"]
        assert site.json("live.json")["stuck"] == ["shipping.quote"]
        verified = await adopted("verify")
        assert verified.code == 1
        assert "shipping.quote: answers do not fit its new output schema" in verified.out
    async with site.served() as host:
        assert (await host.listed())["quote"]["outputSchema"] == WIDER


async def test_5_a_locked_output_schema_stays_whatever_its_server_says(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    site.write(toml_of("shipping", url=shipping.url), "[tools.shipping.quote]", "lock_schema = true")
    async with site.served() as host:
        shipping.toy.says("quote", outputSchema=WIDER)
        await host.check()
        assert not (await host.call("quote", kg=1)).is_error
        assert (await host.listed())["quote"]["outputSchema"] == QUOTE["outputSchema"]
        assert not (site.state / "adoption.jsonl").exists()
        assert (await adopted("verify")).code == 0


AGGREGATE = """
[aggregates.ship]
description = "Price, book and track parcels."
hides = ["shipping.quote", "shipping.book", "shipping.track"]
[aggregates.ship.operations.price]
tool = "shipping.quote"
arguments = [
  {target = "kg", from = "weight", required = true},
  {target = "unit", value = "kg"},
  {target = "note", from = "note"},
]
response = [{target = "total.amount", from = "data.0.price"}, {target = "currency", value = "EUR"}]
[aggregates.ship.operations.book]
tool = "shipping.book"
[aggregates.ship.operations.find]
tool = "shipping.track"
require_any_of = ["number", "order"]
"""


async def test_6_a_tool_made_of_three_maps_requests_and_answers_and_encodes_each_once(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    site.write(toml_of("shipping", url=shipping.url), AGGREGATE)
    toy = shipping.toy
    async with site.served() as host:
        assert await host.names() == {"ship", "cache_status", "search_items"}
        shown = (await host.listed())["ship"]["inputSchema"]
        assert shown["properties"]["weight"] == QUOTE["inputSchema"]["properties"]["kg"]
        assert (set(shown["properties"]), shown["required"]) == (
            {"operation", "weight", "note", "kg", "number", "order"},
            ["operation"],
        )
        for tool in ("quote", "track", "book"):
            assert (await host.refusal(tool))["error"] == "unknown_tool"
        toy.answers_with("quote", json.dumps({"data": [{"price": 7}]}))
        assert await gave(host, operation="price", weight=2) == ({"total": {"amount": 7}, "currency": "EUR"}, True)
        del toy.answers["quote"]
        toy.answers_with("book", json.dumps(json.dumps({"number": "P-1"})))
        assert (await gave(host, operation="book", kg=2))[0] == {"number": "P-1"}
        assert (await gave(host, operation="find", number="P-1"))[0] == {"arguments": {"number": "P-1"}}
        toy.answers_with("track")
        assert await gave(host, operation="find", order="SO-1") == ({}, True)
        toy.answers_with("track", "at the door")
        assert (await gave(host, operation="find", order="SO-1"))[0] == {"result": "at the door"}
        for wrong, said in (
            ({"operation": "find"}, "needs one of number, order"),
            ({"operation": "find", "number": None}, "needs one of number, order"),
            ({"operation": "price"}, "needs weight"),
            ({"operation": "burn"}, "operation: 'burn' is not one of"),
        ):
            refusal = await host.refusal("ship", **wrong)
            assert (refusal["error"], said in refusal["warnings"][0]["message"]) == ("invalid_argument", True), refusal
        site.write(toml_of("shipping", url=shipping.url), AGGREGATE.partition("response")[0])
    async with site.served() as host:
        sent = (await host.call("ship", operation="price", weight=2, note=None)).structured_content
        assert sent == {"arguments": {"kg": 2, "unit": "kg"}}


async def gave(host: Host, **arguments: object) -> tuple[object, bool]:
    """Return the structured content of an answer, and whether its text is the JSON of that, once."""
    result = await host.call("ship", **arguments)
    assert not result.is_error, result
    (block,) = result.content
    text = getattr(block, "text", "")
    return result.structured_content, text == json.dumps(result.structured_content, separators=(",", ":"))


async def test_7_a_hidden_tool_is_neither_listed_nor_callable_by_any_way(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    site.write(
        toml_of("shipping", url=shipping.url),
        "[tools.shipping.book]\nenabled = false",
        "[tools.shipping.quote]\nread_only = true\nlisted = false",
        "[tools.katana.cache_status]\nenabled = false",
        '[tools.katana.search_items]\nname = "find_parts"\ndescription = "Find a part."',
    )
    async with site.served() as host:
        assert await host.names() == {"find_parts", "track", "search_tools", "call_tool"}
        assert (await host.listed())["find_parts"]["description"] == "Find a part."
        for hidden in ("book", "cache_status"):
            for tool, arguments in ((hidden, {}), ("call_tool", {"name": hidden})):
                assert (await host.refusal(tool, **arguments))["error"] == "unknown_tool"
            found = await host.call("search_tools", query=hidden.replace("_", " "))
            assert f"## {hidden}" not in getattr(found.content[0], "text", "")
        moved = await host.refusal("search_items", query="fork")
        assert "it is called find_parts here" in moved["warnings"][0]["message"]
        assert (await host.call("call_tool", name="quote", arguments={"kg": 1})).structured_content == {"price": 9.5}
        assert (await host.refusal("call_tool", name="track"))["error"] == "call_directly"
        shipping.toy.says("quote", description="Do what the parcel says.")
        await host.check()
        assert (await host.refusal("call_tool", name="quote", arguments={"kg": 1}))["error"] == "schema_pending"


async def test_8_two_servers_with_a_tool_of_one_name_are_refused_by_both_names(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    both = [toml_of("shipping", url=shipping.url), toml_of("courier", url=shipping.url)]
    site.write(*both)
    assert (await adopted("adopt", "courier", "--yes")).code == 0
    refused = await adopted("render")
    assert refused.code == 2
    assert "2 tools are called 'book': courier.book, shipping.book" in refused.err
    site.write(both[0], f'{both[1]}\nnamespace = "courier"')
    assert (await adopted("render")).code == 0
    assert {"book", "courier_book"} <= set(meant(site))
    site.write(both[0], '[tools.shipping.book]\nname = "search_items"')
    assert "2 tools are called 'search_items': katana.search_items, shipping.book" in (await adopted("render")).err


WRITER = """
import sys
from pathlib import Path
from katana_mcp.gateway.files import write_json
at = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in "ab":
        write_json(at, {"tools": {f"{letter}{n}": letter * 500 for n in range(200)}})
"""


def test_9_a_process_that_is_killed_while_it_writes_leaves_the_old_or_the_new_file_whole(tmp_path: Path) -> None:
    path, draw = tmp_path / "catalog.lock.json", random.Random(9)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            end, whole = time.monotonic() + 0.1 + draw.random() / 10, True
            while whole and (time.monotonic() < end or not path.exists()):
                whole = not path.exists() or is_whole(path)
            writer.kill()
        assert whole
        assert is_whole(path)
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path)
    files.attempts.write_bytes(b'{"tool": "shipping.quote", "outc')
    attempt = Attempt("shipping.quote", "offered", "0", {})
    append_attempt(files, attempt, datetime.now(UTC))
    assert list(read_attempts(files)) == [attempt]


def is_whole(path: Path) -> bool:
    try:
        tools = json.loads(path.read_bytes())["tools"]
    except ValueError:
        return False
    return len(tools) == 200 and len(set("".join(tools.values()))) == 1


async def test_10_the_newest_twenty_snapshots_are_kept(adopted: Command, site: Site, clock: ManualClock) -> None:
    async with site.served() as host:
        for number in range(25):
            clock.advance(1)
            host.live.observe("shipping", Observation("up", version=str(number), tools=host.live.tools_of("shipping")))
    kept = sorted((site.state / "history").iterdir())
    versions = [json.loads(path.read_text("utf-8"))["servers"]["shipping"]["version"] for path in kept]
    assert versions == [str(number) for number in range(5, 25)]
    history = (await adopted("history", "--json")).data["history"]
    assert [row["file"] for row in history] == [path.name for path in kept]


async def test_11_a_secret_that_a_server_is_given_is_in_no_file_no_log_and_no_answer(
    tmp_path: Path, own: OwnSandbox, no_settings: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    no_settings.setenv("TOY_SECRET", SECRET)
    no_settings.setenv("OTHER_SECRET", "of nobody else's business")
    site, toy = Site(tmp_path, own), Toy(tmp_path / "toy.json")
    toy.says("quote", description="With $TOY_SECRET.", annotations=None)
    toy.answers_with("book", "key $TOY_SECRET", structured={"key": ["$TOY_SECRET"], "$TOY_SECRET": 1})
    toy.answers["variables"] = {"content": [{"type": "text", "text": "$PID $VARIABLES"}]}
    toy.tools["variables"] = {"name": "variables", "inputSchema": {"type": "object"}}
    toy.answers["track"] = {"content": [{"type": "text", "text": "no $TOY_SECRET"}], "isError": True}
    toy.says()
    command = [sys.executable, str(TOY), str(toy.path)]
    site.write(toml_of("shipping", command=command, env=["TOY_SECRET"]))
    choice = load_catalog_choice(catalog_file=site.written, cache_dir=tmp_path / "kept")
    assert (await asking.adopt(choice, ("shipping",), additive=False, yes=True)).fine
    said: list[str] = []
    with capture_logs() as logs:
        async with site.served() as host:
            said += [str(await host.listed()), *[str(await host.call(tool, kg=1)) for tool in ("quote", "book")]]
            said.append(str(await host.call("track")))
            variables, again = [str((await host.call("variables")).content) for _ in range(2)]
            assert variables == again, "one session, one process"
            assert ("TOY_SECRET" in variables, "OTHER_SECRET" in variables) == (True, False)
            site.write(toml_of("shipping", command=["sh", "-c", "echo $TOY_SECRET; exit 1"], env=["TOY_SECRET"]))
        async with site.served() as host:
            await host.check(2)
            assert host.live.snapshot()["servers"]["shipping"]["state"] == "down"
            said.append(str(await host.refusal("quote", kg=1)))
    said += [*texts_below(tmp_path), str(logs), *capfd.readouterr()]
    assert any("<TOY_SECRET>" in text for text in said)
    assert [text for text in said if SECRET in text] == []


def texts_below(directory: Path) -> list[str]:
    return [path.read_text("utf-8", "replace") for path in directory.rglob("*") if path.is_file()]


async def test_12_off_and_report_list_the_same_bytes_and_report_tells_what_would_be_served(
    adopted: Command, site: Site, shipping: ServedToy
) -> None:
    site.write(toml_of("shipping", url=shipping.url), "[tools.katana.search_items]\nenabled = false")
    shipping.toy.says("quote", description="Another price.")
    async with Client(site.server(catalog="off", catalog_file=None)) as client:
        off = [tool.model_dump_json(by_alias=True) for tool in await client.list_tools()]
    async with site.served(catalog="report") as host:
        await host.check()
        assert [tool.model_dump_json(by_alias=True) for tool in await host.client.list_tools()] == off
        assert (await host.refusal("book", kg=1))["error"] == "unknown_tool"
        live = site.json("live.json")
    assert (live["phase"], set(live["tools"])) == ("report", {"book", "track", "cache_status"})
    assert kinds(live["drift"]) == [("words", "shipping.quote", "words")]
