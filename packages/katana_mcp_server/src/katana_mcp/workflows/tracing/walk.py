"""From lot to lot over what was made of them: down to customers, up to suppliers, level by level.

A lot is followed once in each direction, so circles end. Goods of no lot are followed only where they were made for a
row of a sales order.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from katana_mcp.values import EMPTY, get_int
from katana_mcp.workflows.tracing.events import ORDER, Event, Lot, Process
from katana_mcp.workflows.tracing.fields import BOUGHT, MADE, SOLD
from katana_mcp.workflows.tracing.reading import Documents

type Direction = Literal["up", "down"]


@dataclass(slots=True, eq=False)
class Step:
    """An event that was reached.

    Attributes:
        level: how many times goods were made into others on the way to it.
        direction: None for what was asked for itself.
        through: the event that led to it.
    """

    event: Event
    level: int
    direction: Direction | None = None
    through: "Step | None" = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A lot that was reached.

    Attributes:
        whole: whether all that happened to it is told: its origins and where it went.
    """

    level: int
    direction: Direction | None
    whole: bool


type Leads = dict[Lot, dict[Process | None, Step]]
"""Lots to follow, with the step that leads to each by each process; None stands for any other."""


@dataclass(slots=True)
class Walk:
    """What was reached of a start, within so many levels.

    Attributes:
        steps: in the order in which they were reached.
        lots: with where each was reached first.
    """

    documents: Documents
    levels: int
    steps: list[Step] = field(default_factory=list[Step])
    lots: dict[Lot, Reached] = field(default_factory=dict[Lot, Reached])
    _beyond: set[Lot] = field(default_factory=set[Lot])
    _by_event: dict[Event, Step] = field(default_factory=dict[Event, Step])
    _seen: dict[Direction, set[Lot]] = field(default_factory=lambda: {"up": set(), "down": set()})

    @property
    def left(self) -> set[Lot]:
        """Lots that lie beyond the last level."""
        return self._beyond - self.lots.keys()

    async def start_at_lots(self, lots: Iterable[Lot], directions: Collection[Direction]) -> None:
        """Follow batches or units."""
        leads: Leads = {lot: {} for lot in lots}
        if "down" in directions:
            await self._down(leads)
        if "up" in directions:
            await self._up(leads)

    async def start_at_order(
        self, entity: str, key: int, directions: Collection[Direction], variants: Collection[int] | None = None
    ) -> None:
        """Follow what a purchase order brought, a manufacturing order made, or a sales order shipped or holds.

        Args:
            entity: `purchase_order`, `manufacturing_order` or `sales_order`.
            key: its id.
            directions: where to.
            variants: only goods of these; None for all.
        """
        events = [event for event in await self.documents.read_document(entity, key) if event.kind in _OWN[entity]]
        own = [event for event in _sorted(events) if variants is None or event.lot.variant_id in variants]
        steps = [self._add(event, 0, None, None) for event in own]
        if "down" in directions and entity != SOLD:
            await self._down({step.event.lot: {None: step} for step in steps if step.event.lot.is_traced})
            await self._left_with_orders([step for step in steps if not step.event.lot.is_traced])
        if "up" in directions and entity == SOLD:
            await self._up({step.event.lot: {None: step} for step in steps if step.event.lot.is_traced})
            steps = [made for step in steps if not step.event.lot.is_traced for made in await self._made_for(step)]
        if "up" in directions:
            leads: Leads = {}
            for step in steps:
                self._made_from(step, leads)
            await self._up(leads, 1)

    async def _down(self, leads: Leads) -> None:
        """Follow lots to where they went, and what was made of them."""
        for level in range(self.levels + 1):
            leads = self._new(leads, "down")
            if not leads:
                return
            await self.documents.read_all({lot.variant_id for lot in leads})
            following: Leads = {}
            untraced: list[Step] = []
            for lot, by in leads.items():
                self.lots[lot] = Reached(level, "down" if level else None, whole=True)
                for step in self._all_of(lot, by, level):
                    if step.event.kind == "used":
                        untraced += self._made_of(step, following)
            await self._left_with_orders(untraced)
            leads = following

    async def _up(self, leads: Leads, start: int = 0) -> None:
        """Follow lots to where they came from, and what they were made of."""
        for level in range(start, self.levels + 1):
            leads = self._new(leads, "up")
            if not leads:
                return
            await self.documents.read_origins({lot.variant_id for lot in leads})
            following: Leads = {}
            for lot, by in leads.items():
                direction: Direction | None = "up" if level or by else None
                self.lots.setdefault(lot, Reached(level, direction, whole=False))
                for event in _sorted(self.documents.by_lot.get(lot, ())):
                    if event.enters:
                        self._made_from(self._add(event, level, direction, by.get(None)), following)
            leads = following

    def _new(self, leads: Leads, direction: Direction) -> Leads:
        """Return the lots that were not followed in this direction yet, and note them."""
        seen = self._seen[direction]
        new = {lot: by for lot, by in leads.items() if lot not in seen}
        seen.update(new)
        return new

    def _add(self, event: Event, level: int, direction: Direction | None, through: Step | None) -> Step:
        """Return the step of an event; a new one unless it was reached before."""
        step = self._by_event.get(event)
        if step is None:
            step = self._by_event[event] = Step(event, level, direction, through)
            self.steps.append(step)
        return step

    def _all_of(self, lot: Lot, by: Mapping[Process | None, Step], level: int) -> list[Step]:
        """Add all that happened to a lot; where it went follows from the row that brought it here."""
        direction: Direction | None = "down" if level else None
        entry = by.get(None)
        steps: list[Step] = []
        for event in _sorted(self.documents.by_lot.get(lot, ())):
            lead = by.get(event.process) if event.process is not None and event.enters else None
            step = self._add(event, level, direction, lead if event.enters else entry)
            entry = entry or (step if lead is not None else None)
            steps.append(step)
        return steps

    def _made_of(self, step: Step, following: Leads) -> list[Step]:
        """Add what was made of what a step used: lots to follow; return what is of no lot."""
        process, untraced = step.event.process, list[Step]()
        for event in self.documents.by_process.get(process, ()) if process is not None else ():
            if event.enters and step.level >= self.levels:
                self._beyond.add(event.lot)
            elif event.enters and event.lot.is_traced:
                following.setdefault(event.lot, {}).setdefault(process, step)
            elif event.enters:
                untraced.append(self._add(event, step.level + 1, "down", step))
        return untraced

    def _made_from(self, step: Step, following: Leads) -> None:
        """Add what was used for what a step made, and follow its lots."""
        process = step.event.process
        for event in self.documents.by_process.get(process, ()) if process is not None else ():
            if event.kind != "used":
                continue
            if step.level >= self.levels:
                self._beyond.update({event.lot} if event.lot.is_traced else ())
            else:
                used = self._add(event, step.level + 1, "up", step)
                if event.lot.is_traced:
                    following.setdefault(event.lot, {}).setdefault(None, used)

    async def _left_with_orders(self, made: Sequence[Step]) -> None:
        """Add what left of the rows of sales orders that goods of no lot were made for."""
        rows_by = {step: self._made_for_row(step) for step in made}
        await self.documents.read_sold({order for order, _ in rows_by.values() if order is not None})
        for step, (_, row_id) in rows_by.items():
            for event in self.documents.by_row.get(row_id, ()) if row_id is not None else ():
                if event.lot.variant_id == step.event.lot.variant_id:
                    self._add(event, step.level, "down", step)

    def _made_for_row(self, step: Step) -> tuple[int | None, int | None]:
        """Return the sales order and the row that goods were made for."""
        document = step.event.document
        order = self.documents.record(MADE, document.id) if document.entity == MADE else EMPTY
        return get_int(order, "sales_order_id"), get_int(order, "sales_order_row_id")

    async def _made_for(self, step: Step) -> list[Step]:
        """Return what was made to order for a row that shipped goods of no lot."""
        order_id = self.documents.linked(step.event.document.id, step.event.row_id)
        events = () if order_id is None else await self.documents.read_document(MADE, order_id)
        return [self._add(event, step.level, "up", step) for event in events if event.kind == "made"]


_OWN = {BOUGHT: ("received",), MADE: ("made",), SOLD: ("shipped", "reserved")}


def _sorted(events: Iterable[Event]) -> list[Event]:
    """Return events as they are told: what brings goods in before what takes them away, by date."""
    return sorted(events, key=lambda event: (not event.enters, ORDER[event.kind], event.date or "", event.row_id or 0))
