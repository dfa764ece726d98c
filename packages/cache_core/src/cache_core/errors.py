"""Cache errors, told apart by what the caller does next.

CacheError
├── CacheUnavailable   storage refused (locked, full, unreadable): answer without it, try again later
│   ├── CacheMissing   only looked for, and not there: somebody has to make it first
│   └── CacheReadOnly  its file may not be written: look at what it holds
├── CacheCorrupt       the file is damaged: set it aside and rebuild
├── LeaseLost          another process syncs the entity now: write nothing more, read what it stores
└── WrongCacheUse      the call itself is wrong (unknown entity, field or condition): mend the code
SourceUnavailable      the data's origin did not answer: serve what is there, marked stale
"""


class CacheError(Exception):
    """Base of everything that a cache backend raises on purpose."""


class CacheUnavailable(CacheError):
    """The storage refused for now; rows already stored are safe."""


class CacheMissing(CacheUnavailable):
    """There is no such cache, and who only looks makes none."""


class CacheReadOnly(CacheUnavailable):
    """The file is there and may not be written."""


class CacheCorrupt(CacheError):
    """The storage is damaged and must be set aside and rebuilt."""


class LeaseLost(CacheError):
    """The lease under which a batch was written belongs to another holder by now."""


class WrongCacheUse(CacheError):
    """The caller asked for something that the cache was not built for."""


class SourceUnavailable(Exception):
    """The source of records did not answer: network, rate limit, refused key, server fault.

    Attributes:
        reason: one plain sentence for people, without secrets.
        retry_after: seconds after which another try makes sense, or None when unknown.
        everywhere: whether every other request would fail likewise, as against this collection or page alone.
        refused: whether the key was refused: only a person can mend that.
    """

    def __init__(
        self, reason: str, retry_after: float | None = None, *, everywhere: bool = True, refused: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.everywhere = everywhere
        self.refused = refused
