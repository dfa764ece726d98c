"""Whether what was planned happened: read off the sandbox and the requests that it saw, past the server."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from katana_mcp.testing import Payload, Stage, payload_of, within
from katana_mcp.writing.actions import resolved
from katana_sandbox import JournalEntry, ManualClock, Sandbox, Tenant
from katana_sandbox.collections.order_reranks import ranked_orders
from katana_sandbox.rules.safety_stock import safety_stock

from .alike import all_alike
from .all_writes import WRITES
from .forms import as_requested

type Key = int | str
"""The id of a record."""
type Planned = dict[str, Any]
"""A request of a preview."""
type Wire = tuple[str, str, str]
"""A request as it was sent: method, path and body, in which nothing but the way to escape letters is made alike."""
RECEIPT, ROW = "purchase_order_receive", "purchase_order_rows"
"""What makes no record that it is answered with, and what it changes."""
RERANKS = {"sales_order_rerank": "sales_orders", "manufacturing_order_rerank": "manufacturing_orders"}
"""What moves orders and makes nothing, and what it moves."""
LEVELS = "inventory_safety_stock_levels"
MAKES_NO_RECORD = {RECEIPT, LEVELS, *RERANKS}
ID = {"product_operation_rows": "product_operation_row_id"}
"""What an id is called where it is not `id`."""
OWN_ROWS = "rows"
"""What a POST calls several records of its own collection."""
REFUSED = 429
"""The one status after which the same request may be sent again."""


def writes(entries: Iterable[JournalEntry]) -> list[Wire]:
    """Return the requests that were no reads and may have been carried out."""
    return [
        (entry.method, entry.path.removeprefix("/v1"), _normalized(entry.body))
        for entry in entries
        if entry.method != "GET" and entry.status != REFUSED
    ]


def as_planned(requests: Sequence[Planned]) -> list[Wire]:
    """Return the requests of a preview as they have to be sent."""
    return [(request["method"], request["path"], _normalized(request.get("body") or "")) for request in requests]


async def usual_preview(stage: Stage, clock: ManualClock, tool: str, text: str) -> Payload:
    """Return the preview of a usual call with its token; what went wrong before may hold Katana up for a while.

    Raises:
        AssertionError: it has no token, three minutes later either.
    """
    _, arguments = WRITES[tool].called(stage.own.sandbox.tenant(), text)
    preview: Payload = {}
    for _ in range(3):
        clock.advance(61)
        preview = payload_of(await within(clock, 300, stage.result(tool, arguments)))
        if "plan_token" in preview:
            break
    assert "plan_token" in preview, preview
    return preview


class Watched:
    """The sandbox from a moment on, beside the requests of a preview.

    Attributes:
        requests: of the preview.
    """

    def __init__(self, sandbox: Sandbox, requests: Sequence[Planned]) -> None:
        self.requests = requests
        self._sandbox = sandbox
        self._tenant = sandbox.tenant()
        self._began = len(sandbox.journal)
        self._posted = {_collection(request) for request in requests if request["method"] == "POST"}
        self._posted -= MAKES_NO_RECORD
        self._rows_there = _ids(self._tenant, ROW)
        self._there = {collection: _ids(self._tenant, collection) for collection in self._posted}

    @property
    def sent(self) -> list[Wire]:
        """What was sent since."""
        return writes(self._sandbox.journal[self._began :])

    @property
    def planned(self) -> list[Wire]:
        """What has to be sent, with what is known by now of the records that later requests refer to."""
        return as_planned([self.filled(place) for place in range(len(self.requests))])

    def filled(self, place: int) -> Planned:
        """Return a request whose body refers to nothing any more, as far as that is there by now."""
        request = self.requests[place]
        if "$ref" not in (request.get("body") or ""):
            return request
        with suppress(LookupError):
            return {**request, "body": json.dumps(resolved(json.loads(request["body"]), self.made))}
        return request

    @property
    def made(self) -> dict[int, dict[str, Any]]:
        """The record that each POST has made, by the place of the request."""
        left = {name: self._in_turn(name) for name in self._posted}
        made: dict[int, dict[str, Any]] = {}
        for place, request in enumerate(self.requests):
            if request["method"] != "POST":
                continue
            collection = _collection(request)
            if collection in MAKES_NO_RECORD:
                continue
            if not left[collection]:
                break  # nothing is sent after what failed
            made[place] = self._tenant.get(collection, left[collection].pop(0))
            for inner, nested in _nested(request).items():
                del left.get(inner, [])[:nested]
        return made

    def proves_at_most_once(self) -> None:
        """Assert that nothing was sent but what was planned, none of it twice, and that it made no more than that."""
        assert not Counter(self.sent) - Counter(self.planned), self.sent
        asked = Counter(_collection(request) for request in self.requests if request["method"] == "POST")
        for request in self.requests:
            asked.update(_nested(request))
        for collection in self._posted:
            assert len(self._made(collection)) <= asked[collection], (collection, self._made(collection))

    def proves_true(self, outcome: Payload) -> None:
        """Assert that an outcome is whole and says of each action what became of it."""
        states = [action["state"] for action in outcome["actions"]]
        counts = {state: outcome[state] for state in ("applied", "failed", "unknown", "not_tried") if outcome[state]}
        assert counts == Counter(states), outcome
        assert [(action["method"], action["path"]) for action in outcome["actions"]] == [
            (request["method"], request["path"]) for request in self.requests
        ]
        for place, (state, action) in enumerate(zip(states, outcome["actions"], strict=True)):
            if state == "unknown":
                assert action["look_up"], action
            else:
                assert self.happened(place) is (state == "applied"), (state, action, self.requests[place])

    def happened(self, place: int) -> bool:
        """Return whether the account shows what a request does."""
        request = self.filled(place)
        method, collection = request["method"], _collection(request)
        if collection == RECEIPT:
            return all(self._has_come(entry) for entry in _entries(request))
        if collection in RERANKS:
            return self._is_on_top(collection, json.loads(request["body"]))
        if collection == LEVELS:
            return self._is_kept(json.loads(request["body"]))
        if method == "POST":
            return place in self.made
        record = _found(self._tenant, collection, _key(request["path"].split("/")[2]))
        if method == "DELETE":
            return record is None
        return record is not None and all_alike(json.loads(request["body"]), as_requested(collection, record))

    def _is_on_top(self, rerank: str, body: Planned) -> bool:
        """Return whether orders stand where a usual call puts them."""
        assert body["place"] == {"position": "top"}
        ids = body["order_ids"]
        return ranked_orders(self._tenant.context(), RERANKS[rerank])[: len(ids)] == ids

    def _is_kept(self, body: Planned) -> bool:
        """Return whether a level is as it was set."""
        held = safety_stock(self._tenant.context(), body["variant_id"], body["location_id"])
        return held == Decimal(str(body["value"]))

    def _has_come(self, entry: Planned) -> bool:
        """Return whether a row has come, or a part of it as a row of its own."""
        row = self._tenant.get(ROW, entry["purchase_order_row_id"])
        split = [self._tenant.get(ROW, row_id) for row_id in _ids(self._tenant, ROW) - self._rows_there]
        alike = [part for part in split if part["variant_id"] == row["variant_id"] and part["received_date"]]
        return bool(row["received_date"] or alike)

    def _made(self, collection: str) -> set[Key]:
        return _ids(self._tenant, collection) - self._there[collection]

    def _in_turn(self, collection: str) -> list[Key]:
        """Return what was made, oldest first."""
        made = self._made(collection)
        return [key for key in _in_order(self._tenant, collection) if key in made]


def _normalized(body: str | bytes) -> str:
    """Return a body with its keys in their order and its numbers digit by digit, whether with an exponent or not."""
    return json.dumps(json.loads(body, parse_int=_literal, parse_float=_literal)) if body else ""


def _literal(number: str) -> str:
    return f"#{Decimal(number):f}"


def _nested(request: Planned) -> dict[str, int]:
    """Return how many records of each collection the body of a POST makes besides its first own."""
    is_made = request["method"] == "POST" and _collection(request) != RECEIPT
    body = json.loads(request.get("body") or "{}") if is_made else {}
    made = {name: len(rows) for name, rows in body.items() if isinstance(rows, list)}
    return made | ({_collection(request): made.pop(OWN_ROWS) - 1} if OWN_ROWS in made else {})


def _entries(request: Planned) -> list[Planned]:
    """Return what a receipt names, which is one object or a list."""
    body = json.loads(request["body"])
    return body if isinstance(body, list) else [body]


def _collection(request: Planned) -> str:
    named = str(request["path"]).split("/")[1]
    return {"manufacturing_order_make_to_order": "manufacturing_orders", "batch_stocks": "batches"}.get(named, named)


def _key(text: str) -> Key:
    return int(text) if text.isdecimal() else text


def _ids(tenant: Tenant, collection: str) -> set[Key]:
    return set(_in_order(tenant, collection))


def _in_order(tenant: Tenant, collection: str) -> list[Key]:
    """Return the ids of a collection, oldest first."""
    return [record[ID.get(collection, "id")] for record in tenant.all(collection)]


def _found(tenant: Tenant, collection: str, id: Key) -> dict[str, Any] | None:
    """Return a record that is there and not deleted."""
    try:
        record = tenant.get(collection, id)
    except LookupError:
        return None
    return None if record.get("deleted_at") else record
