"""The sync doctrine, once, for every backend: cursors from server data, provable listings, checkpoints."""

from cache_core.sync.engine import Syncer, SyncOutcome
from cache_core.sync.freshness import FreshReads
from cache_core.sync.patience import Freshness, Patience, Round
from cache_core.sync.progress import Progress
from cache_core.sync.source import Source, SourcePage, Window
from cache_core.sync.stock import StockAnswer, StockReads, StockSource
from cache_core.sync.stock_records import target_of
from cache_core.sync.writes import Part

__all__ = [
    "FreshReads",
    "Freshness",
    "Part",
    "Patience",
    "Progress",
    "Round",
    "Source",
    "SourcePage",
    "StockAnswer",
    "StockReads",
    "StockSource",
    "SyncOutcome",
    "Syncer",
    "Window",
    "target_of",
]
