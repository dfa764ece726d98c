"""The command line: serve, switches, scenarios, coverage."""

import asyncio
import contextlib
import gc
import ipaddress
import json
import signal
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Annotated

from cyclopts import App, CoercionError, CycloptsError, Parameter, UnusedCliTokensError

from katana_sandbox.coverage import END, START, coverage_table, has_table, write_coverage
from katana_sandbox.faults.script import Fault, parse_faults
from katana_sandbox.sandbox import DEFAULT_SCENARIO, Sandbox, SandboxConfig
from katana_sandbox.scenarios import SCENARIOS, scenario_named
from katana_sandbox.snapshot import BadState
from katana_sandbox.state_lock import state_lock
from katana_sandbox.switch_list import SWITCHES, Setting
from katana_sandbox.switches import Switches, parse_setting

_COUNTED = ("products", "materials", "variants", "customers", "suppliers", "sales_orders", "sales_order_rows")
app = App(
    name="katana-sandbox",
    suppress_keyboard_interrupt=False,
    help="A stateful offline stand-in for the Katana API.",
)


class BadInput(Exception):
    """Something on the command line is wrong; the message is one sentence for the user."""


@app.command
def serve(  # noqa: PLR0913 - one argument for each option of the command
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    seed: int | None = None,
    variants: int | None = None,
    orders: int | None = None,
    faults: Path | None = None,
    key: str = "sandbox-key",
    switch: Annotated[tuple[str, ...], Parameter(negative="", consume_multiple=False, show_default=False)] = (),
    scenario: str | None = None,
    state: Path | None = None,
    keep: Annotated[bool, Parameter(negative="")] = False,
    allow_remote: Annotated[bool, Parameter(negative="")] = False,
    json_line: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Serve the API until Ctrl-C or SIGTERM.

    Args:
        host: Address to listen on; anything but this machine needs --allow-remote.
        port: Port to listen on; 0 takes a free one.
        seed: Seed of the invented account; 7 when left out.
        variants: Number of variants, up to 1000000; the small factory when left out.
        orders: Number of sales orders, up to 1000000; the small factory when left out.
        faults: A TOML file with [[fault]] tables.
        key: API key to accept.
        switch: A switch as name=value; may be given several times.
        scenario: A preset, demo by default; see `katana-sandbox scenarios`.
        state: A state file to start from; it is written first when there is none.
        keep: Write the state file again when the server stops; no other sandbox can keep it meanwhile.
        allow_remote: Listen on addresses that other machines can reach.
        json_line: Print one JSON line with url, key and counts.
    """
    _check_host(host, allow_remote=allow_remote)
    for name, value, most in (("port", port, 65535), ("variants", variants, 10**6), ("orders", orders, 10**6)):
        if value is not None and not 0 <= value <= most:
            raise BadInput(f"--{name} must be between 0 and {most}, not {value}")
    if not key.strip() or not key.isascii() or set(key) & set("\"'`"):
        raise BadInput("--key must be plain text without quotes, and not empty")
    script = _faults(faults)
    if keep and state is None:
        raise BadInput("--keep needs --state")
    begins = scenario or DEFAULT_SCENARIO
    _check_scenario(begins)
    config = SandboxConfig(7 if seed is None else seed, variants, orders, _settings(switch), scenario=begins)
    sized = (seed, variants, orders) != (None, None, None)
    with _kept(state if keep else None):
        if scenario is not None and state is not None and state.exists():
            sys.stderr.write(f"katana-sandbox: {_SERVES_WHAT_IS_THERE.format(state, scenario)}\n")
        sandbox = _opened(config, state, sized=sized)
        gc.freeze()  # the account stays: collections that walk it would only delay replies
        if key != sandbox.default_key:
            sandbox.add_key(key)
        sandbox.faults.add(*script)
        try:
            asyncio.run(_run(sandbox, host, port, _announcement(sandbox, key, json_line=json_line)))
        finally:
            _save(sandbox, state if keep else None)


_SERVES_WHAT_IS_THERE = (
    "{} exists: its data is served, not what --scenario {} begins with; for that, delete it or name another file"
)


@app.command
def switches() -> None:
    """List the switches: name, default, meaning, section of the API facts."""
    width = max(len(switch.name) for switch in SWITCHES)
    for switch in SWITCHES:
        words = f" ({', '.join(switch.words)})" if switch.words else ""
        default = str(switch.default).lower() if isinstance(switch.default, bool) else switch.default
        sys.stdout.write(f"{switch.name:<{width}}  {default!s:<10}  {switch.meaning}{words} [facts {switch.facts}]\n")


@app.command
def scenarios() -> None:
    """List the scenarios: name and meaning."""
    width = max(len(scenario.name) for scenario in SCENARIOS)
    for scenario in SCENARIOS:
        sys.stdout.write(f"{scenario.name:<{width}}  {scenario.meaning}\n")


@app.command
def coverage(
    *, check: Annotated[bool, Parameter(negative="")] = False, readme: Path | None = None, tests: Path | None = None
) -> None:
    """Print the table of operations, or keep the README's copy current.

    Args:
        check: Exit with 1 when the README's table is not current; needs --readme.
        readme: The README to check or to rewrite.
        tests: The folder of tests, to count those that call an operation.
    """
    if tests is not None and not tests.is_dir():
        raise BadInput(f"--tests {tests} is no folder")
    if readme is None:
        if check:
            raise BadInput("--check needs --readme")
        sys.stdout.write(coverage_table(tests))
        return
    if not readme.is_file():
        raise BadInput(f"--readme {readme} is no file")
    if not has_table(readme):
        raise BadInput(f"--readme {readme} has no table between {START} and {END}")
    if not write_coverage(readme, tests, only_check=check):
        sys.stderr.write(f"katana-sandbox: the table in {readme} is not current; run the command without --check\n")
        raise SystemExit(1)


def main() -> None:
    """Run the command line; wrong input is one sentence and exit code 2."""
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
    except KeyboardInterrupt:
        sys.exit(0)
    except CycloptsError as problem:
        _fail(_sentence(problem))
    except BadInput as problem:
        _fail(str(problem))


def _sentence(problem: CycloptsError) -> str:
    match problem:
        case UnusedCliTokensError(unused_tokens=[word, *_]):
            command = " ".join(problem.command_chain or ())
            message = f"{command} takes options only, and {word!r} is none; katana-sandbox {command} --help names them"
        case CoercionError(token=token, target_type=kind) if token is not None and kind in _KINDS:
            message = f"{token.keyword} must be {_KINDS[kind]}, not {token.value!r}"
        case _:
            message = " ".join(str(problem).split())
    return message


_KINDS: dict[object, str] = {int: "a whole number", bool: "true or false"}


def _fail(sentence: str) -> None:
    sys.stderr.write(f"katana-sandbox: {sentence}\n")
    sys.exit(2)


def _check_host(host: str, *, allow_remote: bool) -> None:
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise BadInput(f"--host must be an IP address or localhost, not {host!r}") from None
    if not local and not allow_remote:
        raise BadInput(f"--host {host} can be reached from other machines; add --allow-remote to allow that")


def _settings(pairs: tuple[str, ...]) -> dict[str, Setting]:
    try:
        settings = dict(parse_setting(pair) for pair in pairs)
        Switches(settings)
    except ValueError as problem:
        raise BadInput(f"--switch: {problem}") from None
    return settings


def _check_scenario(name: str) -> None:
    try:
        scenario_named(name)
    except ValueError as problem:
        raise BadInput(f"--scenario: {problem}") from None


def _opened(config: SandboxConfig, state: Path | None, *, sized: bool) -> Sandbox:
    if state is None or not state.exists():
        sandbox = Sandbox(config, progress=_progress)
        _save(sandbox, state)
        return sandbox
    if sized:
        raise BadInput("--seed, --variants and --orders can not be combined with a --state file that exists")
    try:
        return Sandbox.restore(state, scenario=config.scenario, switches=config.switches)
    except BadState as problem:
        raise BadInput(f"--state: {problem}") from None


@contextlib.contextmanager
def _kept(state: Path | None) -> Generator[None]:
    try:
        with state_lock(state):
            yield
    except BadState as problem:
        raise BadInput(f"--state: {problem}") from None


def _save(sandbox: Sandbox, path: Path | None) -> None:
    try:
        if path is not None:
            sandbox.save(path)
    except BadState as problem:
        raise BadInput(f"--state: {problem}") from None


def _faults(path: Path | None) -> list[Fault]:
    if path is None:
        return []
    try:
        return parse_faults(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"--faults {path} can not be read: {problem.strerror}") from None
    except ValueError as problem:
        raise BadInput(f"--faults {path}: {problem}") from None


def _progress(label: str, done: int, total: int) -> None:
    if total >= 5000:
        sys.stderr.write(f"\r{label}: {done} of {total}" + ("\n" if done == total else ""))
        sys.stderr.flush()


def _announcement(sandbox: Sandbox, key: str, *, json_line: bool) -> str:
    tenant = sandbox.tenant()
    counts = {name: tenant.count(name) for name in _COUNTED}
    if json_line:
        return json.dumps({"url": "{url}", "key": key, "counts": counts})
    words = {name: (name.removesuffix("s") if count == 1 else name).replace("_", " ") for name, count in counts.items()}
    shown = ", ".join(f"{count} {words[name]}" for name, count in counts.items())
    return f"Katana sandbox at {{url}} with key {key}: {shown}. Ctrl-C stops it."


async def _run(sandbox: Sandbox, host: str, port: int, announcement: str) -> None:
    try:
        async with sandbox.serve("127.0.0.1" if host == "localhost" else host, port) as url:
            terminated = _termination()
            sys.stdout.write(announcement.replace("{url}", url) + "\n")
            sys.stdout.flush()
            await terminated.wait()
    except OSError as problem:
        raise BadInput(f"--port {port} on {host} can not be used: {problem.strerror}") from None


def _termination() -> asyncio.Event:
    """Set by SIGTERM; Ctrl-C ends the wait for it by itself."""
    asked = asyncio.Event()
    with contextlib.suppress(NotImplementedError):  # no such handlers on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)
    return asked
