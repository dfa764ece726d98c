"""The rules of the tool catalogue: what is written and compared, and what is asked before another server is called."""

import asyncio
import json
import sys
from collections.abc import Generator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest
from catalog_site import QUOTE, TOY, ServedToy, Site, Toy, running_toy, toml_of
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StreamableHttpTransport
from http_door import TOKEN, opened
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from katana_mcp.commands.catalog import asking, looking
from katana_mcp.commands.doctor.local import catalog_findings
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import SettingsError, load, load_catalog_choice
from katana_mcp.gateway.drift import Observation, tool_changes
from katana_mcp.gateway.files import CatalogFiles, read_attempts, read_catalog, read_pins
from katana_mcp.gateway.gate import Gate
from katana_mcp.gateway.intended import rendered
from katana_mcp.gateway.mapping import checked, mapped
from katana_mcp.gateway.model import Aggregate, Catalog, CatalogError, Rule, Upstream
from katana_mcp.gateway.schemas import captured, explained, hashes
from katana_mcp.server.mcp.health import Health
from katana_mcp.server.mcp.overload import Load
from katana_mcp.server.mcp.upstreams import Connection
from katana_mcp.tools.warnings import Refused

ERAS: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")


@pytest.fixture(scope="module")
def served_toy(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServedToy]:
    with running_toy(tmp_path_factory.mktemp("toy")) as served:
        yield served


@pytest.fixture
async def site(tmp_path: Path, own: OwnSandbox, served_toy: ServedToy, no_settings: pytest.MonkeyPatch) -> Site:
    """A catalogue that has adopted all of shipping."""
    del no_settings
    served_toy.toy = Toy(served_toy.toy.path)
    site = Site(tmp_path, own)
    site.write(toml_of("shipping", url=served_toy.url))
    choice = load_catalog_choice(catalog_file=site.written, cache_dir=tmp_path / "kept")
    assert (await asking.adopt(choice, (), additive=False, yes=True)).fine
    return site


def test_a_gate_closes_at_the_second_failure_and_opens_at_the_second_equal_listing() -> None:
    for looks in product(("a", "b", None), repeat=6):
        gate, is_open, failures, last = Gate(), True, 0, None
        for look in looks:
            if look is None:
                gate.failed("it is gone")
                failures, last = failures + 1, None
                is_open = is_open and failures < 2
            else:
                gate.succeeded(look)
                is_open, failures, last = is_open or last == look, 0, look
            assert (gate.state != "down") == is_open, looks


PLACED = "upstreams.c.command = ['x']\n[aggregates.a]\ndescription = 'x'\n[aggregates.a.operations.b]\ntool = 'c.d'\n{}"
WRONG = [
    ("upstreams.a.url = 'http://example.com/mcp'", "upstreams.a: url must be https, or http on this machine"),
    ("upstreams.a.url = 'https://me:secret@example.com/mcp'", "upstreams.a: url must hold no user and no password"),
    ("upstreams.a.env = ['X']", "upstreams.a: give either command or url"),
    ("upstreams.a = {url = 'https://a.example', env = ['X']}", "env goes with command, headers go with url"),
    ("upstreams.katana.command = ['a']", "this name stands for our own tools"),
    ("upstreams.a = {command = ['a'], comand = 'b'}", "upstreams.a.comand"),
    ("tools.b.x.enabled = false", "no upstream is called b"),
    ("tools.katana.search_items.read_only = true", "tools.katana.search_items: our own tools have no read_only"),
    ("aggregates.a = {description = 'x', operations.b.tool = 'c.d'}", "no upstream is called c"),
    (PLACED.format("arguments = [{target = 'a', value = 1}, {target = 'a.b', value = 2}]"), "a.b cannot be within a,"),
    (PLACED.format("arguments = [{target = 'a.b', from = 'x'}, {target = 'a', value = 1}]"), "a.b cannot be within a,"),
    (PLACED.format("response = [{target = 'a', value.b = 1}, {target = 'a.b.c', from = 'x'}]"), "a.b.c cannot be with"),
    ("[", "is no TOML"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said[:30] for _, said in WRONG])
def test_a_catalogue_that_contradicts_itself_is_refused_in_a_sentence_without_its_values(
    tmp_path: Path, text: str, said: str
) -> None:
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path)
    files.written.write_text(text)
    with pytest.raises(CatalogError) as refused:
        read_catalog(files)
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_an_overlay_changes_single_values_and_leaves_the_rest(tmp_path: Path) -> None:
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path)
    files.written.write_text("[upstreams.a]\ncommand = ['a', 'b']\ntimeout = 5\n[upstreams.c]\ncommand = ['c']\n")
    files.overlay.write_text("check_every = 2\n[upstreams.a]\ncommand = ['d']\n")
    read = read_catalog(files)
    assert (read.check_every, read.upstreams["a"].command, read.upstreams["a"].timeout) == (2, ("d",), 5)
    assert set(read.upstreams) == {"a", "c"}


async def test_a_lock_that_was_changed_by_hand_is_refused_until_its_entry_is_removed_and_adopted(site: Site) -> None:
    files = CatalogFiles(site.written, site.state)
    assert set(read_pins(files)) == {"shipping.quote", "shipping.book", "shipping.track"}
    files.lock.write_text(files.lock.read_text("utf-8").replace("Book a parcel.", "Book two parcels."))
    way = "take the change back, or remove its entry and adopt it again"
    with pytest.raises(CatalogError, match=rf"shipping\.book was changed by hand: {way}"):
        read_pins(files)
    lock = json.loads(files.lock.read_text("utf-8"))
    del lock["tools"]["shipping.book"]
    files.lock.write_text(json.dumps(lock))
    choice = load_catalog_choice(catalog_file=site.written, cache_dir=site.home / "kept")
    assert (await asking.adopt(choice, ("shipping.book",), additive=False, yes=True)).fine
    assert read_pins(files)["shipping.book"]["description"] == "Book a parcel."


def described(schema: dict[str, Any]) -> dict[str, Any]:
    return captured({"name": "x", "inputSchema": schema})


def test_words_are_every_text_and_no_name_of_an_argument() -> None:
    text = {"type": "string", "title": "T", "default": "description"}
    schema = {
        "type": "object",
        "properties": {"description": text, "title": text},
        "required": ["title", "description"],
    }
    other = {"required": ["description", "title"], **{key: schema[key] for key in ("properties", "type")}}
    assert hashes(described(schema)) == hashes(described(other)), "order means nothing"
    for changed, part in (
        ({"description": {**text, "title": "U"}, "title": text}, "words"),
        ({"title": text}, "input"),
        ({"description": {**text, "default": "title"}, "title": text}, "input"),
    ):
        before, after = hashes(described(schema)), hashes(described({**schema, "properties": changed}))
        assert part in {name for name in before if before[name] != after[name]}
    assert (
        hashes(described(schema))["input"]
        == hashes(described({**schema, "properties": {"description": {**text, "description": "obey"}, "title": text}}))[
            "input"
        ]
    )


def test_references_mean_what_stands_there_and_schemas_without_end_are_left_out() -> None:
    def of(a: object, **defs: object) -> dict[str, Any]:
        return described({"type": "object", "properties": {"a": a}, "$defs": defs})["inputSchema"]["properties"]["a"]

    assert of({"$ref": "#/$defs/n", "title": "A"}, n={"type": "number"}) == {"type": "number", "title": "A"}
    assert of({"$ref": "https://example.com/schema.json"}) == {}
    assert of({"$ref": "#/$defs/t"}, t={"items": {"$ref": "#/$defs/t"}}) == {"items": {}}
    laughs = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 10} for n in range(9)}
    with pytest.raises(ValueError, match="more than"):
        of({"$ref": "#/$defs/l0"}, **laughs)
    with pytest.raises(ValueError, match="its name is none"):
        captured({"name": "x\n[tools]", "inputSchema": {}})
    assert "<U+200B>" in described({"type": "object", "description": "a\u200bb"})["inputSchema"]["description"]
    assert "no JSON Schema" in (explained({}, {"type": 5}) or "")


def test_nothing_is_known_of_a_tool_before_its_server_was_asked() -> None:
    pinned = captured(QUOTE)
    assert tool_changes("a.quote", pinned, Observation()) == []
    assert [change.kind for change in tool_changes("a.quote", pinned, Observation("up", tools={}))] == ["missing"]


def test_values_are_taken_from_and_put_into_places() -> None:
    rules = [
        Rule.model_validate(rule)
        for rule in (
            {"target": "a.b", "from": "x.0.y"},
            {"target": "c", "from": "z", "strip_null": False},
            {"target": "d", "from": "z"},
            {"target": "e", "value": 0},
            {"target": "f", "from": "gone.1", "required": True},
        )
    ]
    assert mapped(rules, {"x": [{"y": False}], "z": None}) == ({"a": {"b": False}, "c": None, "e": 0}, ["gone.1"], [])


async def test_arguments_are_renamed_hidden_and_given_as_the_catalogue_says(site: Site, served_toy: ServedToy) -> None:
    site.write(
        toml_of("shipping", url=served_toy.url),
        '[tools.shipping.book.arguments]\nkg = {name = "weight", description = "Kilograms."}',
        '[tools.shipping.track.arguments]\nnumber = {hide = true}\norder = {hide = true, default = "SO-1"}',
    )
    async with site.served() as host:
        listed = await host.listed()
        assert listed["book"]["inputSchema"]["properties"] == {
            "weight": {"type": "number", "description": "Kilograms."}
        }
        assert listed["track"]["inputSchema"]["properties"] == {}
        for weight in (2, "2"):
            assert (await host.call("book", weight=weight)).structured_content == {"arguments": {"kg": 2}}
        assert (await host.refusal("book", weight="two"))["error"] == "invalid_argument"
        assert (await host.call("track")).structured_content == {"arguments": {"order": "SO-1"}}
        for tool, hidden in (("book", "kg"), ("track", "number"), ("track", "order")):
            assert (await host.refusal(tool, weight=2, **{hidden: "1"}))["error"] == "invalid_argument"
    site.write(toml_of("shipping", url=served_toy.url), "[tools.shipping.book.arguments.kg]\nhide = true")
    with pytest.raises(SettingsError, match=r"arguments\.kg: it is needed, so hiding it takes a default"):
        site.server()
    site.write(toml_of("shipping", url=served_toy.url), '[tools.shipping.track.arguments.number]\nname = "order"')
    with pytest.raises(SettingsError, match="two arguments are called order"):
        site.server()


@pytest.mark.parametrize("era", ERAS)
async def test_a_person_is_asked_before_a_call_that_may_change_something(
    site: Site, era: Literal["auto", "legacy"]
) -> None:
    asked: list[str] = []
    answers = iter((ElicitResult(action="decline"), ElicitResult(action="accept", content={"confirm": True})))

    async def person(message: str, response_type: Any, params: Any, context: Any) -> Any:  # noqa: ANN401 - as FastMCP has it
        del response_type, params, context
        asked.append(message)
        return next(answers)

    server = site.server(confirm="required")
    async with Client(server, mode=era, elicitation_handler=person) as client:
        refused = await client.call_tool("book", {"kg": 1}, raise_on_error=False)
        assert '"error":"declined_plan"' in str(refused.content)
        booked = await client.call_tool("book", {"kg": 1}, raise_on_error=False)
        assert booked.structured_content == {"arguments": {"kg": 1}}
    assert asked == ['Call shipping.book with {"kg":1}? It may change something there, and there is no preview.'] * 2
    async with Client(server, mode=era) as client:
        refused = await client.call_tool("book", {"kg": 1}, raise_on_error=False)
        assert '"error":"confirmation_required"' in str(refused.content)


async def test_where_nothing_may_be_changed_only_what_the_operator_vouches_for_is_served(
    site: Site, served_toy: ServedToy
) -> None:
    async with site.served(read_only=True) as host:
        assert await host.names() == {"cache_status", "search_items"}, (
            "what its server says of quote is no word of ours"
        )
    site.write(toml_of("shipping", url=served_toy.url), "[tools.shipping.quote]\nread_only = true")
    async with site.served(read_only=True) as host:
        assert await host.names() == {"quote", "cache_status", "search_items"}
        assert (await host.refusal("book", kg=1))["error"] == "unknown_tool"


async def test_a_late_answer_is_told_as_that_and_ends_no_session(site: Site, served_toy: ServedToy) -> None:
    site.write(toml_of("shipping", url=served_toy.url, timeout=4))
    served_toy.toy.slow = {"book": 60}
    served_toy.toy.says()
    async with site.served() as host:
        late = asyncio.create_task(host.refusal("book", kg=1))
        assert not (await host.call("quote", kg=1)).is_error
        refusal = await late
        assert refusal["error"] == "upstream_down"
        assert "book may have been done, so look before it is called again" in refusal["warnings"][0]["message"]
        await host.check()
        assert host.live.snapshot()["servers"]["shipping"]["state"] == "up"


async def test_a_program_is_started_where_the_catalogue_stands(
    site: Site, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = site.written.parent / "here" / "toy"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {TOY} "$@"\n')
    program.chmod(0o755)
    site.write(toml_of("shipping", command=["here/toy", "toy.json"]))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    Toy(site.written.parent / "toy.json")
    async with site.served() as host:
        assert "quote" in await host.names()


async def test_a_server_that_was_never_reached_has_done_nothing(tmp_path: Path) -> None:
    gone = Connection("shipping", Upstream(command=("./gone",)), tmp_path)
    with pytest.raises(Refused, match=r"shipping could not be reached \(.*\): book was not called"):
        await gone.call("book", {}, _unheard)


def test_variables_that_are_not_set_are_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"^upstreams\.shipping: not set in the environment: NO_A, NO_B$"):
        Connection("shipping", Upstream(command=("./gone",), env=("NO_B", "NO_A")), tmp_path)


async def _unheard(progress: float, total: float | None, message: str | None) -> None: ...


async def test_an_answer_that_fits_nothing_is_handed_on_and_any_object_promised_from_then_on(
    site: Site, served_toy: ServedToy
) -> None:
    async with site.served() as host:
        served_toy.toy.answers_with("quote", "nine", structured={"price": "nine"})
        answer = await host.client.session.call_tool("quote", {"kg": 1}, allow_input_required=True)
        assert getattr(answer, "structured_content", None) == {"price": "nine"}
        assert (await host.listed())["quote"]["outputSchema"] == {"type": "object"}
        assert site.json("intended.json")["tools"]["quote"]["descriptor"]["outputSchema"] == QUOTE["outputSchema"]


async def test_a_server_that_goes_back_and_forth_does_not_fill_the_log(site: Site, served_toy: ServedToy) -> None:
    async with site.served() as host:
        for _ in range(4):
            served_toy.toy.says("quote", outputSchema={"type": "object"})
            await host.check()
            served_toy.toy.says("quote", outputSchema=QUOTE["outputSchema"])
            await host.check()
    outcomes = [attempt.outcome for attempt in read_attempts(CatalogFiles(site.written, site.state))]
    assert outcomes == ["offered", "withdrawn"]


async def _other(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


async def test_a_server_without_one_that_is_required_is_there_and_not_ready(site: Site) -> None:
    site.write(toml_of("shipping", url="http://127.0.0.1:9/mcp", required=True))
    async with site.served() as host:
        assert "quote" in await host.names(), "what was adopted is listed before anybody was reached"
        await host.check(2)
        client = TestClient(Health(_other, Load(2), lambda: host.live.is_ready))
        assert (client.get("/healthz").status_code, client.get("/readyz").status_code) == (200, 503)
        assert not (await host.call("cache_status")).is_error


async def test_the_doctor_tells_how_the_catalogue_stands(site: Site, served_toy: ServedToy) -> None:
    def standing() -> tuple[str, str]:
        (found,) = catalog_findings(load(**site.settings()))
        return found.state, found.message

    assert standing() == ("advice", "enforce; other servers: 1; no server has looked yet")
    async with site.served() as host:
        assert standing() == ("fine", "enforce; other servers: 1")
        served_toy.toy.says("quote", description="Another.")
        await host.check()
    assert standing() == ("advice", "enforce; other servers: 1; differences when a server last looked: 1")
    site.write("[upstreams.shipping]")
    assert standing()[0] == "wrong"
    assert catalog_findings(load(**site.settings(catalog="off"))) == []


async def test_another_server_gets_the_headers_that_the_catalogue_names_and_none_of_a_client(
    site: Site, served_toy: ServedToy, no_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    no_settings.setenv("SHIPPING_AUTH", "Bearer of-shipping-alone")
    served_toy.toy.tools["headers"] = {"name": "headers", "inputSchema": {"type": "object"}}
    served_toy.toy.says()
    site.write(toml_of("shipping", url=served_toy.url), 'headers = {Authorization = "SHIPPING_AUTH"}')
    choice = load_catalog_choice(catalog_file=site.written, cache_dir=site.home / "kept")
    assert (await asking.adopt(choice, ("shipping.headers",), additive=False, yes=True)).fine
    flags = {name: value for name, value in site.settings().items() if name.startswith(("cache", "catalog", "tools"))}
    async with opened(site.own, capsys, **flags, toolsets=()) as door:
        sent = {"Authorization": f"Bearer {TOKEN}", "X-Of-The-Client": "yes"}
        transport = StreamableHttpTransport(f"http://127.0.0.1:{door.port}/mcp", headers=sent)
        async with Client(transport) as client:
            served_toy.kill()
            assert (await client.call_tool("headers", {}, raise_on_error=False)).is_error
            served_toy.start()
            # The session to the other server is opened anew within this call, where the client's headers are at hand.
            text = str((await client.call_tool("headers", {})).structured_content)
        assert (await door.request("GET", {"Host": "x"}, path="/readyz"))[0] == 200
    assert "'authorization': '<SHIPPING_AUTH>'" in text
    assert TOKEN not in text
    assert "x-of-the-client" not in text


async def test_a_running_server_is_compared_with_what_is_meant_as_a_host_sees_it(
    site: Site, no_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = {name: value for name, value in site.settings().items() if name.startswith(("cache", "catalog", "tools"))}
    choice = load_catalog_choice(**flags)
    async with opened(site.own, capsys, **flags, toolsets=()) as door:
        url = f"http://127.0.0.1:{door.port}/mcp"
        with pytest.raises(SettingsError, match=rf"--url: {url} does not list its tools \(.*KATANA_MCP_HTTP_TOKEN"):
            await asking.diff(choice, url)
        no_settings.setenv("KATANA_MCP_HTTP_TOKEN", TOKEN)
        assert (await asking.diff(choice, url)).fine
        site.write(toml_of("shipping", url="http://127.0.0.1:9/mcp"), '[tools.shipping.quote]\ndescription = "Other."')
        site.written.write_text(site.written.read_text() + "\n[tools.shipping.book]\nenabled = false")
        report = await asking.diff(choice, url)
    drift: Any = report.data["drift"]
    found = [(row["kind"], row["tool"], row["part"]) for row in drift]
    assert (report.fine, found) == (False, [("words", "served.quote", "words"), ("new", "served.book", "tool")])


def test_a_server_keeps_to_its_budget_by_what_only_reads_the_dearest_first(site: Site) -> None:
    def tokens(budget: int) -> tuple[list[str], list[str]]:
        vouched = "[tools.shipping.quote]\nread_only = true\n[tools.shipping.track]\nread_only = true"
        site.write(toml_of("shipping", url="http://127.0.0.1:9/mcp", budget=budget), vouched)
        choice = load_catalog_choice(catalog_file=site.written, cache_dir=site.home / "kept", tools="cache_status")
        report = asyncio.run(looking.list_tools(choice, live=False))
        entries: Any = report.data["tools"]
        others = [entry for entry in entries if entry["origin"].startswith("shipping.")]
        return [other["name"] for other in others if other["listed"]], [note for note in report.notes if "ship" in note]

    everything, (line,) = tokens(10_000)
    cost = int(line.split()[1])
    assert (everything, line) == (["book", "quote", "track"], f"shipping: {cost} tokens listed, of a budget of 10,000")
    assert tokens(cost)[0] == everything
    assert tokens(cost - 1)[0] == ["book", "track"]
    listed, (line,) = tokens(0)
    assert listed == ["book"]
    assert line.endswith("tokens listed, of a budget of 0; what may change something stays listed")


def test_a_catalogue_that_others_may_write_starts_nothing(site: Site) -> None:
    overlay = site.written.with_suffix(".local.toml")
    overlay.write_text("check_every = 1")
    for path in (site.written, overlay, site.written.with_suffix(".lock.json")):
        path.chmod(0o666)
        with pytest.raises(SettingsError, match=rf"{path} can be written by other users"):
            site.server()
        path.chmod(0o644)
    site.server()


def test_the_directory_of_the_start_names_no_programs(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    del no_settings
    (tmp_path / ".env").write_text("KATANA_SANDBOX=1\nKATANA_MCP_CATALOG_FILE=catalog.toml\n")
    with pytest.raises(SettingsError, match=r"--catalog-file.*anybody's programs"):
        load()
    (tmp_path / ".env").write_text("KATANA_SANDBOX=1\nKATANA_MCP_CATALOG=enforce\n")
    assert load().catalog == "enforce"


KEYWORDS = st.sampled_from(
    ["type", "properties", "required", "$ref", "$defs", "items", "enum", "anyOf", "title", "description", "default"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | KEYWORDS, inner, max_size=4),
    max_leaves=12,
)
SCHEMAS = st.dictionaries(KEYWORDS, JSON, max_size=5)
LISTED = st.fixed_dictionaries(
    {"name": st.just("x"), "inputSchema": SCHEMAS},
    optional={"outputSchema": SCHEMAS, "description": st.text(max_size=5), "annotations": SCHEMAS},
)


@given(LISTED, LISTED, JSON)
def test_whatever_a_server_lists_is_left_out_or_can_be_compared_shown_and_called(
    one: dict[str, Any], other: dict[str, Any], value: object
) -> None:
    kept: list[dict[str, Any]] = []
    for listed in (one, other):
        try:
            kept.append(captured(listed))
        except ValueError:
            return
    before, after = kept
    assert captured(before) == before
    changes = tool_changes("a.x", before, Observation("up", tools={"x": after}))
    assert (changes == []) == (hashes(before) == hashes(after))
    aggregate = Aggregate.model_validate({"description": "d", "operations": {"one": {"tool": "a.x"}}})
    catalog = Catalog.model_validate({"upstreams": {"a": {"command": ["b"]}}, "aggregates": {"both": aggregate}})
    outputs = {"a.x": before.get("outputSchema", {})}
    entries = rendered(catalog, {"a.x": before}, outputs, [])
    assert set(entries) == {"x", "both"}
    for entry in entries.values():
        with suppress(Refused):
            checked({"operation": "one", "type": value}, entry.descriptor["inputSchema"], entry.name)
