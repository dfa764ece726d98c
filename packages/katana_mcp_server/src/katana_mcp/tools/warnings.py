"""The warning that every answer and every refusal is made of, and the refusal itself."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_serializer,
    model_validator,
)

from katana_mcp.tools import warning_codes


def render_path(loc: Sequence[int | str]) -> str | None:
    """Return a pydantic location as `rows[0].sales_order_row_id`, or None for the request itself."""
    path = ""
    for step in loc:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path or None


class ToolWarning(BaseModel):
    """One thing that a caller should know before acting on an answer.

    | case | severity |
    |---|---|
    | Katana would refuse it, it would do nothing, or the input contradicts itself or the state | blocking |
    | it touches an archived or deleted record, or a state that is unusual but legal | advisory |
    | a default was chosen, or where the answer comes from | info |

    `blocking` only when applying would fail or do nothing useful: if a sensible person might go on after
    reading the message, it is advisory or info. The four keys are always present on the wire.
    """

    model_config = ConfigDict(frozen=True)

    severity: Literal["info", "advisory", "blocking"] = Field(
        description=(
            "How a consumer should respond:\n"
            "- 'blocking': apply path will refuse; consumer must fix input or state before retrying.\n"
            "- 'advisory': operation will proceed but the user should know (unusual state, soft warning).\n"
            "- 'info': pure context, no action implied."
        )
    )
    message: str = Field(
        description=(
            "Human-readable message. Must be self-contained — readable without consulting other fields. "
            "Inline values directly (e.g. 'expected 3, got 2.5'); don't reference other Warning fields by "
            "name."
        )
    )
    field_path: str | None = Field(
        default=None,
        description=(
            "Dotted-path to the offending input field, e.g. 'rows[0].sales_order_row_id' or "
            "'actual_quantity'. Set when the warning is caused by a specific input value (so the UI can "
            "highlight the field and the LLM knows what to correct). None for state-driven warnings "
            "(e.g. 'order is already DONE') where no single input is at fault."
        ),
    )
    code: str | None = Field(
        default=None,
        description=(
            "Optional stable identifier for this warning kind (e.g. 'serial_count_mismatch', "
            "'unknown_row_id'). Consumers match on this when they want to react programmatically to a "
            "specific failure mode without parsing the message string. Stable across releases; collected in "
            "``katana_mcp/tools/warning_codes.py`` to prevent drift."
        ),
    )

    @field_validator("field_path", mode="before")
    @classmethod
    def _accept_location(cls, value: object) -> object:
        return render_path(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType] - a pydantic location

    @model_validator(mode="after")
    def _blocking_has_a_code(self) -> "ToolWarning":
        if self.severity == "blocking" and not self.code:
            raise ValueError("a blocking warning needs a code")
        return self

    @model_serializer
    def _all_four_keys(self) -> dict[str, str | None]:
        """Keep the keys without a value too, whatever the envelope around it leaves out."""
        return {name: getattr(self, name) for name in type(self).model_fields}


class Refused(Exception):
    """A request that cannot be answered, with the warnings that say why and what is allowed.

    Attributes:
        warnings: the first one's code is that of the refusal.
        envelope: keys of the answer that say how current the rows are that it was judged by.
    """

    def __init__(self, *warnings: ToolWarning, envelope: Mapping[str, object] | None = None) -> None:
        super().__init__("; ".join(warning.message for warning in warnings))
        self.warnings = warnings
        self.envelope = envelope or {}


def truncated(message: str) -> ToolWarning:
    """Return a warning about what was left unread because there is too much of it."""
    return advisory(warning_codes.TRUNCATED_RESULT, message)


def blocking(code: str, message: str, field_path: str | None = None) -> ToolWarning:
    """Return a blocking warning."""
    return ToolWarning(severity="blocking", code=code, message=message, field_path=field_path)


def advisory(code: str, message: str, field_path: str | None = None) -> ToolWarning:
    """Return an advisory warning."""
    return ToolWarning(severity="advisory", code=code, message=message, field_path=field_path)


def info(code: str, message: str, field_path: str | None = None) -> ToolWarning:
    """Return a warning that only gives context, such as where a value comes from."""
    return ToolWarning(severity="info", code=code, message=message, field_path=field_path)
