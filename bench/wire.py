"""The client's half of a sync: from the bytes of a page to normalised, validated records."""

from collections.abc import Sequence
from typing import cast

from cache_core.records import Record
from cache_core.spec import EntitySpec
from katana_client import KatanaClient
from katana_client.headers import Cursor
from katana_client.jsontext import decode
from katana_client.page import Shape, read_page

_KATANA = KatanaClient("never-asked")


def read(spec: EntitySpec, page: bytes) -> Sequence[Record]:
    """Return the records of a page as the client gives them to the cache; each of them must be valid."""
    collection = getattr(_KATANA, spec.collection).spec
    rows = cast("dict[str, list[object]]", decode(page))["data"]
    answer = read_page(Shape(collection.model, collection.key), rows, Cursor(), (1, len(rows)))
    assert not answer.invalid, answer.invalid[0]
    return cast("Sequence[Record]", answer.valid_records)
