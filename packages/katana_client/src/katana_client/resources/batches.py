"""Batches of variants; their stock is listed by `batch_stocks`.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Never

from pydantic import AwareDatetime, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.batches import Batch
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class BatchCreate(WriteModel):
    """`Batch` of the facts."""

    batch_number: Annotated[str, StringConstraints(min_length=1)]
    variant_id: Ref
    expiration_date: Omittable[AwareDatetime] = None
    batch_created_date: Omittable[AwareDatetime] = None
    batch_barcode: Omittable[Annotated[str, StringConstraints(min_length=3, max_length=40)]] = None


class Batches(Resource[Batch, BatchCreate, Never]):
    """`/batches`."""

    spec = spec_of("batches", Batch, create=BatchCreate)
