"""Several kinds of record behind the same tools: each a declaration, chosen by the selector that the request names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from katana_mcp.documents.arguments import request_of
from katana_mcp.documents.declaration import Field, Part, Writable
from katana_mcp.documents.states import named_in
from katana_mcp.documents.transition import Facts
from katana_mcp.documents.verbs import writes
from katana_mcp.references.services import Services
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools import warning_codes
from katana_mcp.tools.requests import Request
from katana_mcp.tools.warnings import Refused, ToolWarning, blocking
from katana_mcp.writing.change import AnyChange, Change, Draft

type Hints = Mapping[str, str]
"""What to say instead of an argument that a kind does not have, by its name."""


def writes_of_kinds(docs: Sequence[Writable], what: Mapping[Verb, str], hints: Hints) -> dict[Verb, AnyChange]:
    """Return how records of several kinds are written by the same tools, by verb.

    Args:
        docs: a declaration per kind, each with a selector; the tools are called after the first.
        what: the end of the first sentence of each description.
        hints: what to say instead of an argument that the kind does not have.
    """
    whole = joined(docs)
    own = {_kind_of(doc): writes(doc) for doc in docs}
    return {verb: _change(whole, verb, {kind: own[kind][verb] for kind in own}, what, hints) for verb in what}


def joined(docs: Sequence[Writable]) -> Writable:
    """Return a declaration with the arguments of all kinds; one that few have is described with these."""
    return replace(
        docs[0],
        head=_joined_fields(docs, [doc.head for doc in docs]),
        parts=_joined_parts(docs),
        words={name: meant for doc in reversed(docs) for name, meant in doc.words.items()},
    )


def _kind_of(doc: Writable) -> str:
    return "" if doc.selector is None else doc.selector.value


def _joined_fields(docs: Sequence[Writable], heads: Sequence[Sequence[Field]]) -> tuple[Field, ...]:
    having: dict[str, list[str]] = {}
    first: dict[str, Field] = {}
    for doc, head in zip(docs, heads, strict=True):
        for field in head:
            having.setdefault(field.arg, []).append(_kind_of(doc))
            first.setdefault(field.arg, field)
    return tuple(_for_kinds(field, having[name], docs) for name, field in first.items())


def _for_kinds(field: Field, kinds: Sequence[str], docs: Sequence[Writable]) -> Field:
    if len(kinds) > len(docs) // 2:
        return field if len(kinds) == len(docs) else replace(field, required=False)
    message = f" ({', '.join(kinds)})"
    says, says_new = (f"{says.removesuffix('.')}{message}." if says else "" for says in (field.says, field.says_new))
    return replace(field, says=says or message.strip(), says_new=says_new, required=False)


def _joined_parts(docs: Sequence[Writable]) -> tuple[Part, ...]:
    found: dict[str, Part] = {}
    for doc in docs:
        for part in doc.parts:
            found.setdefault(part.name, part)
    whole = {name for name in found if all(name in {part.name for part in doc.parts} for doc in docs)}
    return tuple(part if name in whole else replace(part, needed=False) for name, part in found.items())


def _change(
    whole: Writable, verb: Verb, own: Mapping[str, AnyChange], what: Mapping[Verb, str], hints: Hints
) -> AnyChange:
    def chosen(request: Request) -> AnyChange:
        return own[kind_in(whole, request)]

    async def gather(request: Request, services: Services) -> Facts:
        misfits = not_of_its_kind(whole, request, chosen(request).request, hints)
        if misfits:
            raise Refused(*misfits)
        return cast("Facts", await chosen(request).gather(request, services))

    def plan(request: Request, facts: Facts) -> Draft:
        return chosen(request).plan(request, facts)

    def checks(request: Request, facts: Facts) -> Sequence[ToolWarning]:
        return chosen(request).checks(request, facts)

    return Change(
        request=request_of(whole, verb),
        gather=gather,
        plan=plan,
        checks=checks,
        reads=tuple(dict.fromkeys(name for change in own.values() for name in change.reads)),
        what=what[verb],
        answer=next(iter(own.values())).answer,
    )


def kind_in(whole: Writable, request: Request) -> str:
    """Return which kind a request is about."""
    return "" if whole.selector is None else str(getattr(request, whole.selector.argument))


def not_of_its_kind(whole: Writable, request: Request, own: type[Request], hints: Hints) -> list[ToolWarning]:
    """Return the arguments that the kind does not have, and those that it needs and that are not given."""
    kind, given = kind_in(whole, request), {name for name, value in named_in(request).items() if value != []}
    needed = {name for name, field in own.model_fields.items() if field.is_required()}
    messages = {
        name: f"{name}: a {kind} has none{_hint(name, hints)}" for name in sorted(given - own.model_fields.keys())
    }
    messages |= {name: f"{name}: a new {kind} needs at least one" for name in sorted(needed - given)}
    return [blocking(warning_codes.INVALID_ARGUMENT, message, name) for name, message in messages.items()]


def _hint(name: str, hints: Hints) -> str:
    return f"; {hints[name]}" if name in hints else ""
