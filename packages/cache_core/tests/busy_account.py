"""A busy collection on virtual time: what makes following it hard, and what people do to it."""

from sync_world import Account, Condition

from cache_core.records import RecordId

ROWS = 500
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


class Gadgets(Account):
    """Gadgets that people change, delete without a trace and add."""

    def fill(self) -> None:
        self.last = 0
        for _ in range(ROWS):
            self.add()

    def add(self) -> None:
        self.last += 1
        self.source.put(self.entity, {"id": self.last, "n": 0}, self.server.now())

    def any_gadget(self) -> RecordId:
        return self.random.choice(list(self.source.rows(self.entity)))

    def edit(self) -> None:
        self.source.put(self.entity, {"id": self.any_gadget(), "n": self.random.random()}, self.server.now())

    def shift(self) -> None:
        self.source.drop(self.entity, self.any_gadget())
        self.add()
