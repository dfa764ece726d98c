"""What a first start tells the operator: nothing of an index that there was nothing to make of."""

import structlog
from structlog.testing import capture_logs

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import staged


async def test_a_cache_that_is_new_has_nothing_to_index(own: OwnSandbox) -> None:
    structlog.reset_defaults()
    with capture_logs() as lines:
        async with staged(own) as stage:
            await stage.call("search_items", query="fork")
    assert [each for each in lines if each["event"] == "cache reindexed"] == []
