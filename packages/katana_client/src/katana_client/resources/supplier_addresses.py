"""Addresses of suppliers, one each for now (facts 3.3)."""

from katana_client.collection import Spec
from katana_client.filters import DATES, DELETED, Filters
from katana_client.resource import Resource
from katana_client.wire import Moment, NonEmpty, ReadModel, Ref, WriteModel


class SupplierAddress(ReadModel):
    """The address of a supplier."""

    id: int | None = None
    supplier_id: int | None = None
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    created_at: Moment = None
    updated_at: Moment = None
    deleted_at: Moment = None


class SupplierAddressCreate(WriteModel):
    """A new address of a supplier."""

    supplier_id: Ref
    line_1: str | None = None
    line_2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None


class SupplierAddressUpdate(WriteModel):
    """A change of an address."""

    line_1: NonEmpty | None = None
    line_2: NonEmpty | None = None
    city: NonEmpty | None = None
    state: NonEmpty | None = None
    zip: NonEmpty | None = None
    country: NonEmpty | None = None


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
            single=(*DATES, *DELETED, "line_1", "line_2", "city", "state", "zip", "country"),
            repeated=("ids", "supplier_ids"),
        ),
    )
