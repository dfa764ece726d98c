"""How far a listing is, is kept for who asks and told to who listens, until nothing runs any more."""

from cache_core.sync.progress import Progress, Progresses

HALF, WHOLE, OTHER = Progress("part", 1, 2), Progress("part", 2, 2), Progress("shelf", 0, None)


def test_the_last_progress_of_each_entity_is_kept_until_its_end() -> None:
    progresses = Progresses()
    assert progresses.of("part") is None
    for progress in (HALF, WHOLE, OTHER):
        progresses.tell(progress)
    assert (progresses.of("part"), progresses.of("shelf")) == (WHOLE, OTHER)
    progresses.end("part")
    progresses.end("part")
    assert (progresses.of("part"), progresses.of("shelf")) == (None, OTHER)


def test_who_listens_is_told_until_it_stops_also_while_it_is_told() -> None:
    progresses, told, once = Progresses(), list[Progress](), list[Progress]()

    def first(progress: Progress) -> None:
        once.append(progress)
        stop()

    stop = progresses.listen(first)
    progresses.listen(told.append)
    for progress in (HALF, OTHER):
        progresses.tell(progress)
    assert (once, told) == ([HALF], [HALF, OTHER])
