"""What the tools answer that plan to write customers: the preview."""

from collections.abc import Mapping

from katana_mcp.surface.descriptor import Verb
from katana_mcp.writing.preview import Preview


class CreateCustomerResponse(Preview):
    """The answer of `create_customer`."""


class ModifyCustomerResponse(Preview):
    """The answer of `modify_customer`."""


class DeleteCustomerResponse(Preview):
    """The answer of `delete_customer`."""


ANSWERS: Mapping[Verb, type[Preview]] = {
    "create": CreateCustomerResponse,
    "modify": ModifyCustomerResponse,
    "delete": DeleteCustomerResponse,
}
