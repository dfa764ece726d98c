"""Addresses of suppliers, one each for now (facts 3.3)."""

from katana_client.bodies.supplier_addresses import SupplierAddressCreateBody
from katana_client.collection import spec_of
from katana_client.models.supplier_addresses import SupplierAddress
from katana_client.resource import Resource
from katana_client.resources.addresses import NewPlace, PlaceChange


class SupplierAddressCreate(NewPlace, SupplierAddressCreateBody):
    """A new address of a supplier."""


class SupplierAddressUpdate(PlaceChange):
    """A change of an address."""


class SupplierAddresses(Resource[SupplierAddress, SupplierAddressCreate, SupplierAddressUpdate]):
    """`/supplier_addresses`; `get` goes through the listing."""

    spec = spec_of("supplier_addresses", SupplierAddress, SupplierAddressCreate, SupplierAddressUpdate)
