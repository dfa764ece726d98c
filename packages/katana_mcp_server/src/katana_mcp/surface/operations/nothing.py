"""What is said of a list that holds nothing: the filters, how many records there are, and texts that were near."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cache_core.conditions import Visibility
from katana_mcp.references.display_names import none_yet
from katana_mcp.references.services import Services
from katana_mcp.references.suggestions import same, texts_like
from katana_mcp.surface.descriptor import Entity
from katana_mcp.surface.operations.filters import texts_of
from katana_mcp.tools.answers import Empty
from katana_mcp.tools.requests import ListRequest

_SHOWN = 300
_NEAR = 3
_WINDOW = {"limit", "page", "order_by", "include_rows", "rows_only", "include_deleted", "include_archived"}


@dataclass(frozen=True, slots=True)
class NothingListed:
    """What is known where no record meets the filters.

    Attributes:
        empty: what is answered.
        near: texts that records have, by the filter that asks for one like them, the likeliest first.
        spelt: by filter, the texts that records have and that differ from what it asks for in case and blanks alone.
    """

    empty: Empty
    near: Mapping[str, Sequence[str]]
    spelt: Mapping[str, list[str]]

    def next_actions(self, entity: Entity) -> list[str]:
        """Return what to ask next."""
        if self.near:
            return [f"list_{entity.plural}(..., {name}={texts[0]!r})" for name, texts in self.near.items()]
        if not self.empty.records:
            return [none_yet(entity.titles)]
        return [f"list_{entity.plural}(...) with fewer filters"] if {*self.empty.fields} - {"ids"} else []


def visibility_of(request: ListRequest) -> Visibility:
    """Return which soft states a list shows."""
    asked = (getattr(request, name, False) for name in ("include_deleted", "include_archived"))
    return Visibility(*asked)


async def nothing_listed(sources: Sequence[str], request: ListRequest, services: Services) -> NothingListed:
    """Return what is known where no record of these cache entities meets the filters."""
    filters = [name for name in type(request).model_fields if name not in _WINDOW]
    used = request.model_dump(mode="json", include=set(filters), exclude_none=True)
    # As a clock at the factory shows them, so that a day that was asked for is recognised.
    used |= {name: services.days.wall(value) for name, value in request if isinstance(value, datetime)}
    searched = ", ".join(f"{name}={used[name]!r}" for name in filters if name in used) or "no filter"
    records = [await services.cache.count(source, (), visibility_of(request)) for source in sources]
    near: dict[str, list[str]] = {}
    spelt: dict[str, list[str]] = {}
    for name, (path, asked) in texts_of(request).items():
        found = [text for source in sources for text in await texts_like(services, source, path, asked)]
        alike = [text for text in found if same(text, asked)]
        if alike and asked not in alike:
            spelt[name] = alike
        elif found and not alike:
            near[name] = list(dict.fromkeys(found))[:_NEAR]
    empty = Empty(
        searched=searched if len(searched) <= _SHOWN else f"{searched[:_SHOWN]}…",
        fields=[name for name in filters if name in used],
        records=sum(records),
        did_you_mean=list(dict.fromkeys(text for texts in near.values() for text in texts)),
    )
    return NothingListed(empty, near, spelt)
