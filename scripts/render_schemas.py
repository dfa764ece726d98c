"""Write the schemas of our tools, as their models say, to where the server takes them from."""

import json
import sys

from scripts.render_models import ROOT

from katana_mcp.server.catalogue import tools
from katana_mcp.server.mcp.kept_schemas import KEPT, made


def text() -> str:
    """Return the file: a line for each tool."""
    lines = (f"{json.dumps(tool.name)}: {_short(made(tool))}" for tool in sorted(tools(), key=lambda tool: tool.name))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> int:
    """Write it."""
    KEPT.write_text(text(), "utf-8")
    sys.stdout.write(f"{len(tools())} tools in {KEPT.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
