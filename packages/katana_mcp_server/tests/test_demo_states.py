"""The demo tells the same in every state of the flag, except for its typo: to guess is a capability of some."""

import os
import re
import subprocess
import sys

import pytest

from katana_mcp.commands.demo.chapters import CHAPTERS
from katana_mcp.configuration.backend_flags import FLAGS, Flag

GUESSED = "The same with a typo"
CHANGING = re.compile(
    r"as of \S+|\d+(\.\d+)? m?s\b|http://127\.0\.0\.1:\d+\S*|up in [\d.]+ s|\d+ API requests, |\x1b\[[\d;]*m"
    r"|(?<=plan_tokens=\[')[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z"
)
"""What differs between two runs of one state: moments, times, the port, tokens, and requests of a clock that runs."""


TITLES = {chapter.title: {step.title for step in chapter.steps} for chapter in CHAPTERS}


def lines_by_step(flag: Flag) -> dict[tuple[str, str], list[str]]:
    """Return what a run tells, by the titles of the chapter and the step."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KATANA_")}
    done = subprocess.run(
        [sys.executable, "-m", "katana_mcp", "demo", "all"],
        env=kept | {"KATANA_CACHE_BACKEND": flag, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3_000:]}\n{done.stderr[-3_000:]}"
    chapter, title, lines = "", "", dict[tuple[str, str], list[str]]()
    for line in done.stdout.splitlines():
        if line in TITLES:
            chapter, title = line, ""
        elif line in TITLES.get(chapter, ()):
            title = line
        # Which collections a sync still names as it goes is a matter of time.
        elif title and line.strip() and "syncing" not in line:
            lines.setdefault((chapter, title), []).append(CHANGING.sub("…", line))
    return lines


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_demo_tells_the_same_in_every_state_of_the_flag() -> None:
    first, *others = [lines_by_step(flag) for flag in FLAGS]
    assert first.keys() == {(chapter, title) for chapter, titles in TITLES.items() for title in titles}
    assert any(title == GUESSED for _, title in first)
    expected = {key: lines for key, lines in first.items() if key[1] != GUESSED}
    for other in others:
        assert {key: lines for key, lines in other.items() if key[1] != GUESSED} == expected
