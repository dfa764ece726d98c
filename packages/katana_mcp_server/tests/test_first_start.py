"""What a first start tells the operator: one line for all entities."""

import structlog
from structlog.testing import capture_logs

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import staged


async def test_a_cache_that_is_new_is_not_told_entity_by_entity(own: OwnSandbox) -> None:
    structlog.reset_defaults()
    with capture_logs() as lines:
        async with staged(own) as stage:
            await stage.call("search_items", query="fork")
    told = [each for each in lines if each["event"] == "cache reindexed"]
    assert [set(each) for each in told] == [{"event", "log_level", "entities"}]
    assert told[0]["entities"] > 20
