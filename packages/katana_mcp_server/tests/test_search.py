"""`search_items`, `search_sales_orders`, `search_customers`: what people type, found; the rest, explained."""

from datetime import timedelta

import pytest
from other_backend import OTHER
from server_wire import live, unique_sku

from cache_core.protocol import Capability, Search, SearchResult
from cache_typed import searching
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout
from katana_mcp.configuration.backend_flags import DEFAULTS, FLAGS, guesses
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.entities import ENTITIES
from katana_mcp.references.services import Services
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.surface.operations import search
from katana_mcp.testing import Setup, Stage, staged
from katana_sandbox import ManualClock, Sandbox, SandboxConfig, Tenant


async def test_a_part_is_found_by_supplier_code_by_sku_and_by_name_in_any_case(stage: Stage, tenant: Tenant) -> None:
    part = next(variant for variant in live(tenant, "variants") if variant["sku"] and variant["supplier_item_codes"])
    code, sku = part["supplier_item_codes"][0], part["sku"]
    item = tenant.get("materials", part["material_id"])
    for query in (code, code.replace(".", " "), sku, sku.lower(), f"  {sku.title()} ", item["name"].upper()):
        rows = (await stage.call("search_items", query=query, limit=50))["rows"]
        assert part["id"] in [row["variant_id"] for row in rows], query
    best = (await stage.call("search_items", query=code))["rows"][0]
    assert best["variant_id"] == part["id"]
    assert best["item_id"] == part["material_id"]
    assert best["item_type"] == "material"
    assert best["sku"] == sku
    assert best["sales_price"] == part["sales_price"]
    assert "url" not in best


async def test_every_live_sku_finds_its_variant_first(stage: Stage, tenant: Tenant) -> None:
    wrong: list[str] = []
    for variant in live(tenant, "variants")[:60]:
        if variant["sku"] is not None and unique_sku(tenant, variant):
            rows = (await stage.call("search_items", query=variant["sku"], limit=3))["rows"]
            if not rows or rows[0]["variant_id"] != variant["id"]:
                wrong.append(variant["sku"])
    assert wrong == []


async def test_a_search_that_was_cut_says_that_its_total_is_a_lower_bound(
    stage: Stage, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = live(tenant, "sales_orders")[0]["order_no"][:2]
    whole = await stage.call("search_sales_orders", query=prefix, limit=2)
    assert whole["total"] > 4
    assert "total_is_lower_bound" not in whole
    monkeypatch.setattr(searching, "MAX_CANDIDATES", 3)
    cut = await stage.call("search_sales_orders", query=prefix, limit=3)  # the one before is kept
    assert cut["total_is_lower_bound"] is True
    assert len(cut["rows"]) <= cut["total"] < whole["total"]
    assert (await stage.call("search_items", query=" ".join(map(str, range(17)))))["total_is_lower_bound"] is True


async def test_services_are_found_beside_variants(stage: Stage, tenant: Tenant) -> None:
    (service, *_) = live(tenant, "services")
    (row, *_) = (await stage.call("search_items", query=service["name"]))["rows"]
    assert row["item_type"] == "service"
    assert row["item_id"] == service["id"]
    assert row["sku"] == service["variants"][0]["sku"]
    assert "url" not in row


async def test_a_deleted_or_archived_item_is_not_shown(stage: Stage, tenant: Tenant) -> None:
    shown = next(variant for variant in live(tenant, "variants") if variant["sku"] and unique_sku(tenant, variant))
    kind = "products" if shown["product_id"] else "materials"
    item_id = shown["product_id"] or shown["material_id"]
    tenant.edit(kind, item_id, archived_at="2026-02-01T00:00:00.000Z")
    gone = next(
        variant
        for variant in live(tenant, "variants")
        if variant["sku"]
        and unique_sku(tenant, variant)
        and (variant["product_id"], variant["material_id"]) != (shown["product_id"], shown["material_id"])
    )
    tenant.delete("variants", gone["id"])
    for record in (shown, gone):
        rows = (await stage.call("search_items", query=record["sku"]))["rows"]
        assert record["id"] not in [row["variant_id"] for row in rows], record["sku"]


async def test_a_text_that_nothing_has_comes_with_what_was_searched_and_near_misses(
    stage: Stage, tenant: Tenant
) -> None:
    code = next(
        variant["supplier_item_codes"][0] for variant in live(tenant, "variants") if variant["supplier_item_codes"]
    )
    typo = f"{code[:4]}{code[5]}{code[4]}{code[6:]}"
    answer = await stage.call("search_items", query=typo)
    assert answer["rows"] == []
    assert answer["total"] == 0
    empty = answer["empty"]
    assert empty["searched"] == typo
    assert "supplier item codes" in empty["fields"]
    counted = await stage.call("search_items", query="zzzzzz")
    assert empty["records"] == counted["empty"]["records"] > 100
    assert code in empty["did_you_mean"]
    again = await stage.call("search_items", query=empty["did_you_mean"][0])
    assert again["total"] > 0
    assert answer["next_actions"] == [f"search_items(query={empty['did_you_mean'][0]!r})"]


async def test_a_search_in_an_empty_account_says_that_it_is_empty(clock: ManualClock) -> None:
    async with staged(OwnSandbox(Sandbox(SandboxConfig(empty=True), clock=clock))) as stage:
        answer = await stage.call("search_items", query="seal")
        assert (answer["empty"]["records"], answer["next_actions"]) == (0, ["Katana holds no items yet"])
        for tool in ("list_inventory_signals", "list_traceability", "buildable"):
            assert (await stage.call(tool))["next_actions"] == ["Katana holds no items yet"], tool


async def test_a_code_is_found_without_its_separators_and_an_order_is_named_by_one(
    stage: Stage, tenant: Tenant
) -> None:
    code = next(
        variant["supplier_item_codes"][0] for variant in live(tenant, "variants") if variant["supplier_item_codes"]
    )
    tenant.edit("sales_orders", live(tenant, "sales_orders")[0]["id"], order_no="QX91")
    for tool, typed, field, written in (
        ("search_items", "fskt35m", "sku", "FSKT-35M"),
        ("search_items", code.replace(".", ""), "supplier_item_codes", [code]),
        ("search_sales_orders", "SO37", "order_no", "SO-37"),
    ):
        assert (await stage.call(tool, query=typed))["rows"][0][field] == written
    refusal = await stage.refusal("get_sales_order", sales_order_id="SO37")
    assert "did you mean 'SO-37'" in refusal["warnings"][0]["message"]
    stock = await stage.call("check_inventory", skus_or_variant_ids=["FSKT35M"])
    assert stock["not_found"] == [{"asked": "FSKT35M", "did_you_mean": ["FSKT-35M"]}]
    other = await stage.call("search_sales_orders", query="QX-91")
    assert [row["order_no"] for row in other["rows"]] == ["QX91"]
    assert other["matched"] == ["part of a code"]


async def test_a_query_of_which_nothing_holds_every_word_is_answered_by_most_of_them(
    stage: Stage, tenant: Tenant
) -> None:
    kits = {material["id"] for material in live(tenant, "materials") if "Fork" in material["name"]}
    assert kits
    answer = await stage.call("search_items", query="fork gasket", limit=50)
    assert kits <= {row["item_id"] for row in answer["rows"]}
    assert answer["matched"] == ["matched 1 of 2 words"] * len(answer["rows"])
    (notice,) = [warning for warning in answer["warnings"] if warning["code"] == "partial_match"]
    assert notice["severity"] == "advisory"
    assert notice["message"] == (
        "no items hold every word of 'fork gasket': these hold at least half of them, small words aside; "
        "none of these rows has 'gasket'"
    )
    first, *_ = (await stage.call("search_items", query="seal kit for a 35 mm fork"))["rows"]
    assert first["sku"] == "FSKT-35M"
    assert "matched" not in await stage.call("search_items", query="fork seal")


async def test_a_part_of_a_code_is_found_without_its_separators(stage: Stage, tenant: Tenant) -> None:
    part = next(variant for variant in live(tenant, "variants") if variant["supplier_item_codes"])
    typed = part["supplier_item_codes"][0].replace(".", "")[2:10]
    answer = await stage.call("search_items", query=typed)
    assert part["id"] in [row["variant_id"] for row in answer["rows"]]
    assert set(answer["matched"]) == {"part of a code"}


async def test_what_to_try_next_fits_what_was_typed(stage: Stage) -> None:
    for typed, action in (
        ("zzqzz", "search with the first letters of the word; "),
        ("zzqzz qxqxq", "search with fewer or"),
    ):
        answer = await stage.call("search_sales_orders", query=typed)
        assert answer["next_actions"][0].startswith(action)


async def test_a_contact_of_a_customer_is_shown_and_ranks_below_a_name(stage: Stage, tenant: Tenant) -> None:
    first, *_, last = live(tenant, "customers")
    tenant.edit("customers", first["id"], name="A company", company="A company", first_name="Quirina", last_name="Zed")
    tenant.edit("customers", last["id"], name="Quirina Zed", first_name="Quirina", last_name="Zed")
    rows = (await stage.call("search_customers", query="quirina"))["rows"]
    assert [(row["name"], row["first_name"]) for row in rows] == [("Quirina Zed", "Quirina"), ("A company", "Quirina")]


@pytest.mark.parametrize("query", ["-", "…", "***", '"', " . "])
async def test_a_text_without_letter_or_digit_is_refused(stage: Stage, query: str) -> None:
    refusal = await stage.refusal("search_items", query=query)
    assert refusal["error"] == "nothing_to_search"
    assert refusal["warnings"][0]["field_path"] == "query"
    assert stage.requests() == 0


async def test_totals_of_a_search_are_honest_whatever_the_limit(stage: Stage, tenant: Tenant) -> None:
    whole = await stage.call("search_items", query="00", limit=50)
    few = await stage.call("search_items", query="00", limit=2)
    assert few["total"] == whole["total"] > 2
    assert few["rows"] == whole["rows"][:2]


async def test_the_pages_of_a_search_add_up_to_everything_found(stage: Stage) -> None:
    whole = await stage.call("search_items", query="0", limit=50)
    assert whole["total"] > 50
    assert whole["has_more"] is True
    assert whole["next_actions"] == ["search_items(..., limit=50, page=2)"]
    seen: list[int] = []
    page, more = 1, True
    while more:
        answer = await stage.call("search_items", query="0", limit=20, page=page)
        assert answer["total"] == whole["total"]
        seen += [row["variant_id"] for row in answer["rows"]]
        page, more = page + 1, answer["has_more"]
    assert len(seen) == len(set(seen)) == whole["total"]
    assert seen[:50] == [row["variant_id"] for row in whole["rows"]]
    beyond = await stage.call("search_items", query="0", limit=20, page=page)
    last = [f"search_items(..., limit=20, page={page - 1}): that is the last page"]
    assert (beyond["rows"], beyond["has_more"], beyond["next_actions"]) == ([], False, last)
    assert "empty" not in beyond


async def test_a_page_far_past_the_few_hits_of_a_search_names_the_last_page_as_one_just_past_them_does(
    stage: Stage,
) -> None:
    last = ["search_items(..., limit=50, page=1): that is the last page"]
    for number in (2, 21):
        beyond = await stage.call("search_items", query="fork", limit=50, page=number)
        assert (beyond["rows"], beyond["has_more"], beyond["next_actions"]) == ([], False, last)


MIXED: tuple[dict[str, object], ...] = (
    {},
    {"cache_backend": OTHER},
    {"cache_backend_service": OTHER},
    {"cache_backend_variant": OTHER},
)


@pytest.mark.parametrize("flags", MIXED, ids=str)
async def test_hits_of_several_entities_come_in_one_order(own: OwnSandbox, flags: dict[str, object]) -> None:
    tenant = own.sandbox.tenant()
    names = ["Zinc plating", "Anodising", "Middle plating"]
    services = live(tenant, "services")
    for service, name in zip(services, names, strict=True):
        tenant.edit("services", service["id"], name=f"{name} workbench")
    items = live(tenant, "materials")[:3]
    for item, name in zip(items, ["Board", "Nut", "Yarn"], strict=True):
        tenant.edit("materials", item["id"], name=f"{name} workbench")
    async with staged(own, Setup(flags=flags)) as stage:
        rows = (await stage.call("search_items", query="workbench", limit=50))["rows"]
        shown = list(dict.fromkeys(row["name"].partition(" /")[0] for row in rows))
        assert shown == [f"{word} workbench" for word in sorted([*names, "Board", "Nut", "Yarn"])]
        pages = [(await stage.call("search_items", query="workbench", limit=2, page=page))["rows"] for page in (1, 2)]
        assert [row for page in pages for row in page] == rows[:4]


@pytest.mark.parametrize("flags", [{}, {"cache_backend_service": "typed", "cache_backend_variant": "typed"}], ids=str)
async def test_a_guess_is_not_shown_beside_what_was_asked_for(own: OwnSandbox, flags: dict[str, object]) -> None:
    tenant = own.sandbox.tenant()
    tenant.edit("services", live(tenant, "services")[0]["id"], name="Galvanisation")
    item = live(tenant, "materials")[0]
    tenant.edit("materials", item["id"], name="Galvanisatiom")
    async with staged(own, Setup(flags=flags)) as stage:
        for asked in ("galvanisation", "galvanisatiom"):
            answer = await stage.call("search_items", query=asked, limit=50)
            assert {row["name"].partition(" /")[0].lower() for row in answer["rows"]} == {asked}
            assert answer["total"] == len(answer["rows"])


async def test_orders_are_found_by_number_customer_reference_and_sku(stage: Stage, tenant: Tenant) -> None:
    order = next(
        sales_order
        for sales_order in live(tenant, "sales_orders")
        if sales_order["customer_ref"] and sales_order["sales_order_rows"]
    )
    buyer = tenant.get("customers", order["customer_id"])
    sku = order["sales_order_rows"][0]["sku"]
    for query in (order["order_no"], order["order_no"].lower(), order["customer_ref"], buyer["name"], sku):
        answer = await stage.call("search_sales_orders", query=query, limit=50)
        assert order["id"] in [row["sales_order_id"] for row in answer["rows"]], query
    best = (await stage.call("search_sales_orders", query=order["order_no"]))["rows"][0]
    assert (best["order_no"], best["customer"], best["status"]) == (order["order_no"], buyer["name"], order["status"])


async def test_customers_are_found_by_name_mail_and_phone(stage: Stage, tenant: Tenant) -> None:
    buyer = live(tenant, "customers")[8]
    for query in (buyer["name"], buyer["email"], buyer["phone"], buyer["email"].partition("@")[0]):
        rows = (await stage.call("search_customers", query=query, limit=50))["rows"]
        assert buyer["id"] in [row["customer_id"] for row in rows], query
    gone = next(customer for customer in tenant.all("customers") if customer["deleted_at"])
    rows = (await stage.call("search_customers", query=gone["email"]))["rows"]
    assert gone["id"] not in [row["customer_id"] for row in rows]


async def test_an_order_shows_its_customers_new_name_once_that_is_fresh(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    order = live(tenant, "sales_orders")[-1]
    await stage.call("search_sales_orders", query=order["order_no"])
    clock.advance(1)
    tenant.edit("customers", order["customer_id"], name="Renamed Rowers")
    clock.advance(timedelta(minutes=20).total_seconds())
    rows = (await stage.call("search_sales_orders", query="renamed rowers", limit=50))["rows"]
    assert order["id"] in [row["sales_order_id"] for row in rows]
    assert {row["customer"] for row in rows} == {"Renamed Rowers"}


@pytest.mark.cold
async def test_progress_speaks_of_what_is_fetched_in_katanas_words(stage: Stage) -> None:
    messages: list[str] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        messages.append(message or "")

    await stage.client.call_tool("search_items", {"query": "seal"}, progress_handler=on_progress)
    assert {"syncing factory: 1/1", "syncing materials: 39/39", "syncing variants: 172/172"} <= set(messages)
    assert not [message for message in messages if message.startswith("syncing factorys")]


async def _can_guess(own: OwnSandbox, flags: dict[str, object]) -> dict[str, bool]:
    """Return of each entity whether every backend that its search asks can guess."""
    settings = load(**({"_env_file": None, "sandbox": True, "api_key": own.api_key} | flags))
    tenant = connected(settings, Environment(transport=own.transport(), clock=own.sandbox.clock, in_memory=True))
    try:
        cache = (await tenant.services()).cache
        can = {entity.name: {cache.capabilities(source) for source in entity.sources} for entity in ENTITIES}
    finally:
        await tenant.close()
    return {name: every == {frozenset(Capability)} for name, every in can.items()}


STATES = (*({"cache_backend": flag} for flag in FLAGS), *MIXED)


@pytest.mark.parametrize("flags", STATES, ids=str)
async def test_what_a_search_says_of_parts_and_typing_errors_is_what_it_does(
    own: OwnSandbox, flags: dict[str, object]
) -> None:
    can = await _can_guess(own, flags)
    async with staged(own, Setup(flags=flags)) as stage:
        listed = {tool.name: tool.input_schema["properties"] for tool in await stage.client.list_tools()}
        searched = [entity for entity in ENTITIES if entity.searched]
        said = {entity.name: listed[f"search_{entity.plural}"]["query"]["description"] for entity in searched}
        assert {name: "misspelt words" in text for name, text in said.items()} == {name: can[name] for name in said}
        if set(flags) <= {"cache_backend"}:
            for typed, found in (("skt-35", True), ("FSKT-53M", can["item"]), ("forkseal", can["item"])):
                rows = (await stage.call("search_items", query=typed, limit=50))["rows"]
                assert [row["sku"] for row in rows if row["sku"] == "FSKT-35M"] == ["FSKT-35M"] * found, typed
            if can["item"]:
                assert set((await stage.call("search_items", query="forkseal"))["matched"]) == {"written as two words"}
        for typed in ("O-61", "SO-l6"):
            assert (await stage.call("search_sales_orders", query=typed))["rows"] == []


def test_what_ships_promises_what_an_entity_declares() -> None:
    assert all(guesses(DEFAULTS[source]) for entity in ENTITIES if entity.forgiving for source in entity.sources)


@pytest.mark.parametrize("kind", ["product", "material", "service"])
async def test_a_search_of_one_type_finds_what_the_whole_search_finds_of_it(stage: Stage, kind: str) -> None:
    for query in ("e", "b", "r", "assembly"):
        whole = await stage.call("search_items", query=query, limit=50)
        narrowed = await stage.call("search_items", query=query, limit=50, type=kind)
        assert {row["item_type"] for row in narrowed["rows"]} <= {kind}
        if not whole["has_more"] and not whole.get("matched"):
            ids = [row["variant_id"] for row in whole["rows"] if row["item_type"] == kind]
            assert [row["variant_id"] for row in narrowed["rows"]] == ids
            assert narrowed["total"] == len(ids)


async def test_an_archived_item_is_found_where_it_is_asked_for_and_marked(stage: Stage, tenant: Tenant) -> None:
    archived = next(material for material in tenant.all("materials") if material["archived_at"])
    shown = await stage.call("search_items", query=archived["name"], include_archived=True)
    (row, *_) = [entry for entry in shown["rows"] if entry["item_id"] == archived["id"]]
    assert row["archived"] is True
    hidden = await stage.call("search_items", query=archived["name"])
    assert archived["id"] not in [entry["item_id"] for entry in hidden["rows"]]


async def test_a_search_that_finds_nothing_says_how_what_is_archived_is_found(
    stage: Stage, tenant: Tenant, clock: ManualClock
) -> None:
    for sku in ("QXZ-71", "QXZ-72"):
        made = tenant.create("materials", {"name": "Quizzox", "uom": "pcs", "variants": [{"sku": sku}]})
        tenant.edit("materials", made["id"], archived_at="2026-03-01T00:00:00.000Z")
    clock.advance(3_600)
    for query, what in (("qxz-71", "1 is archived"), ("Quizzox", "2 are archived")):
        answer = await stage.call("search_items", query=query)
        assert answer["next_actions"][0] == f"search_items(query={query!r}, include_archived=True): {what}"
        assert (answer["total"], len(answer["next_actions"])) == (0, 2)
    for query, more in (("qxz-71", {"include_archived": True}), ("zzzqqqxxx", {}), ("qxz-71", {"type": ["service"]})):
        answer = await stage.call("search_items", query=query, **more)
        assert not any("include_archived" in action for action in answer["next_actions"])


async def test_a_hit_names_its_supplier_and_what_it_costs_there(stage: Stage, tenant: Tenant) -> None:
    (row,) = (await stage.call("search_items", query="FSKT-35M"))["rows"]
    supplier = tenant.get("suppliers", tenant.get("materials", row["item_id"])["default_supplier_id"])
    variant = tenant.get("variants", row["variant_id"])
    assert (row["supplier"], row["purchase_currency"]) == (supplier["name"], supplier["currency"])
    assert row["purchase_price"] == variant["purchase_price"]


async def test_a_miss_names_five_that_are_near_each_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def near(_: Services, source: str, text: str) -> list[str]:
        return [f"{text}-{place}" for place in ("both", f"{source} 1", f"{source} 2", f"{source} 3")]

    monkeypatch.setattr(search, "near_misses", near)
    empty = (await stage.call("search_items", query="nothing-has-this"))["empty"]
    assert empty["did_you_mean"][:2] == ["nothing-has-this-both", "nothing-has-this-variant 1"]
    assert len(set(empty["did_you_mean"])) == 5


async def test_what_comes_near_is_looked_for_in_services_only_where_no_variant_has_what_was_asked_for(
    own: OwnSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []
    look = searching.search

    def noted(db: Connection, layout: Layout, request: Search) -> SearchResult:
        asked.append((layout.spec.name, request.near))
        return look(db, layout, request)

    monkeypatch.setattr(searching, "search", noted)
    sku = live(own.sandbox.tenant(), "variants")[0]["sku"]
    async with staged(own, Setup(flags={"cache_backend": "typed"})) as stage:
        found = await stage.call("search_items", query=sku)
        assert found["rows"][0]["sku"] == sku
        assert asked == [("variant", True), ("service", False)]
        asked.clear()
        await stage.call("search_items", query="zzzqqqxxx")
        # What is archived is looked for too, as it was asked for.
        assert set(asked) == {(source, near) for source in ("variant", "service") for near in (True, False)}
