"""The port to the person at the client: asked before anything is written, where the client can ask."""

from typing import Literal, Protocol

type Consent = Literal["accepted", "declined", "cancelled", "stale", "no answer"]
"""What a person answered; `stale` to another question than this one."""


class Confirmer(Protocol):
    """Somebody who can be asked, or nobody."""

    @property
    def can_answer(self) -> bool:
        """Whether the client can ask; where it cannot, the host's own prompt is the gate."""
        ...

    async def confirm(self, question: str, digest: str) -> Consent:
        """Ask for a yes.

        Args:
            question: in plain words.
            digest: of what is asked for; an answer to another digest is no answer.
        """
        ...


class NoConfirmer:
    """No person can be asked."""

    can_answer = False

    async def confirm(self, question: str, digest: str) -> Consent:
        """Refuse: nobody can answer."""
        del question, digest
        return "no answer"


NO_CONFIRMER = NoConfirmer()
"""Nobody can be asked: the host's own prompt is the gate."""
