"""Logs of webhooks.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal, Never

from pydantic import AwareDatetime, Field

from katana_client.answers import answered
from katana_client.collection import spec_of
from katana_client.exchange import Call
from katana_client.models.webhook_logs_export import WebhookLogsExport
from katana_client.resource import Resource
from katana_client.wire import Omittable, Ref, WriteModel


class WebhookLogsWanted(WriteModel):
    """`WebhookLogsExportRequest` of the facts."""

    webhook_id: Omittable[Ref] = None
    event: Omittable[
        Literal[
            "sales_order.created",
            "sales_order.approved",
            "sales_order.ready_for_fulfillment",
            "sales_order.packed",
            "sales_order.delivered",
            "sales_order.invoiced",
            "sales_order.updated",
            "sales_order.deleted",
            "sales_order.availability_updated",
            "purchase_order.created",
            "purchase_order.approved",
            "purchase_order.updated",
            "purchase_order.deleted",
            "purchase_order.partially_received",
            "purchase_order.received",
            "purchase_order.billed",
            "purchase_order_row.created",
            "purchase_order_row.received",
            "purchase_order_row.updated",
            "purchase_order_row.deleted",
            "outsourced_purchase_order.created",
            "outsourced_purchase_order.approved",
            "outsourced_purchase_order.updated",
            "outsourced_purchase_order.deleted",
            "outsourced_purchase_order.received",
            "outsourced_purchase_order.billed",
            "outsourced_purchase_order_row.created",
            "outsourced_purchase_order_row.updated",
            "outsourced_purchase_order_row.deleted",
            "outsourced_purchase_order_row.received",
            "outsourced_purchase_order_recipe_row.created",
            "outsourced_purchase_order_recipe_row.updated",
            "outsourced_purchase_order_recipe_row.deleted",
            "manufacturing_order.created",
            "manufacturing_order.updated",
            "manufacturing_order.deleted",
            "manufacturing_order.in_progress",
            "manufacturing_order.blocked",
            "manufacturing_order.done",
            "manufacturing_order_recipe_row.created",
            "manufacturing_order_recipe_row.updated",
            "manufacturing_order_recipe_row.deleted",
            "manufacturing_order_recipe_row.ingredients_in_stock",
            "manufacturing_order_operation_row.created",
            "manufacturing_order_operation_row.updated",
            "manufacturing_order_operation_row.deleted",
            "manufacturing_order_operation_row.in_progress",
            "manufacturing_order_operation_row.paused",
            "manufacturing_order_operation_row.blocked",
            "manufacturing_order_operation_row.completed",
            "current_inventory.product_updated",
            "current_inventory.material_updated",
            "current_inventory.product_out_of_stock",
            "current_inventory.material_out_of_stock",
            "product.created",
            "product.updated",
            "product.deleted",
            "material.created",
            "material.updated",
            "material.deleted",
            "variant.created",
            "variant.updated",
            "variant.deleted",
            "product_recipe_row.created",
            "product_recipe_row.deleted",
            "bom_row.created",
            "bom_row.updated",
            "bom_row.deleted",
            "product_recipe_row.updated",
        ]
    ] = None
    status_code: Omittable[Annotated[int, Field(ge=100, le=600)]] = None
    delivered: Omittable[bool] = None
    created_at_min: Omittable[AwareDatetime] = None
    created_at_max: Omittable[AwareDatetime] = None


class WebhookLogs(Resource[WebhookLogsExport, Never, Never]):
    """`/webhook_logs_export`."""

    spec = spec_of("webhook_logs_export", WebhookLogsExport, key=("url",))

    async def export(self, body: WebhookLogsWanted) -> WebhookLogsExport:
        """Return where the logs can be fetched."""
        return await answered(self.sender, Call("POST", "/webhook_logs_export", (), body.wire()), WebhookLogsExport)
