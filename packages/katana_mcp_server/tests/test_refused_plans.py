"""A plan that was refused at the apply is told as that by the journal, with the reason and when."""

import json
from pathlib import Path

from cache_jobs import job_on
from server_wire import live
from transfer_plans import applied

from katana_mcp.commands.journal.look import entries, entry
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, Stage, staged


async def _stale(stage: Stage) -> str:
    """Plan a change that no longer fits; return why it was refused."""
    tenant = stage.own.sandbox.tenant()
    transfer = next(
        stock_transfer for stock_transfer in live(tenant, "stock_transfers") if stock_transfer["status"] == "draft"
    )
    asked = {"stock_transfer_id": transfer["id"], "additional_info": "fragile"}
    token = (await stage.call("modify_stock_transfer", **asked))["plan_token"]
    tenant.edit("stock_transfers", transfer["id"], additional_info="by hand")
    refusal = await applied(stage, token)
    assert refusal["error"] == "stale_plan"
    return refusal["warnings"][0]["message"]


async def test_the_journal_tells_why_a_plan_was_refused(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        why = await _stale(stage)
        (row,) = json.loads(await stage.read("katana://journal"))["rows"]
        assert (row["state"], row["refused"]) == ("planned", why)
        record = json.loads(await stage.read(f"katana://journal/{row['entry']}"))["entry"]
        assert (record["refused"], record["refused_at"]) == (why, "2026-03-02T09:00:00Z")
    job = job_on(own, tmp_path)
    (line,) = (await entries(job, 20, None)).sheets[0].lines
    assert line.cells[2] == "planned, refused"
    assert f"refused at 2026-03-02 09:00:00 UTC: {why}" in (await entry(job, row["entry"])).notes


async def test_what_is_applied_in_the_end_is_no_longer_called_refused(own: OwnSandbox, tmp_path: Path) -> None:
    async with staged(own, Setup(cache_dir=tmp_path)) as stage:
        tenant = own.sandbox.tenant()
        transfer = next(
            stock_transfer for stock_transfer in live(tenant, "stock_transfers") if stock_transfer["status"] == "draft"
        )
        was = transfer["additional_info"]
        asked = {"stock_transfer_id": transfer["id"], "stock_transfer_number": "ST-77"}
        token = (await stage.call("modify_stock_transfer", **asked))["plan_token"]
        row = json.loads(await stage.read("katana://journal"))["rows"][0]
        assert "refused" not in row
        outcome = await applied(stage, token)
        assert outcome["outcomes"][0]["applied"] == 1
        assert tenant.get("stock_transfers", transfer["id"])["additional_info"] == was
    (line,) = (await entries(job_on(own, tmp_path), 20, None)).sheets[0].lines
    assert line.cells[2] == "finished"
