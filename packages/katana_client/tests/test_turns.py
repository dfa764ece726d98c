"""Who stands in line for a place: the first of each line is called, again and again."""

import asyncio

from katana_client.ledger import Priority
from katana_client.turns import Turn, Turns

READ, WRITE = Priority.INTERACTIVE, Priority.WRITE


async def is_waiting(task: asyncio.Task[None]) -> bool:
    """Return whether a task still waits once everything that could run has run."""
    for _ in range(5):
        await asyncio.sleep(0)
    return not task.done()


async def test_one_that_was_called_waits_until_it_is_called_again() -> None:
    turns = Turns()
    with turns.waiting(READ) as turn:
        turns.call()
        for _ in range(2):
            waiting = asyncio.create_task(turns.called(turn))
            assert await is_waiting(waiting)
            turns.call()
            await waiting


async def test_the_first_of_each_line_is_called_and_the_next_once_it_has_left() -> None:
    turns = Turns()
    assert turns.priorities == ()
    with turns.waiting(READ) as first:
        with turns.waiting(READ) as second, turns.waiting(WRITE) as other:
            assert turns.priorities == (READ, WRITE)
            assert [first.number, second.number, other.number] == [1, 2, 3]
            called = [asyncio.create_task(turns.called(turn)) for turn in (first, second, other)]
            assert [await is_waiting(task) for task in called] == [True] * 3
            turns.call()
            turns.call()  # they are called already
            assert [await is_waiting(task) for task in called] == [False, True, False]
            called[1].cancel()
        assert turns.priorities == (READ,)
    assert turns.priorities == ()


async def test_one_waits_for_the_front_until_all_before_it_have_left() -> None:
    turns = Turns()
    front: list[Turn] = []

    async def stand() -> None:
        with turns.waiting(READ) as turn:
            await turns.wait_for_front(turn)
            front.append(turn)
            await turns.called(turn)

    tasks = [asyncio.create_task(stand()) for _ in range(3)]
    for place, task in enumerate(tasks, 1):
        assert await is_waiting(task)
        assert [turn.number for turn in front] == list(range(1, place + 1))
        turns.call()
        await task
