"""Plans to keep in a journal, and a journal that does not wait for the disk."""

import pytest

from cache_core.clock import Clock
from katana_mcp.journal import schema
from katana_mcp.journal.entries import LIFE, Claimed, Plan, Run, digest_of
from katana_mcp.journal.file import JournalFile

OUTCOME = {"message": "done", "total": 1}


def plan_of(token: str, clock: Clock, actions: int = 2, principal: str = "ann") -> Plan:
    """Return a plan of so many orders, made now."""
    now = clock.now()
    return Plan(
        digest=digest_of(token),
        tool="create_purchase_order",
        tenant="factory",
        principal=principal,
        created_at=now,
        expires_at=now + LIFE,
        summary=f"{actions} orders",
        content="hash",
        actions=tuple(
            {"method": "POST", "path": "/purchase_orders", "body": {"order_no": f"PO-{nr}"}, "title": f"order {nr}"}
            for nr in range(1, actions + 1)
        ),
        shown={"orders": actions},
    )


def claimed(file: JournalFile, token: str, owner: str = "one") -> Run:
    """Claim a plan that is free."""
    answer = file.claim(token, owner)
    assert isinstance(answer, Claimed)
    return answer.run


def hasty(patch: pytest.MonkeyPatch) -> None:
    """Let journals that are opened from now on not wait for the disk: what is tried is the order of states."""
    patch.setattr(schema, "DURABLE", "PRAGMA synchronous = OFF")
