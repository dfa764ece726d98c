"""The person at the client, asked in the way of either protocol era; no answer is never a yes."""

import asyncio
from collections.abc import Mapping

import mcp.types as mt
from fastmcp import Context
from fastmcp.server.elicitation import parse_elicit_response_type
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from cache_core.clock import Clock
from katana_mcp.tools.asking import Consent
from katana_mcp.tools.schemas import ConfirmationSchema

PATIENCE = 120.0
"""Seconds that a person has to answer over a connection that is held open meanwhile."""
_KEY = "confirm"
_FORM = parse_elicit_response_type(ConfirmationSchema).schema
_LAST_HANDSHAKE = "2025-11-25"
"""The newest protocol in which a server can ask by itself; later ones have it return the question."""


class QuestionPending(Exception):
    """The call ends with a question; the client calls again with the answer.

    Attributes:
        request: what the tool returns.
    """

    def __init__(self, request: mt.InputRequiredResult) -> None:
        super().__init__("asked")
        self.request = request


def is_modern(context: Context) -> bool:
    """Return whether a request is of the protocol in which each request stands for itself."""
    request = context.request_context
    return request is not None and request.protocol_version > _LAST_HANDSHAKE


class PersonAtClient:
    """Whoever answers the client's elicitation, if it declared that it can."""

    def __init__(self, context: Context, clock: Clock) -> None:
        self._context = context
        self._clock = clock

    @property
    def can_answer(self) -> bool:
        """Whether the client can show a form, and this connection can carry the question."""
        session = self._context.session
        declared = session.client_capabilities
        elicitation = declared.elicitation if declared else None
        if elicitation is None or (elicitation.form is None and elicitation.url is not None):
            return False
        return is_modern(self._context) or session.can_send_request

    async def confirm(self, question: str, digest: str) -> Consent:
        """Ask for a yes; see `Person`.

        Raises:
            Asked: the question has to be returned to the client, which then calls again.
        """
        return self._answered(question, digest) if is_modern(self._context) else await self._elicited(question)

    def _answered(self, question: str, digest: str) -> Consent:
        answer = (self._context.input_responses or {}).get(_KEY)
        if not isinstance(answer, mt.ElicitResult):
            form = mt.ElicitRequestFormParams(message=question, requested_schema=_FORM)
            asked = mt.ElicitRequest(method="elicitation/create", params=form)
            raise QuestionPending(
                mt.InputRequiredResult(result_type="input_required", request_state=digest, input_requests={_KEY: asked})
            )
        if self._context.request_state != digest:
            return "stale"
        return _meant(answer)

    async def _elicited(self, question: str) -> Consent:
        context = self._context
        form = context.session.elicit_form(question, _FORM, related_request_id=context.request_id)
        asking = asyncio.ensure_future(form)
        timer = asyncio.ensure_future(self._clock.sleep(PATIENCE))
        try:
            await asyncio.wait({asking, timer}, return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                return "no answer"
            return _meant(asking.result())
        except (MCPError, ValueError):
            return "no answer"
        finally:
            timer.cancel()
            asking.cancel()


def _meant(answer: mt.ElicitResult) -> Consent:
    """Return what an answer means; a text or a number in place of the yes that the form asks for is none."""
    if answer.action == "accept":
        return "accepted" if _is_yes(answer.content or {}) else "declined"
    return "declined" if answer.action == "decline" else "cancelled"


def _is_yes(filled: Mapping[str, object]) -> bool:
    try:
        return ConfirmationSchema.model_validate(filled).confirm
    except ValidationError:
        return False
