"""Write our tools as they are listed, with the schemas that their models say, to where the server takes them from."""

import json
import sys

from scripts.render_models import ROOT

from katana_mcp.server.kept_tools import KEPT, as_kept
from katana_mcp.server.made_tools import never_there, tools
from katana_mcp.server.mcp.answer_schemas import schemas_made


def text() -> str:
    """Return the file: a line for each tool, and one for all that are not there."""
    lines = ",\n".join(_short(as_kept(tool, *schemas_made(tool))) for tool in tools())
    return f'{{"tools": [\n{lines}\n],\n"absent": {_short(never_there())}}}\n'


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> int:
    """Write it."""
    KEPT.write_text(text(), "utf-8")
    sys.stdout.write(f"{len(tools())} tools in {KEPT.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
