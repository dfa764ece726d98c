"""The number of what was just made is looked up again: another live record that has it is told of."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cache_core.errors import CacheUnavailable, SourceUnavailable
from cache_core.protocol import Found, KeyMatch, Stored
from cache_core.records import Json
from cache_core.specs import SPECS
from katana_mcp.journal.entries import ActionState
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.warnings import advisory
from katana_mcp.writing.actions import Action, Recognise
from katana_mcp.writing.twins import twins

ORDER = Action(
    title="new order",
    method="POST",
    path="/purchase_orders",
    entity="purchase_order",
    body={"order_no": "PO-1", "entity_type": "regular"},
    recognise=Recognise(collection="purchase_orders", filters={"order_no": "PO-1"}),
)
MADE = ActionState("applied", {"id": 5})


@dataclass
class Records:
    """A cache of live records by id, and what was read anew before it was asked."""

    records: dict[int, dict[str, Json]]
    trouble: Exception | None = None
    read: list[tuple[str, Sequence[str]]] = field(default_factory=list[tuple[str, Sequence[str]]])

    async def read_keys_again(self, entity: str, keys: Sequence[str]) -> None:
        """Note what is read anew."""
        self.read.append((entity, keys))

    async def find_by_key(self, entity: str, key: str) -> KeyMatch:
        """Return all records where there are several."""
        assert (entity, key) == self.read[-1][:1] + tuple(self.read[-1][1])
        if self.trouble is not None:
            raise self.trouble
        return KeyMatch(None, tuple(self.records) if len(self.records) > 1 else ())

    async def get_many(self, entity: str, ids: Sequence[int]) -> Found:
        """Return records by their ids."""
        assert entity == self.read[-1][0]
        return Found(tuple(Stored(key, None, self.records[key], deleted=False, archived=False) for key in ids), ())


def services(records: Records) -> Services:
    """Return services that have these records only."""
    needed = [name for name in Services._fields if name not in Services._field_defaults]
    syncer = SimpleNamespace(specs={spec.name: spec for spec in SPECS})
    parts = {**dict.fromkeys(needed), "cache": records, "fresh": records, "syncer": syncer}
    return Services(**cast("dict[str, Any]", parts))


def having(*ids: int, **values: Json) -> Records:
    """Return records with these ids, all alike."""
    return Records({key: dict(values) for key in ids})


async def told(records: Records, action: Action = ORDER, state: ActionState = MADE) -> list[str]:
    """Return what is warned of once an action was applied."""
    warnings = await twins([(action, state)], services(records))
    texts = [warning.message for warning in warnings]
    assert warnings == [advisory(warning_codes.DUPLICATE_NUMBER, text) for text in texts]
    return texts


@pytest.mark.parametrize(
    ("ids", "others"), [((5,), ""), ((), ""), ((5, 6), "6"), ((4, 5, 6), "4, 6"), (range(1, 9), "1, 2, 3, 4, 6")]
)
async def test_the_others_with_the_number_are_named_five_at_most(ids: Sequence[int], others: str) -> None:
    records = having(*ids)
    texts = [f"new order: the number is also that of {others}: change one of the numbers"] if others else []
    assert await told(records) == texts
    assert records.read == [("purchase_order", ["PO-1"])]


async def test_a_name_may_be_had_twice_so_nothing_has_to_be_changed() -> None:
    action = replace(ORDER, title="new customer", path="/customers", entity="customer", body={"name": "Ann"})
    assert await told(having(5, 6), action) == ["new customer: the name is also that of 6"]
    action = replace(action, title="new field", entity="custom_field_definition", body={"label": "Size"})
    assert await told(having(5, 6), action) == ["new field: the label is also that of 6"]


@pytest.mark.parametrize(
    ("action", "state"),
    [
        (replace(ORDER, method="PATCH"), MADE),
        (replace(ORDER, part="purchase_order_rows"), MADE),
        (replace(ORDER, entity="unheard_of"), MADE),
        (replace(ORDER, entity="purchase_order_additional_cost_row"), MADE),
        (replace(ORDER, body={"order_no": 7}), MADE),
        (replace(ORDER, body=None), MADE),
        (ORDER, ActionState("applied", {})),
        (ORDER, ActionState("applied")),
    ],
)
async def test_only_a_new_record_with_a_number_is_looked_for(action: Action, state: ActionState) -> None:
    records = having(5, 6)
    assert (await told(records, action, state), records.read) == ([], [])


async def test_one_that_is_not_looked_for_does_not_end_the_search() -> None:
    others = [(replace(ORDER, entity="unheard_of"), MADE), (replace(ORDER, method="PATCH"), MADE), (ORDER, MADE)]
    message = "new order: the number is also that of 6: change one of the numbers"
    found = await twins([*others, (replace(ORDER, title="second"), MADE)], services(having(5, 6)))
    assert [warning.message for warning in found] == [message, message.replace("new order", "second")]


@pytest.mark.parametrize("trouble", [SourceUnavailable("no answer"), CacheUnavailable("locked")])
async def test_where_nobody_says_who_has_the_number_nothing_is_told(trouble: Exception) -> None:
    records = having(5, 6)
    records.trouble = trouble
    assert await told(records) == []


@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        # Where numbers are counted for each kind, only those of the same kind share one.
        ({"order_no": "PO-1", "entity_type": "regular"}, ["6"]),
        ({"order_no": "PO-1"}, ["6, 7"]),
        ({"order_no": "PO-1", "status": "open"}, ["6, 7"]),
        (None, ["6, 7"]),
    ],
)
async def test_kinds_with_numbers_of_their_own_do_not_share_one(
    filters: dict[str, object] | None, texts: list[str]
) -> None:
    records = Records(
        {
            5: {"entity_type": "regular"},
            6: {"entity_type": "regular", "order_no": "po-1"},
            7: {"entity_type": "outsourced", "order_no": "PO-1"},
        }
    )
    look = None if filters is None else Recognise(collection="purchase_orders", filters=filters)
    assert await told(records, replace(ORDER, recognise=look)) == [
        f"new order: the number is also that of {others}: change one of the numbers" for others in texts
    ]
