"""What most documents carry: when they were made, changed and deleted."""

from datetime import datetime

from cache_typed.columns import moment
from cache_typed.documents import Document


class Dated(Document):
    """A document with the three dates; a filter by deletion uses `cache_deleted`."""

    created_at: datetime | None = moment(index=True)
    updated_at: datetime | None = moment()
    deleted_at: datetime | None = moment()
