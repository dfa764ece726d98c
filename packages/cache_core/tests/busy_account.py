"""A busy account on virtual time, and a cache that follows it: skew, lag, moving pages and edits between them."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from sync_world import World, settled

from cache_core.spec import Listed
from cache_core.testing import START, ManualClock

ROWS = 500


@dataclass(frozen=True, slots=True)
class Condition:
    """How the world behaves: our clock's error, how far replicas lag, what happens between two pages."""

    skew: float = 0
    lag: float = 0
    edits: int = 0
    shifts: int = 0
    pause: float = 30


CONDITIONS = {
    "calm": Condition(),
    "our clock five minutes ahead": Condition(skew=300, edits=2),
    "our clock five minutes behind": Condition(skew=-300, edits=2),
    "replicas lag up to 30 s": Condition(lag=30, edits=2),
    "replicas lag up to 600 s": Condition(lag=600, edits=2),
    "edits between pages": Condition(edits=5),
    "pages that move": Condition(edits=2, shifts=2),
    "rare reads and lag": Condition(lag=600, edits=2, pause=400),
    "everything at once": Condition(skew=-300, lag=600, edits=3, shifts=1),
}


class Account:
    """A server that people work on, and a cache that follows it.

    Args:
        condition: what makes following it hard.
        seed: of all chance.
        world: what follows; a cache in memory by default.
        entity: what people work on.
    """

    def __init__(self, condition: Condition, seed: int, world: World | None = None, entity: str = "gadget") -> None:
        self.condition = condition
        self.entity = entity
        self.random = Random(seed)
        self.server = ManualClock()
        self.world = world or World()
        self.world.source.clock = self.server
        self.world.clock.jump(condition.skew)
        self.highest = ROWS
        for number in range(1, ROWS + 1):
            self.world.source.put(self.entity, {"id": number, "n": 0}, START - timedelta(hours=1))
        self.world.source.lag = lambda: self.random.uniform(0, condition.lag)
        self.world.source.before = self.between_pages

    def pass_time(self, seconds: float) -> None:
        self.server.advance(seconds)
        self.world.clock.advance(seconds)

    def between_pages(self, listed: Listed, number: int) -> None:
        self.pass_time(self.random.uniform(0.2, 5))
        self.edit(self.condition.edits)
        for _ in range(self.condition.shifts):
            self.world.source.drop(self.entity, self.random.choice(list(self.world.source.rows(self.entity))))
            self.highest += 1
            self.world.source.put(self.entity, {"id": self.highest, "n": 1}, self.server.now())

    def edit(self, count: int) -> None:
        for each in self.random.sample(sorted(map(int, self.world.source.rows(self.entity))), count):
            self.world.source.put(self.entity, {"id": each, "n": self.random.random()}, self.server.now())

    async def sync(self) -> int:
        outcome = await self.world.syncer.start(self.entity)
        await settled()
        return outcome.requests

    async def work(self, rounds: int) -> float:
        """Let people work and the cache follow; return the requests of one sync on average."""
        requests = await self.sync()
        for _ in range(rounds):
            self.pass_time(self.random.uniform(0.5, 1.5) * self.condition.pause)
            self.edit(8)
            requests += await self.sync()
        return requests / (rounds + 1)

    async def rest(self) -> None:
        """Let everybody stop until every replica knows everything, and sync once."""
        self.world.source.before = lambda listed, number: None
        self.pass_time(self.condition.lag + 1)
        self.world.source.lag = lambda: 0
        await self.sync()
