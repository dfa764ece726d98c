"""What the cache asks of Katana, with which key and at which priority, and what it makes of each answer."""

import json
from collections.abc import Callable, Sequence

import httpx
import pytest

from cache_core.errors import SourceUnavailable
from cache_core.protocol import Quarantined
from cache_core.records import RecordId
from cache_core.spec import EntitySpec
from cache_core.specs import SPECS
from cache_core.sync import SourcePage, Window
from katana_client import KatanaClient, ManualClock, Priority, RateFacts, SlidingWindowBudget
from katana_client.sending import Patience
from katana_mcp.caches.source import Awaited, KatanaSource

SPEC = {spec.name: spec for spec in SPECS}
VARIANT, ORDER, FACTORY = SPEC["variant"], SPEC["sales_order"], SPEC["factory"]
FULFILLMENT = SPEC["sales_order_fulfillment"]
OWN = "https://api.katanamrp.com/v1"
OTHER = "https://other.example/v1"
NOW = "2026-03-02T08:00:00.000Z"

type Answer = Callable[[httpx.Request], httpx.Response]


def rows(*records: object, total: int | None = None) -> Answer:
    """Return what answers with one page of these."""
    count = str(len(records) if total is None else total)
    pages = {"total_records": count, "total_pages": "1", "offset": "0", "page": "1", "last_page": "true"}
    headers = {"x-pagination": json.dumps({**pages, "first_page": "true"})}
    return lambda request: httpx.Response(200, json={"data": [*records]}, headers=headers)


def refusal(status: int, **headers: str) -> Answer:
    """Return what answers with this status."""
    return lambda request: httpx.Response(status, json={"message": "no"}, headers=headers)


def silence(request: httpx.Request) -> httpx.Response:
    """Answer nothing."""
    raise httpx.ConnectError("refused", request=request)


class Noting(SlidingWindowBudget):
    """A budget that notes the priority of each request."""

    def __init__(self) -> None:
        super().__init__(ManualClock())
        self.priorities: list[Priority] = []

    async def acquire(self, priority: Priority) -> int:
        self.priorities.append(priority)
        return await super().acquire(priority)


class Katana:
    """A client of a Katana that answers so, and what it was asked.

    Attributes:
        asked: path below the base URL and query of every request.
        budget: the client's.
        client: the client.
    """

    def __init__(self, answer: Answer, base_url: str = OWN) -> None:
        self.asked: list[str] = []
        self.budget = Noting()

        def handle(request: httpx.Request) -> httpx.Response:
            self.asked.append(str(request.url).removeprefix(base_url))
            return answer(request)

        self.client = KatanaClient(
            "a-key-of-an-account",
            base_url=base_url,
            transport=httpx.MockTransport(handle),
            clock=ManualClock(),
            budget=self.budget,
            patience=Patience(tries=1),
        )

    def source(self) -> KatanaSource:
        """Return the source of its records."""
        return KatanaSource(self.client)


RECORD = {"id": 1, "sku": "A", "updated_at": NOW}


async def test_a_page_holds_what_came_and_what_could_not_be_used() -> None:
    katana = Katana(rows(RECORD, {"sku": "B"}, 5, {"id": True, "sku": "C"}, total=9))
    page = await katana.source().page(VARIANT, Window(2, 10), NOW)
    invalid = [
        Quarantined(None, "id: missing", '{"sku":"B"}'),
        Quarantined(None, page.invalid[1].reason, '{"id":true,"sku":"C"}'),
        Quarantined(None, "not an object", "5"),
    ]
    assert page == SourcePage(page.records, 9, invalid)
    assert [*page.records] == [RECORD]
    query = "include_deleted=true&include_archived=true&updated_at_min=2026-03-02T08%3A00%3A00.000Z&limit=10&page=2"
    assert katana.asked == [f"/variants?{query}"]


async def test_a_row_that_is_no_object_is_kept_as_two_thousand_characters() -> None:
    page = await Katana(rows("x" * 3_000)).source().page(VARIANT, Window(1), None)
    assert page.invalid[0].payload == "'" + "x" * 1_999


async def test_an_id_that_cannot_be_written_is_left_out() -> None:
    answer = b'{"data": [{"id": "\\ud800", "updated_at": 5}]}'
    katana = Katana(lambda request: httpx.Response(200, content=answer, headers={"content-type": "application/json"}))
    page = await katana.source().page(VARIANT, Window(1), None)
    assert [bad.id for bad in page.invalid] == [None] * len(page.invalid)
    assert page.total is None


async def test_fields_of_an_unforeseen_form_are_named_by_the_id_of_their_record() -> None:
    odd = {"id": 2, "sku": {"not": "a text"}, "updated_at": NOW}
    page = await Katana(rows(RECORD, odd)).source().page(VARIANT, Window(1), None)
    assert page.unread == {2: ("sku",)}
    single = Katana(lambda request: httpx.Response(200, json={"id": 2, "status": {"not": "a text"}}))
    assert (await single.source().records(FULFILLMENT, [2])).unread == {2: ("status",)}


async def test_the_factory_is_one_record_of_its_own_id() -> None:
    katana = Katana(lambda request: httpx.Response(200, json={"legal_name": "Acme", "display_name": 7}))
    page = await katana.source().page(FACTORY, Window(1), None)
    assert page == SourcePage(page.records, None, bare=True, unread=page.unread)
    assert [*page.records] == [{"legal_name": "Acme", "display_name": 7, "id": 1}]
    assert (page.unread, katana.asked) == ({1: ("display_name",)}, ["/factory"])
    with pytest.raises(SourceUnavailable) as refused:
        await Katana(refusal(401)).source().page(FACTORY, Window(1), None)
    assert refused.value.reason == "Katana refused the API key in KATANA_API_KEY"


async def test_records_are_listed_by_ids_or_read_one_by_one_without_those_that_are_not_found() -> None:
    katana = Katana(rows(RECORD))
    page = await katana.source().records(VARIANT, [1, 2])
    assert ([*page.records], page.total) == ([RECORD], 1)
    assert katana.asked == ["/variants?include_deleted=true&include_archived=true&ids=1&ids=2&limit=250&page=1"]

    def one(request: httpx.Request) -> httpx.Response:
        number = int(request.url.path.rpartition("/")[2])
        return httpx.Response(404 if number == 2 else 200, json={"id": number, "updated_at": NOW})

    katana = Katana(one)
    page = await katana.source().records(FULFILLMENT, [1, 2, 3])
    assert page == SourcePage([{"id": 1, "updated_at": NOW}, {"id": 3, "updated_at": NOW}], 2)
    assert katana.asked == [f"/sales_order_fulfillments/{number}" for number in (1, 2, 3)]
    with pytest.raises(SourceUnavailable, match="500 no"):
        await Katana(refusal(500)).source().records(FULFILLMENT, [1])


@pytest.mark.parametrize(
    ("spec", "keys", "field", "query"),
    [
        (VARIANT, ["A", "B"], None, "include_deleted=true&include_archived=true&sku=A&sku=B"),
        (VARIANT, ["A"], "supplier_item_codes", "include_deleted=true&include_archived=true&supplier_item_codes=A"),
        (ORDER, ["SO-1"], None, "include_deleted=true&order_no=SO-1"),
    ],
)
async def test_records_are_listed_by_their_keys(
    spec: EntitySpec, keys: Sequence[str], field: str | None, query: str
) -> None:
    katana = Katana(rows())
    assert await katana.source().with_keys(spec, keys, field) == SourcePage((), 0, [])
    assert katana.asked == [f"/{spec.collection}?{query}&limit=250&page=1"]


def test_ids_and_keys_are_cut_into_what_one_request_takes() -> None:
    source = Katana(rows()).source()

    def sizes(batches: Sequence[Sequence[RecordId]]) -> list[int]:
        return [len(batch) for batch in batches]

    ids = range(1, 502)
    assert [sizes(source.batches(spec, ids)) for spec in (VARIANT, FULFILLMENT)] == [[250, 250, 1]] * 2
    assert sizes(source.batches(VARIANT, range(10**15, 10**15 + 250))) != [250]
    assert sizes(source.batches(FULFILLMENT, range(10**15, 10**15 + 250))) == [250]
    assert [sizes(source.key_batches(spec, ["A", "B", *map(str, ids)])) for spec in (VARIANT, ORDER)] == [
        [100] * 5 + [3],
        [1] * 503,
    ]
    assert sizes(source.stock_batches(ids)) == [250, 250, 1]


async def test_stock_is_read_to_the_last_page_archived_variants_included() -> None:
    levels = [{"variant_id": number, "location_id": 1} for number in (1, 2)]
    katana = Katana(rows(*levels))
    found = await katana.source().stock([1, 2])
    assert [level["variant_id"] for level in found] == [1, 2]
    assert len(katana.asked) == 1
    assert "include_archived=true" in katana.asked[0]
    assert "variant_id=1&variant_id=2" in katana.asked[0]
    with pytest.raises(SourceUnavailable) as refused:
        await Katana(refusal(401)).source().stock([1])
    assert (refused.value.reason, refused.value.refused) == ("Katana refused the API key in KATANA_API_KEY", True)


@pytest.mark.parametrize(
    ("answer", "base_url", "reason", "flags"),
    [
        (refusal(401), OWN, "Katana refused the API key in KATANA_API_KEY", (None, True, True)),
        (
            refusal(429, **{"retry-after": "7"}),
            OWN,
            "Katana's limit of 60 requests a minute is used up",
            (7.0, True, False),
        ),
        (refusal(500), OWN, "Katana could not be read: GET /variants: 500 no", (None, False, False)),
        (refusal(404), OWN, "Katana could not be read: GET /variants: 404 no", (None, False, False)),
        (refusal(422), OTHER, "Katana could not be read: GET /variants: 422 no", (None, False, False)),
        (
            refusal(404),
            OTHER,
            (
                "Katana could not be read: GET /variants: 404 no; check KATANA_BASE_URL: it is https://other.example/v1,"
                " and Katana's is https://api.katanamrp.com/v1"
            ),
            (None, False, False),
        ),
        (
            silence,
            OWN,
            (
                "Katana could not be read: no answer from api.katanamrp.com: GET /variants: not sent:"
                " ConnectError: refused"
            ),
            (None, True, False),
        ),
    ],
)
async def test_a_failure_is_said_in_one_sentence_with_what_it_concerns(
    answer: Answer, base_url: str, reason: str, flags: tuple[float | None, bool, bool]
) -> None:
    with pytest.raises(SourceUnavailable) as failed:
        await Katana(answer, base_url).source().page(VARIANT, Window(1), None)
    error = failed.value
    assert (error.reason, (error.retry_after, error.everywhere, error.refused)) == (reason, flags)


async def test_listings_go_with_a_second_key_and_what_is_waited_for_with_the_first() -> None:
    first, second = Katana(rows()), Katana(rows())
    source = KatanaSource(first.client, second.client)
    await source.page(VARIANT, Window(1), None)
    await source.stock([1])
    assert [len(first.asked), len(second.asked)] == [1, 1]
    refused = KatanaSource(first.client, Katana(refusal(401)).client)
    for reading in (refused.page(VARIANT, Window(1), None), refused.records(FULFILLMENT, [1])):
        with pytest.raises(SourceUnavailable) as failed:
            await reading
        assert failed.value.reason == "Katana refused the API key in KATANA_SYNC_API_KEY"


async def test_each_listing_has_its_priority_and_one_that_a_plan_waits_for_that_of_people() -> None:
    katana, awaited = Katana(rows()), Awaited()
    sources = [KatanaSource(katana.client, priority=None), KatanaSource(katana.client, awaited=awaited)]
    with awaited.waited_for(["variant"]), awaited.waited_for(["variant"]), katana.client.priority(Priority.WRITE):
        assert ("variant" in awaited, "sales_order" in awaited) == (True, False)
        for source in sources:
            for spec in (VARIANT, ORDER):
                await source.page(spec, Window(1), None)
            await source.records(VARIANT, [1])
    with awaited.waited_for(["variant"]):
        assert "variant" in awaited
    assert "variant" not in awaited
    write, bulk = Priority.WRITE, Priority.BULK
    assert katana.budget.priorities == [write, write, write, Priority.INTERACTIVE, bulk, Priority.INTERACTIVE]
    katana.budget.priorities.clear()
    await sources[1].page(VARIANT, Window(1), None)
    await sources[1].stock([1])
    assert katana.budget.priorities == [bulk, Priority.INTERACTIVE]


async def test_the_limit_is_why_an_answer_is_late_where_requests_have_to_wait() -> None:
    katana = Katana(rows())
    assert katana.source().late() is None
    katana.budget.observe(await katana.budget.acquire(Priority.BULK), RateFacts(hold=20))
    assert katana.source().late() == "Katana's limit of 60 requests a minute is used up"
