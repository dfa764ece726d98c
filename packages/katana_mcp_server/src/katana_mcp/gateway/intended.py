"""The intended catalogue: every tool that is meant to be served, made of what was written and adopted, of nothing else.

It is the same whoever is up, and the same bytes for the same files. Refuses two tools of one name.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from katana_mcp.gateway.mapping import aggregate_input, shown_input
from katana_mcp.gateway.model import OWN, Aggregate, Catalog, CatalogError
from katana_mcp.gateway.schemas import ANYTHING, Json, canonical, hashes

AGGREGATE = "aggregate"
RESERVED = frozenset({"search_tools", "call_tool"})
"""Names of ours that no other tool has, whether the two are served or not."""
_OBJECT: Json = {"type": "object"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool that is meant to be served.

    Attributes:
        origin: `katana.search_items` of ours, `shipping.quote` of another server's, `aggregate`.
        descriptor: as a host is told it.
        listed: whether it is listed, or found by a search.
        targets: what it calls at other servers, as `server.tool`.
        operations: of a tool made of several: what each calls, and the hashes of that.
    """

    origin: str
    descriptor: Json
    listed: bool = True
    targets: tuple[str, ...] = ()
    operations: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def name(self) -> str:
        """Its name, as it is called."""
        return self.descriptor["name"]

    @property
    def tokens(self) -> int:
        """What it costs the model: name, description and input schema, four bytes each."""
        return len(canonical([self.descriptor.get(key) for key in ("name", "description", "inputSchema")])) // 4

    @property
    def changes_something(self) -> bool:
        """Whether it is not known to only read."""
        return not self.descriptor.get("annotations", ANYTHING).get("readOnlyHint")

    def as_dict(self) -> Json:
        """Return it for the file."""
        fields: Json = {"origin": self.origin, "listed": self.listed, "descriptor": self.descriptor}
        hashed = hashes({"inputSchema": ANYTHING, **self.descriptor})
        return {**fields, "hashes": hashed, **({"operations": self.operations} if self.operations else {})}


def rendered(
    catalog: Catalog, pins: Mapping[str, Json], outputs: Mapping[str, Json], own: Sequence[Entry]
) -> dict[str, Entry]:
    """Return every tool that is meant to be served, by name.

    Args:
        catalog: what was written.
        pins: what was adopted, by `server.tool`.
        outputs: the output schemas that are served, the same way.
        own: our own tools, as they are told to a host.

    Raises:
        CatalogError: it cannot be served as it is written.
    """
    entries = [*own, *_of_others(catalog, pins, outputs), *_aggregates(catalog, pins, outputs)]
    named = defaultdict[str, list[str]](list)
    for entry in entries:
        named[entry.name].append(entry.origin)
        if entry.targets and not entry.listed and entry.changes_something:
            raise CatalogError(f"tools.{entry.origin}: only what is read_only can be unlisted")
        if entry.targets and entry.name in RESERVED:
            raise CatalogError(f"{entry.origin}: {entry.name} is the name of a tool of ours: give it another one")
    for name, origins in sorted(named.items()):
        if len(origins) > 1:
            raise CatalogError(
                f"{len(origins)} tools are called {name!r}: {', '.join(sorted(origins))}; give one another name in "
                f"tools, its server a namespace, or set enabled = false"
            )
    found = {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
    for server, upstream in catalog.upstreams.items():
        if upstream.budget is not None:
            found |= _unlisted(server, upstream.budget, found.values())
    return found


def _unlisted(server: str, budget: int, entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the tools of a server that are found by a search so that the listed ones keep to its budget."""
    listed = [entry for entry in entries if entry.listed and entry.origin.partition(".")[0] == server]
    cost, found = sum(entry.tokens for entry in listed), dict[str, Entry]()
    for entry in sorted(listed, key=lambda entry: (-entry.tokens, entry.name)):
        if cost > budget and not entry.changes_something:
            found[entry.name] = replace(entry, listed=False)
            cost -= entry.tokens
    return found


def _of_others(catalog: Catalog, pins: Mapping[str, Json], outputs: Mapping[str, Json]) -> Iterator[Entry]:
    for server, tools in catalog.tools.items():
        unknown = sorted(f"{server}.{tool}" for tool in tools if server != OWN and f"{server}.{tool}" not in pins)
        if unknown:
            raise CatalogError(f"tools.{unknown[0]}: not adopted: katana-mcp catalog adopt {unknown[0]}")
    for target, pinned in pins.items():
        server, _, tool = target.partition(".")
        if server not in catalog.upstreams or catalog.is_hidden(target):
            continue
        override, namespace = catalog.override(target), catalog.upstreams[server].namespace
        name = override.name or (tool if namespace is None else f"{namespace}_{tool}")
        words = {"description": override.description or pinned.get("description")}
        title = pinned["title"] if "title" in pinned and override.name is None else titled(name)
        shown = shown_input(pinned["inputSchema"], override.arguments, target)
        described = _descriptor(name, title, words, shown, read_only=override.read_only)
        if outputs[target]:
            described["outputSchema"] = outputs[target]
        yield Entry(target, described, override.listed, (target,))


def _aggregates(catalog: Catalog, pins: Mapping[str, Json], outputs: Mapping[str, Json]) -> Iterator[Entry]:
    for name, aggregate in catalog.aggregates.items():
        targets = tuple(sorted({operation.tool for operation in aggregate.operations.values()}))
        missing = sorted({*targets, *aggregate.hides} - set(pins))
        if missing:
            raise CatalogError(f"aggregates.{name}: katana-mcp catalog adopt {missing[0]} comes first")
        words: Json = {"description": aggregate.description}
        inputs = {target: pins[target]["inputSchema"] for target in targets}
        shown = aggregate_input(aggregate, inputs)
        described = _descriptor(name, titled(name), words, shown, read_only=aggregate.read_only)
        described["outputSchema"] = _aggregate_output(aggregate, pins if aggregate.lock_schema else None, outputs)
        operations: Mapping[str, Json] = {
            value: {"tool": operation.tool, **hashes(pins[operation.tool])}
            for value, operation in aggregate.operations.items()
        }
        yield Entry(AGGREGATE, described, targets=targets, operations=operations)


def _aggregate_output(aggregate: Aggregate, pins: Mapping[str, Json] | None, outputs: Mapping[str, Json]) -> Json:
    """Return what fits every operation's answer: where one is mapped or not known, any object does."""
    schemas = [
        outputs[operation.tool] if pins is None else pins[operation.tool].get("outputSchema", ANYTHING)
        for operation in aggregate.operations.values()
        if operation.response is None
    ]
    if len(schemas) < len(aggregate.operations) or not all(schemas):
        return _OBJECT
    distinct = sorted({canonical(schema): schema for schema in schemas}.items())
    return {**_OBJECT, "anyOf": [schema for _, schema in distinct]}


def titled(name: str) -> str:
    """Return a name as a title."""
    return name.replace("_", " ").replace("-", " ").capitalize()


def _descriptor(name: str, title: str, words: Json, shown: Json, *, read_only: bool) -> Json:
    """Return a descriptor; that a tool only reads is what the operator says, never what its server does."""
    texts = {key: value for key, value in words.items() if value is not None}
    annotations = {
        "readOnlyHint": read_only,
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": True,
    }
    return {"name": name, "title": title, **texts, "inputSchema": shown, "annotations": annotations}
