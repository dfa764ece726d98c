"""The tools that plan a write, a row each: a usual call about a document of its own, and what may happen to that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from katana_sandbox import Tenant

type Arguments = dict[str, object]
type Record = dict[str, Any]
type Rows = list[dict[str, Any]]
type Pools = Mapping[str, Sequence[object]]
"""Values for an argument that names something in Katana, by its path: `rows[].sku_or_variant_id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoil:
    """What somebody does in Katana so that a plan can no longer be applied.

    Attributes:
        act: does it, to the document or to something that the arguments name.
        code: of the warning that the tool raises from then on.
        blocks: whether that warning is blocking; else the same can be planned again, on the new facts.
        asks: the arguments of the call, where it is not the usual one.
    """

    act: Callable[[Tenant, Record, Arguments], object]
    code: str
    blocks: bool = True
    asks: Callable[[Tenant, Record], Arguments] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A tool that plans a write, as it is called here.

    Attributes:
        collection: where the sandbox keeps the documents that it is about.
        usual: arguments of a call about this document, planned without a warning that blocks; the text is one that no
            other call has, for a number or a name.
        subject: the argument that names the document; empty where the tool makes it.
        always: arguments that every call needs besides that, and that have one value.
        make: puts the document of a call into the sandbox, past the server, with the text that no other has.
        pools: what arguments can name in this account, of this document.
        below: for each argument inside another, by its path, arguments whose requests must differ from the usual ones.
        spoils: what can happen between the preview and the apply, by what it is in words.
        follows: collections whose records Katana changes of its own accord when the document changes.
        parts: collections of what the document consists of, by the argument or field that holds them in a preview.
        derived: fields of the document and its parts that Katana works out itself, so that no preview has to name them.
        lined: collections of parts that a preview shows as lines where they come or go, and the field of their price.
        listed: collections of parts that a preview shows as lines by their name alone, and the field of that.
        words: fields that a preview may show by the name of what they hold the id of, and the collection of that.
        moments: fields that Katana may fill in at the apply, of which a preview can only say so.
    """

    collection: str
    usual: Callable[[Tenant, str, Record], Arguments]
    subject: str = ""
    always: Arguments = field(default_factory=dict[str, object])
    make: Callable[[Tenant, str], Record] | None = None
    pools: Callable[[Tenant, Record], Pools] = field(default=lambda *_: {})
    below: Callable[[Tenant, Record], dict[str, Arguments]] = field(default=lambda *_: {})
    spoils: Mapping[str, Spoil]
    follows: frozenset[str] = frozenset()
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    derived: frozenset[str] = frozenset()
    lined: Mapping[str, str] = field(default_factory=dict[str, str])
    listed: Mapping[str, str] = field(default_factory=dict[str, str])
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    moments: frozenset[str] = frozenset()

    def document(self, tenant: Tenant, text: str) -> Record:
        """Return a new document for a call, nothing where the tool makes it."""
        return {} if self.make is None else self.make(tenant, text)

    def named(self, document: Record) -> Arguments:
        """Return the argument that names the document, where there is one, and what every call needs."""
        return {**self.always, **({self.subject: document["id"]} if self.subject else {})}

    def called(self, tenant: Tenant, text: str) -> tuple[Record, Arguments]:
        """Return the document of a new usual call, nothing where the tool makes it, and the arguments."""
        document = self.document(tenant, text)
        return document, {**self.named(document), **self.usual(tenant, text, document)}


def live(tenant: Tenant, collection: str) -> list[Record]:
    """Return the records that are neither deleted nor archived, oldest first."""
    return [
        record for record in tenant.all(collection) if not record.get("deleted_at") and not record.get("archived_at")
    ]


def gone(collection: str) -> Spoil:
    """Return that the document is deleted."""
    return Spoil(act=lambda tenant, document, _: tenant.delete(collection, document["id"]), code="not_found")


def edited(collection: str, code: str, **fields: object) -> Spoil:
    """Return that fields of the document get values that speak against the plan."""
    return Spoil(act=lambda tenant, document, _: tenant.edit(collection, document["id"], True, **fields), code=code)


def done_already(collection: str, **fields: object) -> Spoil:
    """Return that somebody has given fields of the document the values that are asked for."""
    return Spoil(act=edited(collection, "", **fields).act, code="no_effective_change", asks=lambda *_: fields)


def part_gone(argument: str, name: str, collection: str) -> Spoil:
    """Return that what the first row of an argument names by id is deleted."""
    return Spoil(
        act=lambda tenant, _, arguments: tenant.delete(collection, cast("Rows", arguments[argument])[0][name]),
        code="not_found",
    )
