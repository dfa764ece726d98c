"""The chapters of the demo, in the order in which all of them are shown."""

from katana_mcp.demo.buying import BUYING
from katana_mcp.demo.goods import GOODS
from katana_mcp.demo.making import MAKING
from katana_mcp.demo.selling import SELLING

CHAPTERS = (BUYING, MAKING, SELLING, GOODS)
