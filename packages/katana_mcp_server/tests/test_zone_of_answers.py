"""Which tools read the factory for its days, how its time zone is read, and what an answer says of it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cache_core.protocol import Selection
from cache_core.testing import ManualClock
from katana_mcp.references.display_names import FACTORY
from katana_mcp.surface.descriptor import AnyTool, ToolSpec
from katana_mcp.surface.factory_days import dated, has_days, refused_in, with_days, with_zone
from katana_mcp.tools.answers import Answer, Envelope
from katana_mcp.tools.days import Days, days_in
from katana_mcp.tools.outgoing import payload_of
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, advisory, info

RIGA = days_in("Europe/Riga")
MOMENT, DAY = "2026-03-04T22:00:00.000Z", "2026-03-05"


async def nothing(_: Request, __: object) -> Answer:
    """Answer nothing."""
    return Answer()


SPEC: AnyTool = ToolSpec(name="t", toolset="s", description="d", request=Request, answer=Answer, run=nothing)
DATED = (
    "sales_order",
    "purchase_order",
    "manufacturing_order",
    "stock_transfer",
    "stock_adjustment",
    "stocktake",
    "inventory_movement",
)


@pytest.mark.parametrize("entity", DATED)
def test_a_tool_whose_answers_show_dates_reads_the_factory(entity: str) -> None:
    spec = replace(SPEC, reads=("variant", entity))
    assert dated(spec) == replace(spec, reads=("variant", entity, *FACTORY))
    assert (has_days(spec, asked=False), has_days(spec, asked=True)) == (True, True)


def test_a_tool_that_shows_none_does_not_unless_it_writes_or_its_arguments_name_a_day() -> None:
    spec = replace(SPEC, reads=("variant",))
    assert dated(spec) == spec
    assert (has_days(spec, asked=False), has_days(spec, asked=True)) == (False, True)
    dateless = replace(SPEC, reads=("purchase_order",), shows_dates=False)
    assert dated(dateless) == dateless
    assert (has_days(dateless, asked=False), has_days(dateless, asked=True)) == (False, True)
    writing = replace(SPEC, reads=FACTORY, destructive=True)
    assert (dated(writing).reads, has_days(writing, asked=False)) == (FACTORY, True)


@dataclass(frozen=True, slots=True)
class Account:
    """What of services is needed to read the factory, with what happened.

    Attributes:
        zones: what the cached factory says, at the first look and at later ones; None where there is none yet.
        is_listed: whether the factory was ever read.
        days: of the account, as far as they are known.
        day: the one on which the call began.
        log: what was asked for.
        clock: where time comes from.
    """

    zones: Sequence[str | None]
    is_listed: bool = False
    days: Days = field(default_factory=Days)
    day: datetime | None = None
    log: list[object] = field(default_factory=list[object])
    clock: ManualClock = field(default_factory=ManualClock)

    @property
    def cache(self) -> SimpleNamespace:
        """The cache."""

        async def select(entity: str, selection: Selection) -> list[SimpleNamespace]:
            looks = sum(1 for entry in self.log if isinstance(entry, tuple))
            self.log.append((entity, selection))
            zone = self.zones[min(looks, len(self.zones) - 1)]
            return [] if zone is None else [SimpleNamespace(record={"timezone": zone})]

        async def state(_: str) -> SimpleNamespace:
            return SimpleNamespace(completed_at="now" if self.is_listed else None)

        return SimpleNamespace(select=select, state=state)

    @property
    def fresh(self) -> SimpleNamespace:
        """What reads of Katana, which takes three seconds."""

        async def ensure(entities: Sequence[str]) -> None:
            self.log.append(f"read {','.join(entities)}")
            self.clock.advance(3)

        return SimpleNamespace(ensure=ensure)

    @contextmanager
    def awaited(self, entities: Sequence[str]) -> Generator[None]:
        """Note what is waited for."""
        self.log.append(f"wait for {','.join(entities)}")
        yield

    def _replace(self, *, days: Days, day: datetime) -> "Account":
        """Return the services of a call with its days."""
        return replace(self, days=days, day=day)

    def waited(self, seconds: float) -> "Account":
        """Note how long was waited."""
        self.log.append(seconds)
        return self


async def found(account: Account) -> tuple[Days, list[object]]:
    """Return the days that are read, and what was done for them besides looking into the cache."""
    services = await with_days(cast("Any", account))
    (entity,) = FACTORY
    look = (entity, Selection(limit=1, fields=frozenset({"timezone"})))
    return services.days, [entry for entry in account.log if entry != look]


async def test_a_call_has_one_day_from_its_beginning() -> None:
    account = Account(["Europe/Riga"])
    services = await with_days(cast("Any", account))
    assert services.day == RIGA.today(account.clock.now())


async def test_the_zone_of_the_cached_factory_is_taken() -> None:
    assert await found(Account(["Europe/Riga"])) == (RIGA, [])
    assert await found(Account(["Nowhere/Land"])) == (Days(unknown="Nowhere/Land"), [])
    assert await found(Account([""])) == (Days(unknown=""), [])


async def test_a_factory_that_was_never_read_is_read_first_and_that_counts_as_waited() -> None:
    name = ",".join(FACTORY)
    read = [f"wait for {name}", f"read {name}", 3.0]
    assert await found(Account([None, "Europe/Riga"])) == (RIGA, read)
    assert await found(Account([None])) == (Days(unknown=""), read)
    assert await found(Account([None], is_listed=True)) == (Days(unknown=""), [])


class Dated(Answer):
    """Fields of which a day alone is known, and others."""

    expected_arrival_date: str | None = None
    arrival_date: str | None = None
    delivery_date: str | None = None
    production_deadline_date: str | None = None
    order_created_date: str | None = None
    transfer_date: str | None = None
    sales_order_delivery_deadline: str | None = None
    expected_date: str | None = None
    due_date: str | None = None
    product_expected_date: str | None = None
    ingredient_expected_date: str | None = None


class Shown(Envelope):
    """An answer with a sentence and rows."""

    message: str | None = None
    created_at: str | None = None
    texts: list[str] | None = None
    rows: list[Dated] | None = None


def services_in(days: Days) -> Any:  # noqa: ANN401 - what of services an answer needs
    """Return services with these days."""
    return SimpleNamespace(days=days)


def test_every_day_of_an_answer_is_one_of_the_factory() -> None:
    names = list(Dated.model_fields)
    rows = [Dated.model_validate({name: MOMENT}) for name in names]
    answer = Shown(message=f"at {MOMENT}", created_at=MOMENT, texts=[MOMENT], rows=rows)
    assert with_zone(answer, services_in(RIGA)) == payload_of(
        Shown(
            message=f"at {DAY}",
            created_at=MOMENT,
            texts=[MOMENT],
            rows=[Dated.model_validate({name: DAY}) for name in names],
            time_zone="Europe/Riga",
        )
    )
    assert rows[-1] == Dated.model_validate({names[-1]: MOMENT})
    assert with_zone(Dated(due_date=MOMENT), services_in(RIGA)) == {"due_date": MOMENT}


@pytest.mark.parametrize(
    ("unknown", "called"),
    [("", "is not known"), ("Nowhere/Land", "has a name in katana://factory that is not known here")],
)
def test_an_answer_says_why_its_days_are_those_of_utc(unknown: str, called: str) -> None:
    message = f"the factory's time zone {called}: days are those of UTC"
    given = advisory("late", f"since {MOMENT}")
    answer = with_zone(Shown(warnings=[given]), services_in(Days(unknown=unknown)))
    expected = [advisory("late", "since 2026-03-04T22:00:00+00:00"), info("time_zone_unknown", message)]
    assert answer == payload_of(Shown(warnings=expected, time_zone="UTC"))
    in_utc = payload_of(Shown(warnings=expected[:1], time_zone="UTC"))
    assert with_zone(Shown(warnings=[given]), services_in(Days())) == in_utc


def test_a_refusal_names_days_of_the_factory_too() -> None:
    refusal = refused_in(RIGA, Refused(advisory("late", f"since {MOMENT}"), info("x", "y"), envelope={"as_of": MOMENT}))
    assert refusal.warnings == (advisory("late", f"since {DAY}"), info("x", "y"))
    assert (refusal.envelope, str(refusal)) == ({"as_of": MOMENT}, f"since {DAY}; y")
