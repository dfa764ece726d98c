"""The backend beside the one that stays, taken from the registry: it is another one some day, or none."""

import pytest

from katana_mcp.caches.backends import ALWAYS, BACKENDS

OTHER = next((name for name in BACKENDS if name != ALWAYS), ALWAYS)
TRIAL = f"compare:{OTHER}"
"""The flag under which the other one answers, and the one that stays is on trial."""

two_backends = pytest.mark.skipif(len(BACKENDS) == 1, reason="one backend is left: nothing to compare or to move")
