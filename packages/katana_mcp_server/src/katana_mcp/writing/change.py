"""A verb that writes, as four plain parts: what may be asked, what is read, what is planned, what speaks against it."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from cache_core.records import RecordId, encode
from katana_mcp.journal.entries import Plan
from katana_mcp.references.numbers import Numbered
from katana_mcp.references.services import Services
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import ToolWarning
from katana_mcp.writing.actions import Action, JsonObject, as_json
from katana_mcp.writing.preview import FieldChange, PlanLine, Preview
from katana_mcp.writing.totals import NO_TOTALS, Totals


def record_lane(entity: str, record: int) -> str:
    """Return the name of what plans hold that change a record."""
    return f"{entity} {record}"


def number_lane(entity: str) -> str:
    """Return the name of what plans hold that give a document its number."""
    return f"numbers of {entity}"


def name_lane(entity: str, name: str) -> str:
    """Return the name of what plans hold that give a record its name."""
    return f"{entity} called {_folded(name)}"


def sku_lane(sku: str) -> str:
    """Return the name of what plans hold that give anything this SKU, whatever type of item it is."""
    return f"SKU {_folded(sku)}"


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


USED = "named"
"""The part of `touches` that holds the records it takes from, by cache entity: they are read anew for an apply."""
HAVING = "others with the number"
"""The part of `touches` that holds the ids of other documents with the number of this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is planned, and what of it a person is shown.

    Attributes:
        summary: one sentence for people.
        actions: what would be sent, in this order; none where the facts do not allow any.
        touches: everything that the plan depends on; when it is different at the apply, the plan is stale.
        lanes: names of the records and number spaces that it changes: plans that share one are applied in turn.
        assigned: the number that the plan chose where the caller gave none, by its argument; chosen again at the apply.
        id: of the record; None for a new one.
        number: of the document.
        status: of the document, as it would be.
        own: fields of its answer that not every preview has.
        lines: what the document would hold.
        totals: what it comes to.
        currency: of the prices.
        changes: old and new value of each field.
        linked: other documents that it touches, a phrase each.
        stock: what becomes of the stock, a phrase for each variant and location; told and never compared.
        prior_state: the record as it is now.
        revert: the tool call that would undo it: `tool` and `arguments`; may hold a `Ref`.
        one_way: why there is none.
    """

    summary: str
    actions: tuple[Action, ...] = ()
    touches: JsonObject = field(default_factory=dict[str, object])
    lanes: tuple[str, ...] = ()
    assigned: JsonObject = field(default_factory=dict[str, object])
    id: RecordId | None = None
    number: str | None = None
    status: str | None = None
    own: Mapping[str, object] = field(default_factory=dict[str, object])
    lines: tuple[PlanLine, ...] = ()
    totals: Totals = NO_TOTALS
    currency: str | None = None
    changes: tuple[FieldChange, ...] = ()
    linked: tuple[str, ...] = ()
    stock: tuple[str, ...] = ()
    prior_state: JsonObject | None = None
    revert: JsonObject | None = None
    one_way: str = ""

    @property
    def sent(self) -> list[JsonObject]:
        """The actions as the journal keeps them."""
        return [action.to_json() for action in self.actions]

    @property
    def undoing(self) -> object:
        """The call that would undo it, as the journal keeps it."""
        return as_json(self.revert)

    @property
    def document(self) -> dict[str, object]:
        """What is told of the document as such."""
        return {
            "id": self.id,
            "number": self.number,
            "status": self.status,
            **asdict(self.totals),
            "currency": self.currency,
            "linked": list(self.linked) or None,
            "stock": list(self.stock) or None,
        }

    def as_dict(self, advisories: object) -> JsonObject:
        """Return what the journal keeps of the preview; `advisories` are sentences."""
        return {
            **self.document,
            "lines": [line.model_dump(exclude_none=True) for line in self.lines],
            "changes": [change.model_dump(exclude_none=True) for change in self.changes],
            "advisory": advisories,
            "prior_state": self.prior_state,
            "revert": self.undoing,
            "assigned": self.assigned,
        }

    @property
    def content(self) -> str:
        """The hash of everything that the plan depends on."""
        return hashlib.sha256(encode(self.touches)).hexdigest()


SAGA, BEFORE, GOAL, BACK, BEGUN, SENT = "saga", "before", "goal", "rolls_back", "is_begun", "sent"
"""The part of `touches` that a saga is planned from, and of that: how a record was, is to be, and whether it goes back.

The last two say that something of it was written, or may have been; and what was sent of late, from which look.
"""


def goes_back(plan: Plan) -> bool:
    """Return whether the goal of a saga is what was before."""
    return bool(cast("JsonObject", plan.touches.get(SAGA, {})).get(BACK))


class Astray(Exception):
    """A record is neither as a saga found it nor as its steps leave it: somebody else changed it meanwhile."""


@dataclass(frozen=True, slots=True)
class Saga:
    """Steps that are planned as they come: what is left to do follows from the goal and the record as it is.

    Nothing is remembered but the goal, what the record was before and what was sent of late, so a saga goes on from
    wherever it stopped, in any process. Each step is one after which less is left to do, or nothing is lost when it
    is done again.

    Attributes:
        look: reads the record as it is in Katana now, with all that the steps change.
        rest: returns all that is left to do, given `touches[SAGA]` and the record. Only the first is sent before the
            record is looked at again; the others may name what only exists by then. Pure; may raise `Astray`.
        ended: returns what is to be said once nothing is left to do, such as what Katana has made along; never fails.
    """

    look: Callable[[JsonObject, Services], Awaitable[JsonObject]]
    rest: Callable[[JsonObject, JsonObject], Sequence[Action]]
    ended: Callable[[JsonObject, Services], Awaitable[Sequence[ToolWarning]]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change[R: Request, F]:
    """How an entity is created, modified or deleted.

    Attributes:
        request: the arguments.
        gather: reads what the plan needs, and the time; changes nothing.
        plan: says what would be sent; pure, and never fails.
        checks: says what speaks against it; pure.
        reads: the cache entities that it reads.
        renumbered: returns the facts with another number of a new document; None where a plan never chooses one.
        answer: the shape of the preview.
        what: the end of the description's first sentence, after "Plan to create one stock transfer".
        saga: where its steps are planned as they come; the plan's actions are then what is foreseen.
    """

    request: type[R]
    gather: Callable[[R, Services], Awaitable[F]]
    plan: Callable[[R, F], Draft]
    checks: Callable[[R, F], Sequence[ToolWarning]]
    reads: tuple[str, ...] = ()
    renumbered: Callable[[F, Numbered], F] | None = None
    answer: type[Preview] = Preview
    what: str = ""
    saga: Saga | None = None


type AnyChange = Change[Any, Any]
"""A change whose request and facts do not matter here."""
type Changes = Mapping[str, AnyChange]
"""Changes by the name of their tool."""
