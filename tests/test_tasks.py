"""A clerk's questions to the fixed account are answered right, and within a budget."""

from statistics import median

from bench.tasks import FEW_CALLS, costs, read_tasks

MEDIAN, DEAREST, SUM = 400, 2_100, 30_000
"""Tokens of answers, of which a bit more than is spent now; lower them where less is reached."""


async def test_sixty_questions_are_answered_right_and_cheaply() -> None:
    found = await costs(read_tasks())
    assert {cost.task.ask: cost.wrong for cost in found if cost.wrong} == {}
    assert len(found) == 60
    assert sum(len(cost.task.calls) <= FEW_CALLS for cost in found) >= 50
    tokens = [cost.tokens for cost in found]
    assert median(tokens) <= MEDIAN
    assert max(tokens) <= DEAREST
    assert sum(tokens) <= SUM
