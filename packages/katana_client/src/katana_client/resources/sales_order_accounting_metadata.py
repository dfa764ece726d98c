"""Invoices of sales orders.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import Spec
from katana_client.filters import Filters
from katana_client.models.sales_order_accounting_metadata import SalesOrderAccountingMetadata
from katana_client.resource import Resource


class SalesOrderAccounting(Resource[SalesOrderAccountingMetadata, Never, Never]):
    """`/sales_order_accounting_metadata`."""

    spec = Spec(
        name="sales_order_accounting_metadata",
        model=SalesOrderAccountingMetadata,
        filters=Filters(
            single=(
                "sales_order_id",
                "fulfillment_id",
            )
        ),
    )
