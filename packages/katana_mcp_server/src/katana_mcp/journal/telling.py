"""Entries as they are told: everything that is known of one but what is of use to nobody.

That is the digest of its token, and what it is compared with before it is applied.
"""

from collections import Counter
from dataclasses import asdict
from datetime import datetime

from katana_mcp.journal.entries import Entry, Progress


def entry_payload(entry: Entry, now: datetime) -> dict[str, object]:
    """Return all that is known of an entry."""
    plan, payload = asdict(entry.plan), asdict(entry)
    del plan["digest"], plan["touches"], plan["lanes"], payload["plan"]
    actions = [{**sent, **state} for sent, state in zip(plan.pop("actions"), payload.pop("actions"), strict=True)]
    return {**payload, **plan, "state": entry.stands(now), "actions": actions}


def counts(entry: Entry) -> Counter[Progress]:
    """Return how many actions are how far."""
    return Counter(action.state for action in entry.actions)
