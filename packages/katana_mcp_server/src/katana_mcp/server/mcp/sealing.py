"""Questions that are returned to the client, sealed under a key that is read when the first one is asked."""

from collections.abc import Callable
from functools import cached_property

from mcp.server.request_state import AESGCMRequestStateCodec, RequestStateSecurity

type KeySource = Callable[[], bytes]
"""Returns the key; may raise `CacheUnavailable`."""


class Seal:
    """A codec of request states that takes its key when it is needed: nothing is opened at the start."""

    def __init__(self, key: KeySource) -> None:
        self._key = key

    @cached_property
    def _codec(self) -> AESGCMRequestStateCodec:
        return AESGCMRequestStateCodec([self._key()])

    def seal(self, payload: bytes) -> str:
        """Return a token that only who has the key can make or read."""
        return self._codec.seal(payload)

    def unseal(self, token: str) -> bytes:
        """Return what was sealed.

        Raises:
            InvalidRequestState: no server with this key sealed it.
        """
        return self._codec.unseal(token)


def sealed(key: KeySource) -> RequestStateSecurity:
    """Return how questions are sealed: every server with this key takes the answer, also after a restart."""
    return RequestStateSecurity(codec=Seal(key), audience="katana-mcp")
