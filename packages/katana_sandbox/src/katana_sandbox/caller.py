"""A bare in-process caller for tests and demos: no socket, no HTTP library, lost connections as exceptions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from katana_sandbox.calls import PREFIX
from katana_sandbox.wire.encoding import Record, decode, encode

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope

type Query = Mapping[str, object] | Sequence[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply. Header names are lower case."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def value(self) -> object:
        """The parsed body."""
        return decode(self.raw)

    @property
    def body(self) -> Record:
        """The body, when it is an object."""
        return cast("Record", decode(self.raw))

    @property
    def rows(self) -> list[Record]:
        """The records of a list, in its envelope or bare."""
        value = decode(self.raw)
        return cast("list[Record]", value) if isinstance(value, list) else self.body["data"]

    @property
    def ids(self) -> list[object]:
        """The ids of a list's records."""
        return [record["id"] for record in self.rows]

    @property
    def error(self) -> Record:
        """The inner error object."""
        return self.body["error"]

    @property
    def page(self) -> dict[str, str]:
        """The pagination header."""
        return cast("dict[str, str]", decode(self.headers["x-pagination"].encode()))


class Caller:
    """Calls an application under one key."""

    def __init__(self, app: "ASGIApp", key: str | None) -> None:
        self._app = app
        self._key = key

    async def get(self, path: str, query: Query = ()) -> Answer:
        """GET a path below /v1."""
        return await self.call("GET", path, query=query)

    async def post(self, path: str, body: object) -> Answer:
        """POST a JSON value."""
        return await self.call("POST", path, encode(body))

    async def patch(self, path: str, body: object) -> Answer:
        """PATCH with a JSON value."""
        return await self.call("PATCH", path, encode(body))

    async def delete(self, path: str, body: object = None) -> Answer:
        """DELETE, with a JSON value where the API wants one."""
        return await self.call("DELETE", path, b"" if body is None else encode(body))

    async def call(
        self, method: str, path: str, content: bytes = b"", query: Query = (), headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Any request; lists in the query repeat their key."""
        path, _, text = path.partition("?")
        pairs = query.items() if isinstance(query, Mapping) else query
        shown = [(name, _texts(value)) for name, value in pairs]
        given = {"authorization": f"Bearer {self._key}"} if self._key is not None else {}
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": PREFIX + path,
            "raw_path": (PREFIX + path).encode(),
            "query_string": (text or urlencode(shown, doseq=True)).encode(),
            "headers": [(k.lower().encode(), v.encode()) for k, v in {**given, **(headers or {})}.items()],
            "client": ("127.0.0.1", 1),
            "server": ("sandbox", 80),
        }
        return await self._run(scope, content)

    async def _run(self, scope: "Scope", content: bytes) -> Answer:
        sent: list[Message] = []

        async def receive() -> "Message":
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: "Message") -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))


def _texts(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [str(item) for item in cast("list[object]", value)] if isinstance(value, list | tuple) else value
