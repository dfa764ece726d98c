"""What the README has a newcomer type: a sandbox that lasts, a part found, an order previewed and written."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from katana_sandbox import Sandbox

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(r"\n## From a shell\n.*?```sh\n(.*?)```", re.DOTALL)


def shown() -> list[str]:
    """Return the lines that the README shows, with the programs of this environment and a port that is free."""
    (block,) = SHOWN.findall((ROOT / "README.md").read_text("utf-8"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    lines = block.replace(".venv/bin/", f"{Path(sys.executable).parent}/").replace("8765", port).splitlines()
    return [line.replace(" serve ", f" serve --port {port} ") for line in lines]


def test_the_lines_of_the_readme_find_a_part_and_write_an_order_that_stays(tmp_path: Path) -> None:
    setup, directory, sandbox, exports, search, preview, write, end = shown()
    assert (setup, end) == ("make setup", "kill %1")
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}

    def typed(line: str) -> str:
        words = ["bash", "-c", f"{exports}\n{line}"]
        done = subprocess.run(
            words, cwd=tmp_path, env=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), line
        return done.stdout

    typed(directory)
    command = ["bash", "-c", f"exec {sandbox.removesuffix(' &')}"]
    with subprocess.Popen(command, cwd=tmp_path, env=home, stdout=subprocess.PIPE, text=True) as serving:
        try:
            assert serving.stdout is not None
            assert "with key sandbox-key" in serving.stdout.readline()
            assert [row["sku"] for row in json.loads(typed(search))["rows"]] == ["FSKT-35M"]
            plan: dict[str, Any] = json.loads(typed(preview))
            applied = json.loads(typed(write.replace("TOKEN", plan["plan_token"])))
            (outcome,) = applied["outcomes"]
        finally:
            serving.send_signal(signal.SIGTERM)
    kept = Sandbox.restore(tmp_path / "katana-shop" / "state").tenant()
    assert kept.get("purchase_orders", outcome["actions"][0]["id"])["status"] == "NOT_RECEIVED"
