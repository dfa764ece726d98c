"""Persons at a client, who answer what they are asked."""

import asyncio
from typing import Any

from fastmcp.client.elicitation import ElicitResult


class Person:
    """Gives one answer after the other; where there is none any more, it never answers."""

    def __init__(self, *answers: ElicitResult[Any]) -> None:
        self.asked = asyncio.Event()
        self._answers = list(answers)

    async def __call__(self, *_: object) -> ElicitResult[Any]:
        """Answer."""
        self.asked.set()
        return self._answers.pop(0) if self._answers else await asyncio.Future[ElicitResult[Any]]()


YES: ElicitResult[Any] = ElicitResult(action="accept", content={"confirm": True})
UNCHECKED: ElicitResult[Any] = ElicitResult(action="accept", content={"confirm": False})
NO: ElicitResult[Any] = ElicitResult(action="decline")
DISMISSED: ElicitResult[Any] = ElicitResult(action="cancel")
