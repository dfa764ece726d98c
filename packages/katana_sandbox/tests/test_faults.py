"""Faults: each action, before and after the commit, counted per match, from code and from TOML."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from katana_sandbox import (
    Action,
    Caller,
    ClockOffset,
    Delay,
    Drip,
    Drop,
    DroppedConnection,
    EditBody,
    EditHeaders,
    EmptyPage,
    Fault,
    Hang,
    HungConnection,
    LeaveParent,
    ManualClock,
    Match,
    MissingHeader,
    Mutate,
    ReplicaLag,
    Sandbox,
    Status,
    Tenant,
    Truncate,
    parse_faults,
)
from katana_sandbox.faults.actions import ACTIONS


async def test_a_status_fault_answers_without_carrying_the_request_out(
    sandbox: Sandbox, api: Caller, tenant: Tenant
) -> None:
    before = tenant.count("customers")
    sandbox.faults.add(Fault("POST /customers", action=Status(503)))
    assert (await api.post("/customers", {"name": "A"})).status == 503
    assert tenant.count("customers") == before
    assert (await api.post("/customers", {"name": "A"})).status == 200


async def test_a_status_fault_may_commit_and_may_answer_in_html(sandbox: Sandbox, api: Caller, tenant: Tenant) -> None:
    before = tenant.count("customers")
    sandbox.faults.add(Fault(action=Status(502, text="<html>Bad gateway</html>", commit=True)))
    answer = await api.post("/customers", {"name": "A"})
    assert (answer.status, answer.raw, answer.headers["content-type"]) == (
        502,
        b"<html>Bad gateway</html>",
        "text/html",
    )
    assert tenant.count("customers") == before + 1


async def test_a_burst_of_429_tells_when_to_come_back(sandbox: Sandbox, api: Caller) -> None:
    sandbox.faults.add(Fault("GET /products", 2, Status(429, headers={"Retry-After": "7"}), times=3))
    answers = [await api.get("/products") for _ in range(6)]
    assert [answer.status for answer in answers] == [200, 429, 429, 429, 200, 200]
    assert answers[1].headers["retry-after"] == "7"
    assert answers[1].error["name"] == "TooManyRequests"


@pytest.mark.parametrize(("when", "committed"), [("before", False), ("after", True)])
@pytest.mark.parametrize(("action", "lost"), [(Drop, DroppedConnection), (Hang, HungConnection)])
async def test_a_lost_connection_leaves_the_state_as_it_says(
    sandbox: Sandbox, action: type[Drop], lost: type[DroppedConnection], when: str, committed: bool
) -> None:
    tenant, api = sandbox.tenant(), sandbox.caller()
    before = tenant.count("customers")
    sandbox.faults.add(Fault("POST /customers", action=action("after" if when == "after" else "before")))
    with pytest.raises(lost) as caught:
        await api.post("/customers", {"name": "A"})
    assert caught.value.committed is committed
    assert tenant.count("customers") == before + committed
    assert (sandbox.journal[-1].status, sandbox.journal[-1].fault) == (None, action.name)


async def test_truncated_json_is_shorter_with_a_fitting_length(sandbox: Sandbox, api: Caller) -> None:
    whole = await api.get("/products")
    sandbox.faults.add(Fault(action=Truncate(0.25)))
    cut = await api.get("/products")
    assert whole.raw.startswith(cut.raw)
    assert len(cut.raw) == len(whole.raw) // 4 == int(cut.headers["content-length"])
    with pytest.raises(ValueError, match="line 1"):
        _ = cut.value


async def test_an_empty_page_keeps_its_pagination_header(sandbox: Sandbox, api: Caller) -> None:
    sandbox.faults.add(Fault("GET /products", action=EmptyPage()))
    answer = await api.get("/products")
    assert (answer.rows, answer.page["total_records"]) == ([], "21")


async def test_a_header_can_be_missing_or_edited(sandbox: Sandbox, api: Caller) -> None:
    sandbox.faults.add(
        Fault("GET /products", action=MissingHeader("x-pagination")),
        Fault("GET /materials", action=EditHeaders({"X-Ratelimit-Remaining": "0"}, remove=("date",))),
    )
    assert "x-pagination" not in (await api.get("/products")).headers
    edited = (await api.get("/materials")).headers
    assert edited["x-ratelimit-remaining"] == "0"
    assert "x-pagination" in edited


async def test_a_body_can_be_edited_by_path_by_function_and_whole(sandbox: Sandbox, api: Caller) -> None:
    sandbox.faults.add(
        Fault("/products", 1, EditBody(set={"data.0.name": None, "data.1.extra": [1]})),
        Fault("/products", 2, EditBody(edit=lambda value: {"data": "none", "was": isinstance(value, dict)})),
        Fault("/products", 3, EditBody(text="null")),
    )
    first, second, third = [await api.get("/products") for _ in range(3)]
    assert (first.rows[0]["name"], first.rows[1]["extra"]) == (None, [1])
    assert second.body == {"data": "none", "was": True}
    assert third.raw == b"null"


async def test_a_delay_passes_on_the_virtual_clock_before_or_after_the_commit(
    sandbox: Sandbox, api: Caller, clock: ManualClock
) -> None:
    sandbox.faults.add(
        Fault("POST /customers", 1, Delay(30, "before")), Fault("POST /customers", 2, Delay(30, "after"))
    )
    start = clock.monotonic()
    late = (await api.post("/customers", {"name": "A"})).body
    early = (await api.post("/customers", {"name": "B"})).body
    assert clock.monotonic() - start == 60
    assert (late["created_at"], early["created_at"]) == ("2026-03-02T09:00:30.000Z", "2026-03-02T09:00:30.000Z")


async def test_a_slow_drip_sends_every_byte_in_pieces(sandbox: Sandbox, api: Caller, clock: ManualClock) -> None:
    whole = await api.get("/tax_rates")
    sandbox.faults.add(Fault(action=Drip(100, 2.0)))
    slow = await api.get("/tax_rates")
    assert slow.raw == whole.raw
    assert clock.monotonic() == 2.0 * -(-len(whole.raw) // 100)


async def test_a_drip_sends_a_piece_then_pauses_on_the_virtual_clock(sandbox: Sandbox, clock: ManualClock) -> None:
    sandbox.faults.add(*parse_faults('[[fault]]\naction = "drip"\nsize = 64\nseconds = 2.5\n'))
    pieces: list[tuple[float, int]] = []

    async def timed(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.body":
                pieces.append((clock.monotonic(), len(message["body"])))
            await send(message)

        await sandbox.app(scope, receive, note)

    whole = len((await Caller(timed, sandbox.default_key).get("/tax_rates")).raw)
    full, rest = divmod(whole, 64)
    assert full > 5
    sizes = [64] * full + [rest] * (rest > 0) + [0]
    assert pieces == [(2.5 * place, size) for place, size in enumerate(sizes)]


async def test_state_can_change_between_two_pages(sandbox: Sandbox, api: Caller) -> None:
    sandbox.faults.add(Fault("GET /customers", 2, Mutate(lambda tenant: tenant.delete("customers", 10000138))))
    first = await api.get("/customers", {"limit": 10})
    second = await api.get("/customers", {"limit": 10, "page": 2})
    assert 10000138 in first.ids
    assert (first.page["total_records"], second.page["total_records"]) == ("39", "38")


async def test_state_can_change_right_after_a_write(sandbox: Sandbox, api: Caller, tenant: Tenant) -> None:
    action = Mutate(collection="customers", id=10000101, fields={"comment": "other"}, when="after")
    sandbox.faults.add(Fault("PATCH /customers/*", action=action))
    reply = await api.patch("/customers/10000101", {"comment": "mine"})
    assert (reply.body["comment"], tenant.get("customers", 10000101)["comment"]) == ("mine", "other")


async def test_the_server_clock_can_be_apart_from_the_shared_one(
    sandbox: Sandbox, api: Caller, clock: ManualClock
) -> None:
    sandbox.faults.add(Fault("POST /customers", 1, ClockOffset(-90)), Fault("POST /customers", 2, ClockOffset(0)))
    behind = await api.post("/customers", {"name": "A"})
    assert behind.body["created_at"] == "2026-03-02T08:58:30.000Z"
    assert behind.headers["date"] == "Mon, 02 Mar 2026 08:58:30 GMT"
    assert sandbox.clock_offset == -90
    assert (await api.post("/customers", {"name": "B"})).body["created_at"] == "2026-03-02T09:00:00.000Z"
    assert clock.now().hour == 9


async def test_the_server_clock_can_be_ahead(sandbox: Sandbox, api: Caller, clock: ManualClock) -> None:
    sandbox.faults.add(*parse_faults('[[fault]]\nnth = 2\naction = "clock_offset"\nseconds = 90\n'))
    before = await api.post("/customers", {"name": "A"})
    ahead = await api.post("/customers", {"name": "B"})
    assert [answer.body["created_at"] for answer in (before, ahead)] == [
        "2026-03-02T09:00:00.000Z",
        "2026-03-02T09:01:30.000Z",
    ]
    assert ahead.headers["date"] == "Mon, 02 Mar 2026 09:01:30 GMT"
    assert (sandbox.clock_offset, clock.monotonic()) == (90, 0)
    reset = int(ahead.headers["x-ratelimit-reset"]) - int(before.headers["x-ratelimit-reset"])
    assert reset == 90_000, "the budget's reset is told on the server's clock"


async def test_a_match_may_name_query_key_and_tenant(sandbox: Sandbox, api: Caller) -> None:
    sandbox.add_tenant("b", key="key-b")
    sandbox.faults.add(
        Fault(Match("GET", "/products", {"page": "2"}), action=Status(500), times=None),
        Fault(Match(key="key-b"), action=Status(503), times=1),
        Fault(Match(tenant="b"), 2, action=Status(504), times=1),
    )
    caller_b = sandbox.caller("key-b")
    assert [(await api.get("/products", {"page": page})).status for page in (1, 2, 2, 3)] == [200, 500, 500, 200]
    assert [(await caller_b.get("/factory")).status for _ in range(3)] == [503, 504, 200]


async def test_several_faults_may_strike_one_request_in_order(
    sandbox: Sandbox, api: Caller, clock: ManualClock
) -> None:
    sandbox.faults.add(Fault(action=Delay(5)), Fault(action=Status(500)))
    assert (await api.get("/factory")).status == 500
    assert clock.monotonic() == 5
    assert sandbox.journal[-1].fault == "delay,status"
    sandbox.faults.add(Fault(action=Status(500)))
    sandbox.faults.clear()
    assert (await api.get("/factory")).status == 200


TOML_FORMS: dict[str, tuple[str, Action]] = {
    "status": (
        'status = 502\ntext = "<p>"\ncommit = true\nheaders = { Retry-After = "3" }',
        Status(502, "<p>", {"Retry-After": "3"}, commit=True),
    ),
    "leave_parent": ("status = 500\nleft = 4", LeaveParent(500, 4)),
    "edit_headers": ('set = { Date = "x" }\nremove = ["X-Pagination"]', EditHeaders({"Date": "x"}, ("X-Pagination",))),
    "missing_header": ('header = "Date"', MissingHeader("Date")),
    "edit_body": ('set = { "data.0.name" = "x" }', EditBody(set={"data.0.name": "x"})),
    "delay": ('seconds = 30\nwhen = "after"', Delay(30, "after")),
    "drop": ('when = "after"', Drop("after")),
    "hang": ('when = "after"', Hang("after")),
    "truncate": ("keep = 0.25", Truncate(0.25)),
    "empty_page": ("", EmptyPage()),
    "drip": ("size = 10\nseconds = 0.5", Drip(10, 0.5)),
    "mutate": (
        'collection = "products"\nid = 10000101\nfields = { name = "x" }\nbump = false\nwhen = "after"',
        Mutate(collection="products", id=10000101, fields={"name": "x"}, bump=False, when="after"),
    ),
    "replica_lag": ("seconds = 30", ReplicaLag(30)),
    "clock_offset": ("seconds = -90", ClockOffset(-90)),
}


@pytest.mark.parametrize("action", ACTIONS, ids=[action.name for action in ACTIONS])
def test_every_action_is_read_from_toml_with_its_fields_and_with_its_defaults(action: type[Action]) -> None:
    fields, expected = TOML_FORMS[action.name]
    (given,) = parse_faults(f'[[fault]]\nmatch = "GET /products"\naction = "{action.name}"\n{fields}\n')
    (bare,) = parse_faults(f'[[fault]]\naction = "{action.name}"\n')
    assert given == Fault(Match("GET", "/products"), 1, expected, 1)
    assert (type(given.action), bare.action) == (action, action())


def test_faults_are_read_from_toml() -> None:
    faults = parse_faults("""
        [[fault]]
        match = "GET /variants*"
        nth = 2
        times = "forever"
        query = { page = "2" }
        action = "status"
        status = 503

        [[fault]]
        action = "drop"
        when = "after"

        [[fault]]
        match = "/products"
        action = "mutate"
        collection = "products"
        id = 10000101
        fields = { name = "Renamed" }
    """)
    assert faults[0] == Fault(Match("GET", "/variants*", {"page": "2"}), 2, Status(503), None)
    assert faults[1] == Fault(Match(), 1, Drop("after"))
    assert faults[2].action == Mutate(collection="products", id=10000101, fields={"name": "Renamed"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[[fault]]\naction = "explode"', r"fault 1: unknown action 'explode'; allowed: clock_offset, delay, drip"),
        (
            '[[fault]]\naction = "drop"\n[[fault]]\naction = "drop"\nwhat = 1',
            r"fault 2: unknown field 'what' for action 'drop'; allowed: .*when",
        ),
        ('[[fault]]\naction = "drop"\nwhen = "never"', r'fault 1: when must be "before" or "after"'),
        ('[[fault]]\naction = "delay"\nseconds = "long"', r"fault 1: seconds must be a number, not 'long'"),
        ('[[fault]]\naction = "drop"\nnth = 0', r"fault 1: nth must be a whole number from 1"),
        ('[[fault]]\naction = "drop"\nmatch = "FETCH /x"', r"fault 1: match 'FETCH /x' must look like"),
        ("[[faults]]\naction = 1", r"tables \[\[fault\]\] and nothing else"),
        ("fault = 5", r"tables \[\[fault\]\] and nothing else"),
        ("[[fault", r"the fault file is no TOML"),
        ("[[fault]]", r"fault 1: unknown action None"),
    ],
)
def test_a_wrong_fault_file_is_explained_by_entry(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_faults(text)
