"""Exchanges with the description of what belongs to the account."""

from collections.abc import Callable

from katana_sandbox import Tenant

from .spec_steps import Step, first, given
from .stock_room import sold

COLOUR = {"label": "Colour", "field_type": "url", "entity_type": "Customer", "source": "api"}


def invoiced(tenant: Tenant) -> object:
    order = next(tenant.all("sales_orders"))["id"]
    invoice = {"sales_order_id": order, "fulfillment_id": 7, "invoice_id": "A", "integration_type": "xero"}
    stamp = {"created_at": "2026-03-01T00:00:00.000Z"}
    return tenant.insert_raw("sales_order_accounting_metadata", {"id": 5, **invoice, **stamp})


def open_order(tenant: Tenant) -> object:
    return sold(tenant, next(tenant.all("variants"))["id"], 1)["id"]


HOOK = {"url": "https://shop.example/katana", "subscribed_events": ["sales_order.created"], "description": "D"}
SPAN = {"period_start": "2026-04-01T00:00:00.000Z", "period_end": "2026-04-30T23:59:59.999Z"}


def hook(tenant: Tenant) -> object:
    return tenant.create("webhooks", HOOK)["id"]


def forecast(**figures: str) -> Callable[[Tenant], object]:
    def body(tenant: Tenant) -> object:
        pair = {"variant_id": first("variants")(tenant), "location_id": first("locations")(tenant)}
        return {**pair, "periods": [{**SPAN, **figures}]}

    return body


ACCOUNT_STEPS: dict[str, Step] = {
    "GET /custom_field_definitions": Step(),
    "POST /custom_field_definitions": Step(body=given(COLOUR)),
    "GET /custom_field_definitions/{id}": Step(first("custom_field_definitions")),
    "PATCH /custom_field_definitions/{id}": Step(first("custom_field_definitions"), given({"label": "Paint"})),
    "DELETE /custom_field_definitions/{id}": Step(first("custom_field_definitions")),
    "GET /custom_fields_collections": Step(empty=True),
    "POST /sales_order_rerank": Step(
        body=lambda tenant: {"order_ids": [open_order(tenant)], "place": {"position": "top"}}
    ),
    "POST /manufacturing_order_rerank": Step(
        body=lambda tenant: {
            "order_ids": [first("manufacturing_orders", status="NOT_STARTED")(tenant)],
            "place": {"position": "bottom"},
        }
    ),
    "GET /webhooks": Step(hook),
    "POST /webhooks": Step(body=given(HOOK)),
    "GET /webhooks/{id}": Step(hook),
    "PATCH /webhooks/{id}": Step(hook, given({"enabled": False})),
    "DELETE /webhooks/{id}": Step(hook),
    "POST /webhook_logs_export": Step(body=given({"event": "sales_order.created", "delivered": True})),
    "GET /inventory_signals": Step(query=(("demand_window", "90"), ("limit", "2"))),
    "GET /demand_forecasts": Step(query=(("variant_id", "10000106"), ("location_id", "10000101"))),
    "POST /demand_forecasts": Step(body=forecast(committed="2.5")),
    "DELETE /demand_forecasts": Step(body=forecast()),
    "GET /users": Step(),
    "GET /user_info": Step(),
    "GET /sales_order_accounting_metadata": Step(invoiced),
}
