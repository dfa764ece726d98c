"""The chapters of the demo, in the order in which all of them are shown."""

from katana_mcp.commands.demo.buying import BUYING
from katana_mcp.commands.demo.correcting import CORRECTING
from katana_mcp.commands.demo.goods import GOODS
from katana_mcp.commands.demo.making import MAKING
from katana_mcp.commands.demo.selling import SELLING

CHAPTERS = (BUYING, MAKING, SELLING, CORRECTING, GOODS)
