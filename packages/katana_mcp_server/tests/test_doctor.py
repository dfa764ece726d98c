"""`katana-mcp doctor`: each thing that can be wrong is found and named, and no value of a record is shown."""

import json
import os
import re
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from command_line import Ran, Run

from katana_client import KatanaClient
from katana_client.errors import KatanaError
from katana_client.exchange import Call
from katana_client.sending import Answer
from katana_client.transport import Route
from katana_mcp.commands.doctor import examining
from katana_mcp.commands.doctor.account import account_findings
from katana_mcp.commands.doctor.finding import Finding
from katana_mcp.commands.doctor.shapes import LISTED, CollectionShape, shapes_of
from katana_mcp.commands.hosts.hosts import HOSTS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_sandbox import Action, Drop, EditBody, EditHeaders, Fault, ManualClock, Sandbox, Status

type Wire = dict[str, Any]

NO_WRITES = "nothing can be written to Katana without the journal of writes"


@pytest.fixture
def shop() -> OwnSandbox:
    return OwnSandbox(Sandbox(clock=ManualClock()))


@pytest.fixture
async def client(shop: OwnSandbox) -> AsyncGenerator[KatanaClient]:
    async with KatanaClient(shop.api_key, transport=shop.transport(), clock=shop.sandbox.clock) as made:
        yield made


@pytest.fixture
def doctor(command_line: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command for a person whose home is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return lambda *arguments: command_line("doctor", *arguments)


def checks(ran: Ran) -> dict[str, Wire]:
    return {check["check"]: check for check in ran.data["checks"]}


def lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a path be one that this user may not write."""
    may = os.access

    def access(name: str | Path, mode: int, **how: bool) -> bool:
        return Path(name) != path and may(name, mode, **how)

    monkeypatch.setattr(os, "access", access)


def made_directory(doctor: Run) -> Path:
    """Make the directory of the account, and return it; it holds nothing yet."""
    found = checks(doctor("--json"))["cache"]["found"]
    directory = Path(found.removeprefix("none yet in ").partition(":")[0])
    directory.mkdir(parents=True)
    return directory


def test_on_the_sandbox_nothing_is_wrong_and_nothing_is_made(doctor: Run, tmp_path: Path) -> None:
    ran = doctor("--json")
    found = checks(ran)
    assert (ran.code, ran.err) == (0, "")
    assert list(found) == ["versions", "key", "network", "clock", "time zone", "cache", "hosts"]
    assert {check["state"] for name, check in found.items() if name != "hosts"} == {"fine"}
    assert found["network"]["found"].startswith("the sandbox answered in ")
    assert found["time zone"]["found"].startswith("Europe/Tallinn")
    assert found["hosts"]["advice"] == "katana-mcp install claude-code, for example"
    assert ran.data["not_checked"] == []
    assert list(tmp_path.iterdir()) == []
    people = doctor()
    assert people.code == 0
    assert people.out.endswith("nothing is wrong\n1 to look at; the server works all the same\n")


def test_a_cache_and_its_journal_are_looked_at(doctor: Run, command_line: Run) -> None:
    assert command_line("cache", "rebuild").code == 0
    found = checks(doctor("--json"))
    assert re.search(r"kept/[0-9a-f]+, [\d.,]+ (kB|MB); [\d.,]+ MB free$", found["cache"]["found"])
    assert (found["cache"]["state"], found["journal"]["found"]) == ("fine", "nothing was planned yet")


@pytest.mark.parametrize("part", ["file", "directory"])
def test_a_journal_that_cannot_be_written_is_wrong(
    doctor: Run, command_line: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    assert command_line("call", "create_customer", "name=Zed").code == 0
    (path,) = (tmp_path / "kept").glob("journal-*.sqlite")
    lock({"file": path, "directory": path.parent}[part], monkeypatch)
    ran = doctor("--json")
    assert (ran.code, checks(ran)["journal"]["state"]) == (1, "wrong")
    assert checks(ran)["journal"]["found"] == f"{path} cannot be written: {NO_WRITES}"


@pytest.mark.parametrize(
    "case",
    [
        ("file", "cannot be used: Not a directory"),
        ("file/below", "cannot be used: Not a directory"),
        ("link", "is a symbolic link; name a real directory"),
        ("foreign", "belongs to another user"),
        ("nowhere/below", "cannot be used: No such file or directory"),
        ("/proc/x", "cannot be used: No such file or directory"),
    ],
    ids=lambda case: case[0],
)
def test_a_cache_directory_that_the_server_refuses_is_wrong_and_stays_as_it_is(
    doctor: Run, command_line: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str]
) -> None:
    place, message = case
    (tmp_path / "file").touch(mode=0o644)
    (tmp_path / "foreign").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "foreign")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    if place == "foreign":
        monkeypatch.setattr(os, "geteuid", lambda: -1)
    ran = doctor("--json", "--cache-dir", str(tmp_path / place))
    found = checks(ran)["cache"]
    assert (ran.code, found["state"]) == (1, "wrong")
    assert found["found"] == f"the cache directory {tmp_path / place} {message}: nothing is kept, and {NO_WRITES}"
    assert "--cache-dir" in found["advice"]
    written = command_line("call", "create_customer", "name=Zed", "--cache-dir", str(tmp_path / place))
    assert written.data["warnings"][0]["code"] == "journal_unavailable", "the server says the same"
    assert message in written.data["message"]
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644
    assert not any((tmp_path / "foreign").iterdir())


def test_a_cache_that_cannot_be_written_keeps_nothing_new(doctor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lock(directory := made_directory(doctor), monkeypatch)
    ran = doctor("--json")
    found = checks(ran)
    assert (ran.code, found["cache"]["state"], found["journal"]["state"]) == (1, "wrong", "fine")
    assert found["cache"]["found"] == f"{directory} cannot be written: nothing new is kept"


def test_a_journal_that_cannot_be_made_is_wrong(doctor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lock(made_directory(doctor).parent, monkeypatch)
    ran = doctor("--json")
    assert (ran.code, checks(ran)["journal"]["state"]) == (1, "wrong")


def test_a_damaged_cache_is_wrong(doctor: Run, command_line: Run, tmp_path: Path) -> None:
    assert command_line("cache", "rebuild").code == 0
    (path,) = (tmp_path / "kept").glob("*/typed-*.db")
    path.write_bytes(b"no database" * 400)
    ran = doctor("--json")
    assert (ran.code, checks(ran)["cache"]["state"]) == (1, "wrong")
    assert doctor().out.endswith("\n1 of 8 is wrong\n1 to look at\n")


def test_a_host_that_starts_what_is_not_there_is_wrong(doctor: Run) -> None:
    file = HOSTS["cursor"].file()
    file.parent.mkdir()
    entries = {
        "mcpServers": {"katana": {"command": "/nowhere/katana-mcp", "args": ["serve"]}, "other": {"command": "x"}}
    }
    file.write_text(json.dumps(entries))
    HOSTS["claude-code"].file().write_text("{broken")
    ran = doctor("--json")
    found = checks(ran)
    assert ran.code == 1
    assert found["Cursor"]["found"] == "starts katana with /nowhere/katana-mcp, which is not there"
    assert found["Cursor"]["advice"] == "katana-mcp install cursor writes it anew"
    assert found["Claude Code"]["state"] == "wrong"
    assert "hosts" not in found
    assert "SECRET" not in ran.out + doctor().out


def test_a_hostile_file_of_a_host_is_a_line_and_its_names_are_written_plainly(doctor: Run) -> None:
    goose = HOSTS["goose"].file()
    goose.parent.mkdir(parents=True)
    goose.write_text('a: "\\U99999999"')
    entry = {"command": "env", "args": ["SECRET=1", "katana-mcp"]}
    named = json.dumps({"mcpServers": {"k\ud800": entry, "c\u009b31m\u202e": entry}})
    HOSTS["claude-code"].file().write_text(named)
    ran = doctor("--json")
    assert ran.out.isascii()
    assert [check["state"] for check in ran.data["checks"] if check["check"] == "Claude Code"] == ["fine", "fine"]
    assert (ran.code, checks(ran)["goose"]["state"]) == (1, "wrong")
    assert "SECRET" not in ran.out + doctor().out


@pytest.mark.parametrize(("name", "value"), [("KATANA_API_KEY", ""), ("KATANA_FRESH_FOR", "soon")])
def test_settings_that_cannot_work_are_told_and_the_rest_is_looked_at(
    doctor: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("KATANA_SANDBOX", "false")
    monkeypatch.setenv(name, value)
    ran = doctor("--json")
    assert (ran.code, ran.err) == (1, "")
    assert list(checks(ran)) == ["versions", "settings", "hosts"]
    unmade = ["key", "network", "clock", "time zone", "cache", "journal", "catalogue"]
    assert ran.data["not_checked"] == unmade
    people = doctor().out
    assert max(map(len, people.splitlines()[:-1])) <= 100
    end = f"\n1 of 3 is wrong\n1 to look at\nnot checked, because of what is wrong above: {', '.join(unmade)}\n"
    assert people.endswith(end)


def test_people_are_told_of_each_check_in_a_word_and_what_to_do_in_a_line_as_the_page_shows(
    doctor: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_SANDBOX", "false")
    first, *lines = doctor().out.splitlines()
    page = (Path(__file__).parents[3] / "docs/guides/troubleshooting.md").read_text("utf-8")
    assert first.startswith("ok     versions  katana-mcp ")
    assert "\n{}\n```\n".format("\n".join(lines)) in page


def test_a_key_that_no_server_used_leaves_no_file(doctor: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    monkeypatch.setenv("KATANA_SANDBOX", "false")
    monkeypatch.setenv("KATANA_API_KEY", "a-key-that-was-mistyped")
    monkeypatch.setenv("KATANA_BASE_URL", "http://127.0.0.1:9/v1")
    ran = doctor("--json")
    assert (ran.code, checks(ran)["network"]["state"]) == (1, "wrong")
    assert ran.data["not_checked"] == ["clock", "time zone"]
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_key_that_cannot_be_one_is_told_and_the_rest_is_looked_at(
    doctor: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KATANA_SANDBOX", "false")
    monkeypatch.setenv("KATANA_API_KEY", "two words\n")
    ran = doctor("--json")
    found = checks(ran)
    assert (ran.code, found["key"]["state"]) == (1, "wrong")
    assert "two words" not in ran.out
    assert {"versions", "cache", "hosts"} < found.keys()
    assert "network" not in found


def test_it_takes_every_flag_of_the_server(doctor: Run, command_line: Run) -> None:
    flags = (
        "--http",
        "--toolsets",
        "sales",
        "--sync",
        "lazy",
        "--fresh-for",
        "10",
        "--web-base-url",
        "https://a.example",
    )
    assert checks(doctor("--json", *flags)).keys() >= {"key", "network"}
    options = re.compile(r"^│ (--[a-z-]+)", re.MULTILINE)
    served, taken = (set(options.findall(command_line(name, "--help").out)) for name in ("serve", "doctor"))
    assert served < taken
    ran = doctor("--json", "--fresh-for", "1")
    assert (ran.code, checks(ran)["settings"]["state"]) == (1, "wrong")


def test_katana_is_reached_as_the_flags_say(doctor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    routes: list[Route] = []

    class Client(KatanaClient):
        def __init__(self, api_key: str, base_url: str, *, route: Route, **rest: Any) -> None:  # noqa: ANN401 - passed on
            routes.append(route)
            super().__init__(api_key, base_url, route=route, **rest)

    monkeypatch.setattr(examining, "KatanaClient", Client)
    doctor("--json", "--system-certificates")
    assert [route.system_certificates for route in routes] == [True]


def test_the_key_of_the_keyring_is_used(doctor: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATANA_SANDBOX", "false")

    def get_password(service: str, entry: str) -> str:
        return f"{service}-{entry}-is-the-key"

    monkeypatch.setattr("keyring.get_password", get_password)
    found = checks(doctor("--json", "--api-key-keyring", "works", "--base-url", "http://127.0.0.1:9/v1"))
    assert found["key"]["found"].startswith("set, 27 characters, for")


def test_a_wrong_option_is_one_sentence(doctor: Run) -> None:
    ran = doctor("--shape")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean '--shapes'?" in ran.err


async def findings_by_name(client: KatanaClient, shop: OwnSandbox) -> dict[str, Finding]:
    return {finding.what: finding for finding in await account_findings(client, shop.sandbox.clock, "here")}


@pytest.mark.parametrize(
    ("action", "found"),
    [
        (Status(401), "Katana refuses the key"),
        (Status(503), "GET /factory"),
        (Drop(), "GET /factory"),
        (EditBody(text="[1, 2, 3]"), "here answers, but not as Katana does"),
        (EditBody(text="{}"), "here answers, but not as Katana does"),
        (EditBody(text="<html>"), "GET /factory"),
    ],
)
async def test_an_account_that_cannot_be_read_is_one_finding(
    client: KatanaClient, shop: OwnSandbox, action: Action, found: str
) -> None:
    shop.sandbox.faults.add(Fault("GET /factory", action=action, times=None))
    findings = await findings_by_name(client, shop)
    assert [finding.state for finding in findings.values()] == ["wrong"]
    assert found in findings["network"].message
    advice = findings["network"].advice or ""
    assert ("KATANA_BASE_URL" in advice) is isinstance(action, EditBody)
    assert advice


async def test_a_clock_that_is_off_is_wrong(client: KatanaClient, shop: OwnSandbox) -> None:
    there = shop.sandbox.now() - timedelta(seconds=90)
    date = f"{there:%a, %d %b %Y %H:%M:%S} GMT"
    shop.sandbox.faults.add(Fault("GET /factory", action=EditHeaders(set={"date": date}), times=None))
    clock = (await findings_by_name(client, shop))["clock"]
    assert (clock.state, clock.message) == ("wrong", "90 s ahead of Katana's")


@pytest.mark.parametrize("zone", [None, "", "Moon/Crater", "../etc", 7])
async def test_a_time_zone_that_is_not_known_is_told(client: KatanaClient, shop: OwnSandbox, zone: object) -> None:
    shop.sandbox.faults.add(Fault("GET /factory", action=EditBody(set={"timezone": zone}), times=None))
    findings = await findings_by_name(client, shop)
    assert (findings["time zone"].state, findings["network"].state) == ("advice", "fine")
    assert findings["time zone"].advice


async def read(client: KatanaClient) -> dict[str, CollectionShape]:
    steps: list[int] = []
    found = await shapes_of(client, lambda _, done, total: steps.append(done))
    assert steps == list(range(len(LISTED)))
    return {shape.name: shape for shape in found}


async def test_the_sandbox_has_no_shape_that_is_not_known(client: KatanaClient, shop: OwnSandbox) -> None:
    found = await read(client)
    assert {name: shape.findings for name, shape in found.items() if shape.findings} == {}
    assert (found["variants"].total, found["variants"].ids) == (150, "8 digits")
    assert (found["bom_rows"].total, found["bom_rows"].read, found["bom_rows"].ids) == (456, 250, "36 characters")
    assert found["sales_orders"].largest > 1_000
    assert {request.method for request in shop.sandbox.journal} == {"GET"}


def edited(change: Callable[[Wire], None]) -> EditBody:
    """Change the first row of a page."""

    def edit(body: object) -> object:
        change(cast("Wire", body)["data"][0])
        return body

    return EditBody(edit)


def put(**fields: object) -> Callable[[Wire], None]:
    return lambda row: row.update(fields)


def put_inside(name: str, **fields: object) -> Callable[[Wire], None]:
    return lambda row: row[name][0].update(fields)


@pytest.mark.parametrize(
    ("collection", "change", "expected"),
    [
        ("suppliers", put(loyalty="SECRET"), "loyalty is a field that is not known (1 of 7)"),
        ("products", put_inside("variants", hue="SECRET"), "variants[].hue is a field that is not known (1 of 21)"),
        ("sales_orders", put(status="SECRET"), "status has a word that is not known (1 of 118)"),
        (
            "products",
            put_inside("variants", lead_time={"SECRET": 1}),
            "variants[].lead_time has a form that is not known",
        ),
        ("variants", put(id=None), "cannot be kept: id: missing"),
    ],
)
async def test_each_odd_shape_is_found_and_no_value_is_told(
    client: KatanaClient, shop: OwnSandbox, collection: str, change: Callable[[Wire], None], expected: str
) -> None:
    shop.sandbox.faults.add(Fault(f"GET /{collection}", action=edited(change), times=None))
    found = await read(client)
    assert {name for name, shape in found.items() if shape.findings} == {collection}
    (finding,) = found[collection].findings
    assert finding.message.startswith(expected)
    assert "SECRET" not in json.dumps(found[collection].data())


async def test_a_collection_that_is_refused_is_told_and_the_others_are_read(
    client: KatanaClient, shop: OwnSandbox
) -> None:
    shop.sandbox.faults.add(Fault("GET /bin_inventory", action=Status(403), times=None))
    found = await read(client)
    assert [name for name, shape in found.items() if shape.findings] == ["bin_inventory"]
    assert found["bin_inventory"].total is None
    assert found["variants"].read == 150


async def test_programs_are_given_every_finding_and_people_the_first_eight(
    client: KatanaClient, shop: OwnSandbox
) -> None:
    odd = edited(put(**{f"new_{nr}": 1 for nr in range(11)}))
    shop.sandbox.faults.add(Fault("GET /suppliers", action=odd, times=None))
    found = (await read(client))["suppliers"]
    assert len(cast("list[str]", found.data()["findings"])) == 11
    assert [finding.message for finding in examining.few(found)[-2:]][-1] == "3 more"
    assert len(examining.few(found)) == 9


class Unreached(KatanaClient):
    """A client whose requests do not leave the machine."""

    reason = ""

    async def send(self, call: Call) -> Answer:
        raise KatanaError(f"{call.method} {call.target}: not sent: {self.reason}")


@pytest.mark.parametrize(
    ("reason", "advised"),
    [
        ("ConnectError: [SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate", "--system-certificates trusts"),
        ("ConnectError: All connection attempts failed", "a proxy that KATANA_PROXY has to name"),
        ("ProxyError: 407 Proxy Authentication Required", "a proxy that KATANA_PROXY has to name"),
    ],
)
async def test_what_a_companys_network_wants_is_named(reason: str, advised: str) -> None:
    async with Unreached("a-key-of-an-account") as client:
        client.reason = reason
        (finding,) = await account_findings(client, ManualClock(), "Katana")
    assert finding.state == "wrong"
    assert reason in finding.message
    assert advised in (finding.advice or "")
