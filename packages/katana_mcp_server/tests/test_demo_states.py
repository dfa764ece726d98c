"""The demo tells the same in every state of the flag, except for its typo: to guess is a capability of some."""

import os
import re
import subprocess
import sys

import pytest

from katana_mcp.demo.steps import STEPS
from katana_mcp.flags import FLAGS, Flag

GUESSED = "The same with a typo"
CHANGING = re.compile(
    r"as of \S+|\d+(\.\d+)? m?s\b|http://127\.0\.0\.1:\d+\S*|up in [\d.]+ s|\d+ API requests, |\x1b\[[\d;]*m"
    r"|(?<=plan_tokens=\[')[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
"""What differs between two runs of one state: moments, times, the port, tokens, and requests of a clock that runs."""


def told(flag: Flag) -> dict[str, list[str]]:
    """Return what a run tells, by the title of the step."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    done = subprocess.run(
        [sys.executable, "-m", "katana_mcp", "demo"],
        env=kept | {"KATANA_CACHE_BACKEND": flag, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3_000:]}\n{done.stderr[-3_000:]}"
    titles, title, lines = {step.title for step in STEPS}, "", dict[str, list[str]]()
    for line in done.stdout.splitlines():
        title = line if line in titles else title
        # Which collections a sync still names as it goes is a matter of time.
        if title and line.strip() and "syncing" not in line and line != title:
            lines.setdefault(title, []).append(CHANGING.sub("…", line))
    return lines


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_demo_tells_the_same_in_every_state_of_the_flag() -> None:
    first, *others = [told(flag) for flag in FLAGS]
    assert first.keys() == {step.title for step in STEPS}
    assert GUESSED in first
    wanted = {title: lines for title, lines in first.items() if title != GUESSED}
    for other in others:
        assert {title: lines for title, lines in other.items() if title != GUESSED} == wanted
