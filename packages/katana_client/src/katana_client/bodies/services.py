"""Fields of bodies of `services` that need no rule of ours.

Rendered by scripts/render_bodies.py: change the facts of katana_schema, or the write models that inherit from these.
"""

from katana_client.wire import Omittable, Ref, WriteModel


class ServiceCreateBody(WriteModel):
    """What `CreateServiceRequest` has of the facts alone."""

    additional_info: Omittable[str] = None
    is_sellable: Omittable[bool] = None
    custom_field_collection_id: Ref | None = None
