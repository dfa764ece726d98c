"""A day is one of the factory's time zone, whatever the zone, the date and the clocks do."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo, available_timezones

import pytest
from fastmcp.client.elicitation import ElicitResult
from hypothesis import given
from hypothesis import strategies as st
from server_wire import live
from transfer_plans import applied, new_transfer

from cache_core.records import iso
from katana_client import KatanaClient
from katana_client.wire import Moment
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.entities.sales_orders.filters import ListSalesOrdersRequest
from katana_mcp.testing import Setup, Stage, payload_of, staged
from katana_mcp.tools.days import IN_UTC, DayReading, Days, days_in, is_moment
from katana_sandbox import ManualClock, Sandbox, Tenant

MS = timedelta(milliseconds=1)
ZONES = st.sampled_from(sorted(available_timezones()))
DATES = st.dates(min_value=date(1850, 1, 3), max_value=date(2150, 1, 1))


@given(zone=ZONES, day=DATES)
def test_a_day_begins_at_the_first_moment_of_its_date_and_ends_where_the_next_begins(zone: str, day: date) -> None:
    days = days_in(zone)
    start, end = days.start(day), days.end(day)
    assert end + MS == days.start(day + timedelta(days=1))
    assert (start - MS).astimezone(ZoneInfo(zone)).date() < day
    if end >= start:  # a day that a zone skipped, when it crossed the date line, is empty
        assert start.astimezone(ZoneInfo(zone)).date() == day


@pytest.mark.parametrize(
    ("zone", "day", "start", "hours"),
    [
        ("Europe/Tallinn", "2026-03-28", "2026-03-27T22:00:00", 24),
        ("Europe/Tallinn", "2026-03-29", "2026-03-28T22:00:00", 23),
        ("Europe/Tallinn", "2026-10-25", "2026-10-24T21:00:00", 25),
        ("America/Los_Angeles", "2026-03-08", "2026-03-08T08:00:00", 23),
        ("America/Los_Angeles", "2026-11-01", "2026-11-01T07:00:00", 25),
        ("Asia/Kathmandu", "2026-06-01", "2026-05-31T18:15:00", 24),
        ("Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00", 23),  # midnight itself is skipped
        ("America/Havana", "2026-11-01", "2026-11-01T04:00:00", 25),  # midnight comes twice
        ("America/Toronto", "1919-03-31", "1919-03-31T04:30:00", 23.5),  # half an hour before midnight is skipped
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00", 0),  # a day that never was
        ("UTC", "2026-03-29", "2026-03-29T00:00:00", 24),
    ],
)
def test_days_on_which_clocks_change_have_the_hours_that_they_have(
    zone: str, day: str, start: str, hours: float
) -> None:
    days = days_in(zone)
    began = days.start(date.fromisoformat(day))
    assert began == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert days.end(date.fromisoformat(day)) + MS - began == timedelta(hours=hours)


@pytest.mark.parametrize("name", [None, "", "Middle/Earth", "../../etc/passwd", "/etc/localtime", "x" * 300, "a\0b"])
def test_a_zone_that_is_not_known_is_utc_and_says_which_one_it_was(name: str | None) -> None:
    assert days_in(name) == Days(unknown=name or "")


def test_the_same_words_are_another_moment_in_another_zone() -> None:
    given: dict[str, Any] = {"delivery_from": "2026-03-29", "delivery_to": "2026-03-29"}
    reading = DayReading(days_in("Europe/Tallinn"))
    asked = ListSalesOrdersRequest.model_validate(given, context=reading)
    assert reading.used
    assert (asked.delivery_from, asked.delivery_to) == (
        datetime(2026, 3, 28, 22, tzinfo=UTC),
        datetime(2026, 3, 29, 20, 59, 59, 999_000, tzinfo=UTC),
    )
    exact, unread = {"delivery_from": "2026-03-29T00:00:00+09:00"}, DayReading(days_in("Europe/Tallinn"))
    assert ListSalesOrdersRequest.model_validate(exact, context=unread).delivery_from == datetime(
        2026, 3, 28, 15, tzinfo=UTC
    )
    assert not unread.used
    assert ListSalesOrdersRequest.model_validate(given).delivery_from == IN_UTC.start(date(2026, 3, 29))


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2026-02-30"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
async def test_a_day_at_the_end_of_time_is_read_or_refused_in_words(
    stage: Stage, tenant: Tenant, zone: str, day: str
) -> None:
    tenant.edit("factory", 1, timezone=zone)
    exact = [{name: f"{day}T12:00:00Z"} for name in ("delivery_from", "delivery_to")]
    for window in (*({name: day} for name in ("delivery_from", "delivery_to")), *exact):
        answer = payload_of(await stage.result("list_sales_orders", window))
        assert "rows" in answer or {warning["code"] for warning in answer["warnings"]} == {"invalid_argument"}


async def test_a_window_of_a_day_holds_what_lies_in_the_factorys_day_from_the_first_call_on(
    stage: Stage, tenant: Tenant
) -> None:
    zone = "America/Los_Angeles"
    tenant.edit("factory", 1, timezone=zone)
    first, second, third, fourth = live(tenant, "sales_orders")[:4]
    for order, moment in (
        (first, "2026-03-08T07:59:59.999Z"),
        (second, "2026-03-08T08:00:00.000Z"),
        (third, "2026-03-09T06:59:59.999Z"),
        (fourth, "2026-03-09T07:00:00.000Z"),
    ):
        tenant.edit("sales_orders", order["id"], delivery_date=moment)
    asked = {"delivery_from": "2026-03-08", "delivery_to": "2026-03-08", "limit": 250}
    for _ in range(2):
        answer = await stage.call("list_sales_orders", **asked)
        found = {row["sales_order_id"] for row in answer["rows"]}
        assert found & {record["id"] for record in (first, second, third, fourth)} == {second["id"], third["id"]}
        assert answer["time_zone"] == zone
    exact = await stage.call("list_sales_orders", delivery_from="2026-03-08T08:00:00Z", limit=1)
    assert exact["time_zone"] == zone, "its dates are days of that zone too"
    assert "time_zone" not in await stage.call("list_customers", limit=1)


@pytest.mark.parametrize(
    ("zone", "late"),
    [
        ("Pacific/Kiritimati", True),
        ("Pacific/Auckland", True),
        ("Europe/Tallinn", False),
        ("America/Los_Angeles", False),
    ],
)
async def test_what_is_due_today_is_not_overdue_and_today_is_the_factorys(
    stage: Stage, tenant: Tenant, clock: ManualClock, zone: str, late: bool
) -> None:
    tenant.edit("factory", 1, timezone=zone)
    clock.advance((datetime(2026, 3, 2, 11, tzinfo=UTC) - clock.now()).total_seconds())
    order = next(sales_order for sales_order in live(tenant, "sales_orders") if sales_order["status"] == "NOT_SHIPPED")
    # Eleven in the morning of the second in UTC is the third, one in the morning, on Kiritimati.
    tenant.edit("sales_orders", order["id"], delivery_date="2026-03-02T09:00:00.000Z")
    answer = await stage.call("list_sales_orders", ids=[order["id"]], overdue=True)
    assert [row["sales_order_id"] for row in answer["rows"]] == ([order["id"]] if late else [])
    assert answer["time_zone"] == zone
    shown = (await stage.call("get_sales_order", sales_order_id=order["id"]))["order"]
    assert shown.get("overdue", False) is late


async def test_a_bare_date_that_is_written_is_midnight_at_the_factory(stage: Stage, tenant: Tenant) -> None:
    tenant.edit("factory", 1, timezone="America/Los_Angeles")
    preview = await stage.call("create_stock_transfer", **new_transfer(tenant, transfer_date="2026-03-08"))
    assert preview["time_zone"] == "America/Los_Angeles"
    assert '"transfer_date":"2026-03-08T08:00:00Z"' in preview["requests"][0]["body"]
    (outcome,) = (await applied(stage, preview["plan_token"]))["outcomes"]
    assert tenant.get("stock_transfers", outcome["id"])["transfer_date"] == "2026-03-08T08:00:00.000Z"


async def test_an_account_whose_zone_is_not_known_counts_in_utc_and_says_so(stage: Stage, tenant: Tenant) -> None:
    tenant.edit("factory", 1, timezone="Middle/Earth")
    answer = await stage.call("list_sales_orders", delivery_from="2026-03-08")
    assert answer["time_zone"] == "UTC"
    messages = [warning["message"] for warning in answer["warnings"] if warning["code"] == "time_zone_unknown"]
    assert messages == [
        "the factory's time zone has a name in katana://factory that is not known here: days are those of UTC"
    ]


@pytest.mark.parametrize(
    ("zone", "day", "moment"),
    [
        ("Pacific/Auckland", "2026-04-05", "2026-04-04T11:00:00.000Z"),  # clocks go back in that night
        ("Pacific/Auckland", "2026-04-06", "2026-04-05T12:00:00.000Z"),
        ("America/Los_Angeles", "2026-03-08", "2026-03-08T08:00:00.000Z"),  # clocks go forward in that night
        ("America/Los_Angeles", "2026-03-09", "2026-03-09T07:00:00.000Z"),
    ],
)
async def test_what_came_on_a_day_came_on_that_day_of_the_factory(
    stage: Stage, tenant: Tenant, zone: str, day: str, moment: str
) -> None:
    tenant.edit("factory", 1, timezone=zone)
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    )
    row = order["purchase_order_rows"][0]
    change = {"row_id": row["id"], "received_date": day, "arrival_date": day}
    preview = await stage.call(
        "modify_purchase_order", purchase_order_id=order["id"], status="RECEIVED", update_rows=[change]
    )
    assert preview["time_zone"] == zone, preview
    assert "plan_token" in preview, preview["message"]
    bodies = "".join(request.get("body", "") for request in preview["requests"])
    assert set(re.findall(r'"(?:received|arrival)_date":"([^"]+)"', bodies)) == {moment.replace(".000", "")}
    await applied(stage, preview["plan_token"])
    found = await stage.call("list_purchase_orders", received_from=day, received_to=day, ids=[order["id"]])
    assert [entry["purchase_order_id"] for entry in found["rows"]] == [order["id"]]
    (came,) = [
        purchase_order_row
        for purchase_order_row in tenant.get("purchase_orders", order["id"])["purchase_order_rows"]
        if purchase_order_row["id"] == row["id"]
    ]
    assert (came["received_date"], came["arrival_date"]) == (moment, moment)


async def test_a_factory_that_cannot_be_read_is_utc_and_said(stage: Stage, tenant: Tenant) -> None:
    tenant.edit("factory", 1, timezone=None)
    answer = await stage.call("list_sales_orders", delivery_from="2026-03-08", limit=1)
    assert answer["time_zone"] == "UTC"
    messages = [warning["message"] for warning in answer["warnings"] if warning["code"] == "time_zone_unknown"]
    assert messages == ["the factory's time zone is not known: days are those of UTC"]


# Since 1972 no zone is off UTC by seconds, which ISO-8601 has no form for.
@given(zone=ZONES, seconds=st.integers(100_000_000, 4_000_000_000))
def test_a_moment_that_a_person_is_shown_means_that_moment(zone: str, seconds: int) -> None:
    days, whole = days_in(zone), datetime.fromtimestamp(seconds, UTC)
    for sent in (iso(whole), days.wall(whole), iso(days.start(whole.date()))):
        shown = ListSalesOrdersRequest.model_validate({"delivery_from": days.in_words(sent)}, context=DayReading(days))
        assert shown.delivery_from == datetime.fromisoformat(sent)


def test_people_are_shown_the_day_that_begins_else_the_hour_at_the_factory() -> None:
    tallinn = days_in("Europe/Tallinn")
    assert tallinn.in_words("due 2026-03-04T22:00:00.000Z, not 2026-03-04T09:30:00Z") == (
        "due 2026-03-05, not 2026-03-04T11:30:00+02:00"
    )
    assert tallinn.in_words("2026-03-04T22:00:00.500Z") == "2026-03-05T00:00:00+02:00", "half a second later"
    assert tallinn.day("2026-03-04T21:59:59.999Z") == "2026-03-04"
    assert tallinn.day("2026-03-04T22:00:00.000Z") == "2026-03-05"
    for text in ("2026-03-04", "2026-99-04T22:00:00Z", "SKU-2026-03-04T22:00:00Zx", "0001-01-01T00:00:00Z", ""):
        assert days_in("America/Lima").in_words(text) in (text, "0001-01-01T00:00:00+00:00")


def test_all_that_the_client_reads_as_moments_is_called_so() -> None:
    models = [
        bound.kind.spec.model for name in dir(KatanaClient) if hasattr(bound := getattr(KatanaClient, name), "kind")
    ]
    moments = {
        name
        for model in models
        for name, field in model.model_fields.items()
        if Moment in (field.annotation, *get_args(field.annotation))
    }
    assert len(moments) > 20
    assert {name for name in moments if not is_moment(name)} == set()


async def test_a_preview_its_question_and_its_outcome_name_the_day_that_was_asked_for() -> None:
    asked: list[str] = []

    async def yes(question: str, *_: object) -> ElicitResult[object]:
        asked.append(question)
        return ElicitResult(action="accept", content={"confirm": True})

    own = OwnSandbox(Sandbox(clock=ManualClock(auto=False)))
    async with staged(own, Setup(person=yes)) as stage:
        mine = own.sandbox.tenant()
        arguments = new_transfer(mine, expected_arrival_date="2026-05-05", transfer_date="2026-05-04T10:30:00+03:00")
        preview = await stage.call("create_stock_transfer", **arguments, additional_info="by 2026-05-04T21:00:00Z")
        new = {difference["field"]: difference.get("new") for difference in preview["changes"]}
        assert (new["expected_arrival_date"], new["transfer_date"]) == ("2026-05-05", "2026-05-04T10:30:00+03:00")
        assert new["additional_info"] == "by 2026-05-04T21:00:00Z", "a note is a text"
        outcome = await applied(stage, preview["plan_token"])
        assert outcome["time_zone"] == "Europe/Tallinn"
        (transfer,) = [entry["id"] for entry in outcome["outcomes"]]
        assert mine.get("stock_transfers", transfer)["expected_arrival_date"] == "2026-05-04T21:00:00.000Z"
        assert "expected_arrival_date: (none) → 2026-05-05" in asked[0]
        change = await stage.call(
            "modify_stock_transfer", stock_transfer_id=transfer, expected_arrival_date="2026-05-07"
        )
        assert "expected_arrival_date 2026-05-07;" in change["message"]
        mine.edit("stock_transfers", transfer, expected_arrival_date="2026-05-05T21:00:00.000Z")
        late = await stage.refusal("apply_plan", plan_tokens=[change["plan_token"]])
        assert "expected_arrival_date: 2026-05-05 → 2026-05-06" in late["warnings"][0]["message"]
        row = (await stage.call("list_stock_transfers", ids=[transfer]))["rows"][0]
        assert row["expected_arrival_date"] == "2026-05-06"


async def test_a_purchase_orders_dates_are_days_of_the_factory(stage: Stage, tenant: Tenant) -> None:
    order = next(
        purchase_order
        for purchase_order in live(tenant, "purchase_orders")
        if purchase_order["status"] == "NOT_RECEIVED"
    )
    preview = await stage.call(
        "modify_purchase_order", purchase_order_id=order["id"], expected_arrival_date="2026-05-05"
    )
    dates = [change for change in preview["changes"] if change["field"].endswith("_date")]
    assert len(dates) == 1 + len(order["purchase_order_rows"])
    assert {change["new"] for change in dates} == {"2026-05-05"}
    assert "expected_arrival_date 2026-05-05" in preview["message"]
    assert not any("Z" in change.get("old", "") for change in dates)
