"""Collections whose POST creates many rows at once (facts 1.2): some answer the rows, others nothing at all."""

from __future__ import annotations

from typing import Never

from katana_client.answers import rows_of
from katana_client.errors import InvalidRequest
from katana_client.exchange import Call
from katana_client.normalise import normalise
from katana_client.resource import Resource
from katana_client.wire import ReadModel, WriteModel


class Bulk[M: ReadModel, B: WriteModel, U: WriteModel](Resource[M, Never, U]):
    """A collection whose records are created in bulk only; `create` is refused."""

    def creation_of_many(self, new: B) -> Call:
        """Return the call that `create_many` sends.

        Raises:
            InvalidRequest: The body is of another kind.
        """
        if self.spec.bulk is None or not isinstance(new, self.spec.bulk):
            message = f"POST {self.spec.path} takes another body than a {type(new).__name__}"
            raise InvalidRequest(message)
        return Call("POST", self.spec.path, (), new.wire())

    def creation(self, new: Never) -> Call:
        """Refuse: there is no POST of one row.

        Raises:
            InvalidRequest: Always.
        """
        message = f"POST {self.spec.path} takes many rows, not a {type(new).__name__}: use create_many()"
        raise InvalidRequest(message)


class AnsweredBulk[M: ReadModel, B: WriteModel, U: WriteModel](Bulk[M, B, U]):
    """A collection whose bulk creation answers the new rows as a bare array."""

    async def create_many(self, new: B) -> tuple[M, ...]:
        """Create rows. Any 2xx is a success.

        Returns:
            The rows as answered, those that are objects; none after an unreadable answer, although the rows exist.

        Raises:
            OutcomeUnknown: The rows may or may not exist; look for them, never resend.
        """
        answer = await self.sender.send(self.creation_of_many(new))
        model = self.spec.model
        return tuple(self.understood(normalise(row, model)) for row in rows_of(answer))


class SilentBulk[M: ReadModel, B: WriteModel, U: WriteModel](Bulk[M, B, U]):
    """A collection whose bulk creation answers 204: no body, no ids."""

    async def create_many(self, new: B) -> None:
        """Create rows. Katana answers without their ids: list them afterwards.

        Raises:
            OutcomeUnknown: The rows may or may not exist; look for them, never resend.
        """
        await self.sender.send(self.creation_of_many(new))
