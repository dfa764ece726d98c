"""The argument models of a document's tools, made of its declaration."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, WithJsonSchema, create_model
from pydantic import Field as Argument

from katana_mcp.documents.declaration import Field, Part, Selector, Writable
from katana_mcp.surface.descriptor import Verb
from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.requests import NOT_EMPTY, Request, WriteRequest, own_id

NO_OFFERS: Offers = {}
type Definitions = dict[str, Any]
"""Types of arguments, or types with defaults, as `create_model` takes them."""


def request_of(doc: Writable, verb: Verb) -> type[Request]:
    """Return the arguments of a tool."""
    name, chosen, also = doc.tool(verb), _chosen(doc.selector), _also(doc.selector)
    if verb == "create":
        return _model(name, chosen | _new(doc), _not_nullable(doc, verb), also)
    fields = chosen | {doc.id: Annotated[doc.id_kind, _described(doc.says_id)]}
    further = {**own_id(doc.id), **also}
    if verb == "delete":
        return _model(name, fields, frozenset(), further)
    return _model(name, fields | _changed(doc), _not_nullable(doc, verb), further, doc.words)


def _chosen(selector: Selector | None) -> Definitions:
    """Return the argument that says which kind is meant, in capitals or small letters."""
    if selector is None:
        return {}
    shown = WithJsonSchema({"type": "string", "enum": [*selector.kinds]})
    kind = Annotated[Literal[selector.kinds], BeforeValidator(_folded), shown, _described(selector.says)]  # ty: ignore[invalid-type-form]
    return {selector.argument: kind}


def _folded(value: object) -> object:
    return value.strip().casefold() if isinstance(value, str) else value


def _also(selector: Selector | None) -> Offers:
    return NO_OFFERS if selector is None else {selector.also: (selector.argument,)}


def _model(
    name: str, fields: Definitions, kept: frozenset[str], further: Offers = NO_OFFERS, offers: Words = NO_OFFERS
) -> type[WriteRequest]:
    """Return a model with further names and offers for others; what is kept cannot be null."""

    class OwnRequest(WriteRequest):
        also: ClassVar[Offers] = further
        words: ClassVar[Words] = offers
        never_null: ClassVar[frozenset[str]] = kept

    return create_model(f"{name.title().replace('_', '')}Request", __base__=OwnRequest, **fields)


def _described(text: str) -> Any:  # noqa: ANN401 - what pydantic makes
    return Argument(description=text or None)


def _new(doc: Writable) -> Definitions:
    found = _fields(doc.head, "create")
    if doc.status is not None and doc.status.new_kind is not None:
        found["status"] = (Annotated[doc.status.new_kind, _described(doc.status.says_new)], doc.status.first)
    for part in [candidate for candidate in doc.parts if "create" in candidate.verbs]:
        least = 1 if part.needed else 0
        found[part.name] = _listed(_row(part), least, part.most, part.says["new"], filled=part.filled)
    return found


def _changed(doc: Writable) -> Definitions:
    found = _fields((*doc.head, *doc.switches), "modify")
    if doc.status is not None:
        found["status"] = (Annotated[doc.status.kind | None, _described(doc.status.says)], None)
    for part in doc.parts:
        if part.collection:
            found[f"add_{part.name}"] = _listed(_row(_briefly(part)), 0, part.most, part.says["add"])
            found[f"update_{part.name}"] = _listed(_row_change(_briefly(part)), 0, part.most, part.says["update"])
            found[part.deletes] = _listed(part.key_kind, 0, part.most, part.says["delete"])
    return found


def _fields(fields: Iterable[Field], verb: Verb) -> Definitions:
    found: Definitions = {}
    for field in fields:
        if verb in field.verbs:
            says = (verb == "create" and field.says_new) or field.says
            needed = field.required and verb == "create"
            found[field.arg] = _argument(field, _described(says), needed=needed)
    return found


def _argument(field: Field, says: Any, *, needed: bool) -> Any:  # noqa: ANN401 - types as values
    if field.default is not None:
        return (Annotated[field.kind, says], field.default)
    return Annotated[field.kind, says] if needed else (Annotated[field.kind | None, says], None)


def _listed(kind: Any, least: int, most: int, says: str, *, filled: bool = False) -> Any:  # noqa: ANN401 - types as values
    if least:
        return Annotated[list[kind], Argument(min_length=least, max_length=most, description=says)]
    limited = Annotated[list[kind], Argument(max_length=most, description=says)]
    return (Annotated[limited, NOT_EMPTY] if filled else limited, Argument(default_factory=list))


def _row(part: Part) -> type[Request]:
    kept = frozenset(field.arg for field in part.fields if not field.required)
    fields = _fields(part.fields, "create")
    also = {name: meant for name, meant in part.also.items() if fields.keys() & {*meant}}
    return _model(f"new_{part.one}", fields, kept, also)


def _row_change(part: Part) -> type[Request]:
    key: Definitions = {part.key: part.key_kind}
    fixed = frozenset(field.arg for field in part.fields if not field.clears)
    return _model(f"changed_{part.one}", {**_fields(part.fields, "modify"), **key}, fixed, part.also)


def _briefly(part: Part) -> Part:
    """Return a part without the words of its fields where they stand with those of a new document."""
    return replace(part, fields=tuple(replace(field, says="") for field in part.fields)) if part.is_brief else part


def _not_nullable(doc: Writable, verb: Verb) -> frozenset[str]:
    """Return the arguments that cannot be null: of something new, nothing is cleared."""
    if verb == "create":
        return frozenset(field.arg for field in doc.head if not field.required) | {part.name for part in doc.parts}
    lists = [name for part in doc.parts for name in (f"add_{part.name}", f"update_{part.name}", part.deletes)]
    fixed = [field.arg for field in doc.head if not field.clears and verb in field.verbs]
    return frozenset((*fixed, *lists, *(() if doc.status is None else ("status",))))
