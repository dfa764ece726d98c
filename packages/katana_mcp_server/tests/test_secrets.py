"""Accounts stay apart; keys and personal data stay where they belong; files are their owner's alone."""

import io
import logging
import stat
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import structlog
from server_wire import live
from tests.surface.matrix import matrix
from tests.surface.prepared import prepared

from katana_mcp.caches.accounts.tenants import identity
from katana_mcp.configuration.logs import configure
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, paced, payload_of, staged
from katana_sandbox import EditBody, Fault, ManualClock, Sandbox, Status, Tenant

KEY = "canary-api-key-8d1f0c"
PERSONAL = {
    "email": "canary.mail@example.com",
    "phone": "+372 5550 424242",
    "comment": "canary-note-about-a-person",
    "name": "Canary Personsdottir",
    "line_1": "Canary Lane 424242",
}


@dataclass
class Kept(logging.Handler):
    """Everything that went through the standard library's logging."""

    lines: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        super().__init__(logging.DEBUG)

    __hash__ = logging.Handler.__hash__

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def kept() -> Generator[Kept]:
    """Log as the server does, and put everything back afterwards."""
    loggers = [logging.getLogger(), *(logger for logger in map(logging.getLogger, logging.root.manager.loggerDict))]
    levels = [(logger, logger.level) for logger in loggers]
    handler = Kept()
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.DEBUG)
    yield handler
    logging.getLogger().removeHandler(handler)
    for logger, level in levels:
        logger.setLevel(level)
    structlog.reset_defaults()


def _about_a_person(tenant: Tenant) -> list[tuple[str, dict[str, object]]]:
    """Return right and wrong calls that name a person."""
    person = PERSONAL["name"]
    order = next(
        sales_order for sales_order in live(tenant, "sales_orders") if sales_order["customer_id"] == _customer(tenant)
    )
    return [
        ("search_customers", {"query": person}),
        ("search_customers", {"query": PERSONAL["email"]}),
        ("search_customers", {"query": f"{person}x"}),
        ("search_sales_orders", {"query": person}),
        ("list_sales_orders", {"customer_id": person, "include_rows": True}),
        ("list_sales_orders", {"customer_id": f"{person}x"}),
        ("get_sales_order", {"sales_order_id": order["id"]}),
        ("get_sales_order", {"sales_order_id": PERSONAL["phone"]}),
        ("get_customer", {"customer_id": _customer(tenant)}),
        ("search_items", {"query": "fork"}),
        ("check_inventory", {"skus_or_variant_ids": [PERSONAL["email"], "PAD"]}),
        ("get_variant_details", {"skus_or_variant_ids": [PERSONAL["email"], "PAD"]}),
        ("cache_status", {}),
        ("cache_status", {PERSONAL["email"]: PERSONAL["phone"]}),
        ("search_customers", {"query": [person]}),
    ]


def _of_every_tool(tenant: Tenant) -> list[tuple[str, dict[str, object]]]:
    """Return a right and a wrong call of each tool."""
    usual = {tool: call.arguments for tool, call in matrix(tenant).items()}
    wrong = [
        (tool, dict[str, object](dict.fromkeys(arguments, PERSONAL["email"]))) for tool, arguments in usual.items()
    ]
    return [*((tool, arguments) for tool, arguments in usual.items() if tool != "rebuild_cache"), *wrong]


async def _said(stage: Stage, clock: ManualClock, calls: Iterable[tuple[str, dict[str, object]]]) -> list[str]:
    return [str(payload_of(await paced(clock, stage.result(tool, words)))) for tool, words in calls]


def _customer(tenant: Tenant) -> int:
    return live(tenant, "sales_orders")[-1]["customer_id"]


def _plant(tenant: Tenant) -> None:
    """Put a person into every record that can hold one."""
    for collection in ("customers", "suppliers", "customer_addresses", "supplier_addresses", "sales_order_addresses"):
        for record in live(tenant, collection):
            details = {name: text for name, text in PERSONAL.items() if name in record and name != "name"}
            tenant.edit(collection, record["id"], True, **details)
    tenant.edit("customers", _customer(tenant), True, name=PERSONAL["name"])
    for collection in ("sales_orders", "purchase_orders", "manufacturing_orders", "stock_transfers", "products"):
        for record in live(tenant, collection):
            tenant.edit(collection, record["id"], True, additional_info=PERSONAL["comment"])


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def _modes(root: Path) -> tuple[set[int], set[int]]:
    """Return the permissions of directories and of files below a directory."""
    modes = [(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in root.rglob("*")]
    return {mode for is_dir, mode in modes if is_dir}, {mode for is_dir, mode in modes if not is_dir}


@pytest.mark.soak  # every tool four times
@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
async def test_no_key_is_said_anywhere_and_nothing_personal_is_logged(
    level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], kept: Kept
) -> None:
    clock = ManualClock(auto=False)
    own = prepared(clock)
    tenant = own.sandbox.tenant()
    own.sandbox.add_key(KEY)
    _plant(tenant)
    configure(level)
    async with staged(own, Setup(cache_dir=tmp_path, api_key=KEY)) as stage:
        said = await _said(stage, clock, _of_every_tool(tenant) + _about_a_person(tenant))
        assert [detail for detail in PERSONAL.values() if detail not in "".join(said)] == []
        own.sandbox.faults.add(Fault("*", action=EditBody(text=f'{{"key": "{KEY}"'), times=None))
        clock.advance(1_200)
        said += await _said(stage, clock, _of_every_tool(tenant))
        own.sandbox.faults.clear()
        for trouble in (EditBody(text=f'{{"key": "{KEY}"'), Status(401, text=f"bad key {KEY}"), Status(403)):
            own.sandbox.faults.add(Fault("*", action=trouble, times=1))
            clock.advance(1_200)
            said += await _said(stage, clock, _about_a_person(tenant))
            own.sandbox.faults.clear()
            for uri in ("katana://suppliers", "katana://help"):
                said.append(await paced(clock, stage.read(uri)))
    captured = capsys.readouterr()
    logged = captured.err + captured.out + "\n".join(kept.lines)
    assert "search_customers" in captured.err
    assert captured.out == ""
    assert KEY not in logged
    assert KEY not in "".join(said)
    files = _files(tmp_path)
    assert files
    assert [name for name, content in files.items() if KEY.encode() in content or KEY in name] == []
    if level == "INFO":
        assert [detail for detail in PERSONAL.values() if detail in logged] == []


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
async def test_what_is_logged_of_a_call_is_neither_what_was_asked_nor_what_was_answered(
    level: str, own: OwnSandbox, capsys: pytest.CaptureFixture[str], kept: Kept
) -> None:
    own.sandbox.add_key(KEY)
    _plant(own.sandbox.tenant())
    configure(level)
    async with staged(own, Setup(api_key=KEY)) as stage:
        said = await stage.call("search_customers", query=PERSONAL["name"])
        refusal = await stage.refusal("search_customers", query=[PERSONAL["phone"]])
    assert PERSONAL["name"] in str(said)
    assert refusal["warnings"][0]["field_path"] == "query"
    logged = capsys.readouterr().err + "\n".join(kept.lines)
    assert logged.count("search_customers") >= 2
    assert KEY not in logged + str(said) + str(refusal)
    if level == "INFO":
        assert [detail for detail in PERSONAL.values() if detail in logged] == []


@pytest.mark.cold
async def test_a_fault_that_nobody_foresaw_says_neither_key_nor_person(
    own: OwnSandbox, capsys: pytest.CaptureFixture[str], kept: Kept
) -> None:
    own.sandbox.add_key(KEY)
    configure("DEBUG")

    def broken(_: object) -> object:
        raise RuntimeError(f"no answer for {KEY}")

    own.sandbox.faults.add(Fault("GET /customers", action=EditBody(edit=broken), times=None))
    async with staged(own, Setup(api_key=KEY)) as stage:
        refusal = await stage.refusal("search_customers", query=PERSONAL["name"])
    assert refusal["error"] == "internal_error"
    reference = refusal["warnings"][0]["message"].rpartition(" ")[2]
    captured = capsys.readouterr()
    assert reference in captured.err
    assert KEY not in str(refusal)
    assert PERSONAL["name"] not in captured.err + "\n".join(kept.lines)


async def test_a_host_that_closed_stderr_is_still_answered(
    own: OwnSandbox, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = io.StringIO()
    closed.close()
    configure("DEBUG")
    monkeypatch.setattr("sys.stderr", closed)
    async with staged(own) as stage:
        assert (await stage.call("search_customers", query="velo"))["total"] > 0
    assert [line for line in kept.lines if "failed" in line] == []


async def test_two_accounts_in_one_process_share_no_row_and_no_file(tmp_path: Path, clock: ManualClock) -> None:
    own = OwnSandbox(Sandbox(clock=clock))
    other = own.sandbox.add_tenant("other", seed=99, key="key-of-the-other")
    mine = own.sandbox.tenant()
    for tenant, word in ((mine, "minecanary"), (other, "othercanary")):
        for customer in live(tenant, "customers"):
            tenant.edit("customers", customer["id"], name=f"{word} {customer['id']}", company=word)
    first = Setup(cache_dir=tmp_path)
    second = Setup(cache_dir=tmp_path, api_key="key-of-the-other")
    async with staged(own, first) as one, staged(own, second) as two:
        for stage, word in ((one, "minecanary"), (two, "othercanary"), (one, "minecanary")):
            rows = (await stage.call("list_sales_orders", limit=250))["rows"]
            assert rows
            assert {row["customer"].partition(" ")[0] for row in rows} == {word}
            strange = "othercanary" if word == "minecanary" else "minecanary"
            assert (await stage.call("search_customers", query=strange))["total"] == 0
            assert (await stage.call("search_customers", query=word))["total"] > 10
    directories = sorted(
        {parts[0] for file in _files(tmp_path) if len(parts := Path(file).relative_to(tmp_path).parts) > 1}
    )
    address = "https://api.katanamrp.com/v1"
    assert directories == sorted(identity(address, key) for key in (own.api_key, "key-of-the-other"))
    for key, strange in ((own.api_key, b"othercanary"), ("key-of-the-other", b"minecanary")):
        files = _files(tmp_path / identity(address, key))
        assert files
        assert [name for name, content in files.items() if strange in content] == []


async def test_cache_files_are_their_owners_alone(own: OwnSandbox, tmp_path: Path) -> None:
    root = tmp_path / "Ünï code and blanks"
    async with staged(own, Setup(cache_dir=root)) as stage:
        await stage.call("list_sales_orders", limit=1)
        directories, files = _modes(root)
    assert directories == {0o700}
    assert files == {0o600}


async def test_a_cache_outlives_the_process(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        first = await stage.call("search_customers", query="velo")
    asked = len(own.sandbox.journal)
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        assert await stage.call("search_customers", query="velo") == first
    assert len(own.sandbox.journal) == asked


@pytest.mark.parametrize("trap", ["symlink", "file", "below a file", "too long"])
async def test_a_cache_directory_that_cannot_be_trusted_is_left_alone_with_a_notice(
    own: OwnSandbox, tmp_path: Path, trap: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = tmp_path / "root"
    name = identity("https://api.katanamrp.com/v1", own.api_key)
    if trap == "symlink":
        root.mkdir()
        (root / name).symlink_to(elsewhere)
    else:
        (root if trap == "file" else tmp_path / "blocked").write_text("not a directory")
    where = {"below a file": tmp_path / "blocked" / "below", "too long": tmp_path / ("x" * 300)}.get(trap, root)
    async with staged(own, Setup(cache_dir=where)) as stage:
        assert (await stage.call("search_customers", query="velo"))["total"] > 0
        status = await stage.call("cache_status")
    assert "kept in memory" in status["notices"][0]
    assert list(elsewhere.iterdir()) == []
