"""`katana-mcp sync`: brings the cache up to date once or keeps it so, and says what it could not do."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from cache_jobs import job_on
from command_line import Run
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import Receive, Scope, Send

from katana_client.transport import in_process
from katana_mcp.caches.cache_files import NotDone
from katana_mcp.commands.cache.job import Job, Report
from katana_mcp.commands.cache.rebuild import rebuild
from katana_mcp.commands.cache.running import telling
from katana_mcp.commands.cache.sync import sync, watch
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.made_tools import tools
from katana_mcp.server.wiring import Environment
from katana_mcp.testing import Setup, paced, staged, within
from katana_sandbox import Delay, Fault, ManualClock, Status, Truncate

type Answering = HTMLResponse | RedirectResponse | PlainTextResponse
type Command = Callable[[Job, Sequence[str]], Awaitable[Report]]

READ = {entity for tool in tools() for entity in tool.reads}


@pytest.fixture
def waited_for(own: OwnSandbox, tmp_path: Path) -> Job:
    """Return a job before which somebody sits."""
    job = job_on(own, tmp_path)
    return replace(job, outside=telling(job.outside, job.settings.base_url))


def entities(report: Report) -> dict[str, dict[str, Any]]:
    """Return what a report says, by entity."""
    return {entity["entity"]: entity for entity in cast("list[dict[str, Any]]", report.data["entities"])}


def test_all_that_the_tools_read_is_brought_in(command_line: Run) -> None:
    first = command_line("sync", "--json")
    assert (first.code, first.err) == (0, "")
    assert {entity["entity"] for entity in first.data["entities"]} == READ - {"stock"}
    assert first.entity("variant") == {
        "entity": "variant",
        "records": 172,
        "complete": True,
        "requests": 1,
        "changed": 172,
        "quarantined": 0,
        "reason": None,
        "unavailable": False,
        "everywhere": False,
        "refused": False,
    }
    status = command_line("cache", "status", "--json")
    assert (status.entity("variant")["records"], status.entity("sales_order")["records"]) == (172, 120)


async def test_a_second_run_tells_what_changed_and_nothing_that_only_came_again(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    job = job_on(own, tmp_path)
    await paced(clock, sync(job, []), 1)
    own.sandbox.tenant().create("customers", {"name": "Wheelbarrow"})
    again = entities(await paced(clock, sync(job, []), 1))
    assert {entity for entity, result in again.items() if result["changed"]} == {"customer"}
    assert again["customer"]["changed"] == 1


def test_named_entities_come_with_what_they_borrow_from_and_people_see_a_table(command_line: Run) -> None:
    ran = command_line("sync", "variants")
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["entity", "records", "changed", "quarantined", "requests", "result"]
    assert [line[0] for line in lines[1:]] == ["supplier", "product", "material", "variant"]
    assert {line[-1] for line in lines[1:]} == {"complete"}


def test_the_tools_that_are_served_choose_what_is_brought_in(command_line: Run) -> None:
    ran = command_line("sync", "--json", "--tools", "search_customers")
    assert [entity["entity"] for entity in ran.data["entities"]] == ["customer"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["stock"], "no entity is called 'stock' here; there are factory, "), (["--cache-dir", ""], "--cache-dir")],
)
def test_bad_input_is_one_sentence(command_line: Run, arguments: list[str], message: str) -> None:
    ran = command_line("sync", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err


async def test_what_could_not_be_brought_in_is_named_with_its_reason_and_the_rest_is(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    own.sandbox.faults.add(Fault("GET /customers", action=Status(500), times=None))
    report = await paced(clock, sync(job_on(own, tmp_path), ["customer", "location"]), 5)
    assert not report.fine
    (note,) = report.notes
    assert note.startswith("not complete: customer: Katana could not be read: ")
    found = entities(report)
    assert (found["location"]["complete"], found["customer"]["complete"]) == (True, False)
    own.sandbox.faults.clear()
    assert (await paced(clock, sync(job_on(own, tmp_path), ["customer", "location"]), 5)).fine


async def test_a_wrong_key_is_one_sentence_and_the_rest_is_not_tried(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    own.sandbox.faults.add(Fault("*", action=Status(401), times=None))
    with pytest.raises(NotDone, match=r"^Katana refused the API key in KATANA_API_KEY; what was cached stays$"):
        await paced(clock, sync(job_on(own, tmp_path), []), 5)
    assert {request.path for request in own.sandbox.journal} == {"/v1/locations", "/v1/factory"}


async def test_an_address_where_nobody_answers_is_named_and_the_key_is_not(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = job_on(own, tmp_path, base_url="http://127.0.0.1:9/v1")
    nobody = replace(job, outside=telling(Environment(clock=clock), job.settings.base_url))
    with pytest.raises(NotDone) as refused:
        await paced(clock, sync(nobody, ["location"]), 5)
    message = str(refused.value)
    assert message.startswith(
        "Katana could not be read: no answer from 127.0.0.1:9: GET /locations: not sent: ConnectError"
    )
    assert message.endswith("; what was cached stays")
    err = capsys.readouterr().err
    assert err == "katana-mcp: 127.0.0.1:9 does not answer: it is asked again\n"
    assert own.api_key not in message + err


@pytest.mark.parametrize(
    ("action", "output"),
    [
        (Status(503), "katana-mcp: api.katanamrp.com answers 503: it is asked again\n"),
        (Status(429), "katana-mcp: api.katanamrp.com answers 429: it is asked again\n"),
        (Truncate(), "katana-mcp: api.katanamrp.com answers 200, unreadable: it is asked again\n"),
        (Status(404), ""),
    ],
)
async def test_whoever_waits_is_told_once_that_katana_is_asked_again(
    own: OwnSandbox, waited_for: Job, capsys: pytest.CaptureFixture[str], action: Status, output: str
) -> None:
    own.sandbox.faults.add(Fault("GET /customers", action=action, times=2))
    await paced(
        cast("ManualClock", own.sandbox.clock),
        asyncio.gather(sync(waited_for, ["customer"]), return_exceptions=True),
        5,
    )
    assert capsys.readouterr().err == output


@pytest.mark.parametrize(
    ("command", "answer", "reads"),
    [
        pytest.param(sync, HTMLResponse("<html>Welcome</html>"), "200 the body is not JSON", id="a web page"),
        pytest.param(rebuild, HTMLResponse("<html>"), "200 the body is not JSON", id="a web page to a rebuild"),
        pytest.param(sync, RedirectResponse("/login"), "307 an answer that is neither", id="sent elsewhere"),
        pytest.param(sync, PlainTextResponse("Not found", 404), "404 Not found", id="another path"),
    ],
)
async def test_an_address_that_is_not_katanas_is_named_in_one_sentence_and_soon_given_up(
    own: OwnSandbox, tmp_path: Path, command: Command, answer: Answering, reads: str
) -> None:
    asked: list[str] = []

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])
        await answer(scope, receive, send)

    clock = cast("ManualClock", own.sandbox.clock)
    job = job_on(own, tmp_path, base_url="http://127.0.0.1:46633")
    outside = telling(Environment(clock=clock, transport=in_process(answering)), job.settings.base_url)
    with pytest.raises(NotDone) as refused:
        await paced(clock, command(replace(job, outside=outside), []), 5)
    message = str(refused.value)
    assert reads in message
    assert message.count("; check KATANA_BASE_URL: it is http://127.0.0.1:46633, and Katana's is https://") == 1
    assert len(message) < 350
    assert len(asked) <= 3 * 5


async def test_many_reasons_are_not_all_told(own: OwnSandbox, clock: ManualClock, tmp_path: Path) -> None:
    own.sandbox.faults.add(
        *(
            Fault(f"GET /{collection}", action=Status(404), times=None)
            for collection in ("customers", "materials", "products", "services")
        ),
    )
    report = await paced(clock, sync(job_on(own, tmp_path), []), 5)
    (note,) = report.notes
    assert note.count("could not be read") == 3
    assert note.endswith("; and 1 more; what was cached stays")
    assert "KATANA_BASE_URL" not in note


async def test_who_stops_the_command_is_not_told_that_katana_does_not_answer(
    own: OwnSandbox, clock: ManualClock, waited_for: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    own.sandbox.faults.add(Fault("GET /customers", action=Delay(20)))
    running = asyncio.ensure_future(sync(waited_for, ["customer"]))
    while not own.sandbox.requests(path="/customers"):
        await paced(clock, clock.sleep(0.1))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "command",
    ["sync", "cache status", "cache verify", "cache compare", "cache migrate", "cache rebuild", "cache clear --yes"],
)
@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("/proc/x", "No such file or directory"),
        ("/etc/hostname/x", "Not a directory"),
        (f"/{'x' * 256}", "File name too long"),
    ],
    ids=["nothing", "below a file", "too long"],
)
def test_a_directory_in_which_no_cache_can_stand_is_one_sentence_and_exit_code_1(
    command_line: Run, command: str, where: str, why: str
) -> None:
    ran = command_line(*command.split(), "--cache-dir", where)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"katana-mcp: the cache directory {where} cannot be used: {why}\n"


async def test_a_directory_that_fails_after_that_is_not_said_to_be_replaced_by_memory(
    own: OwnSandbox, tmp_path: Path
) -> None:
    job = job_on(own, tmp_path / "file" / "below")
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(NotDone, match=r"^the cache directory \S+ cannot be used: Not a directory$"):
        await sync(job, ["location"])


async def test_a_setting_of_the_server_does_not_stop_it(own: OwnSandbox, tmp_path: Path) -> None:
    report = await sync(job_on(own, tmp_path, sync="off"), ["location"])
    assert (report.fine, entities(report)["location"]["records"]) == (True, 3)


async def test_stopped_between_two_pages_the_next_run_goes_on_there(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path
) -> None:
    tenant = own.sandbox.tenant()
    for nr in range(500):
        tenant.create("customers", {"name": f"Customer {nr}"})
    own.sandbox.faults.add(Fault("GET /customers", nth=2, action=Delay(20)))
    job = job_on(own, tmp_path)
    running = asyncio.ensure_future(sync(job, ["customer"]))
    while len(own.sandbox.journal) < 3:
        await paced(clock, clock.sleep(0.1))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    asked = len(own.sandbox.journal)
    report = await paced(clock, sync(job, ["customer"]))
    assert report.fine
    assert entities(report)["customer"]["records"] == sum(1 for _ in tenant.all("customers"))
    assert len(own.sandbox.journal) - asked == 2


@pytest.mark.parametrize("as_json", [False, True])
async def test_watching_tells_each_round_that_changed_something_and_each_new_fault_once(
    own: OwnSandbox, clock: ManualClock, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    job = job_on(own, tmp_path)
    watching = asyncio.ensure_future(watch(job, ["customer"], as_json=as_json))
    lines: list[str] = []

    async def later(seconds: float) -> None:
        await paced(clock, clock.sleep(seconds), 5)
        lines.extend(line for line in capsys.readouterr().out.splitlines() if "[info" not in line)

    await later(300)
    own.sandbox.tenant().create("customers", {"name": "Wheelbarrow"})
    await later(300)
    own.sandbox.faults.add(Fault("*", action=Status(401), times=None))
    await later(300)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    if as_json:
        assert [json.loads(line)["changed"] for line in lines] == [{"customer": 40}, {"customer": 1}, {}]
    else:
        assert [line.partition(" ")[2].partition(":")[0] for line in lines] == ["changed", "changed", "not complete"]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 0, marks=pytest.mark.soak)]
)
def test_the_real_process_watches_until_it_is_told_to_stop(tmp_path: Path, number: signal.Signals, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "katana_mcp", "sync", "--watch", "customer", "location"],
        env={"PATH": os.environ["PATH"], "KATANA_CACHE_DIR": str(tmp_path), "KATANA_SANDBOX": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert line.partition(" ")[2] == "changed: location 3, customer 40\n"
    assert (process.returncode, out, err) == (code, "", "katana-mcp: stopped\n" if code else "")


async def test_a_server_on_the_same_cache_reads_what_was_brought_in(own: OwnSandbox, tmp_path: Path) -> None:
    await sync(job_on(own, tmp_path), [])
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        asked = stage.requests()
        assert not {"stale", "warming"} & set(await stage.call("list_sales_orders", limit=1))
        assert stage.requests() == asked


async def test_a_sync_after_a_rebuild_says_what_it_waits_for_and_how_long(
    own: OwnSandbox, clock: ManualClock, waited_for: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    await within(clock, 120, rebuild(waited_for, []))
    capsys.readouterr()
    await within(clock, 240, sync(waited_for, []))
    lines = capsys.readouterr().err.splitlines()
    matches = [re.fullmatch(_WAITS, line) for line in lines]
    assert matches
    assert all(matches), lines
    seconds = [int(line.split(" s for")[0].rsplit(" ", 1)[1]) for line in lines]
    assert all(later <= sooner or later > 30 for sooner, later in pairwise(seconds)), "it counts down, in each minute"


_WAITS = r"katana-mcp: (?:\w+ [\d,]+/[\d,]+, )?waiting about \d+ s for one of Katana's 60 requests a minute"
