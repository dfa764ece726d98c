"""Webhooks, and the log of what was delivered to them; the deliveries are the courier's."""

import base64
import csv
import io

from katana_sandbox.calls import Call, Reply
from katana_sandbox.courier import LOGS, WEBHOOKS, is_loopback
from katana_sandbox.descriptor import Collection, Context, Route, plain_fields
from katana_sandbox.operations.create import build, checked
from katana_sandbox.store.select import Selection, Span
from katana_sandbox.wire.encoding import Record, encode
from katana_sandbox.wire.errors import unprocessable
from katana_sandbox.wire.times import ms_of

_COLUMNS = ("id", "webhook_id", "event", "url", "status_code", "delivered", "retry", "created_at")


def _create(ctx: Context, body: Record) -> Record:
    _check_url(body)
    return ctx.insert(WEBHOOKS, {**build(WEBHOOK, body), "token": ctx.db.next_uuid().replace("-", "")[:16]})


def _update(_ctx: Context, _hook: Record, changes: Record) -> Record:
    _check_url(changes)
    return {**changes, "failures": 0}


def _check_url(body: Record) -> None:
    """Refuse what is not https, but for a receiver on this machine, which need not have a certificate."""
    url = str(body.get("url", "https://"))
    if not url.startswith("https://") and not (url.startswith("http://") and is_loopback(url)):
        raise unprocessable("url must use https")


def _export(ctx: Context, _collection: Collection, call: Call) -> Reply:
    """The tries that a filter finds, as CSV inside the URL: nothing else would have to serve it."""
    body = checked("POST /webhook_logs_export", call.body())
    store = ctx.db.stores[LOGS]
    span = Span(ms_of(body.pop("created_at_min", None)), ms_of(body.pop("created_at_max", None)))
    criteria = {"delivered": False, **body}
    slots = ctx.db.selectors[LOGS].slots(Selection(created=span))
    found = [log for log in map(store.record, slots) if criteria.items() <= log.items()]
    sheet = io.StringIO()
    csv.writer(sheet).writerows([_COLUMNS, *([log[name] for name in _COLUMNS] for log in found)])
    content = base64.b64encode(sheet.getvalue().encode()).decode()
    return Reply(200, encode({"url": f"data:text/csv;base64,{content}"}))


WEBHOOK = Collection(
    name=WEBHOOKS,
    entity="webhook",
    fields=plain_fields("url token enabled=true description subscribed_events failures=0"),
    stamps=("created_at", "updated_at"),
    soft_delete=False,
    hidden=frozenset({"failures"}),
    on_create=_create,
    on_update=_update,
    routes=(Route("POST", "/webhook_logs_export", _export),),
)
WEBHOOK_LOGS = Collection(name=LOGS, entity="webhook log", stamps=("created_at",))
