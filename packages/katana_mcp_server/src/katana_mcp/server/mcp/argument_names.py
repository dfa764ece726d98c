"""What a request takes at each depth: its arguments, their second names, and the words that people use for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAliasType, cast, get_args

from pydantic import BaseModel

from katana_mcp.tools.argument_words import Offers, Words
from katana_mcp.tools.hints import LONGEST_NAME, nearest, quoted
from katana_mcp.tools.requests import Request


@dataclass(frozen=True, slots=True)
class Shape:
    """The arguments of a request, or of an object in one.

    Attributes:
        names: each name that is taken, with its argument; the arguments themselves come first.
        words: each word that is not, with the arguments that it may stand for, or what to say.
        parts: the shapes of the objects that arguments hold.
    """

    names: Mapping[str, str]
    words: Words
    parts: Mapping[str, "Shape"]

    @property
    def arguments(self) -> list[str]:
        """The arguments, as the schema lists them."""
        return list(dict.fromkeys(self.names.values()))

    def hint(self, name: str) -> str:
        """Return what is said of a name that is not taken."""
        word = name[:LONGEST_NAME].casefold()
        said = self.words.get(word)
        if isinstance(said, str):
            return said
        within = [argument for argument, part in self.parts.items() if word in part.names or word in part.words]
        if said is None and within:
            return f"it stands in {' or '.join(f'`{argument}`' for argument in within)}"
        near = nearest(name, self.arguments) if said is None else None
        offered = said or ([] if near is None else [near])
        return f"did you mean {' or '.join(map(repr, offered))}?" if offered else f"known: {self._known_names()}"

    def unknown(self, name: str) -> str:
        """Return the sentence on a name that is not taken."""
        return f"unknown argument {quoted(name)}; {self.hint(name)}"

    def _known_names(self) -> str:
        return ", ".join(self.arguments) or "none"


@cache
def shape_of(model: type[Request]) -> Shape:
    """Return what a request model takes."""
    fields = model.model_fields
    also, words = dict[str, Sequence[str]](), dict[str, Sequence[str] | str]()
    for base in reversed(model.__mro__):
        also |= cast("Offers", vars(base).get("also", {}))
        words |= cast("Words", vars(base).get("words", {}))
    taken = {name: next(_in(every, fields), None) for name, every in also.items() if name not in fields}
    second = {name: meant for name, meant in taken.items() if meant is not None}
    offers = {word: said if isinstance(said, str) else list(_in(said, fields)) for word, said in words.items()}
    parts = {name: held for name, field in fields.items() if (held := _held(field.annotation)) is not None}
    names = {name: name for name in fields} | second
    return Shape(
        names=names,
        words={word: said for word, said in offers.items() if said and word not in names},
        parts={name: shape_of(held) for name, held in parts.items()},
    )


def _in(names: Sequence[str], fields: Mapping[str, object]) -> Iterator[str]:
    return (name for name in names if name in fields)


def _held(annotation: object) -> type[Request] | None:
    """Return the model of the objects that an argument holds."""
    if isinstance(annotation, TypeAliasType):
        return _held(annotation.__value__)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return cast("type[Request]", annotation)
    return next((held for arg in get_args(annotation) if (held := _held(arg)) is not None), None)
