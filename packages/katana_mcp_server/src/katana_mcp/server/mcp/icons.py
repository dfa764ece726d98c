"""The picture by which a host shows the server; the bundle and the registry show the same as `docs/images/icon.png`."""

from base64 import b64encode
from pathlib import Path

from mcp.types import Icon


def icons() -> list[Icon]:
    """Return the server's icons: one picture that fits any size, whole in the answer, so that nothing is fetched."""
    drawn = Path(__file__).with_name("icon.svg").read_bytes()
    kind = "image/svg+xml"
    return [Icon(src=f"data:{kind};base64,{b64encode(drawn).decode()}", mime_type=kind, sizes=["any"])]
