"""`get_<entity>`: one whole document; the entity brings the tool, because documents differ."""

from katana_mcp.descriptor import AnyTool, Entity


def get_tool(entity: Entity) -> AnyTool | None:
    """Return the entity's get tool, or None when it has none."""
    return entity.get


def description(entity_title: str, list_tool: str, what: str) -> str:
    """Return a get tool's description with the cross-reference to its list partner.

    Args:
        entity_title: in words, singular: `sales order`.
        list_tool: the partner: `list_sales_orders`.
        what: what the document holds.
    """
    plural = list_tool.removeprefix("list_").replace("_", " ")
    return (
        f"Get one {entity_title} {what}.\n\n"
        f"For multiple {plural} at once, use ``{list_tool}(ids=[...])`` — it returns a JSON envelope of rows "
        "and supports all the same filters."
    )
