"""What the processes of one run share is made by the first of them, and never read half made."""

from pathlib import Path

import pytest
from shared_files import Files, made_once

FILES = {"one": b"1", "two": b""}


def never() -> Files:
    raise AssertionError


def test_files_are_made_by_the_first_that_needs_them(tmp_path: Path) -> None:
    assert made_once(tmp_path / "images", lambda: FILES) == FILES
    assert made_once(tmp_path / "images", never) == FILES


def test_files_that_could_not_be_made_are_made_by_the_next(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        made_once(tmp_path / "images", never)
    assert made_once(tmp_path / "images", lambda: FILES) == FILES
