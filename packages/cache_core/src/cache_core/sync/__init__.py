"""The sync doctrine, once, for every backend: cursors from server data, provable listings, checkpoints."""

from cache_core.sync.engine import Progress, Syncer, SyncOutcome
from cache_core.sync.freshness import Freshness, FreshReads, Patience
from cache_core.sync.source import Source, SourcePage
from cache_core.sync.stock import StockAnswer, StockReads, StockSource

__all__ = [
    "FreshReads",
    "Freshness",
    "Patience",
    "Progress",
    "Source",
    "SourcePage",
    "StockAnswer",
    "StockReads",
    "StockSource",
    "SyncOutcome",
    "Syncer",
]
