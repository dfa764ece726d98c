"""Prompts as hosts list them, and what is offered while a person fills in an argument or an id."""

from collections.abc import Sequence
from typing import Any, Self

from fastmcp import FastMCP
from fastmcp.prompts import Prompt
from fastmcp.prompts.base import PromptArgument
from mcp.types import CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import PrivateAttr

from cache_core.errors import CacheError
from katana_mcp.references.services import TenantDoor
from katana_mcp.resources.offers import ids_like, keys_like
from katana_mcp.resources.prompts import WorkPrompt
from katana_mcp.resources.reference import REFERENCE
from katana_mcp.tools.hidden import escape_hidden, meant
from katana_mcp.tools.warnings import Refused


class ServedPrompt(Prompt):
    """One MCP prompt per `WorkPrompt`."""

    _work: WorkPrompt = PrivateAttr()

    @classmethod
    def of(cls, work: WorkPrompt) -> Self:
        """Return the prompt."""
        prompt = cls(
            name=work.name,
            title=work.title,
            description=work.description,
            arguments=[
                PromptArgument(name=argument.name, description=argument.description, required=argument.required)
                for argument in work.arguments
            ],
        )
        prompt._work = work
        return prompt

    async def render(self, arguments: dict[str, Any] | None = None) -> str:
        """Return the request with the arguments filled in."""
        return self._work.filled({name: str(value) for name, value in (arguments or {}).items()})


def offer_completions(server: FastMCP[Any], prompts: Sequence[WorkPrompt], tenant: TenantDoor) -> None:
    """Offer order numbers and names for arguments of prompts, and ids for templates."""
    keys = {(work.name, argument.name): argument.entity for work in prompts for argument in work.arguments}
    ids = {resource.template: resource.entity for resource in REFERENCE}

    @server.completion
    async def complete(  # pyright: ignore[reportUnusedFunction] - the decorator registers it
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> list[str]:
        del context
        prompted = isinstance(ref, PromptReference)
        entity = keys.get((ref.name, argument.name)) if prompted else ids.get(ref.uri)
        if entity is None:
            return []
        try:
            like = keys_like if prompted else ids_like
            return [
                escape_hidden(value) for value in await like(entity, meant(argument.value), await tenant.services())
            ]
        except (CacheError, Refused):
            return []  # an offer that cannot be made is none
