"""Schemas that tools share: the form in which a person is asked before anything is written."""

from pydantic import BaseModel, ConfigDict, Field


class ConfirmationSchema(BaseModel):
    """Schema for user confirmation elicitation."""

    model_config = ConfigDict(strict=True)

    confirm: bool = Field(title="Write it", description="True to proceed, False to cancel")
