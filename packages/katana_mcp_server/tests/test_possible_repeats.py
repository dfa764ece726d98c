"""A new document that may repeat one of the last day: which are found in the cache and in the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import pytest

from cache_core.conditions import OneOf, Within
from cache_core.protocol import Selection, Stored
from cache_core.records import Json
from cache_core.testing import ManualClock
from katana_mcp.journal.errors import JournalBusy
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.duplicates import Repeated, lines_of, possible_duplicates, repeats

NEW = Repeated(
    entity="purchase_order",
    number="order_no",
    rows="purchase_order_rows",
    party={"supplier_id": 4, "location_id": 2},
    lines={7: Decimal(3), 8: Decimal("1.5")},
)
ROWS: list[Json] = [
    {"variant_id": 7, "quantity": 1},
    {"variant_id": 8, "quantity": "1.50"},
    {"variant_id": 7, "quantity": Decimal(2)},
]
LIKE: dict[str, Json] = {"id": 1, "order_no": "PO-1", "purchase_order_rows": ROWS}
BODY: JsonObject = {"order_no": "PO-9", "supplier_id": 4, "location_id": 2, "purchase_order_rows": ROWS}
MAKING = Action(title="new", method="POST", path="/purchase_orders", entity="purchase_order", body=BODY)
DAY = timedelta(hours=24)


@dataclass
class Cache:
    """A cache that gives the same rows whatever is asked, and keeps what that was."""

    records: Sequence[dict[str, Json]] = ()
    asked: list[tuple[str, Selection]] = field(default_factory=list[tuple[str, Selection]])

    async def select(self, entity: str, selection: Selection) -> list[Stored]:
        """Return the rows."""
        self.asked.append((entity, selection))
        return [Stored(1, None, record, deleted=False, archived=False) for record in self.records]


@dataclass
class Plans:
    """A journal that gives the same requests, or none because it is busy."""

    found: Sequence[JsonObject] | None = ()
    asked: list[tuple[str, str, datetime]] = field(default_factory=list[tuple[str, str, datetime]])

    async def documents_in_doubt(self, entity: str, tenant: str, since: datetime) -> Sequence[JsonObject]:
        """Return the requests."""
        self.asked.append((entity, tenant, since))
        if self.found is None:
            raise JournalBusy("held")
        return self.found


def services(**parts: object) -> Services:
    """Return services that have these parts only."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), "tenant": "factory", **parts}))


async def found(cache: Cache | None = None, plans: Plans | None = None, new: Repeated = NEW) -> tuple[str, ...]:
    """Return what a new document may repeat."""
    parts = services(cache=cache or Cache(), journal=plans or Plans(), clock=ManualClock())
    return await possible_duplicates(new, parts)


def test_the_quantities_of_a_variant_are_summed_over_its_rows() -> None:
    pairs = [(7, Decimal(1)), (None, Decimal(5)), (7, Decimal("0.5")), (8, None), (None, Decimal(1))]
    assert lines_of(pairs) == {7: Decimal("1.5"), 0: Decimal(6), 8: Decimal(0)}


@pytest.mark.parametrize(
    ("record", "called"),
    [
        (LIKE, ("PO-1",)),
        ({**LIKE, "order_no": ""}, ("1",)),
        ({**LIKE, "order_no": None}, ("1",)),
        ({**LIKE, "purchase_order_rows": ROWS[:2]}, ()),
        ({**LIKE, "purchase_order_rows": [*ROWS, {"variant_id": 9, "quantity": 1}]}, ()),
        ({**LIKE, "purchase_order_rows": [*ROWS, {"variant_id": 7, "quantity": None}]}, ("PO-1",)),
        ({"id": 1}, ()),
    ],
)
async def test_a_document_with_the_same_lines_is_named(record: dict[str, Json], called: tuple[str, ...]) -> None:
    assert await found(Cache([record])) == called


async def test_the_cache_is_asked_for_the_documents_of_the_party_since_a_day_and_the_journal_for_its_account() -> None:
    cache, plans = Cache(), Plans()
    assert await found(cache, plans) == ()
    since = Within("created_at", low="2026-03-01T08:00:00.000Z")
    party = (OneOf("supplier_id", (4,)), OneOf("location_id", (2,)))
    assert cache.asked == [("purchase_order", Selection((*party, since), limit=100))]
    assert plans.asked == [("purchase_order", "factory", ManualClock().now() - DAY)]


async def test_without_the_whole_party_nothing_is_looked_for() -> None:
    cache = Cache([LIKE])
    party: Mapping[str, int | None] = {"supplier_id": 4, "location_id": None}
    assert (await found(cache, new=replace(NEW, party=party)), cache.asked) == ((), [])


async def test_where_the_journal_is_busy_what_is_cached_is_named() -> None:
    assert await found(Cache([LIKE]), Plans(None)) == ("PO-1",)


LOST = "PO-9 (unknown whether it was made)"


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (MAKING, (LOST,)),
        (replace(MAKING, record=3), ()),
        (replace(MAKING, body={**BODY, "supplier_id": 5}), ()),
        (replace(MAKING, body={**BODY, "location_id": None}), ()),
        (replace(MAKING, body={**BODY, "purchase_order_rows": ROWS[:1]}), ()),
        (replace(MAKING, body=None), ()),
    ],
)
async def test_what_a_plan_of_the_last_day_may_have_made_is_named(made: Action, names: tuple[str, ...]) -> None:
    assert await found(plans=Plans([made.to_json()])) == names


async def test_each_name_is_told_once() -> None:
    assert await found(Cache([LIKE, {**LIKE, "id": 2, "order_no": "PO-2"}, LIKE]), Plans([MAKING.to_json()] * 2)) == (
        "PO-1",
        "PO-2",
        LOST,
    )


def test_what_may_be_repeated_is_one_warning() -> None:
    message = (
        "PO-1, PO-2, made in the last 24 hours, have the same parties and lines: check that you want another order"
    )
    assert repeats("order", ["PO-1", "PO-2"], "rows") == [advisory(warning_codes.POSSIBLE_DUPLICATE, message, "rows")]
    assert repeats("order", [], "rows") == []
