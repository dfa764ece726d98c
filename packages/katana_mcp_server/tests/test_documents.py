"""Every entity that the cache declares is listed from Katana and kept whole."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import pytest
from other_backend import OTHER

from cache_core.conditions import EVERYTHING, OneOf
from cache_core.protocol import Search, Selection
from cache_core.records import Record, RecordId, canonical
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.specs.factory import FACTORY, FACTORY_ID
from cache_typed.mapping import TableMapping, layout_of
from cache_typed.tables import TABLES
from katana_client.normalise import normalise
from katana_client.resources import Collections
from katana_client.wire import ReadModel, models_in
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.references.services import Services
from katana_mcp.server.wiring import Environment, connected
from katana_mcp.testing import Stage, within
from katana_sandbox import ManualClock

if TYPE_CHECKING:
    from katana_client.collection import Spec

LISTED = tuple(spec for spec in SPECS if spec.name != "stock")
EXTENDED = {"variant", "product_or_material"}
"""Linked objects that rows carry only where a request asks for them; no listing of the cache does."""


@asynccontextmanager
async def opened(own: OwnSandbox, **flags: object) -> AsyncGenerator[Services]:
    """Open a cache of the sandbox."""
    settings = load(_env_file=None, sandbox=True, api_key=own.api_key, **flags)
    tenant = connected(settings, Environment(transport=own.transport(), clock=own.sandbox.clock, in_memory=True))
    try:
        yield await tenant.services()
    finally:
        await tenant.close()


@pytest.fixture
async def services(own: OwnSandbox) -> AsyncGenerator[Services]:
    async with opened(own, cache_backend="typed") as services:
        yield services


def model_of(spec: EntitySpec) -> type[ReadModel]:
    """Return the client's model of the entity's records."""
    model: type[ReadModel] = getattr(Collections, spec.collection).kind.spec.model
    return model


def there(own: OwnSandbox, spec: EntitySpec) -> dict[RecordId | None, Record]:
    """Return what the sandbox has of an entity, as the client reads it, by id."""
    records = (normalise(record, model_of(spec)) for record in own.sandbox.tenant("default").all(spec.collection))
    numbered = ({"id": FACTORY_ID, **record} if spec is FACTORY else record for record in records)
    return {spec.id_of(record): canonical(record) for record in numbered}


async def held(services: Services, spec: EntitySpec) -> dict[RecordId | None, Record]:
    """Return what the cache has of an entity, in any soft state, by id."""
    rows = await services.cache.select(spec.name, Selection(limit=10_000, visibility=EVERYTHING))
    return {row.id: row.record for row in rows}


@pytest.mark.usefixtures("outsourced")
async def test_every_entity_is_held_as_the_sandbox_has_it_for_one_request_a_page(
    own: OwnSandbox, clock: ManualClock, services: Services
) -> None:
    for spec in LISTED:
        outcome = await within(clock, 120, services.syncer.start(spec.name))  # a minute has 60 requests
        expected = there(own, spec)
        assert expected
        assert (outcome.complete, outcome.quarantined) == (True, 0), outcome
        assert outcome.requests == -(-len(expected) // 250)
        assert await held(services, spec) == expected, spec.name


@pytest.mark.usefixtures("outsourced")
async def test_what_changes_in_the_sandbox_arrives_with_the_next_sync(
    own: OwnSandbox, clock: ManualClock, services: Services
) -> None:
    for spec in LISTED:
        await within(clock, 120, services.syncer.start(spec.name))  # a minute has 60 requests
    clock.advance(3_600)
    changed = [spec for spec in LISTED if spec.watermark and spec.name != "inventory_movement"]
    for spec in changed:
        before = there(own, spec)
        key = next(key for key, record in before.items() if key is not None and not record.get("deleted_at"))
        own.sandbox.tenant("default").edit(spec.collection, key, bump=True, unheard_of="new")
        assert there(own, spec) != before
    for spec in changed:
        assert (await within(clock, 120, services.syncer.start(spec.name))).complete
        assert await held(services, spec) == there(own, spec), spec.name


PARENT_AND_CHILD = (
    ("purchase_order", "outsourced_purchase_order_recipe_row", "purchase_order_id"),
    ("sales_order", "sales_order_fulfillment", "sales_order_id"),
    ("manufacturing_order", "manufacturing_order_recipe_row", "manufacturing_order_id"),
    ("manufacturing_order", "manufacturing_order_operation_row", "manufacturing_order_id"),
    ("manufacturing_order", "manufacturing_order_production", "manufacturing_order_id"),
)


@pytest.mark.usefixtures("outsourced")
@pytest.mark.parametrize("case", PARENT_AND_CHILD, ids=lambda case: case[1])
async def test_rows_are_gone_with_their_document_before_they_are_listed_again(
    own: OwnSandbox, clock: ManualClock, services: Services, case: tuple[str, str, str]
) -> None:
    parent, child, link = case
    for name in (parent, child):
        await services.syncer.start(name)
    clock.advance(60)
    (row, *_) = await services.cache.select(child, Selection())
    order_id = row.record[link]
    assert isinstance(order_id, int)
    of_order = (OneOf(link, (order_id,)),)
    own.sandbox.tenant("default").delete(services.syncer.specs[parent].collection, order_id)
    assert await services.cache.count(child, of_order)
    await services.syncer.start(parent)
    assert await services.cache.count(child, of_order) == 0
    assert await services.cache.count(child, of_order, EVERYTHING)


@pytest.mark.parametrize("spec", LISTED, ids=lambda spec: spec.name)
def test_a_spec_says_nothing_that_its_collection_does_not_know(spec: EntitySpec) -> None:
    collection = cast("Spec", getattr(Collections, spec.collection).kind.spec)
    filter_names = set(collection.filters.names())
    assert {f"include_{state}" for state in spec.include} <= filter_names
    assert not spec.watermark or "updated_at_min" in filter_names
    assert not spec.keys_at_once or spec.key_path in filter_names
    assert {"get": collection.gets in {"path", "id"}, "list_ids": "ids" in filter_names, "full_list": True}[
        spec.fetch_by
    ]


@pytest.mark.parametrize("flags", [{}, {"cache_backend": OTHER}], ids=str)
async def test_documents_are_found_by_what_a_person_types(
    own: OwnSandbox, clock: ManualClock, flags: dict[str, object]
) -> None:
    tenant = own.sandbox.tenant("default")
    bought, made, moved, counted, billed, shipped = (
        next(tenant.all(name))
        for name in (
            *("purchase_orders", "manufacturing_orders", "stock_transfers", "stock_adjustments"),
            *("purchase_order_accounting_metadata", "sales_order_fulfillments"),
        )
    )
    tenant.edit("sales_order_fulfillments", shipped["id"], bump=True, tracking_number="1Z 999 AA1")

    def sku(row: Record) -> object:
        return tenant.get("variants", int(str(row["variant_id"])))["sku"]

    cases: tuple[tuple[str, Record, tuple[object, ...]], ...] = (
        (
            "purchase_order",
            bought,
            (
                bought["order_no"],
                tenant.get("suppliers", bought["supplier_id"])["name"],
                sku(bought["purchase_order_rows"][0]),
            ),
        ),
        ("manufacturing_order", made, (made["order_no"], sku(made))),
        (
            "stock_transfer",
            moved,
            (
                moved["stock_transfer_number"],
                tenant.get("locations", moved["target_location_id"])["name"],
                sku(moved["stock_transfer_rows"][0]),
            ),
        ),
        ("stock_adjustment", counted, (counted["stock_adjustment_number"], counted["reason"])),
        ("purchase_order_accounting_metadata", billed, (billed["bill_id"],)),
        ("sales_order_fulfillment", shipped, ("1z 999 aa1", "1Z-999-AA1")),
    )
    async with opened(own, **flags) as services:
        for spec in LISTED:
            await within(clock, 120, services.syncer.start(spec.name))  # a minute has 60 requests
        for entity, record, queries in cases:
            for query in filter(None, queries):
                hits = (await services.cache.search(entity, Search(str(query), 100))).hits
                assert record["id"] in [hit.row.id for hit in hits], (entity, query)


@pytest.mark.parametrize("mapping", TABLES, ids=lambda mapping: mapping.spec.name)
def test_every_field_that_katana_sends_has_a_column(mapping: TableMapping) -> None:
    if mapping.spec.name == "stock":
        return
    layout = layout_of(mapping)
    model = model_of(mapping.spec)
    columns = {*layout.main.fields, *layout.shapes, *([layout.pk] if layout.id_is_pk else [])}
    assert model.model_fields.keys() <= columns
    for name in layout.shapes.keys() & model.model_fields.keys():
        rows = models_in(model.model_fields[name].annotation, ReadModel)[0]
        assert rows.model_fields.keys() - EXTENDED <= layout.shapes[name].fields.keys(), name


@pytest.mark.cold
async def test_a_search_of_sales_orders_asks_for_no_other_document(stage: Stage) -> None:
    await stage.call("search_sales_orders", query="berger")
    asked = {entry.path.rpartition("/")[2] for entry in stage.own.sandbox.journal}
    borrowed = {"customers", "suppliers", "products", "materials", "variants"}
    assert asked == {"sales_orders", *borrowed, "locations", "services", "factory"}


def test_no_older_entity_borrows_from_a_document(services: Services) -> None:
    older = {"location", "tax_rate", "operator", "supplier", "customer", "product", "material", "service", "variant"}
    for name in (*older, "stock", "sales_order"):
        assert set(services.fresh.with_parents([name])) <= {*older, name}
