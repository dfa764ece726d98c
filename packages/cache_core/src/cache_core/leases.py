"""Who may sync an entity: a lease with a time-out, and an epoch that makes the late writes of a former holder void.

Pure; a backend keeps the text of each lease beside the entity's rows and decides within its own transaction.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec

from cache_core.errors import LeaseLost
from cache_core.records import iso


@dataclass(frozen=True, slots=True)
class Claim:
    """A wish to hold the lease of an entity from now on.

    Attributes:
        entity: whose lease.
        holder: who wishes; one process, one name.
        at: our clock, ISO-8601 UTC.
        seconds: for how long; 0 gives it back.
    """

    entity: str
    holder: str
    at: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds an entity.

    Attributes:
        entity: whose lease.
        holder: its holder.
        epoch: raised whenever the holder changes.
        taken_at: when it was last claimed, ISO-8601 UTC.
        until: when it ends unless it is claimed again.
    """

    entity: str
    holder: str
    epoch: int
    taken_at: str
    until: str


def granted(claim: Claim, standing: Lease | None) -> Lease:
    """Return the lease after a claim: the claimed one, or the standing one while another holder has it.

    A lease that was taken in the future was taken before the clock was set back, and holds nobody up.
    """
    if standing is not None and standing.holder != claim.holder and standing.taken_at <= claim.at < standing.until:
        return standing
    until = iso(datetime.fromisoformat(claim.at) + timedelta(seconds=claim.seconds))
    if standing is None:
        return Lease(claim.entity, claim.holder, 1, claim.at, until)
    if standing.holder == claim.holder:
        return replace(standing, taken_at=claim.at, until=until)
    return Lease(claim.entity, claim.holder, standing.epoch + 1, claim.at, until)


def voided(standing: Lease) -> Lease:
    """Return the lease after the rows were replaced: free, and what its holder still writes is refused."""
    return replace(standing, holder="", epoch=standing.epoch + 1, until=standing.taken_at)


def refuse_stale(lease: Lease | None, standing: Lease | None) -> None:
    """Refuse a write under a lease that another holder has taken since; None is a write that needs no lease.

    Raises:
        LeaseLost: the epoch is not the one that stands.
    """
    if lease is not None and (standing is None or standing.epoch != lease.epoch):
        raise LeaseLost(f"another process syncs {lease.entity!r} now")


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Lease)


def encode_lease(lease: Lease) -> str:
    """Return the lease as the JSON text that backends store."""
    return _encoder.encode(lease).decode()


def decode_lease(text: str | None) -> Lease | None:
    """Return the lease that `encode_lease` wrote; None for None or for a text it cannot read."""
    if text is None:
        return None
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError:
        return None


def lease_line(entity: str) -> str:
    """Return the name under which a backend keeps the entity's lease among the sync states."""
    return f"lease of {entity}"
