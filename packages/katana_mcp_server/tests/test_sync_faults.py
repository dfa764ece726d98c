"""What goes wrong on the wire while all is brought in: a faulty page costs one request, a bad record itself alone."""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest
from following import FOLLOWED, following
from server_wire import Wire

from cache_core.conditions import EVERYTHING
from cache_core.indexing import prepare
from cache_core.memory import MemoryBackend
from cache_core.protocol import Selection
from cache_core.records import RecordId
from cache_core.specs import SPECS
from katana_client.testing import FakeClient, listing
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.references.services import Services
from katana_sandbox import (
    Action,
    Drop,
    EmptyPage,
    Fault,
    Hang,
    ManualClock,
    MissingHeader,
    Sandbox,
    SandboxConfig,
    Status,
    Tenant,
    Truncate,
)

if TYPE_CHECKING:
    from katana_mcp.caches.source import Listable

FAULTS: dict[str, Action] = {
    **{str(status): Status(status) for status in (429, 500, 502, 503, 504)},
    "no answer": Hang(),
    "dropped": Drop(),
    "dropped late": Drop("after"),
    "cut": Truncate(),
    "empty page": EmptyPage(),
    "no total": MissingHeader(),
}
PAGES = 3
THEN = "2022-03-01T00:00:00.000Z"
"""Before every other version: a listing of what changed does not reach it."""
BIG = 10_000_000


@pytest.fixture
def own() -> OwnSandbox:
    """A factory with several pages of variants, whose time goes on by itself."""
    return OwnSandbox(Sandbox(SandboxConfig(variants=600, orders=10), clock=ManualClock()))


async def _cached(services: Services, entity: str) -> dict[RecordId, object]:
    rows = await services.cache.select(entity, Selection(limit=20_000, visibility=EVERYTHING))
    return {row.id: row.record for row in rows}


async def _costs(own: OwnSandbox, *faults: Fault) -> int:
    """Bring the variants in, none missing, and return what that cost beyond a request for each page."""
    own.sandbox.faults.add(*faults)
    async with following(own) as services:
        outcome = await services.syncer.start("variant")
        assert outcome.complete, outcome.reason
        there = {variant["id"] for variant in own.sandbox.tenant().all("variants")}
        assert (await _cached(services, "variant")).keys() == there
    assert -(-len(there) // 250) == PAGES
    return len(own.sandbox.requests("GET", "/variants")) - PAGES


def _places() -> Iterator[Any]:
    """Give each fault one page; each page, among the slow proofs."""
    for number, fault in enumerate(FAULTS):
        for page in range(1, PAGES + 1):
            yield pytest.param(fault, page, marks=[] if page == 1 + number % PAGES else [pytest.mark.soak])


@pytest.mark.in_turn
@pytest.mark.parametrize(("fault", "page"), list(_places()))
async def test_a_faulty_page_costs_one_request_and_no_row(own: OwnSandbox, fault: str, page: int) -> None:
    assert await _costs(own, Fault("GET /variants", page, FAULTS[fault])) == 1


@pytest.mark.parametrize("fault", ["empty page", "no total"])
async def test_a_listing_that_never_proves_whole_moves_no_cursor_and_drops_no_row(own: OwnSandbox, fault: str) -> None:
    tenant, forever = own.sandbox.tenant(), Fault("GET /variants", action=FAULTS[fault], times=None)
    async with following(own) as services:
        own.sandbox.faults.add(forever)
        outcome = await services.syncer.start("variant")
        state = await services.cache.state("variant")
        assert (outcome.complete, state.cursor, state.completed_at) == (False, None, None)
        assert outcome.reason is not None
        assert state.incomplete == outcome.reason
        own.sandbox.faults.clear()
        assert (await services.syncer.start("variant")).complete
        before, rows = await services.cache.state("variant"), await _cached(services, "variant")
        tenant.edit("variants", next(iter(rows)), sku="EDITED", bump=True)
        own.sandbox.faults.add(forever)
        assert not (await services.syncer.start("variant")).complete
        state = await services.cache.state("variant")
        assert (state.cursor, state.completed_at) == (before.cursor, before.completed_at)
        assert (await _cached(services, "variant")).keys() == rows.keys()
        own.sandbox.faults.clear()
        assert (await services.syncer.start("variant")).complete
        assert (await services.cache.find_by_key("variant", "EDITED")).row is not None


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3, 4))])
async def test_several_faults_cost_a_request_each_at_most(own: OwnSandbox, seed: int) -> None:
    random = Random(seed)
    places = random.sample(range(1, PAGES + 6), 4)
    faults = [Fault("GET /variants", place, random.choice(list(FAULTS.values()))) for place in places]
    assert await _costs(own, *faults) <= len(faults)


BAD: dict[str, Callable[[int], object]] = {
    "no id": lambda number: {"name": f"B-{number}", "updated_at": THEN},
    "an id that is none": lambda number: {"id": {"not": number}, "updated_at": THEN},
    "no object": lambda number: f"B-{number}",
    "another type": lambda number: {"id": [number], "name": "B", "updated_at": THEN},
    "no moment": lambda number: {"id": f"B-{number}", "name": "B", "updated_at": "yesterday"},
    "ten megabytes of rubbish": lambda number: {"id": ["x" * BIG, number], "updated_at": THEN},
}
ODD: dict[str, object] = {
    "another type": {"name": {"a": "mapping"}, "updated_at": THEN},
    "no moment": {"name": "B", "updated_at": "yesterday"},
    "ten megabytes of rubbish": {"name": ["x" * BIG], "updated_at": THEN},
    "no date": {"name": "B", "created_at": "", "updated_at": THEN},
}


@pytest.mark.parametrize(("bad", "others"), [(6, 0), pytest.param(29, 0, marks=pytest.mark.soak), (50, 200)])
async def test_bad_records_are_set_aside_and_all_others_are_cached_by_the_same_sync(
    own: OwnSandbox, bad: int, others: int
) -> None:
    """Set aside so many; so many others stand before each."""
    tenant = own.sandbox.tenant()
    kinds = [*BAD, *Random(bad).choices(list(BAD)[:-1], k=bad - len(BAD))]
    good = {customer["id"] for customer in tenant.all("customers")}
    for number, kind in enumerate(kinds):
        good |= {tenant.create("customers", {"name": f"Other {index}"})["id"] for index in range(others)}
        tenant.insert_raw("customers", BAD[kind](900_000 - number))  # new ids count on from the highest
    async with following(own) as services:
        outcome = await services.syncer.start("customer")
        assert (outcome.complete, outcome.quarantined) == (True, len(kinds))
        assert (await _cached(services, "customer")).keys() == good
        poison = await services.cache.quarantined("customer", 100)
        assert len(poison) == len(kinds)
        assert all(poisoned.reason for poisoned in poison)
        sent = [str(poisoned.payload)[:16] for poisoned in poison]
        assert sum(start.startswith('{"') for start in sent) == sum(kind != "no object" for kind in kinds), sent


@pytest.mark.parametrize("odd", ODD)
async def test_an_odd_field_costs_itself_and_is_read_once_it_is_well_though_its_version_stayed(
    own: OwnSandbox, odd: str
) -> None:
    tenant, fields = own.sandbox.tenant(), cast("Wire", ODD[odd])
    tenant.insert_raw("customers", {"id": 900_000, "company": "Kept", **fields})
    async with following(own) as services:
        assert (await services.syncer.start("customer")).quarantined == 0
        kept = cast("Wire", (await _cached(services, "customer"))[900_000])
        assert {name: kept[name] for name in fields} == fields
        (unread,) = (await services.cache.state("customer")).unread
        assert (unread.ids, unread.more) == ((900_000,), False)
        well = {"id": 900_000, "name": "Well again", "updated_at": THEN}
        tenant.insert_raw("customers", well)
        await services.syncer.start("customer")
        assert cast("Wire", (await _cached(services, "customer"))[900_000])["name"] == "Well again"
        assert (await services.cache.state("customer")).unread == ()


async def test_nothing_that_katana_may_leave_out_or_add_sets_a_record_aside(own: OwnSandbox) -> None:
    caller, cache, seen = own.sandbox.caller(), MemoryBackend(SPECS), set[str]()
    own.sandbox.switches.set("rate_limit", 0)
    for spec in FOLLOWED:
        sent = (await caller.get(f"/{spec.collection}", {"limit": 1})).value
        first = cast("Wire", sent).get("data", [])[:1]
        odd = [(how, {**other, "id": first[0]["id"]}) for row in first for how, other in _odd(row)]
        seen |= {spec.name} if odd else set()
        for how, record in odd:
            wire = FakeClient(lambda call, record=record: listing([record], call))
            page = await cast("Listable", getattr(wire, spec.collection)).page(1, limit=250)
            assert not page.invalid, (spec.name, how, page.invalid[0].reason)
            assert not any(page.unread), (spec.name, how, page.unread)
            assert not (await prepare(spec, page.valid_records, cache)).quarantine, (spec.name, how)
    assert len(seen) > 15


def _odd(record: Wire) -> Iterator[tuple[str, Wire]]:
    """Yield the record with each field, at any depth, null, left out, empty where it is an object, or added."""
    yield "new", {**record, "unheard_of": {"of": [1, {"it": None}]}}
    for name, value in record.items():
        rest = {key: other for key, other in record.items() if key != name}
        yield f"{name} left out", rest
        changed: list[tuple[str, object]] = [("null", None)]
        if isinstance(value, str) and re.fullmatch("[A-Z_]{4,}", value):
            changed.append(("unheard of", UNHEARD))
        if isinstance(value, dict):
            changed += [("empty", {}), *_odd(cast("Wire", value))]
        if isinstance(value, list) and value and isinstance(value[0], dict):
            changed += [(how, [element, *value[1:]]) for how, element in _odd(cast("Wire", value[0]))]
        yield from ((f"{name}: {how}", {**rest, name: replacement}) for how, replacement in changed)


UNHEARD = "UNHEARD_OF"
CHOICES = (
    ("sales_order", "status"),
    ("purchase_order", "status"),
    ("manufacturing_order", "status"),
    ("stock_transfer", "status"),
    ("variant", "type"),
    ("customer", "currency"),
)


@pytest.mark.cold
@pytest.mark.parametrize(("entity", "field"), CHOICES)
async def test_a_value_that_nobody_has_heard_of_stops_no_record(entity: str, field: str) -> None:
    own = OwnSandbox(Sandbox(clock=ManualClock()))
    async with following(own) as services:
        spec = services.syncer.specs[entity]
        key = _spoilt(own.sandbox.tenant(), spec.collection, {field: UNHEARD})
        outcome = await services.syncer.start(entity)
        assert (outcome.complete, outcome.quarantined) == (True, 0)
        (row,) = (await services.cache.get_many(entity, [key])).rows
        assert row.record[field] == UNHEARD


def _spoilt(tenant: Tenant, collection: str, fields: dict[str, object]) -> int:
    """Let one record have these fields; return its id."""
    record = next(candidate for candidate in tenant.all(collection) if not candidate.get("deleted_at"))
    tenant.insert_raw(collection, {**record, **fields})
    return record["id"]
