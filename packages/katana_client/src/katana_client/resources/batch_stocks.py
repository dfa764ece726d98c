"""Stock of batches, by location; an update changes the batch itself.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Never

from pydantic import AwareDatetime, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.batch_stocks import BatchStock
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class BatchStockUpdate(WriteModel):
    """`BatchStockUpdate` of the facts."""

    batch_number: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    expiration_date: Omittable[AwareDatetime] = None
    batch_created_date: AwareDatetime | None = None
    batch_barcode: Annotated[str, StringConstraints(min_length=3, max_length=40)] | None = None


class BatchStocks(Resource[BatchStock, Never, BatchStockUpdate]):
    """`/batch_stocks`."""

    spec = spec_of("batch_stocks", BatchStock, update=BatchStockUpdate, key=("batch_id", "location_id"))
