"""What was written is put into the cache at once: what of it, what is read anew, and what is said where that fails."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import pytest

from cache_core.errors import CacheUnavailable, SourceUnavailable
from cache_core.protocol import Found, Stored
from cache_core.records import Json, Record, RecordId
from cache_core.specs import SPECS
from cache_core.sync import Part
from cache_core.sync.stock import StockAnswer
from katana_mcp.journal.entries import ActionState, JsonObject
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import info
from katana_mcp.writing.actions import Action
from katana_mcp.writing.written_through import document_of, part_of, put_through, read_back, read_stock_back

SPEC = {spec.name: spec for spec in SPECS}
ORDER = Action(title="order", method="POST", path="/purchase_orders", entity="purchase_order")
CHANGE = replace(ORDER, title="change", method="PATCH", path="/purchase_orders/4", record=4)
DELETE = replace(CHANGE, title="delete", method="DELETE")
ADD_ROW = replace(ORDER, title="add row", path="/purchase_order_rows", record=4, part="purchase_order_rows")
DROP_ROW = replace(ADD_ROW, title="drop row", method="DELETE", row=8)
TRANSFER = Action(title="transfer", method="POST", path="/stock_transfers", entity="stock_transfer")


@dataclass
class Caches:
    """The cache, its syncer and its stock: they note what they are told, and fail where that is asked for."""

    trouble: dict[str, Exception] = field(default_factory=dict[str, Exception])
    unread: Collection[str] = ()
    reason: str | None = None
    is_stock_read: bool = True
    records: dict[int, dict[str, Json]] = field(default_factory=dict[int, dict[str, Json]])
    told: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    specs = SPEC

    def _note(self, *what: object) -> None:
        self.told.append(what)
        if (error := self.trouble.get(str(what[0]))) is not None:
            raise error

    async def put_part(self, entity: str, document: RecordId, part: Part) -> None:
        """Note a part."""
        self._note("part", entity, document, part)

    async def delete_through(self, entity: str, record: RecordId) -> None:
        """Note a deletion."""
        self._note("delete", entity, record)

    async def write_through(
        self, entity: str, record: Record, *, knows: Collection[str] | None = ("unsaid",), is_new: bool = False
    ) -> None:
        """Note a record."""
        self._note("write", entity, record, knows, is_new)

    async def read_back(self, entity: str, record: RecordId, parts: Sequence[Part]) -> None:
        """Note what is read anew."""
        self._note("read", entity, record, parts)

    async def read_newest(self, entity: str) -> bool:
        """Note what is brought up to date."""
        self._note("newest", entity)
        return entity not in self.unread

    def planning(self, seconds: float) -> Self:
        """Note how long stock is waited for."""
        self._note("stock", seconds)
        return self

    async def read_again(self, variants: Sequence[int]) -> StockAnswer:
        """Note whose stock is read again."""
        self._note("levels", variants)
        return StockAnswer((), (), None, reason=self.reason)

    async def read_moved(self, variants: Sequence[int]) -> bool:
        """Note whose stock has moved."""
        self._note("moved", variants)
        return self.is_stock_read

    async def get_many(self, entity: str, ids: Sequence[int]) -> Found:
        """Return records."""
        self._note("get", entity, ids)
        return Found(tuple(Stored(key, None, self.records[key], deleted=False, archived=False) for key in ids), ())


def services(caches: Caches) -> Services:
    """Return services that have these caches only."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    parts = dict.fromkeys(("cache", "syncer", "fresh", "stock"), caches)
    return Services(**cast("dict[str, Any]", {**dict.fromkeys(needed), **parts}))


def done(action: Action, answer: JsonObject | None = None) -> tuple[Action, ActionState]:
    """Return an action that was applied."""
    return action, ActionState("applied", answer)


async def put(action: Action, answer: JsonObject | None) -> list[tuple[object, ...]]:
    """Return what the cache is told of an applied action."""
    caches = Caches()
    assert await put_through(action, ActionState("applied", answer), services(caches)) == []
    return caches.told


ROWS: list[Json] = [{"id": 8}]


@pytest.mark.parametrize(
    ("action", "answer", "record", "knows", "is_new"),
    [
        # Of a new record the answer says all that there is, or what it says of it.
        (ORDER, {"id": 4, "purchase_order_rows": ROWS}, {"id": 4, "purchase_order_rows": ROWS}, None, True),
        (ORDER, {"id": 4, "purchase_order_rows": []}, {"id": 4, "purchase_order_rows": []}, None, True),
        (ORDER, {"id": 4}, {"id": 4}, [], True),
        (replace(ORDER, implies={"note": "x"}), {"id": 4, "note": "y"}, {"id": 4, "note": "x"}, [], True),
        # Of one that was there, no rows say nothing of them.
        (CHANGE, {"id": 4, "purchase_order_rows": ROWS}, {"id": 4, "purchase_order_rows": ROWS}, ["rows"], False),
        (CHANGE, {"id": 4, "purchase_order_rows": []}, {"id": 4, "purchase_order_rows": []}, [], False),
        (
            replace(ORDER, record=4),
            {"id": 4, "purchase_order_rows": []},
            {"id": 4, "purchase_order_rows": []},
            [],
            False,
        ),
    ],
)
async def test_a_record_is_shown_as_it_was_answered_with_what_follows(
    action: Action, answer: JsonObject, record: JsonObject, knows: list[str] | None, is_new: bool
) -> None:
    known = knows and ["purchase_order_rows"]
    assert await put(action, answer) == [("write", "purchase_order", record, known, is_new)]


async def test_what_an_answer_holds_of_other_entities_is_shown_as_well() -> None:
    action = replace(ORDER, embeds={"variants": "variant", "none": "supplier"})
    answer = {"id": 4, "variants": [{"id": 1}, {"id": 2}]}
    assert await put(action, answer) == [
        ("write", "purchase_order", answer, [], True),
        ("write", "variant", {"id": 1}, ("unsaid",), True),
        ("write", "variant", {"id": 2}, ("unsaid",), True),
    ]


@pytest.mark.parametrize(
    ("action", "answer", "told"),
    [
        (DELETE, None, [("delete", "purchase_order", 4)]),
        (replace(DELETE, record=None), None, []),
        (CHANGE, None, []),
        (CHANGE, {}, []),
        (replace(CHANGE, entity="unheard_of"), {"id": 4}, []),
        (ADD_ROW, {"id": 8}, [("part", "purchase_order", 4, Part("purchase_order_rows", {"id": 8}))]),
        (
            ADD_ROW,
            {"id": 8, "purchase_order_id": 5},
            [("part", "purchase_order", 5, Part("purchase_order_rows", {"id": 8, "purchase_order_id": 5}))],
        ),
        (DROP_ROW, None, [("part", "purchase_order", 4, Part("purchase_order_rows", {"id": 8}, gone=True))]),
    ],
)
async def test_a_deletion_a_part_and_what_is_not_cached_are_shown_as_such(
    action: Action, answer: JsonObject | None, told: list[tuple[object, ...]]
) -> None:
    assert await put(action, answer) == told


@pytest.mark.parametrize("error", [SourceUnavailable("no answer"), CacheUnavailable("no answer")])
async def test_where_the_cache_cannot_show_it_that_is_said(error: Exception) -> None:
    caches = Caches({"write": error, "read": error})
    message = "change: the cache does not show it yet (no answer); the next sync reads it"
    warnings = await put_through(CHANGE, ActionState("applied", {"id": 4}), services(caches))
    assert warnings == [info(warning_codes.CACHE_WRITE_FAILED, message)]
    message = "purchase_order 4: its totals could not be read again yet (no answer); the next sync reads it"
    assert await read_back([done(CHANGE)], services(caches)) == [info(warning_codes.CACHE_WRITE_FAILED, message)]


@pytest.mark.parametrize(
    ("action", "answer", "document"),
    [
        (CHANGE, {"id": 4}, None),
        (ADD_ROW, {}, 4),
        (ADD_ROW, {"purchase_order_id": 5}, 5),
        (ADD_ROW, {"purchase_order_id": "5"}, 4),
    ],
)
def test_a_part_belongs_to_the_document_that_it_names(
    action: Action, answer: JsonObject, document: RecordId | None
) -> None:
    assert document_of(action, answer, SPEC) == document


def test_a_part_of_a_whole_record_has_no_collection() -> None:
    assert part_of(CHANGE, {"id": 4}) == Part("", {"id": 4}, gone=False)


def row_part(key: int, *, gone: bool = False, **values: Json) -> Part:
    """Return a row of an order."""
    return Part("purchase_order_rows", {"id": key, **values}, gone)


type Applied = list[tuple[Action, ActionState]]
type Told = list[tuple[object, ...]]
READ_BACK: list[tuple[Applied, Told]] = [
    ([done(ORDER, {"id": 4})], [("read", "purchase_order", 4, [])]),
    ([done(CHANGE)], [("read", "purchase_order", 4, [])]),
    ([done(ORDER, {"id": "4"})], []),
    ([done(ORDER)], []),
    # Of each row the last state counts.
    (
        [done(ADD_ROW, {"id": 8, "q": 1}), done(ADD_ROW, {"id": 9}), done(ADD_ROW, {"id": 8, "q": 2})],
        [("read", "purchase_order", 4, [row_part(8, q=2), row_part(9)])],
    ),
    ([done(CHANGE), done(DROP_ROW)], [("read", "purchase_order", 4, [row_part(8, gone=True)])]),
    ([done(ADD_ROW, {"id": 8}), done(DELETE)], []),
    ([done(ADD_ROW, {"id": 8}), done(replace(DELETE, record=5))], [("read", "purchase_order", 4, [row_part(8)])]),
    # What has no rows with a collection of their own is read again only where it follows from an action.
    ([done(TRANSFER, {"id": 3})], []),
    ([done(replace(TRANSFER, document=("stock_transfer", 3)), {"id": 3})], [("read", "stock_transfer", 3, [])]),
    (
        [done(replace(TRANSFER, document=("sales_order", 2)), {"id": 3})],
        [("read", "sales_order", 2, [])],
    ),
    ([done(replace(CHANGE, entity="unheard_of"), {"id": 4})], []),
    ([], []),
]
"""What was applied, and what is read anew then."""


@pytest.mark.parametrize(("applied", "read"), READ_BACK)
async def test_each_document_whose_parts_were_changed_is_read_anew_once(applied: Applied, read: Told) -> None:
    caches = Caches()
    assert await read_back(applied, services(caches)) == []
    assert caches.told == read


async def test_what_changes_along_is_read_once_for_each_entity() -> None:
    caches = Caches(unread=("variant",))
    applied = [
        done(replace(TRANSFER, refreshes=("variant", "material"))),
        done(replace(TRANSFER, refreshes=("variant",))),
    ]
    message = "variants: related changes could not be read yet; the next sync reads it"
    assert await read_back(applied, services(caches)) == [info(warning_codes.CACHE_WRITE_FAILED, message)]
    assert caches.told == [("newest", "variant"), ("newest", "material")]


LEVELS = Action(title="levels", method="POST", path="/inventory", entity="stock")


@pytest.mark.parametrize("reason", [None, "no answer"])
async def test_levels_that_were_set_are_read_again_once_for_each_variant(reason: str | None) -> None:
    caches = Caches(reason=reason)
    bodies = [{"variant_id": 8}, {"variant_id": 7, "x": 1}, {"variant_id": 8}, {"other": 1}]
    applied = [
        done(replace(LEVELS, body=bodies)),
        done(replace(LEVELS, body={"variant_id": 6})),
        done(replace(TRANSFER, body={"variant_id": 5})),
    ]
    message = "stocks: related changes could not be read yet; the next sync reads it"
    told = [info(warning_codes.CACHE_WRITE_FAILED, message)] if reason else []
    assert await read_back(applied, services(caches)) == told
    assert caches.told == [("stock", 5.0), ("levels", [6, 7, 8])]


@pytest.mark.parametrize("is_read", [True, False])
async def test_the_stock_of_all_that_the_documents_name_is_read_anew(is_read: bool) -> None:
    records: dict[int, dict[str, Json]] = {
        4: {"purchase_order_rows": [{"variant_id": 7}, {"variant_id": "x"}, {"variant_id": 8}]},
        5: {"purchase_order_rows": [{"variant_id": 7}, {"variant_id": 9}]},
        3: {"stock_transfer_rows": [{"variant_id": 1}]},
    }
    caches = Caches(is_stock_read=is_read, records=records)
    applied = [
        done(CHANGE),
        done(ORDER, {"id": 5}),
        done(replace(CHANGE, title="again")),
        done(replace(LEVELS, path="/customers", entity="customer"), {"id": 1}),
        done(TRANSFER, {"id": 3}),
    ]
    message = "the stock that this changed could not be read again yet; the next sync reads it"
    told = [] if is_read else [info(warning_codes.CACHE_WRITE_FAILED, message)]
    assert await read_stock_back(applied, services(caches)) == told
    assert [what for what in caches.told if what[0] != "stock"] == [
        ("get", "purchase_order", [4, 5]),
        ("get", "stock_transfer", [3]),
        ("moved", [7, 8, 9, 1]),
    ]
    assert ("stock", 5.0) in caches.told
