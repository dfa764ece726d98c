"""Invoices of sales orders.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Never

from katana_client.collection import spec_of
from katana_client.models.sales_order_accounting_metadata import SalesOrderAccountingMetadata
from katana_client.resource import Resource


class SalesOrderAccounting(Resource[SalesOrderAccountingMetadata, Never, Never]):
    """`/sales_order_accounting_metadata`."""

    spec = spec_of("sales_order_accounting_metadata", SalesOrderAccountingMetadata)
