"""The client's half of a sync: from the bytes of a page to normalised, validated records."""

from collections.abc import Sequence
from typing import cast

from cache_core.records import Record
from cache_core.spec import EntitySpec
from katana_client import KatanaClient
from katana_client.collection import Spec
from katana_client.headers import Cursor
from katana_client.jsontext import decode
from katana_client.page import Shape, read_page

_KATANA = KatanaClient("never-asked")


def spec_of(spec: EntitySpec) -> Spec:
    """Return what the client knows of a collection; it is loaded before a page is asked for."""
    found: Spec = getattr(_KATANA, spec.collection).spec
    return found


async def read(spec: EntitySpec, page: bytes) -> Sequence[Record]:
    """Return the records of a page as the client gives them to the cache; each of them must be valid."""
    collection = spec_of(spec)
    rows = cast("dict[str, list[object]]", decode(page))["data"]
    answer = read_page(Shape(collection.model, collection.key), rows, Cursor(), (1, len(rows)))
    await answer.validate()
    assert not answer.invalid, answer.invalid[0]
    return cast("Sequence[Record]", answer.valid_records)
