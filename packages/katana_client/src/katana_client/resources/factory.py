"""The factory: account settings and default locations; one object, read-only (facts 3.3)."""

from collections.abc import Mapping
from typing import Never

from katana_client.collection import Spec
from katana_client.resource import Resource
from katana_client.resources.addresses import Place
from katana_client.wire import Moment, ReadModel


class LegalAddress(Place):
    """Where the company is registered."""


class Factory(ReadModel):
    """The account's settings. All base amounts are in `base_currency_code`; there is no id.

    `default_so_delivery_time` and `default_po_lead_time` are days, as text.
    """

    name: str | None = None
    address: str | None = None
    currency: str | None = None
    timezone: str | None = None
    legal_address: LegalAddress | None = None
    legal_name: str | None = None
    display_name: str | None = None
    base_currency_code: str | None = None
    default_so_delivery_time: str | None = None
    default_po_lead_time: str | None = None
    default_manufacturing_location_id: int | None = None
    default_purchases_location_id: int | None = None
    default_sales_location_id: int | None = None
    inventory_closing_date: Moment = None


class FactorySettings(Resource[Factory, Never, Never]):
    """`/factory`."""

    spec = Spec(name="factory", model=Factory, lists=False, key=())

    async def read(self) -> Factory:
        """Return the settings; a field that cannot be read is None and missing from `model_fields_set`.

        Raises:
            UnexpectedResponse: The answer is no object.
        """
        return self.understood(await self.read_record())

    async def read_record(self) -> Mapping[str, object]:
        """Return the settings as a plain dict, normalised.

        Raises:
            UnexpectedResponse: The answer is no object.
        """
        return await self.read_object(self.spec.path)
