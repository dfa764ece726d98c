"""The shapes of an account's records, held against the models: one page of each collection, and never a value."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_args

from katana_client import KatanaClient
from katana_client.abilities import ABILITIES
from katana_client.errors import KatanaError
from katana_client.models import values
from katana_client.page import Page
from katana_client.wire import ReadModel
from katana_mcp.caches.cache_files import Tell
from katana_mcp.commands.doctor.finding import Finding

if TYPE_CHECKING:
    from katana_client.resource import Resource

LISTED = tuple(name for name, abilities in ABILITIES.items() if abilities.lists)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionShape:
    """What a page of a collection looks like.

    Attributes:
        name: of the collection.
        total: its records, as Katana counts them.
        read: records on the page.
        ids: kinds and lengths of their ids: `7 to 8 digits`.
        largest: characters of the largest record.
        findings: what the models do not know.
    """

    name: str
    total: int | None = None
    read: int = 0
    ids: str = ""
    largest: int = 0
    findings: tuple[Finding, ...] = field(default_factory=tuple)

    def cells(self) -> tuple[object, ...]:
        """Return its line of a table."""
        return (self.name, "unknown" if self.total is None else self.total, self.read, self.ids, self.largest)

    def data(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "collection": self.name,
            "total": self.total,
            "read": self.read,
            "ids": self.ids,
            "largest_record": self.largest,
            "findings": [finding.message for finding in self.findings],
        }


async def shapes_of(client: KatanaClient, tell: Tell) -> list[CollectionShape]:
    """Read one page of each collection that can be listed."""
    found: list[CollectionShape] = []
    for number, name in enumerate(LISTED):
        tell("collections", number, len(LISTED))
        resource = cast("Resource[ReadModel, Any, Any]", getattr(client, name))
        try:
            found.append(_shape(name, await resource.page(1)))
        except KatanaError as error:
            advice = "where your account should have it, send this line to the project"
            found.append(CollectionShape(name=name, findings=(Finding(name, "advice", str(error), advice),)))
    return found


def _shape(name: str, page: Page[ReadModel]) -> CollectionShape:
    counts = Counter[str]()
    for item, unread in zip(page.items, page.unread, strict=True):
        counts.update(f"{path} has a form that is not known" for path in set(unread))
        counts.update(set(_unknown(item, "")))
    for row in page.invalid:
        counts[f"cannot be kept: {row.reason}"] += 1
    if page.strays:
        counts["is no object"] += len(page.strays)
    if page.header_missing and page.count:
        counts["the page does not say how many there are"] += page.count
    advice = "send this line to the project: it holds no value of yours"
    lines = [
        Finding(name, "advice", f"{message} ({count} of {page.count})", advice)
        for message, count in counts.most_common()
    ]
    return CollectionShape(
        name=name,
        total=page.total_records,
        read=page.count,
        ids=_ids([record.get("id") for record in page.records]),
        largest=max((len(str(dict(record))) for record in page.records), default=0),
        findings=tuple(lines),
    )


def _unknown(model: ReadModel, path: str) -> Iterator[str]:
    """Yield which fields, and which words of fields that have some, a model does not know, those of its parts too."""
    yield from (f"{path}{name} is a field that is not known" for name in model.model_extra or {})
    for name in model.model_fields_set & type(model).model_fields.keys():
        value: object = getattr(model, name)
        words = _words(type(model), name)
        if words and isinstance(value, str | int) and value not in words:
            yield f"{path}{name} has a word that is not known"
        parts = cast("list[object]", value) if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, ReadModel):
                yield from _unknown(part, f"{path}{name}[]." if isinstance(value, list) else f"{path}{name}.")


def _words(model: type[ReadModel], name: str) -> tuple[object, ...]:
    """Return the words that are known of a field, nothing where any may stand there."""
    alias = f"{model.__name__}{''.join(part.capitalize() for part in name.split('_'))}"
    words: Mapping[str, Any] = vars(values)
    return get_args(words[alias].__value__) if alias in words else ()


def _ids(found: list[object]) -> str:
    """Return kinds and lengths of ids."""
    numbers = [len(str(value)) for value in found if isinstance(value, int)]
    texts = [len(value) for value in found if isinstance(value, str)]
    parts = [
        f"{min(lengths)} {kind}" if min(lengths) == max(lengths) else f"{min(lengths)} to {max(lengths)} {kind}"
        for lengths, kind in ((numbers, "digits"), (texts, "characters"))
        if lengths
    ]
    return ", ".join(parts)
