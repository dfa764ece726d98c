"""What a first start tells the operator: nothing of what it does for each entity."""

import structlog
from structlog.testing import capture_logs

from katana_mcp.sandbox import OwnSandbox
from katana_mcp.testing import staged


async def test_a_cache_that_is_new_is_not_told_entity_by_entity(own: OwnSandbox) -> None:
    structlog.reset_defaults()
    with capture_logs() as lines:
        async with staged(own) as stage:
            await stage.call("search_items", query="fork")
    told = [each for each in lines if each["log_level"] != "debug" and each["event"].startswith("cache ")]
    assert told == []
    assert any(each["event"] == "cache reindexed" for each in lines), "the debug lines are still there"
