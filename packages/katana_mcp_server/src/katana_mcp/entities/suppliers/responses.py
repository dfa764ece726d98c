"""What the tools answer that plan to write suppliers: the preview."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class CreateSupplierResponse(Preview):
    """The answer of `create_supplier`."""


class ModifySupplierResponse(Preview):
    """The answer of `modify_supplier`."""


class DeleteSupplierResponse(Preview):
    """The answer of `delete_supplier`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateSupplierResponse,
    "modify": ModifySupplierResponse,
    "delete": DeleteSupplierResponse,
}
