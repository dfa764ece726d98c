"""The tools that a catalogue means to serve: made of what was written and adopted, under one name each, in a budget."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from katana_mcp.gateway.intended import Entry, rendered, titled
from katana_mcp.gateway.model import Catalog, CatalogError
from katana_mcp.gateway.schemas import hashes

type Json = dict[str, Any]

UPSTREAM: Json = {"command": ["a"]}
CLOSED: Json = {"type": "object", "properties": {}, "additionalProperties": False}
PRICE: Json = {"type": "object", "properties": {"price": {"type": "number"}}}
NEWER: Json = {"type": "object", "required": ["price"]}
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
CHANGES = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}


def pin(name: str, **parts: object) -> Json:
    return {"name": name, "inputSchema": {"type": "object"}, **parts}


QUOTE = pin("quote", title="A quote", description="Price.", outputSchema=PRICE, annotations={"readOnlyHint": True})
PINS: Mapping[str, Json] = {"a.quote": QUOTE, "a.book_it": pin("book_it"), "gone.x": pin("x"), "b.see": pin("see")}
OUTPUTS: Mapping[str, Json] = {"a.quote": NEWER, "a.book_it": {}, "gone.x": {}, "b.see": {}}


def meant(own: tuple[Entry, ...] = (), pins: Mapping[str, Json] = PINS, **tables: object) -> dict[str, Entry]:
    """Return what is meant of a catalogue with two servers."""
    catalog = Catalog.model_validate({"upstreams": {"a": UPSTREAM, "b": UPSTREAM}, **tables})
    return rendered(catalog, pins, {target: OUTPUTS.get(target, {}) for target in pins}, own)


def ours(name: str, *, listed: bool = True, reads: bool = True) -> Entry:
    return Entry(f"katana.{name}", {"name": name, "annotations": {"readOnlyHint": reads}}, listed)


def test_an_entry_costs_a_token_for_every_four_characters_of_what_the_model_is_told() -> None:
    assert Entry("o", {"name": "aaaa"}).tokens == len('["aaaa",null,null]') // 4 == 4
    assert Entry("o", {"name": "aaaaa", "title": "T" * 99}).tokens == len('["aaaaa",null,null]') // 4 == 4
    assert Entry("o", {"name": "aaaaaa"}).tokens == len('["aaaaaa",null,null]') // 4 == 5
    whole = {"name": "a", "description": "d", "inputSchema": {"x": 1}, "outputSchema": {"y": 2}}
    assert Entry("o", whole).tokens == len('["a","d",{"x":1}]') // 4


def test_an_entry_changes_something_unless_it_is_known_to_only_read() -> None:
    annotations: list[Json] = [{}, {"annotations": {}}, {"annotations": {"readOnlyHint": False}}]
    assert [Entry("o", {"name": "a", **part}).changes_something for part in annotations] == [True] * 3
    assert not Entry("o", {"name": "a", "annotations": {"readOnlyHint": True}}).changes_something


def test_an_entry_stands_in_the_file_with_its_hashes() -> None:
    fields = {"origin": "o", "listed": True, "descriptor": {"name": "a"}}
    assert Entry("o", {"name": "a"}).as_dict() == {**fields, "hashes": hashes({"inputSchema": {}})}
    hashed = hashes({"inputSchema": {"type": "object"}, "description": "d"})
    descriptor = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}
    several = Entry("o", descriptor, listed=False, targets=("a.b",), operations={"x": {"tool": "a.b"}})
    fields = {"origin": "o", "listed": False, "descriptor": descriptor, "hashes": hashed}
    assert several.as_dict() == {**fields, "operations": {"x": {"tool": "a.b"}}}
    assert (several.name, several.targets, Entry("o", {"name": "a"}).targets) == ("a", ("a.b",), ())


def test_a_name_is_a_title_in_words() -> None:
    assert [titled(name) for name in ("book_a-parcel", "x", "getAll_IDs")] == ["Book a parcel", "X", "Getall ids"]


def test_what_was_adopted_is_meant_as_its_servers_say_but_for_what_it_changes() -> None:
    quote = {"name": "quote", "title": "A quote", "description": "Price.", "inputSchema": {"type": "object"}}
    book = {"name": "book_it", "title": "Book it", "inputSchema": {"type": "object"}, "annotations": CHANGES}
    see = {"name": "see", "title": "See", "inputSchema": {"type": "object"}, "annotations": CHANGES}
    own = ours("own")
    found = meant((own,))
    assert found == {
        "book_it": Entry("a.book_it", book, targets=("a.book_it",)),
        "own": own,
        "quote": Entry("a.quote", {**quote, "annotations": CHANGES, "outputSchema": NEWER}, targets=("a.quote",)),
        "see": Entry("b.see", see, targets=("b.see",)),
    }
    assert list(found) == ["book_it", "own", "quote", "see"]


def test_an_override_and_a_namespace_change_how_a_tool_is_told() -> None:
    override = {"name": "price_of", "description": "Other.", "read_only": True, "listed": False}
    tools: Json = {"a": {"quote": override, "book_it": {"arguments": {}}}, "katana": {"x": {"enabled": False}}}
    found = meant(upstreams={"a": {**UPSTREAM, "namespace": "ship"}, "b": UPSTREAM}, tools=tools)
    assert list(found) == ["price_of", "see", "ship_book_it"]
    assert found["price_of"].descriptor == {
        "name": "price_of",
        "title": "Price of",
        "description": "Other.",
        "inputSchema": {"type": "object"},
        "outputSchema": NEWER,
        "annotations": READS,
    }
    assert (found["price_of"].listed, found["ship_book_it"].listed) == (False, True)
    assert found["ship_book_it"].descriptor["title"] == "Ship book it"
    titled_still = meant(upstreams={"a": {**UPSTREAM, "namespace": "ship"}})["ship_quote"].descriptor
    assert (titled_still["title"], titled_still["description"]) == ("A quote", "Price.")


def test_a_hidden_tool_is_left_out_and_those_after_it_are_not() -> None:
    assert list(meant(tools={"a": {"quote": {"enabled": False}}})) == ["book_it", "see"]
    assert list(meant(upstreams={"b": UPSTREAM})) == ["see"]


def test_arguments_are_shown_as_an_override_says() -> None:
    pins = {"a.x": pin("x", inputSchema={"properties": {"kg": {}}})}
    found = meant(pins=pins, tools={"a": {"x": {"arguments": {"kg": {"hide": True}}}}})
    assert found["x"].descriptor["inputSchema"] == {"properties": {}, "additionalProperties": False}
    with pytest.raises(CatalogError, match=r"^tools\.a\.x\.arguments: the tool has no lb$"):
        meant(pins=pins, tools={"a": {"x": {"arguments": {"lb": {}}}}})


def several(*tools: str, **fields: object) -> Json:
    """Return a tool made of others; of the last one the answer is mapped where `mapped` is given."""
    mapped = fields.pop("mapped", None)
    operations: dict[str, Json] = {f"o{number}": {"tool": tool} for number, tool in enumerate(tools)}
    if mapped is not None:
        operations[f"o{len(tools) - 1}"]["response"] = mapped
    return {"both_of": {"description": "Both.", "operations": operations, **fields}}


SEES = pin("see", description="See.", outputSchema=PRICE)
KNOWN: Mapping[str, Json] = {"a.quote": QUOTE, "b.see": SEES, "a.any": pin("any")}


def test_a_tool_made_of_several_is_meant_with_what_it_calls() -> None:
    found = meant(aggregates=several("b.see", "a.quote", "b.see", hides=["a.quote"], read_only=True))
    assert list(found) == ["book_it", "both_of", "see"]
    selector = {"operation": {"type": "string", "enum": ["o0", "o1", "o2"]}}
    descriptor = {
        "name": "both_of",
        "title": "Both of",
        "description": "Both.",
        "inputSchema": {**CLOSED, "properties": selector, "required": ["operation"]},
        "annotations": READS,
        "outputSchema": {"type": "object"},
    }
    operations = {
        "o0": {"tool": "b.see", **hashes(PINS["b.see"])},
        "o1": {"tool": "a.quote", **hashes(QUOTE)},
        "o2": {"tool": "b.see", **hashes(PINS["b.see"])},
    }
    assert found["both_of"] == Entry("aggregate", descriptor, targets=("a.quote", "b.see"), operations=operations)
    assert meant(aggregates=several("a.quote"))["both_of"].descriptor["annotations"] == CHANGES


@pytest.mark.parametrize(
    ("tools", "fields", "output"),
    [
        (["a.quote"], {}, {"type": "object", "anyOf": [NEWER]}),
        (["a.quote"], {"lock_schema": True}, {"type": "object", "anyOf": [PRICE]}),
        (["a.quote", "b.see"], {"lock_schema": True}, {"type": "object", "anyOf": [PRICE]}),
        (["a.quote", "a.any"], {}, {"type": "object"}),
        (["a.any"], {"lock_schema": True}, {"type": "object"}),
        (["a.quote", "a.quote"], {"mapped": []}, {"type": "object"}),
        (["a.quote"], {"mapped": [{"target": "t", "value": 1}]}, {"type": "object"}),
    ],
    ids=["one", "locked", "two of one form", "one that is not known", "locked and not known", "none", "mapped"],
)
def test_the_answer_of_a_tool_made_of_several_fits_one_of_theirs(tools: list[str], fields: Json, output: Json) -> None:
    found = meant(pins=KNOWN, aggregates=several(*tools, **fields))
    assert found["both_of"].descriptor["outputSchema"] == output


def test_the_forms_of_an_answer_are_told_in_one_order() -> None:
    outputs: dict[str, Json] = {"a.x": {"z": 1}, "a.y": {"b": 1}, "a.z": {"z": 1}}
    pins = {target: pin(target[2:]) for target in outputs}
    catalog = Catalog.model_validate({"upstreams": {"a": UPSTREAM}, "aggregates": several(*outputs)})
    found = rendered(catalog, pins, outputs, ())
    assert found["both_of"].descriptor["outputSchema"] == {"type": "object", "anyOf": [{"b": 1}, {"z": 1}]}


ANOTHER_NAME = "give one another name in tools, its server a namespace, or set enabled = false"
READER: Json = {"read_only": True, "listed": False}


@pytest.mark.parametrize(
    ("tables", "text"),
    [
        ({"tools": {"a": {"z": {}, "quote": {}, "c": {}}}}, "tools.a.c: not adopted: katana-mcp catalog adopt a.c"),
        ({"tools": {"a": {"quote": {"listed": False}}}}, "tools.a.quote: only what is read_only can be unlisted"),
        (
            {"tools": {"a": {"quote": {"name": "search_tools"}}}},
            "a.quote: search_tools is the name of a tool of ours: give it another one",
        ),
        (
            {"tools": {"b": {"see": {"name": "call_tool"}}}},
            "b.see: call_tool is the name of a tool of ours: give it another one",
        ),
        (
            {"tools": {"b": {"see": {"name": "own"}}, "a": {"quote": {"name": "own"}, "book_it": {"name": "z"}}}},
            f"3 tools are called 'own': a.quote, b.see, katana.own; {ANOTHER_NAME}",
        ),
        ({"tools": {"b": {"see": {"name": "quote"}}}}, f"2 tools are called 'quote': a.quote, b.see; {ANOTHER_NAME}"),
        (
            {"aggregates": several("a.quote", "b.z", "a.x")},
            "aggregates.both_of: katana-mcp catalog adopt a.x comes first",
        ),
        (
            {"aggregates": several("a.quote", hides=["b.see", "a.gone"])},
            "aggregates.both_of: katana-mcp catalog adopt a.gone comes first",
        ),
    ],
    ids=[
        "not adopted",
        "unlisted",
        "a search",
        "a call",
        "one name",
        "one name of two",
        "of several",
        "hidden by several",
    ],
)
def test_a_catalogue_that_cannot_be_served_is_refused(tables: Json, text: str) -> None:
    with pytest.raises(CatalogError) as refused:
        meant((ours("own"),), **tables)
    assert str(refused.value) == text


def test_our_own_tools_may_be_unlisted_and_called_as_only_ours_are() -> None:
    own = (ours("search_tools"), ours("call_tool", reads=False), ours("hidden", listed=False, reads=False))
    assert {entry.name: entry for entry in own} == meant(own, pins={})
    assert not meant(tools={"a": {"quote": READER}})["quote"].listed


def sized(name: str, size: int) -> Json:
    return pin(name, description="d" * size)


LONG: Mapping[str, Json] = {
    "a.m": sized("m", 400),
    "a.n": sized("n", 400),
    "a.long": sized("long", 800),
    "a.own": sized("changes", 2_000),
    "a.off": sized("off", 1_000),
    "b.other": sized("other", 4_000),
}
VOUCHED_FOR = {"read_only": True}
VOUCHED: Json = {
    "a": {"m": VOUCHED_FOR, "n": VOUCHED_FOR, "long": VOUCHED_FOR, "off": READER},
    "b": {"other": VOUCHED_FOR},
}


def unlisted(budget: int | None) -> list[str]:
    """Return what is not listed of a server with a budget; one that is not anyway is left out."""
    upstreams = {"a": {**UPSTREAM, "budget": budget}, "b": UPSTREAM}
    own = (ours("a.tool"),)
    found = meant(own, pins=LONG, upstreams=upstreams, tools=VOUCHED)
    whole = meant(own, pins=LONG, tools=VOUCHED)
    assert {name: replace(entry, listed=whole[name].listed) for name, entry in found.items()} == whole
    assert list(found) == list(whole)
    return [name for name, entry in found.items() if not entry.listed and name != "off"]


def test_a_server_keeps_to_its_budget_by_its_dearest_tools_that_only_read() -> None:
    cost = {name: entry.tokens for name, entry in meant(pins=LONG, tools=VOUCHED).items()}
    everything = sum(cost[name] for name in ("m", "n", "long", "own"))
    assert unlisted(None) == unlisted(everything) == []
    assert unlisted(everything - 1) == unlisted(everything - cost["long"]) == ["long"]
    assert unlisted(everything - cost["long"] - 1) == ["long", "m"]
    assert unlisted(cost["own"] + cost["n"] - 1) == unlisted(0) == ["long", "m", "n"]


def test_each_server_has_its_own_budget() -> None:
    upstreams = {"a": {**UPSTREAM, "budget": 10_000}, "b": {**UPSTREAM, "budget": 1}}
    found = meant(pins=LONG, upstreams=upstreams, tools=VOUCHED)
    assert [name for name, entry in found.items() if not entry.listed] == ["off", "other"]
