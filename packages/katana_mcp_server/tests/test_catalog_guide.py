"""The guide to one endpoint for Katana, shipping and accounting, followed word by word."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from katana_mcp.gateway.files import CatalogFiles, read_catalog

GUIDE = (Path(__file__).resolve().parents[3] / "docs/guides/one-endpoint.md").read_text("utf-8")
CODES = [0, 0, 0, 0, 0, 1, 0, 0, 0]
"""How the lines of the guide end, in their order."""


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def test_each_catalogue_of_the_guide_can_be_read(tmp_path: Path) -> None:
    first, more = blocks("toml")
    files = CatalogFiles(tmp_path / "catalog.toml", tmp_path)
    for text in (first, first + more):
        files.written.write_text(text, "utf-8")
        read = read_catalog(files)
        assert set(read.upstreams) == {"shipping", "accounting"}
    assert set(read.aggregates) == {"parcel"}


@pytest.fixture
def home(tmp_path: Path) -> Generator[Path]:
    """A directory with both servers of the guide, the second one running."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    shipping, accounting = blocks("python")
    (tmp_path / "shipping.py").write_text(shipping, "utf-8")
    (tmp_path / "accounting.py").write_text(accounting.replace("8799", port), "utf-8")
    (tmp_path / "catalog.toml").write_text(typed(blocks("toml")[0]).replace("8799", port), "utf-8")
    with subprocess.Popen([sys.executable, "accounting.py"], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        assert running.stderr is not None
        while b"running on" not in running.stderr.readline():
            assert running.poll() is None
        yield tmp_path
        running.kill()


def typed(text: str) -> str:
    return text.replace("COMMAND", f"{sys.executable} -m katana_mcp").replace("PYTHON", sys.executable)


def environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "KATANA_CACHE_DIR": str(home / "kept")}


@pytest.mark.soak
def test_whoever_follows_the_guide_sees_what_it_says(home: Path) -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if "accounting.py" not in line]
    assert len(lines) == len(CODES)
    said: list[str] = []
    for number, line in enumerate(lines):
        if number == CODES.index(1):
            (words,) = re.findall(r"Change the description of `quote` in `shipping.py` to `([^`]*)`", GUIDE)
            path = home / "shipping.py"
            path.write_text(path.read_text("utf-8").replace("Price of a parcel.", words), "utf-8")
        if "parcel operation" in line:
            with (home / "catalog.toml").open("a", encoding="utf-8") as written:
                written.write(blocks("toml")[1])
        command = typed(re.sub(r"^katana-mcp ", "COMMAND ", line)).split()
        ran = subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True, check=False)
        assert (line, ran.returncode) == (line, CODES[number]), ran.stdout + ran.stderr
        said.append(ran.stdout)
    assert "accounts_balance" in said[1]
    assert said[2] == "equal\n"
    assert '"owes": 120.5' in said[3]
    assert re.search(r"words +shipping\.quote +words.*Price of a parcel\..*Price of a parcel in euros\.", said[5])
    assert '"number": "P-1"' in said[7]
    assert said[8] == "equal\n"
