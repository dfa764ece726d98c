"""Render what the API can do with each collection, for `scripts.render`."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from scripts.render_models import CLIENT
from scripts.render_resources import formatted

from katana_schema.notation import Fact, plain_name
from katana_schema.reading import ApiFacts

FOLDER = CLIENT / "src" / "katana_client"
HEAD = '''"""What Katana's API can do with each collection.

Rendered by scripts/render_abilities.py: change the facts of katana_schema.
"""

from katana_client.filters import Abilities, Filters

ABILITIES: dict[str, Abilities] = {
'''


def rendered(facts: ApiFacts) -> dict[str, str]:
    """Return the text of the module by its name."""
    names = sorted({operation.collection for operation in facts.operations.values()})
    lines = [f'    "{name}": Abilities({", ".join(_abilities(name, facts))}),' for name in names]
    return {"abilities": formatted("\n".join([HEAD, *lines, "}", ""]))}


def _abilities(name: str, facts: ApiFacts) -> Iterator[str]:
    own = {key: operation for key, operation in facts.operations.items() if operation.collection == name}
    listing, one = own.get(f"GET /{name}"), own.get(f"GET /{name}/{{id}}")
    query: Mapping[str, Fact] = {} if listing is None else listing.parameters.get("query", {})
    by_id = [
        f'"{parameter}"'
        for parameter in ("ids", "id", "recipe_row_id", "product_operation_row_id")
        if parameter in query
    ]
    parts = {
        "deletes": "True" if f"DELETE /{name}/{{id}}" in own else "",
        "lists": "False" if "page" not in query else "",
        "gets": '"path"' if one else next(iter(by_id), ""),
        "uuid": "True"
        if any(operation.parameters.get("path", {}).get("id") == "uuid" for operation in own.values())
        else "",
    }
    yield from (f"{key}={value}" for key, value in parts.items() if value)
    kinds = {plain_name(parameter)[0]: str(kind) for parameter, kind in query.items()}
    yield from _named_filters("filters", kinds)
    own_query = {} if one is None else {key: str(kind) for key, kind in one.parameters.get("query", {}).items()}
    yield from _named_filters("get_filters", own_query)


def _named_filters(name: str, kinds: Mapping[str, str]) -> Iterator[str]:
    filters = {parameter: kind for parameter, kind in kinds.items() if parameter not in {"limit", "page"}}
    repeated = [parameter for parameter, kind in filters.items() if kind.startswith("[")]
    texts = [
        _text(parameter for parameter in filters if parameter not in repeated),
        *([_text(repeated)] if repeated else []),
    ]
    if filters:
        yield f"{name}=Filters.of({', '.join(texts)})"


def _text(names: Iterable[str]) -> str:
    lines = textwrap.wrap(" ".join(names), 96) or [""]
    return "\n".join(f'"{line}{" " if line is not lines[-1] else ""}"' for line in lines)
