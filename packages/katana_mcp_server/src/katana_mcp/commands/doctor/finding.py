"""One line of what was found."""

from dataclasses import dataclass
from typing import Literal

type State = Literal["fine", "advice", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and how it stands.

    Attributes:
        what: was looked at.
        state: whether it is fine, works but could be better, or keeps the server from its work.
        message: what was found, in a sentence without values of records.
        advice: what to do, where something is to be done.
    """

    what: str
    state: State
    message: str
    advice: str | None = None

    def data(self) -> dict[str, object]:
        """Return it for programs."""
        return {"check": self.what, "state": self.state, "found": self.message, "advice": self.advice}
