"""What corrections of closed documents share: rows found again, the steps between two states, the plan, the refusals.

A document is opened again, changed and closed as it was, by a saga; which steps do that, the entity says.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from cache_core.records import Record
from katana_mcp.documents.binding import touches
from katana_mcp.documents.declaration import Field, Writable
from katana_mcp.documents.shown import summary
from katana_mcp.documents.states import between, differing
from katana_mcp.documents.steps import steps
from katana_mcp.documents.transition import Facts, State, Transition
from katana_mcp.documents.verbs import draft
from katana_mcp.references.resolve import listed_now
from katana_mcp.references.services import Services
from katana_mcp.tools import warning_codes
from katana_mcp.tools.answers import plain_number, so_many
from katana_mcp.tools.warnings import ToolWarning, blocking
from katana_mcp.values import EMPTY, child, get_int, number
from katana_mcp.writing.actions import Action, JsonObject
from katana_mcp.writing.change import BACK, BEFORE, GOAL, SAGA, Astray, Draft
from katana_mcp.writing.meaning import Model, same
from katana_mcp.writing.preview import FieldChange

if TYPE_CHECKING:
    from katana_mcp.writing.lost_answers import Listing

LATER = "$later"
"""The key of what a request names that only exists once those before it are done: such a request is never sent."""
ONE_WAY = "correct it again with the values in prior_state; until it is fully applied, roll_back puts it back"
type Rule = Callable[[State, State], bool]
"""Whether what is there is what is wanted."""
type Pairs = list[tuple[State, State | None]]
"""What is wanted, each with what is there of it; None where there is nothing."""


def is_as(model: Model, target: State, there: State, names: Sequence[str]) -> bool:
    """Return whether fields are what is wanted of them; what is not said of one does not matter."""
    return all(same(model, name, target[name], there.get(name)) for name in names if target.get(name) is not None)


def is_itself(target: State, there: State) -> bool:
    """Return whether two are the same row."""
    return target.get("id") is not None and target.get("id") == there.get("id")


def paired(targets: Sequence[State], there: Sequence[State], rules: Sequence[Rule]) -> tuple[Pairs, list[State]]:
    """Return each that is wanted with one that is there, by the first rule that finds one; and those left over."""
    left, found = list(there), dict[int, State]()
    for rule in rules:
        for place, row in enumerate(targets):
            match = None if place in found else next((other for other in left if rule(row, other)), None)
            if match is not None:
                found[place] = match
                left.remove(match)
    return [(row, found.get(place)) for place, row in enumerate(targets)], left


def check_expected(expected: Sequence[State], found: Sequence[State], is_like: Rule, what: str = "row") -> None:
    """Refuse rows that are neither of the document as it was nor of what it is to be.

    Raises:
        Astray: there is one.
    """
    own = {row.get("id") for row in expected} - {None}
    for row in found:
        if row.get("id") not in own and not any(is_like(one, row) for one in expected):
            message = f"{what} {row.get('id')} was added to the order by somebody else: look at the order in Katana"
            raise Astray(f"{message}, delete the {what} there, and apply the same token again")


def as_targets(pairs: Pairs, fields: Sequence[Field], more: Sequence[str] = ()) -> list[State]:
    """Return rows as they are to be: those that are there with what is otherwise, the others as new ones.

    Args:
        pairs: what is wanted, each with what is there.
        fields: those that are corrected.
        more: what else a new one is made with.
    """
    names = [field.name for field in fields]
    made = [*names, *more]
    return [
        {name: target[name] for name in made if target.get(name) not in _NOTHING}
        if row is None
        else {**row, **{name: target[name] for name in names if target.get(name) is not None}}
        for target, row in pairs
    ]


_NOTHING: tuple[object, ...] = (None, "", [], {})


def steps_between(doc: Writable, now: State, then: State, opened: State | None = None) -> tuple[Action, ...]:
    """Return what gets a document from how it is to how it is to be; `opened` is it once a status is sent first."""
    change = between(doc, Facts(record=now), now, then, opened)
    return steps(doc, replace(change, head=differing(doc, now, then)))


def spread(amounts: Sequence[Decimal], total: Decimal) -> list[Decimal]:
    """Return amounts that come to another total: the last ones take the difference."""
    found: list[Decimal] = []
    for place, amount in enumerate(amounts):
        left = total - sum(found, Decimal(0))
        found.append(left if place == len(amounts) - 1 else min(amount, left))
    return found


async def record_now(collection: str, saga: JsonObject, services: Services) -> Record:
    """Return the record of a document as it is in Katana now.

    Raises:
        Astray: it is gone.
    """
    key = get_int(child(saga, BEFORE) or EMPTY, "id") or 0
    found = await listed(collection, services, ids=[key])
    record = next((one for one in found if one.get("id") == key), None)
    if record is None:
        raise Astray("the order is no longer there: it was deleted by somebody else")
    return record


async def listed(collection: str, services: Services, **filters: Any) -> list[Record]:  # noqa: ANN401 - of a listing
    """Return what a listing of Katana holds now.

    Raises:
        Refused: Katana does not say.
    """
    listing = cast("Listing", getattr(services.client, collection))
    return await listed_now(listing.pages(**filters), "how the order is now")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A document as a correction finds it and as it is to be.

    Attributes:
        doc: what it is, of which nothing is locked.
        asked: the same with all that a request can name, by which it is summed up.
        change: the request against it.
        before: as it is, with what closed it.
        goal: as it is to be, with what closes it.
    """

    doc: Writable
    asked: Writable
    change: Transition
    before: State
    goal: State

    @property
    def saga(self) -> JsonObject:
        """What its steps are planned from."""
        return {BEFORE: self.before, GOAL: self.goal, BACK: False}

    def draft(
        self,
        rest: Callable[[JsonObject, JsonObject], Sequence[Action]],
        now: JsonObject,
        changes: Iterable[FieldChange],
        **shown: Any,  # noqa: ANN401 - fields of a draft
    ) -> Draft:
        """Return the plan.

        Args:
            rest: what is left to do.
            now: the document as it was read, as `rest` takes it.
            changes: old and new values that the request alone does not show.
            shown: what else a person is shown, by the field of a draft.
        """
        sent, more = tuple(rest(self.saga, now)), tuple(changes)
        steps = so_many(len(sent), "step")
        plain = draft(self.doc, self.change, f"correct {summary(self.asked, self.change, more)} ({steps})")
        bound = {**touches(self.doc, self.change, plain.totals), SAGA: self.saga}
        fields = {**shown, "own": {**plain.own, **shown.get("own", {})}, "changes": (*plain.changes, *more)}
        return replace(plain, actions=sent, touches=bound, one_way=ONE_WAY, **fields)


def not_emptied(doc: Writable, change: Transition) -> list[str]:
    """Return what a roll-back leaves as it then is, a phrase each: Katana empties no field of these."""
    head = [field.name for field in doc.head if field.name in change.head]
    found = [("the order", [name for name in head if change.old.get(name) in _NOTHING])]
    for part in doc.parts:
        own, diff = {field.name for field in part.fields}, change.sent[part.held]
        for key, fields in diff.updates.items():
            names = [name for name in fields if name in own and diff.before[key].get(name) in _NOTHING]
            found.append((f"{part.words} {key}", names))
    return [
        f"after the roll-back, {what} keeps {' and '.join(names)}, although it had none before"
        for what, names in found
        if names
    ]


def refused(doc: Writable, change: Transition, record: State | None) -> Draft:
    """Return the plan of a correction that something speaks against: without a request."""
    plain = draft(doc, change, f"correct {summary(doc, change)}")
    return replace(plain, prior_state=record, one_way=ONE_WAY)


def no_change(called: str) -> ToolWarning:
    """Return that a document is already as it is to be."""
    message = f"{called} already has these values: nothing would change"
    return blocking(warning_codes.NO_EFFECTIVE_CHANGE, message)


def batch_sum(path: str, batches: Iterable[State], most: Decimal) -> Iterator[ToolWarning]:
    """Yield that batches come to more than there is."""
    total = sum((number(one, "quantity") or Decimal(0) for one in batches), Decimal(0))
    if total > most:
        message = f"{path}: they add up to {plain_number(total)}, more than {plain_number(most)}"
        yield blocking(warning_codes.BATCH_SUM_MISMATCH, message, path)


def blocks(found: Sequence[ToolWarning]) -> bool:
    """Return whether one of these blocks."""
    return any(warning.severity == "blocking" for warning in found)
