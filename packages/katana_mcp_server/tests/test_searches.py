"""A search: which tool it is, what each cache entity is searched for, its pages, and what is said of nothing."""

from dataclasses import fields, replace
from typing import cast

import pytest
from small_account import Account

from cache_core.conditions import OneOf, Visibility, Where
from cache_core.protocol import Search
from katana_mcp.surface.descriptor import Entity, ToolSpec, View
from katana_mcp.surface.operations.measures import written_otherwise
from katana_mcp.surface.operations.search import rows_of, search_tool
from katana_mcp.tools.answers import Answer, found_of
from katana_mcp.tools.requests import ForgivingSearchRequest, SearchRequest
from katana_mcp.tools.warnings import Refused


class Row(Answer):
    """What is shown of a record."""

    id: int | None = None
    order_no: str | None = None
    sku: str | None = None
    name: str | None = None
    comment: str | None = None


class Narrowed(SearchRequest):
    """A search of some."""

    include_archived: bool = False
    status: str | None = None


SHOWN = View(model=Row, computed_fields=lambda _, __, ___: {})
ORDERS = Entity(
    name="sales_order",
    plural="sales_orders",
    toolset="sales",
    sources=("sales_order",),
    reads=("customer",),
    searched=("order number", "customer"),
    summary=SHOWN,
    notes={"search": "A note."},
)
ITEMS = Entity(
    name="item",
    plural="items",
    toolset="catalog",
    sources=("variant", "service"),
    searched=("SKU", "name"),
    forgiving=True,
    summary=SHOWN,
)
SUPPLIERS = Entity(
    name="supplier", plural="suppliers", toolset="buying", sources=("supplier",), searched=("name",), summary=SHOWN
)


def tool_of(entity: Entity) -> ToolSpec[SearchRequest]:
    """Return the tool that searches an entity."""
    tool = search_tool(entity)
    assert tool is not None
    return tool


async def found(account: Account, entity: Entity, query: str, **asked: object) -> dict[str, object]:
    """Return what a search answers, its rows by what they are called, without how current they are."""
    tool = tool_of(entity)
    answer = await tool.run(tool.request.model_validate({"query": query, **asked}), account.services)
    payload = answer.model_dump(mode="json", exclude_none=True)
    payload.pop("as_of", None)
    payload["warnings"] = [warning["message"] for warning in payload["warnings"]]
    payload["rows"] = [row.get("order_no") or row.get("sku") or row.get("name") for row in payload["rows"]]
    return payload


async def refusal(account: Account, entity: Entity, query: str, **asked: object) -> tuple[str | None, str, str | None]:
    """Return code, sentence and argument of a refusal."""
    with pytest.raises(Refused) as refused:
        await found(account, entity, query, **asked)
    (warning,) = refused.value.warnings
    return warning.code, warning.message, warning.field_path


def page(rows: list[str], total: int, **further: object) -> dict[str, object]:
    """Return a page of rows."""
    return {"rows": rows, "total": total, "warnings": [], "next_actions": [], "has_more": False, **further}


def supplier(record_id: int, name: str, **further: object) -> dict[str, object]:
    """Return a supplier."""
    return {"id": record_id, "name": name, **further}


async def shop() -> Account:
    """Return an account of some orders, goods and suppliers."""
    account = Account()
    await account.keep("supplier", *[supplier(number, f"Steel {number}") for number in range(1, 7)])
    await account.keep("sales_order", *[{"id": number, "order_no": f"SO-{number}"} for number in range(11, 15)])
    await account.keep("variant", {"id": 1, "sku": "FORK-35", "product_id": None})
    await account.keep("service", {"id": 9, "name": "Fork wash", "variants": [{"id": 90, "sku": "SRV-10"}]})
    return account


def test_what_is_not_searched_has_no_search() -> None:
    assert search_tool(replace(ORDERS, searched=())) is None


def test_the_tool_is_described_by_its_entity() -> None:
    tool = tool_of(ORDERS)
    assert {item.name: getattr(tool, item.name) for item in fields(tool) if item.name != "run"} == {
        "name": "search_sales_orders",
        "toolset": "sales",
        "description": (
            "Search sales orders by any text a person would type.\n\n"
            "Pass one text as ``query`` — looked for in order number, customer; half its words must match. A note."
        ),
        "request": SearchRequest,
        "answer": found_of(Row),
        "reads": ("sales_order", "customer"),
        "open_world": True,
        "read_only": True,
        "destructive": False,
        "plans": False,
        "on_request": False,
        "shows_dates": True,
    }
    assert tool_of(SUPPLIERS).description.endswith("looked for in name; half its words must match.")


def test_a_search_that_forgives_says_so_of_its_query() -> None:
    assert tool_of(ITEMS).request is ForgivingSearchRequest
    assert tool_of(replace(ORDERS, search_request=Narrowed)).request is Narrowed
    request = tool_of(replace(ITEMS, search_request=Narrowed)).request
    assert (request.__name__, request.__doc__) == ("Narrowed", "A search of some.")
    assert (issubclass(request, Narrowed), issubclass(request, ForgivingSearchRequest)) == (True, True)
    said = [model.model_json_schema()["properties"]["query"] for model in (request, ForgivingSearchRequest)]
    assert said[0] == said[1] != SearchRequest.model_json_schema()["properties"]["query"]


async def test_a_query_without_letters_and_digits_is_refused() -> None:
    query = "-" * 41
    message = f"query {'-' * 40!r} holds no letter and no digit to search for"
    assert await refusal(await shop(), SUPPLIERS, query) == ("nothing_to_search", message, "query")


async def test_pages_of_a_search_go_on_best_first() -> None:
    account = await shop()
    assert await found(account, SUPPLIERS, "steel", limit=2) == page(
        ["Steel 1", "Steel 2"], 6, has_more=True, next_actions=["search_suppliers(..., limit=2, page=2)"]
    )
    account.cache.searched.clear()
    assert await found(account, SUPPLIERS, "steel", limit=2, page=2) == page(
        ["Steel 3", "Steel 4"], 6, has_more=True, next_actions=["search_suppliers(..., limit=2, page=3)"]
    )
    assert account.cache.searched == [("supplier", Search("steel", 4))]
    assert await found(account, SUPPLIERS, "steel", limit=2, page=3) == page(["Steel 5", "Steel 6"], 6)


async def test_a_page_of_several_cache_entities_has_no_more_rows_than_asked_for() -> None:
    account = await shop()
    await account.keep("customer", supplier(1, "Steel 0"), supplier(2, "Steel 9"))
    both = replace(SUPPLIERS, sources=("supplier", "customer"))
    on = {"has_more": True, "next_actions": ["search_suppliers(..., limit=2, page=2)"]}
    assert await found(account, both, "steel", limit=2) == page(["Steel 0", "Steel 1"], 8, **on)


async def test_pages_end_where_a_search_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katana_mcp.surface.operations.search.REACH", 4)
    account = await shop()
    on, reached = (
        ["search_suppliers(..., limit=2, page=2)"],
        ["search_suppliers(...) with more words: pages reach the first 4 rows"],
    )
    first = await found(account, SUPPLIERS, "steel", limit=2)
    assert first == page(["Steel 1", "Steel 2"], 6, has_more=True, next_actions=on)
    second = await found(account, SUPPLIERS, "steel", limit=2, page=2)
    assert second == page(["Steel 3", "Steel 4"], 6, has_more=True, next_actions=reached)
    longer = await found(account, SUPPLIERS, "steel", limit=3, page=2)
    assert longer == page(["Steel 4"], 6, has_more=True, next_actions=reached)
    message = "page: a search reaches the first 4 rows; ask with more words"
    assert await refusal(account, SUPPLIERS, "steel", limit=2, page=3) == ("invalid_argument", message, "page")
    assert await found(account, ORDERS, "so", limit=2, page=2) == page(["SO-13", "SO-14"], 4)
    question = 'search_suppliers {"query":"steel","limit":2}'
    account.pages.note(question, 2, 3, account.clock.monotonic())
    assert (await found(account, SUPPLIERS, "steel", limit=2, page=3))["rows"] == ["Steel 4"]


async def test_a_number_behind_its_kind_is_searched_for_alone() -> None:
    assert await found(await shop(), ORDERS, "sales order SO-12") == page(["SO-12"], 1)


async def test_a_number_that_nothing_has_is_asked_for_and_searched_for_again() -> None:
    account = await shop()
    account.lookups.brings["sales_order"] = [{"id": 99, "order_no": "SO-99"}]
    account.cache.searched.clear()
    assert await found(account, ORDERS, "so 99") == page(["SO-99"], 1)
    assert account.lookups.asked == [([("sales_order", "SO-99")], False)]
    assert [search.text for _, search in account.cache.searched] == ["so 99", "SO-99"]


async def test_a_number_that_katana_has_not_either_is_said_with_what_was_found_instead() -> None:
    account = await shop()
    await account.keep("customer", {"id": 5, "name": "SO 88"})
    await account.keep(
        "sales_order", *[{"id": number, "order_no": f"SO-{number}", "customer_id": 5} for number in (20, 21)]
    )
    begins = "no sales order has the number SO-88; what was found has it elsewhere:"
    on = {"has_more": True, "next_actions": ["search_sales_orders(..., limit=1, page=2)"]}
    first = f"{begins} SO-20 by customer name or company"
    assert await found(account, ORDERS, "SO-88", limit=1) == page(["SO-20"], 2, warnings=[first], **on)
    second = f"{begins} SO-21 by customer name or company"
    account.lookups.is_silent = True
    assert await found(account, ORDERS, "SO 88", limit=1, page=2) == page(["SO-21"], 2, warnings=[second])


async def test_words_are_not_asked_for() -> None:
    account = await shop()
    assert (await found(account, SUPPLIERS, "steel"))["total"] == 6
    assert (await found(account, ORDERS, "nobody"))["total"] == 0
    assert account.lookups.asked == []


async def test_nothing_is_missed_while_rows_may_be_missing() -> None:
    account = await shop()
    account.warming("sales_order")
    cold = "the first sync of sales_order is not finished: rows may be missing or old; ask again in a moment"
    answer = {"rows": [], "warnings": [cold], "next_actions": [], "warming": "1/5"}
    assert await found(account, ORDERS, "SO-99") == answer
    assert await found(account, ORDERS, "nobody") == answer
    assert account.lookups.asked == []


def nothing(searched: str, fields: list[str], records: int, *near: str) -> dict[str, object]:
    """Return what is said of a search that found nothing."""
    return {"searched": searched, "fields": fields, "records": records, "did_you_mean": list(near)}


async def test_a_search_that_finds_nothing_says_what_there_is_and_what_is_near() -> None:
    account = await shop()
    assert await found(account, SUPPLIERS, "stele") == page(
        [], 0, empty=nothing("stele", ["name"], 6, "steel"), next_actions=["search_suppliers(query='steel')"]
    )
    one = "search with the first letters of the word; of a code, any four characters in a row are enough"
    assert await found(account, SUPPLIERS, "xyzzy") == page(
        [], 0, empty=nothing("xyzzy", ["name"], 6), next_actions=[one]
    )
    for words in ("xyzzy qwerty", "xyzzy qwerty plugh"):
        assert await found(account, SUPPLIERS, words) == page(
            [], 0, empty=nothing(words, ["name"], 6), next_actions=["search with fewer or shorter words"]
        )
    assert await found(Account(), SUPPLIERS, "xyzzy") == page(
        [], 0, empty=nothing("xyzzy", ["name"], 0), next_actions=["Katana holds no suppliers yet"]
    )


async def test_five_near_texts_of_all_cache_entities_are_offered_each_once() -> None:
    account = Account()
    near = [f"gasket{end}" for end in "abcdef"]
    both = replace(SUPPLIERS, sources=("supplier", "customer"))
    await account.keep("supplier", *[supplier(number, name) for number, name in enumerate(near[:3], 1)])
    await account.keep("customer", *[supplier(number, name) for number, name in enumerate(near[2:5], 1)])
    answer = await found(account, both, "gaskett")
    assert answer["empty"] == nothing("gaskett", ["name"], 6, *near[:5])
    await account.keep("customer", *[supplier(number, name) for number, name in enumerate(near[3:], 1)])
    assert (await found(account, both, "gaskett"))["empty"] == nothing("gaskett", ["name"], 6, *near[:5])


async def test_near_rows_are_looked_for_behind_nothing_alone() -> None:
    account = await shop()
    both = replace(SUPPLIERS, sources=("supplier", "customer"))
    await account.keep("customer", supplier(1, "Iron Works"))

    async def near(query: str) -> list[bool]:
        account.cache.searched.clear()
        await found(account, both, query)
        return [search.near for _, search in account.cache.searched[:2]]

    assert await near("steel") == [True, False]
    assert await near("steel 4") == [True, False]
    assert await near("iron") == [True, True]
    assert await near("steel works") == [True, True]


async def test_each_cache_entity_is_searched_as_the_request_narrows_it() -> None:
    account = await shop()
    where: Where = (OneOf("status", ("open",)),)

    def searching(request: Narrowed) -> dict[str, Where]:
        return {"customer": (OneOf("status", (request.status or "",)),), "supplier": ()}

    narrowed = replace(SUPPLIERS, search_request=Narrowed, searching=searching)
    await found(account, narrowed, "steel", status="open", include_archived=True, limit=3)
    shown = Visibility(archived=True)
    assert account.cache.searched == [
        ("customer", Search("steel", 3, where, shown)),
        ("supplier", Search("steel", 3, (), shown)),
    ]
    account.cache.searched.clear()
    await found(account, SUPPLIERS, "steel")
    assert account.cache.searched == [("supplier", Search("steel", 20))]


async def test_rows_that_hold_some_of_the_words_say_which() -> None:
    account = await shop()
    await account.keep("supplier", supplier(20, "Iron wheel"), supplier(21, "Iron rim"), supplier(22, "Iron nut"))
    begins = (
        "no suppliers hold every word of 'iron wheel rim bolt': these hold at least half of them, small words aside"
    )
    answer = await found(account, SUPPLIERS, "iron wheel rim bolt", limit=1)
    assert (answer["rows"], answer["matched"]) == (["Iron rim"], ["matched 2 of 4 words"])
    assert answer["warnings"] == [f"{begins}; none of these rows has 'wheel', 'bolt'"]
    answer = await found(account, SUPPLIERS, "iron wheel rim bolt", limit=1, page=2)
    assert (answer["rows"], answer["matched"]) == (["Iron wheel"], ["matched 2 of 4 words"])
    assert answer["warnings"] == [f"{begins}; none of these rows has 'rim', 'bolt'"]
    assert "matched" not in await found(account, SUPPLIERS, "iron")


async def test_labels_are_those_of_the_rows_that_fit() -> None:
    account = Account()
    long = [supplier(number, f"Iron {number}", comment="ж" * 990) for number in range(100, 150)]
    await account.keep("supplier", *long)
    answer = await found(account, SUPPLIERS, "iron bolt", limit=50)
    shown = len(cast("list[str]", answer["rows"]))
    assert 10 < shown < 49
    assert answer["matched"] == ["matched 1 of 2 words"] * shown


LEFT_OUT = (
    "only the first 256 characters and 16 different words of the query are searched for; the rest was left out, so "
    "there may be more rows"
)


async def test_a_total_of_a_query_that_was_cut_is_a_lower_bound_and_the_answer_says_why() -> None:
    account = await shop()
    many = " ".join(["steel"] * 2 + [f"w{number}" for number in range(16)])
    for query in (many, "x" * 257, "steel " + "x" * 300):
        cut = await found(account, SUPPLIERS, query)
        assert cut["total_is_lower_bound"] is True
        assert LEFT_OUT in cast("list[str]", cut["warnings"])
    for query in ("steel", "x" * 256, " ".join(f"w{number}" for number in range(16))):
        whole = await found(account, SUPPLIERS, query)
        assert ("total_is_lower_bound" in whole, whole["warnings"]) == (False, [])


async def test_nothing_is_waited_for_where_katana_has_just_given_what_has_the_code() -> None:
    account = await shop()
    account.clock.advance(50)
    account.lookups.listing.add("sales_order")
    account.lookups.takes = 0.5
    account.lookups.brings["sales_order"] = [{"id": 99, "order_no": "SO-99"}]
    assert (await found(account, ORDERS, "SO-99"))["rows"] == ["SO-99"]
    assert account.fresh.ensured == [(("sales_order", "customer"), pytest.approx(0.3), ())]
    assert account.fresh.waited == []


async def test_what_asking_for_a_code_took_is_counted_as_waited() -> None:
    account = await shop()
    account.clock.advance(50)
    account.lookups.takes = 0.5
    assert (await found(account, ORDERS, "SO-12"))["rows"] == ["SO-12"]
    assert account.fresh.waited == [0.5]
    assert account.fresh.ensured == [(("sales_order", "customer"), None, ())]
    assert account.lookups.first == [("sales_order", "SO-12")]


async def test_hits_are_their_rows_with_their_cache_entity() -> None:
    result = await (await shop()).cache.search("supplier", Search("steel 4"))
    assert [(source, row.id) for source, row in rows_of([("supplier", hit) for hit in result.hits])] == [
        ("supplier", 4)
    ]


async def test_a_measure_is_found_however_it_is_written() -> None:
    account = Account()
    named = ("Rotor 160 mm", "Rotor 180 mm", "Tyre 29 x 2.4", "Tyre 27 x 2.4", "Disc 203mm", "Disc 203 mm")
    threads = ("Bolt M6 x 20", "Bolt M6 x 25", "Screw M8x30", "Seal 35mm")
    await account.keep("supplier", *[supplier(number, name) for number, name in enumerate((*named, *threads), 1)])
    assert await found(account, SUPPLIERS, "rotor 180mm") == page(["Rotor 180 mm"], 1)
    assert await found(account, SUPPLIERS, "29X2.4 tyre") == page(["Tyre 29 x 2.4"], 1)
    assert await found(account, SUPPLIERS, "203mm") == page(["Disc 203mm"], 1)
    assert await found(account, SUPPLIERS, "M6x20") == page(["Bolt M6 x 20"], 1)
    assert await found(account, SUPPLIERS, "m8 x 30 screw") == page(["Screw M8x30"], 1)
    assert await found(account, SUPPLIERS, "seal 35 mm") == page(["Seal 35mm"], 1)
    missed = await found(account, SUPPLIERS, "rotor 181mm")
    assert missed["rows"] == ["Rotor 160 mm", "Rotor 180 mm"]
    assert missed["matched"] == ["matched 1 of 2 words"] * 2


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("35mm", ["35 mm"]),
        ("35 mm", ["35mm"]),
        ("36V 500Wh", ["36 V 500 Wh"]),
        ("2,5mm x 1.5m", ["2,5 mm x 1.5 m"]),
        ("29x2.4", ["29 x 2.4"]),
        ("29 x2.4", ["29 x 2.4", "29x2.4"]),
        ("M6x20", ["M6 x 20"]),
        ("M6 x 20 mm", ["M6x20 mm"]),
        ("10x20\N{MULTIPLICATION SIGN}30cm", ["10 x 20 x 30 cm", "10x20x30cm"]),
        *[(code, []) for code in ("12AB", "AM6x20", "FSKT-35M", "00.4021.018", "35mm-B", "4021x", "x 20", "")],
    ],
)
def test_only_measures_are_written_otherwise(query: str, texts: list[str]) -> None:
    assert written_otherwise(query) == texts
