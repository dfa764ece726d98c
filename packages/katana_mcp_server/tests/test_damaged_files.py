"""A cache file that is damaged before a start: the server answers as before, and `cache_status` names what it kept."""

from collections.abc import Callable
from pathlib import Path

import pytest

from katana_mcp.caches.backends import BACKENDS
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.testing import Setup, staged


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database " * 1_000)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _file(root: Path, backend: str) -> Path:
    (path,) = (file for file in root.rglob(f"{backend}-*") if file.suffix in {".db", ".sqlite"})
    return path


def _aside(path: Path) -> list[Path]:
    return list(path.parent.glob("*.damaged-*"))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("damage", [garbage, truncated])
async def test_a_damaged_file_is_set_aside_and_named_and_the_server_answers_as_before(
    own: OwnSandbox, tmp_path: Path, damage: Callable[[Path], None], backend: str
) -> None:
    setup = Setup(cache_dir=tmp_path, flags={"cache_backend": backend})
    async with staged(own, setup) as stage:
        before = await stage.call("search_customers", query="velo")
        assert "notices" not in await stage.call("cache_status")
    path = _file(tmp_path, backend)
    damage(path)
    async with staged(own, setup) as stage:
        assert await stage.call("search_customers", query="velo") == before
        (notice,) = (await stage.call("cache_status"))["notices"]
    assert f"set aside as {path.name}.damaged-" in notice
    assert [file.name in notice for file in _aside(path)] == [True]
    async with staged(own, setup) as stage:
        assert "notices" not in await stage.call("cache_status")
