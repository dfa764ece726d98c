"""No filter of a list reads a whole table: the request models, tied to the indexes through the query plan."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cache_core.conditions import LIVE, CustomValue, OneOf, Where
from cache_core.protocol import Selection, Stored
from cache_typed import dialect, reading
from cache_typed.backend import TypedBackend
from cache_typed.compiling import compiled
from cache_typed.dialect import Connection
from cache_typed.mapping import Layout, layout_of
from cache_typed.reading import window_query
from cache_typed.tables import TABLES
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.entities import ENTITIES
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.custom_filters import Carries
from katana_mcp.surface.operations.filters import Means, Refers, filters_of
from katana_mcp.testing import Setup, staged
from katana_mcp.tools.requests import ListRequest, Request
from katana_sandbox import ManualClock

from .matrix import matrix
from .prepared import prepared

NOW = datetime(2026, 3, 2, tzinfo=UTC)
LAYOUTS = {mapping.spec.name: layout_of(mapping) for mapping in TABLES}
USUAL = matrix(prepared(ManualClock(auto=False)).sandbox.tenant())
TYPED = Setup(flags={"cache_backend": "typed"})
LISTED = [entity for entity in ENTITIES if entity.list_request is not None]
SCANS = {
    "custom_fields": "no column holds fields that an account defines itself",
    "open": "a status that is new or missing counts as open, so what is not closed is no range of an index",
    "producible": "most items are not made, and only products say so: an index would name nearly all rows",
    "purchasable": "most items are bought, and only products say so: an index would name nearly all rows",
}
"""Filters that may read a whole table by one of their values, each with its reason."""


async def _made(directory: Path) -> None:
    cache = TypedBackend(directory)
    await cache.open()
    await cache.close()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Generator[Connection]:
    """Return a raw connection to an empty cache; without statistics the plan is the same for any number of rows."""
    directory = tmp_path_factory.mktemp("plans")
    asyncio.run(_made(directory))
    (path,) = directory.glob("*.db")
    with closing(dialect.connect(str(path))) as connection:
        yield connection


def asked(model: type[Request], tool: str, name: str) -> Iterator[Request]:
    """Yield requests that use a filter: as the matrix of usual calls does, and both ways where it is a yes or no."""
    value = USUAL[tool].changes[name][name]
    for choice in (True, False) if isinstance(value, bool) else (value,):
        yield model.model_validate(dict(USUAL[tool].arguments) | {name: choice})


def conditions(request: Request, source: str, name: str) -> Iterator[tuple[str, Where]]:
    """Yield which tables a filter narrows, and by what: one value, and several where it names records."""
    for meaning in type(request).model_fields[name].metadata:
        if isinstance(meaning, Means):
            yield source, meaning.conditions(getattr(request, name), NOW)
        elif isinstance(meaning, Refers):
            table, _ = meaning.inside or (source, None)
            yield table, (OneOf(meaning.path, (1,)),)
            yield table, (OneOf(meaning.path, (1, 2)),)
        elif isinstance(meaning, Carries):
            yield from ((source, (CustomValue(path, ("a",), ("b",)),)) for path in meaning.places.values())


def reads_whole(db: Connection, source: str, where: Where) -> bool:
    """Return whether the conditions are decided by no index."""
    layout = LAYOUTS[source]
    clause = compiled(layout, where, LIVE)
    sql = f"EXPLAIN QUERY PLAN SELECT count(*) FROM {layout.name} WHERE {clause.sql()}"
    steps = [detail for *_, detail in db.execute(sql, clause.values)]
    # A list of values is a table of its own, and a short one.
    scans = [step for step in steps if step.startswith("SCAN") and not step.startswith("SCAN json_each")]
    return bool(scans or clause.left) or not any(step.startswith(f"SEARCH {layout.name} ") for step in steps)


def of_entity(entity: Entity, name: str) -> Iterator[tuple[str, Where]]:
    """Yield the tables that a filter of a list narrows, and by what."""
    model = entity.list_request
    assert model is not None
    for request in asked(model, f"list_{entity.plural}", name):
        assert isinstance(request, ListRequest)
        for source in entity.sources if entity.listing is None else entity.listing(request):
            yield from (condition for condition in conditions(request, source, name) if condition[1])


@pytest.mark.parametrize("entity", LISTED, ids=lambda entity: entity.plural)
def test_no_filter_of_a_list_reads_a_whole_table(db: Connection, entity: Entity) -> None:
    assert entity.list_request is not None
    names = filters_of(entity.list_request)
    used = {name: list(of_entity(entity, name)) for name in names}
    assert all(used.values())
    assert {name for name in names if any(reads_whole(db, *query) for query in used[name])} == SCANS.keys() & set(names)


def test_a_filter_without_an_index_would_be_seen(db: Connection) -> None:
    assert not reads_whole(db, "sales_order", (OneOf("status", ("PACKED",)),))
    assert reads_whole(db, "sales_order", (OneOf("additional_info", ("x",)),))
    assert reads_whole(db, "sales_order", (OneOf("status", ("PACKED",)), OneOf("no_such_column", ("x",))))


WORKFLOWS = (
    *("check_inventory", "get_bom", "get_inventory_movements", "get_item", "get_variant_details", "inventory_at"),
    *("stock_value", "trace"),
    *("list_blocking_ingredients", "list_low_stock_items", "order_readiness", "promise_date", "buildable"),
)
WHOLE = {
    "manufacturing_order: NoneOf status": "like the filter `open` of lists",
    "sales_order: NoneOf status": "like the filter `open` of lists",
}
"""What workflows read of a whole table, each with its reason."""


@pytest.fixture
def selections(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Selection]]:
    """Return the list to which every selection from the typed cache is added from now on."""
    seen: list[tuple[str, Selection]] = []
    select = reading.select

    def noted(db: Connection, layout: Layout, selection: Selection) -> tuple[Stored, ...]:
        seen.append((layout.spec.name, selection))
        return select(db, layout, selection)

    monkeypatch.setattr(reading, "select", noted)
    return seen


@pytest.mark.cold
async def test_what_workflows_look_for_is_found_by_an_index(
    db: Connection, selections: list[tuple[str, Selection]], own: OwnSandbox
) -> None:
    async with staged(own, TYPED) as stage:
        for tool in WORKFLOWS:
            await stage.call(tool, **USUAL[tool].arguments)
    narrowed = {
        _described(entity, selection.where): (entity, selection.where)
        for entity, selection in selections
        if selection.where
    }
    assert {text for text, query in narrowed.items() if reads_whole(db, *query)} == WHOLE.keys()
    assert len(narrowed) > 15


def _described(entity: str, where: Where) -> str:
    return f"{entity}: {', '.join(f'{type(condition).__name__} {condition.field}' for condition in where)}"


async def test_items_and_customers_come_in_any_order_without_sorting_a_table(
    db: Connection, selections: list[tuple[str, Selection]], own: OwnSandbox
) -> None:
    async with staged(own, TYPED) as stage:
        for tool in ("list_items", "list_customers"):
            for order in (None, "name", "-name", "created_at", "-created_at", "updated_at", "-updated_at"):
                await stage.call(tool, order_by=order)
    listed = {(entity, selection.order) for entity, selection in selections if not selection.where}
    for entity, order in listed:
        query = window_query(LAYOUTS[entity], Selection((), order))
        assert query is not None
        steps = [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {query[0]}", query[1])]
        assert not [step for step in steps if "TEMP B-TREE" in step and "LAST" not in step], (entity, order, steps)
    assert {entity for entity, order in listed if order.field == "name"} >= {"product", "material", "customer"}
