"""`POST /<collection>/search`: a page of the records that meet conditions."""

from __future__ import annotations

from typing import cast

from katana_client.answers import answered_rows
from katana_client.collection import Collection
from katana_client.exchange import Call
from katana_client.wire import ReadModel, WriteModel


class Search[M: ReadModel, S: WriteModel](Collection):
    """A collection that can be searched by conditions."""

    async def search(self, conditions: S) -> tuple[M, ...]:
        """Return one page of what meets the conditions; `limit`, 200 at most, and `page` stand in `conditions`."""
        call = Call("POST", f"{self.spec.path}/search", (), conditions.wire())
        return await answered_rows(self.sender, call, cast("type[M]", self.spec.model))
