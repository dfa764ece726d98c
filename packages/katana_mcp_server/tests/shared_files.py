"""Files that the processes of one run share: the first that needs them makes them, the others read them."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from filelock import FileLock

type Files = Mapping[str, bytes]


def folder_of_the_run(request: pytest.FixtureRequest) -> Path | None:
    """Return the folder that all processes of this run know, or None where it has one process."""
    if not hasattr(request.config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    return factory.getbasetemp().parent


def made_once(folder: Path, make: Callable[[], Files]) -> Files:
    """Return the files of a folder, which are made and written where the folder is not there yet."""
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
            for name, content in make().items():
                (unfinished / name).write_bytes(content)
            unfinished.rename(folder)
        return {path.name: path.read_bytes() for path in folder.iterdir()}
