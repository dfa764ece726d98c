"""What one request of Katana tells: whether it answers, takes the key, has the same time, and how much it allows."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cache_core.clock import Clock
from katana_client import KatanaClient
from katana_client.errors import KatanaError, KeyRejected, RequestRejected, UnexpectedResponse
from katana_client.exchange import Call
from katana_client.headers import read_rate
from katana_client.models.factory import Factory
from katana_mcp.commands.doctor.finding import Finding
from katana_mcp.values import EMPTY

_ADDRESS = "check KATANA_BASE_URL (Katana's is https://api.katanamrp.com/v1), and what the key may do"
_NETWORK = (
    "look at the network, a firewall between here and Katana or a proxy that KATANA_PROXY has to name, and at Katana's "
    "status page"
)
_UNKNOWN = "CERTIFICATE_VERIFY_FAILED"
_CERTIFICATE = "a company's network may read what is encrypted: --system-certificates trusts whom this machine trusts"
_OFF = 60
"""Seconds by which a clock may be wrong: days and ages of rows are told by it."""


async def account_findings(client: KatanaClient, clock: Clock, called: str) -> list[Finding]:
    """Ask for the factory's settings, and return what that told; one finding where Katana did not answer."""
    began = clock.monotonic()
    try:
        answer = await client.send(Call("GET", "/factory"))
    except KeyRejected:
        return [Finding("network", "wrong", "Katana refuses the key", "copy it again from Settings > API in Katana")]
    except (RequestRejected, UnexpectedResponse) as error:
        return [Finding("network", "wrong", str(error), _ADDRESS)]
    except KatanaError as error:
        return [Finding("network", "wrong", str(error), _CERTIFICATE if _UNKNOWN in str(error) else _NETWORK)]
    factory = cast("Mapping[str, object]", answer.value) if isinstance(answer.value, dict) else EMPTY
    if not factory.keys() & Factory.model_fields.keys():
        return [Finding("network", "wrong", f"{called} answers, but not as Katana does", _ADDRESS)]
    headers, took = answer.reply.headers, clock.monotonic() - began
    return [
        Finding("network", "fine", f"{called} answered in {took:.1f} s{_left(headers, clock.now())}"),
        _time(headers, clock.now()),
        _zone(factory.get("timezone")),
    ]


def _left(headers: Mapping[str, str], now: datetime) -> str:
    rate = read_rate(200, headers, now)
    if rate.limit is None or rate.remaining is None:
        return ""
    return f"; {rate.remaining} of {rate.limit} requests left of this minute"


def _time(headers: Mapping[str, str], now: datetime) -> Finding:
    try:
        there = parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError, TypeError):
        return Finding("clock", "fine", "Katana's answer has no time to compare it with")
    off = round((now - there.replace(tzinfo=there.tzinfo or UTC)).total_seconds())
    if abs(off) <= _OFF:
        return Finding("clock", "fine", f"within {_OFF} s of Katana's")
    where = "ahead of" if off > 0 else "behind"
    return Finding("clock", "wrong", f"{abs(off)} s {where} Katana's", "set this machine's clock, by NTP where you can")


def _zone(name: object) -> Finding:
    if not isinstance(name, str) or not name:
        return Finding("time zone", "advice", "the factory has none, so days are UTC's", "choose one in Katana")
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = "this machine does not know the factory's time zone, so days are UTC's"
        return Finding("time zone", "advice", message, "install the system's tzdata")
    return Finding("time zone", "fine", f"{name}: a date is a day of it")
