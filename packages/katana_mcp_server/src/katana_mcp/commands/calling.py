"""`katana-mcp call`: one tool, called from a shell as a host would call it, and its answer as JSON."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from fastmcp import Client
from fastmcp.client.client import CallToolResult
from fastmcp.client.elicitation import ElicitationHandler, ElicitResult

from katana_mcp.commands import first_sync
from katana_mcp.commands.cache.screen import ShownProgress, confirmed, is_interactive, sentences
from katana_mcp.commands.next_steps import typed
from katana_mcp.configuration import logs
from katana_mcp.configuration.settings import Settings, SettingsError
from katana_mcp.server.application import application
from katana_mcp.server.kept_tools import kept_tools


async def call(settings: Settings, tool: str, arguments: Mapping[str, object], options: Sequence[str] = ()) -> int:
    """Call the tool, print its answer or its refusal, and return the exit code: 0 answered, 1 refused or incomplete.

    An answer is incomplete while the first sync is running: rows may be missing. It is then asked for again, for a
    minute at most. A preview of what cannot be applied is a refusal, and so is a plan that was not wholly applied.
    On a terminal the person there is asked what the tool asks a person; elsewhere nobody can be asked.

    Args:
        settings: whose account it is, and which tools there are.
        tool: its name.
        arguments: as they were typed.
        options: that the settings were given by, for the next steps.

    Raises:
        SettingsError: a setting that cannot work.
    """
    logs.configure(settings.log_level if "log_level" in settings.model_fields_set else "ERROR")
    asyncio.get_running_loop().set_exception_handler(told_unless_stopped)
    server = application(settings)
    with sentences() as tell:

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            tell(message or tool, int(progress), None if total is None else int(total))

        person = _person(tell) if is_interactive() else None
        changes_nothing = any(spec.read_only for spec in kept_tools() if spec.name == tool)
        async with Client(server, elicitation_handler=person) as client:
            result = await first_sync.complete(
                lambda: client.call_tool(tool, dict(arguments), raise_on_error=False, progress_handler=on_progress),
                lambda answered: first_sync.unfinished(_object_in(_text_of(answered))) if changes_nothing else None,
                lambda reached: tell(f"first sync {reached}", 0, None),
            )
    sys.stdout.write(_printed(_text_of(result), lambda step: typed(step, tool, arguments, options)) + "\n")
    warming = None if result.is_error else (result.structured_content or {}).get("warming")
    if warming is not None:
        sys.stderr.write(f"katana-mcp: {_INCOMPLETE.format(warming)}\n")
    return 1 if result.is_error or warming is not None or _falls_short(result.structured_content or {}) else 0


def told_unless_stopped(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Tell of what a task ended with as usual, but of Ctrl-C, which every task ends with where it is pressed twice."""
    error: BaseException | None = context.get("exception")
    if isinstance(error, BaseExceptionGroup):
        _, rest = cast("BaseExceptionGroup[BaseException]", error).split(KeyboardInterrupt)
        is_stopped = rest is None
    else:
        is_stopped = isinstance(error, KeyboardInterrupt)
    if not is_stopped:
        loop.default_exception_handler(context)


def _text_of(result: CallToolResult) -> str:
    texts = [text for content in result.content if (text := getattr(content, "text", None)) is not None]
    return "\n".join(texts)


def _falls_short(answer: Mapping[str, Any]) -> bool:
    """Return whether a preview cannot be applied, or something of a plan was not."""
    if answer.get("is_preview"):
        return any(warning["severity"] == "blocking" for warning in answer["warnings"])
    ended = [answer, *answer.get("outcomes", ())]
    return any(result.get(name) for result in ended for name in ("failed", "unknown", "not_tried"))


_INCOMPLETE = "the first sync has not ended ({}): rows may be missing; call it again in a moment"


def arguments_of(words: tuple[str, ...], given: str | None) -> dict[str, object]:
    """Return the arguments that were typed: a JSON object, and words as NAME=VALUE, which win.

    A value is sent as the text it is; the tool takes numbers, yes and no, lists and objects from text as well.

    Raises:
        SettingsError: the JSON is no object, a word has no name, or two words have the same.
    """
    typed: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise SettingsError(
                f"katana-mcp call takes arguments as NAME=VALUE, as in query=fork, and not {word[:40]!r}"
            )
        if name in typed:
            raise SettingsError(f"katana-mcp call takes each argument once, and {name[:40]!r} is given twice")
        typed[name] = value
    if given is None:
        return typed
    return _object(sys.stdin.read() if given == "-" else given) | typed


def _object(text: str) -> dict[str, object]:
    found = _parsed(text)
    if not isinstance(found, dict):
        raise SettingsError('--arguments takes a JSON object, as in \'{"query": "fork"}\', or - for one from stdin')
    return cast("dict[str, object]", found)


def _object_in(text: str) -> dict[str, object]:
    """Return the answer that a text is; empty where it is none."""
    found = _parsed(text)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _printed(text: str, as_typed: Callable[[str], str]) -> str:
    """Return an answer, indented and its next steps as they can be typed; a text that is no object as it is."""
    answer = _object_in(text)
    steps = answer.get("next_actions")
    if isinstance(steps, list):
        answer["next_actions"] = [as_typed(str(step)) for step in cast("list[object]", steps)]
    return json.dumps(answer, ensure_ascii=False, indent=1) if answer else text


def _person(progress: ShownProgress) -> ElicitationHandler[Any, Any]:
    """Return what asks the person at the terminal; anything but y or yes is no."""

    async def ask(message: str, response_type: Any, params: Any, context: Any) -> Any:  # noqa: ANN401 - as FastMCP has it
        del response_type, params, context
        with progress.paused():
            is_yes = await confirmed(message)
        return ElicitResult(action="accept", content={"confirm": True}) if is_yes else ElicitResult(action="decline")

    return ask
