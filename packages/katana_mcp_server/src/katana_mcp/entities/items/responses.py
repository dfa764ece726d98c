"""What the tools answer that plan to write items: the preview."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class CreateItemResponse(Preview):
    """The answer of `create_item`."""


class ModifyItemResponse(Preview):
    """The answer of `modify_item`."""


class DeleteItemResponse(Preview):
    """The answer of `delete_item`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateItemResponse,
    "modify": ModifyItemResponse,
    "delete": DeleteItemResponse,
}
NO_WORDS: Mapping[Verb, str] = dict.fromkeys(("create", "modify", "delete"), "")
"""The tools hold items of all types: their descriptions say of each what it has, not a declaration alone."""
