"""The store against a plain list: any writes, any query, undone and seen from the past."""

from hypothesis import given, settings
from hypothesis import strategies as st

from katana_sandbox import ManualClock, Sandbox, SandboxConfig
from katana_sandbox.wire.encoding import decode_record, encode
from katana_sandbox.wire.times import ms_of

_STEPS = st.lists(
    st.tuples(st.sampled_from(["create", "edit", "silent", "delete", "hard", "wait"]), st.integers(0, 30)), max_size=40
)
_QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "updated_at_min": st.integers(0, 60),
        "updated_at_max": st.integers(0, 60),
        "created_at_min": st.integers(0, 60),
        "include_deleted": st.booleans(),
        "name": st.sampled_from(["n0", "n1", "n2"]),
    },
)


def _moment(second: int) -> str:
    return f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z"


@settings(max_examples=25, deadline=None)
@given(steps=_STEPS, queries=st.lists(_QUERIES, min_size=1, max_size=6), lag=st.integers(1, 40))
async def test_lists_agree_with_a_plain_filter_over_all_records(
    steps: list[tuple[str, int]], queries: list[dict[str, object]], lag: int
) -> None:
    clock = ManualClock()
    sandbox = Sandbox(SandboxConfig(switches={"rate_limit": 0}, empty=True), clock=clock)
    tenant, api = sandbox.tenant(), sandbox.caller()
    history: list[tuple[float, list[dict[str, object]]]] = []
    for verb, number in steps:
        live = [row["id"] for row in tenant.all("suppliers") if not row["deleted_at"]]
        if verb == "create":
            tenant.create("suppliers", {"name": f"n{number % 3}"})
        elif verb == "wait":
            clock.advance(number % 3)
        elif live and verb in {"edit", "silent"}:
            tenant.edit("suppliers", live[number % len(live)], bump=verb == "edit", name=f"n{number % 3}")
        elif live:
            tenant.delete("suppliers", live[number % len(live)], hard=verb == "hard")
        history.append((clock.monotonic(), list(tenant.all("suppliers"))))
    for query in queries:
        shown = {
            name: _moment(value) if isinstance(value, int) and not isinstance(value, bool) else value
            for name, value in query.items()
        }
        answer = await api.get("/suppliers", {"limit": 250, **shown})
        expected = [row for row in tenant.all("suppliers") if _fits(row, shown)]
        assert answer.rows == sorted(expected, key=lambda row: (row["created_at"], row["id"]), reverse=True)
    past = [rows for at, rows in history if at <= clock.monotonic() - lag]
    sandbox.switches.set("replica_lag", lag)
    seen = (await api.get("/suppliers", {"limit": 250, "include_deleted": True})).rows
    assert {str(row["id"]): row for row in seen} == {str(row["id"]): row for row in (past[-1] if past else [])}
    sandbox.switches.set("replica_lag", 0)
    fresh = await api.get("/suppliers", {"limit": 250, "include_deleted": True})
    assert set(fresh.ids) == {row["id"] for row in tenant.all("suppliers")}


def _fits(row: dict[str, object], query: dict[str, object]) -> bool:
    updated, created = ms_of(row["updated_at"]) or 0, ms_of(row["created_at"]) or 0
    return (
        (query.get("include_deleted") is True or row["deleted_at"] is None)
        and updated >= (ms_of(query.get("updated_at_min")) or 0)
        and updated <= (ms_of(query.get("updated_at_max")) or 1 << 60)
        and created >= (ms_of(query.get("created_at_min")) or 0)
        and query.get("name", row["name"]) == row["name"]
    )


def test_who_changes_a_record_that_was_read_changes_nobody_elses() -> None:
    raw = encode({"name": "A", "rows": [{"quantity": 1, "batches": [{"id": 1}]}], "address": {"city": "Turku"}})
    first = decode_record(raw)
    first["name"] = first["address"]["city"] = "B"
    first["rows"][0]["batches"][0]["id"] = 2
    first["rows"].append({})
    assert encode(decode_record(raw)) == raw
