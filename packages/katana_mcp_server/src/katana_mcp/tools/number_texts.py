"""Numbers that come as texts: one that may be a thousand times another is not taken for either."""

import re

from pydantic import BeforeValidator, ValidationInfo

_THOUSANDS = re.compile(r"(-?[1-9][0-9]{0,2})[.,]([0-9]{3})")


def doubt(text: str) -> str | None:
    """Return why it is not certain how much a text says: `1.000` and `1,000` are a thousand, or one."""
    found = _THOUSANDS.fullmatch(text.strip())
    if found is None:
        return None
    whole, part = found.groups()
    return f"may be {whole}{part} or {whole}.{part.rstrip('0') or '0'}: write one of them"


def _certain(value: object, info: ValidationInfo) -> object:
    if info.context is not None and isinstance(value, str) and (why := doubt(value)) is not None:
        raise ValueError(why)
    return value


CERTAIN = BeforeValidator(_certain)
"""Refuses a text in doubt that a caller gives; what a plan keeps is validated without a context, and never in doubt."""
