"""Entries as they are told: everything that is known of one but the digest of its token, which is of use to nobody."""

from collections import Counter
from dataclasses import asdict
from datetime import datetime

from katana_mcp.journal.entries import Entry, Progress


def whole(entry: Entry, now: datetime) -> dict[str, object]:
    """Return all that is known of an entry."""
    plan, known = asdict(entry.plan), asdict(entry)
    del plan["digest"], known["plan"]
    actions = [{**sent, **state} for sent, state in zip(plan.pop("actions"), known.pop("actions"), strict=True)]
    return {**known, **plan, "state": entry.stands(now), "actions": actions}


def counts(entry: Entry) -> Counter[Progress]:
    """Return how many actions are how far."""
    return Counter(each.state for each in entry.actions)
