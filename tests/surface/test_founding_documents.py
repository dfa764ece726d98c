"""What the founding documents name is there by its name, with what they say of it, and is what is used."""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from fastmcp.client.elicitation import ElicitResult

from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.server.made_tools import tools
from katana_mcp.testing import Setup, Stage, payload_of, staged
from katana_mcp.tools import warning_codes
from katana_mcp.tools.schemas import ConfirmationSchema
from katana_sandbox import Tenant

from .all_writes import WRITES

ANSWERS: Mapping[str, str] = {
    "create_stock_transfer": "CreateStockTransferResponse",
    "modify_stock_transfer": "ModifyStockTransferResponse",
    "create_purchase_order": "CreatePurchaseOrderResponse",
    "modify_purchase_order": "ModifyPurchaseOrderResponse",
    "receive_purchase_order": "ReceivePurchaseOrderResponse",
    "correct_purchase_order": "CorrectOrderResponse",
    "create_sales_order": "CreateSalesOrderResponse",
    "modify_sales_order": "ModifySalesOrderResponse",
    "correct_sales_order": "CorrectOrderResponse",
    "fulfill_order": "FulfillOrderResponse",
    "create_manufacturing_orders": "CreateManufacturingOrdersResponse",
    "complete_manufacturing_order": "CompleteManufacturingOrderResponse",
    "correct_manufacturing_order": "CorrectOrderResponse",
    "create_stock_adjustment": "CreateStockAdjustmentResponse",
    "modify_stock_adjustment": "UpdateStockAdjustmentResponse",
    "delete_stock_adjustment": "DeleteStockAdjustmentResponse",
}
"""The response models of the warnings document, by the tools that are there."""
FIELDS = {"id", "status", "is_preview", "message", "warnings", "next_actions"}
"""What a response has; the order's number and its cost are `number` and `total` in all of them."""
FOUNDED = {
    *("unknown_row_id", "duplicate_row_overrides", "same_source_destination", "empty_order", "already_completed"),
    *("serial_qty_not_integer", "serial_numbers_required", "serial_count_mismatch"),
}
"""Codes of the warnings document whose tools are there; all of them block."""
NAMED: Mapping[str, Mapping[str, str]] = {
    "create_purchase_order": {"supplier_id": "supplier_id", "location_id": "location_id"},
    "modify_purchase_order": {"supplier_id": "supplier_id", "location_id": "location_id"},
    "create_sales_order": {"customer_id": "customer_id"},
    "modify_sales_order": {"customer_id": "customer_id", "location_id": "location_id"},
    "create_stock_transfer": {"source_location_id": "source_location_id", "target_location_id": "target_location_id"},
    "modify_stock_adjustment": {"location_id": "location_id"},
}


def test_the_question_is_the_schema_that_the_founding_document_gives() -> None:
    assert ConfirmationSchema.model_json_schema() == {
        "title": "ConfirmationSchema",
        "description": "Schema for user confirmation elicitation.",
        "type": "object",
        "properties": {
            "confirm": {"title": "Write it", "type": "boolean", "description": "True to proceed, False to cancel"}
        },
        "required": ["confirm"],
    }


async def test_a_person_is_asked_with_that_schema(own: OwnSandbox, tenant: Tenant) -> None:
    asked: list[object] = []

    async def person(_message: str, _type: object, params: Any, _context: object) -> ElicitResult[Any]:  # noqa: ANN401 - of two eras
        asked.append(params.requested_schema)
        return ElicitResult(action="decline")

    async with staged(own, Setup(person=person)) as stage:
        _, arguments = WRITES["create_customer"].called(tenant, "ASKED")
        token = payload_of(await stage.result("create_customer", arguments))["plan_token"]
        await stage.result("apply_plan", {"plan_tokens": [token]})
    schema = ConfirmationSchema.model_json_schema()
    assert asked == [{name: schema[name] for name in ("properties", "required", "type")}]


def test_each_response_model_is_what_its_tool_answers_and_stands_beside_how_it_is_written() -> None:
    served = {tool.name: tool.answer for tool in tools()}
    assert {name: served[name].__name__ for name in ANSWERS} == ANSWERS
    for name in WRITES:
        model = served[name]
        assert getattr(import_module(model.__module__), model.__name__) is model
        assert model.__module__.startswith(("katana_mcp.entities.", "katana_mcp.workflows."))
        assert model.model_fields.keys() >= FIELDS, name
    assert len({served[name] for name in WRITES}) == len(WRITES)


async def test_a_response_names_the_records_that_names_of_the_request_stand_for(stage: Stage, tenant: Tenant) -> None:
    for tool, fields in NAMED.items():
        document, arguments = WRITES[tool].called(tenant, f"NAMED-{tool}")
        answer = payload_of(await stage.result(tool, arguments))
        sent = document or tenant_body(answer)
        assert {name: answer.get(name) for name in fields} == {name: sent[fields[name]] for name in fields}, tool


def tenant_body(preview: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the body of the first planned request."""
    return json.loads(preview["requests"][0]["body"])


def test_codes_of_the_founding_documents_block_and_ours_have_names_of_their_own() -> None:
    table = (line.split(" | ") for line in (warning_codes.__doc__ or "").splitlines() if line.startswith("| `"))
    severities = {cells[0].strip("| `"): cells[1] for cells in table}
    assert {code: severities[code] for code in FOUNDED} == dict.fromkeys(FOUNDED, "blocking")
    assert severities["blocked_status"] == "advisory"
    assert {"no_rows_left", "only_one_allowed", "duplicate_row"} <= severities.keys()
