"""Addresses of suppliers, one each for now (facts 3.3)."""

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.models.supplier_addresses import SupplierAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import PLACE, NewPlace, PlaceChange
from katana_client.wire import Ref


class SupplierAddressCreate(NewPlace):
    """A new address of a supplier."""

    supplier_id: Ref


class SupplierAddressUpdate(PlaceChange):
    """A change of an address."""


class SupplierAddresses(Resource[SupplierAddress, SupplierAddressCreate, SupplierAddressUpdate]):
    """`/supplier_addresses`; `get` goes through the listing."""

    spec = Spec(
        name="supplier_addresses",
        model=SupplierAddress,
        create=SupplierAddressCreate,
        update=SupplierAddressUpdate,
        deletes=True,
        gets="ids",
        filters=Filters(
            single=(*DATES, *DELETED, *PLACE),
            repeated=("ids", "supplier_ids"),
        ),
    )
