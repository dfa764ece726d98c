"""People who work in Katana while caches follow: edits, renames, new records and deletions of every kind."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Any

from following import DOUBT, FOLLOWED, audited, brought, caught_up, differing

from cache_core.protocol import CacheBackend
from cache_core.records import RecordId, values_at
from katana_mcp.references.services import Services
from katana_sandbox import ManualClock, Sandbox, Tenant

_WORDS = (
    "name",
    "operator_name",
    "additional_info",
    "customer_ref",
    "notes",
    "reason",
    "city",
    "bill_id",
    "description",
)
_BARE = ("factory", "inventory_movements")
_FEEDS = tuple((spec.collection, feed) for spec in FOLLOWED for feed in spec.feeds)
_EDITED = tuple(spec.collection for spec in FOLLOWED if spec.collection not in _BARE)
_DELETED = (
    "sales_orders",
    "purchase_orders",
    "stock_transfers",
    "stock_adjustments",
    "customers",
    "bom_rows",
    "variants",
)
_FEWEST = 3

type Named = tuple[str, RecordId]
"""A collection and the id of one of its records."""


class People:
    """Does one thing after the other, drawn at random.

    Attributes:
        acts: how many of each kind.
        words: what each record was renamed to last.
        deleted: records that were deleted with a tombstone.
    """

    def __init__(self, tenant: Tenant, seed: int) -> None:
        self.acts: dict[str, int] = {}
        self.words: dict[Named, tuple[str, str]] = {}
        self.deleted: set[Named] = set()
        self._tenant = tenant
        self._random = Random(seed)
        self._number = 0
        self._kinds = {
            self._edit: 10,
            self._edit_child: 5,
            self._create: 3,
            self._delete: 1,
            self._delete_child: 2,
            self._vanish: 1,
            self._vanish_child: 1,
        }

    def act(self) -> None:
        """Do one thing."""
        (chosen,) = self._random.choices(list(self._kinds), list(self._kinds.values()))
        chosen()
        name = chosen.__name__.strip("_")
        self.acts[name] = self.acts.get(name, 0) + 1

    def _edit(self) -> None:
        """Change a word of a record, which renames it where the word is its name."""
        self._reword(self._random.choice(_EDITED))

    def _edit_child(self) -> None:
        """Change a child, which leaves the version of its document as it is."""
        self._reword(self._random.choice(_FEEDS)[1].collection)

    def _reword(self, collection: str) -> None:
        for record in self._some(collection):
            word = next((key for key in _WORDS if key in record), None)
            self._number += 1
            changes: dict[str, Any] = {} if word is None else {word: f"word {self._number}"}
            with suppress(LookupError):
                self._tenant.edit(collection, record["id"], bump=True, **changes)
                if word is not None:
                    self.words[collection, record["id"]] = word, changes[word]

    def _create(self) -> None:
        self._number += 1
        if self._random.random() < 0.5:
            self._tenant.create("customers", {"name": f"New {self._number}"})
            return
        rows = [{"variant_id": variant["id"], "quantity": 1} for variant in self._some("variants")]
        for customer in self._some("customers"):
            order = {"order_no": f"NEW-{self._number}", "customer_id": customer["id"], "sales_order_rows": rows}
            self._tenant.create("sales_orders", order)

    def _delete(self) -> None:
        self.deleted.update(self._removed(self._random.choice(_DELETED), hard=False))

    def _delete_child(self) -> None:
        self.deleted.update(self._removed(self._random.choice(_FEEDS)[1].collection, hard=False))

    def _vanish(self) -> None:
        self._removed(self._random.choice(_DELETED), hard=True)

    def _vanish_child(self) -> None:
        self._removed(self._random.choice(_FEEDS)[1].collection, hard=True)

    def _removed(self, collection: str, *, hard: bool) -> list[Named]:
        gone: list[Named] = []
        for record in self._some(collection):
            with suppress(LookupError):
                self._tenant.delete(collection, record["id"], hard=hard)
                gone.append((collection, record["id"]))
        return gone

    def _some(self, collection: str) -> list[dict[str, Any]]:
        """Return one live record, or none where few are left."""
        live = [record for record in self._tenant.all(collection) if not record.get("deleted_at")]
        return [self._random.choice(live)] if len(live) > _FEWEST else []


async def unseen(people: People, tenant: Tenant, cache: CacheBackend) -> list[tuple[Named, str]]:
    """Return the words and tombstones of records that still exist, and that the cache does not show."""
    missed: list[tuple[Named, str]] = []
    for spec in FOLLOWED:
        truth = {record["id"]: record for record in tenant.all(spec.collection) if "id" in record}
        rows = {row.id: row for row in (await cache.get_many(spec.name, list(truth))).rows}
        parts: dict[Named, dict[str, Any]] = {(spec.collection, key): row.record for key, row in rows.items()}
        for feed in spec.feeds:
            parts |= {
                (feed.collection, part["id"]): part
                for row in rows.values()
                for part in values_at(row.record, feed.children)
                if isinstance(part, dict)
            }
        for named, (word, last) in people.words.items():
            if named in parts and _live(tenant, named) and parts[named].get(word) != last:
                missed.append((named, last))
        for collection, key in people.deleted:
            gone = collection != spec.collection or key not in rows or rows[key].deleted
            if (collection, key) in parts and not gone:
                missed.append(((collection, key), "deleted"))
    return missed


def _live(tenant: Tenant, named: Named) -> bool:
    collection, key = named
    return any(record["id"] == key and not record.get("deleted_at") for record in tenant.all(collection))


async def nothing_differs(services: Services, sandbox: Sandbox, people: People, clock: ManualClock) -> dict[str, int]:
    """Sync, and compare what left a sign; audit, and compare everything; return how much was compared."""
    for _ in range(2):  # the first may only finish listings that a process left at its end
        await caught_up(services)
    missed = await unseen(people, sandbox.tenant(), services.cache)
    assert missed == [], missed
    truth = await brought(sandbox)
    before = await differing(services.cache, truth)
    await audited(services)
    clock.advance(DOUBT.total_seconds())
    await audited(services)
    compared = await differing(services.cache, truth)
    different = [comparison for comparison in compared.values() if comparison.differences]
    assert different == [], different
    return {
        "rows": sum(comparison.compared for comparison in compared.values()),
        "differing before the audit": sum(comparison.differences for comparison in before.values()),
    }


async def work(people: People, seconds: float) -> None:
    """Let people do five things a second, for so long."""
    for _ in range(int(seconds * 5)):
        people.act()
        await asyncio.sleep(0.2)
