"""What a first start tells the operator: nothing of an index that there was nothing to make of."""

from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, staged

NOTE = "opened.json"


def _lose_the_note(directory: Path) -> None:
    """Remove what says which fields were searchable when the rows were stored."""
    (note,) = directory.rglob(NOTE)
    note.unlink()


async def _reindexed(own: OwnSandbox, directory: Path) -> list[tuple[int, int]]:
    """Return what a start on this directory, and a read, tell of an index that was made anew: entities and rows."""
    structlog.reset_defaults()
    with capture_logs() as lines:
        async with staged(own, Setup(cache_dir=directory)) as stage:
            await stage.call("search_items", query="fork")
    return [(line["entities"], line["rows"]) for line in lines if line["event"] == "cache reindexed"]


@pytest.mark.cold
async def test_only_a_cache_that_holds_rows_is_indexed_anew(own: OwnSandbox, tmp_path: Path) -> None:
    assert await _reindexed(own, tmp_path) == []
    _lose_the_note(tmp_path)
    ((entities, rows),) = await _reindexed(own, tmp_path)
    assert rows > entities > 3
