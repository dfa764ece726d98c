"""What the cache says of collections of children is what Katana has of them, by the facts."""

import pytest

from cache_core.spec import EntitySpec, Feed
from cache_core.specs import SPECS
from katana_schema.reading import read_facts

FEEDS = [pytest.param(spec, feed, id=feed.name) for spec in SPECS for feed in spec.feeds]


def fields_of(collection: str) -> set[str]:
    """Return the fields of what a listing answers."""
    facts = read_facts()
    answer = facts.operations[f"GET /{collection}"].answers[200]
    held = facts.held(facts.fields(answer).get("data", answer))
    return set(facts.fields(held))


@pytest.mark.parametrize(("spec", "feed"), FEEDS)
def test_a_feed_names_its_document_and_where_that_holds_its_children(spec: EntitySpec, feed: Feed) -> None:
    query = read_facts().operations[f"GET /{feed.collection}"].parameters["query"]
    assert {"updated_at_min": feed.watermark, **{f"include_{child}": True for child in feed.include}} == {
        name: name in query for name in ("updated_at_min", *(f"include_{child}" for child in feed.include))
    }
    assert feed.parent in fields_of(feed.collection)
    assert {feed.children.removesuffix("[]"), *feed.sums} <= fields_of(spec.collection)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_what_a_document_embeds_is_what_katana_sends(spec: EntitySpec) -> None:
    ours = {"levels"}  # stock of all places is one record
    assert {child.partition("[")[0] for child in spec.children} - ours <= fields_of(spec.collection)
