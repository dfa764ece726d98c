"""Addresses that Katana tells of events; `token` signs them.

Rendered by scripts/render_resources.py: change the facts of katana_schema, or resources.toml.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from katana_client.collection import spec_of
from katana_client.models.webhooks import Webhook
from katana_client.resource import Resource
from katana_client.wire import Omittable, WriteModel


class WebhookCreate(WriteModel):
    """`CreateWebhookRequest` of the facts."""

    url: Annotated[str, StringConstraints(min_length=1)]
    subscribed_events: Annotated[
        list[
            Literal[
                "sales_order.created",
                "sales_order.approved",
                "sales_order.updated",
                "sales_order.deleted",
                "sales_order.ready_for_fulfillment",
                "sales_order.packed",
                "sales_order.delivered",
                "sales_order.invoiced",
                "sales_order.availability_updated",
                "purchase_order.created",
                "purchase_order.approved",
                "purchase_order.updated",
                "purchase_order.deleted",
                "purchase_order.partially_received",
                "purchase_order.received",
                "purchase_order.billed",
                "purchase_order_row.created",
                "purchase_order_row.updated",
                "purchase_order_row.deleted",
                "purchase_order_row.received",
                "manufacturing_order.created",
                "manufacturing_order.updated",
                "manufacturing_order.deleted",
                "manufacturing_order.in_progress",
                "manufacturing_order.blocked",
                "manufacturing_order.done",
                "manufacturing_order_operation_row.created",
                "manufacturing_order_operation_row.updated",
                "manufacturing_order_operation_row.deleted",
                "manufacturing_order_operation_row.in_progress",
                "manufacturing_order_operation_row.paused",
                "manufacturing_order_operation_row.blocked",
                "manufacturing_order_operation_row.completed",
                "manufacturing_order_recipe_row.created",
                "manufacturing_order_recipe_row.updated",
                "manufacturing_order_recipe_row.deleted",
                "manufacturing_order_recipe_row.ingredients_in_stock",
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
                "product_recipe_row.updated",
                "product_recipe_row.deleted",
                "bom_row.created",
                "bom_row.updated",
                "bom_row.deleted",
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
            ]
        ],
        Field(min_length=1),
    ]
    enabled: Omittable[bool] = None
    description: Omittable[str] = None


class WebhookUpdate(WriteModel):
    """`UpdateWebhookRequest` of the facts."""

    url: Omittable[Annotated[str, StringConstraints(min_length=1)]] = None
    enabled: Omittable[bool] = None
    subscribed_events: Omittable[
        Annotated[
            list[
                Literal[
                    "sales_order.created",
                    "sales_order.approved",
                    "sales_order.updated",
                    "sales_order.deleted",
                    "sales_order.ready_for_fulfillment",
                    "sales_order.packed",
                    "sales_order.delivered",
                    "sales_order.invoiced",
                    "sales_order.availability_updated",
                    "purchase_order.created",
                    "purchase_order.approved",
                    "purchase_order.updated",
                    "purchase_order.deleted",
                    "purchase_order.partially_received",
                    "purchase_order.received",
                    "purchase_order.billed",
                    "purchase_order_row.created",
                    "purchase_order_row.updated",
                    "purchase_order_row.deleted",
                    "purchase_order_row.received",
                    "manufacturing_order.created",
                    "manufacturing_order.updated",
                    "manufacturing_order.deleted",
                    "manufacturing_order.in_progress",
                    "manufacturing_order.blocked",
                    "manufacturing_order.done",
                    "manufacturing_order_operation_row.created",
                    "manufacturing_order_operation_row.updated",
                    "manufacturing_order_operation_row.deleted",
                    "manufacturing_order_operation_row.in_progress",
                    "manufacturing_order_operation_row.paused",
                    "manufacturing_order_operation_row.blocked",
                    "manufacturing_order_operation_row.completed",
                    "manufacturing_order_recipe_row.created",
                    "manufacturing_order_recipe_row.updated",
                    "manufacturing_order_recipe_row.deleted",
                    "manufacturing_order_recipe_row.ingredients_in_stock",
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
                    "product_recipe_row.updated",
                    "product_recipe_row.deleted",
                    "bom_row.created",
                    "bom_row.updated",
                    "bom_row.deleted",
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
                ]
            ],
            Field(min_length=1),
        ]
    ] = None
    description: Omittable[str] = None


class Webhooks(Resource[Webhook, WebhookCreate, WebhookUpdate]):
    """`/webhooks`."""

    spec = spec_of("webhooks", Webhook, create=WebhookCreate, update=WebhookUpdate)
