"""The words the account is made of; all invented."""

from typing import NamedTuple


class Item(NamedTuple):
    """A product or material to be: its options give its variants."""

    name: str
    category: str
    code: str
    cost: float
    price: float
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    uom: str = "pcs"
    tracked: str = ""


_SIZES = ("Frame size", ("S", "M", "L"))
_ALL_SIZES = ("Frame size", ("S", "M", "L", "XL"))
_DARK = ("Colour", ("Graphite", "Moss green", "Sand"))
_BRIGHT = ("Colour", ("Signal red", "Arctic white"))

MADE = (
    Item("Fjell 29 e-mountain bike", "E-bikes", "FJ29", 1480, 3290, (_ALL_SIZES, _DARK)),
    Item("Tarn 27 trail e-bike", "E-bikes", "TN27", 1390, 2990, (_SIZES, _DARK)),
    Item("Kvist city e-bike", "E-bikes", "KVCT", 980, 2190, (_ALL_SIZES, _BRIGHT)),
    Item("Brygge step-through e-bike", "E-bikes", "BRST", 1020, 2290, (_SIZES, _DARK)),
    Item("Lasta cargo e-bike", "E-bikes", "LSCG", 1850, 4190, (("Box", ("Short", "Long")), _DARK)),
    Item("Rute gravel e-bike", "E-bikes", "RTGR", 1560, 3490, (_ALL_SIZES, _BRIGHT)),
    Item("Flokk kids e-bike 20", "E-bikes", "FLK2", 610, 1290, (_BRIGHT,)),
    Item("Ulv fat-tyre e-bike", "E-bikes", "ULFT", 1620, 3690, (_SIZES, _BRIGHT)),
    Item("Hytte touring e-bike", "E-bikes", "HYTR", 1440, 3190, (_ALL_SIZES, _DARK)),
    Item("Sti hardtail frame set", "Frames", "STFR", 410, 890, (_ALL_SIZES, _DARK), "set", "serial"),
    Item("Built wheel 29, rear motor hub", "Wheels", "WH29", 236, 449, (("Spokes", ("32", "36")),)),
    Item("Built wheel 29, front", "Wheels", "WF29", 84, 169, (("Spokes", ("28", "32")),)),
    Item("Built wheel 27.5, rear motor hub", "Wheels", "WH27", 228, 439, (("Spokes", ("32", "36")),)),
    Item("Built wheel 20, cargo front", "Wheels", "WF20", 78, 159),
    Item("Battery pack 36 V", "Power", "BT36", 265, 529, (("Capacity", ("500 Wh", "630 Wh", "750 Wh")),)),
    Item("Commuter kit: lights, rack, guards", "Kits", "KITC", 92, 199, (), "set"),
)
BOUGHT = (
    Item("Trail helmet", "Accessories", "HLMT", 31, 79, (("Size", ("S/M", "L/XL")), _BRIGHT)),
    Item("Folding lock 90 cm", "Accessories", "LCK9", 19, 54),
    Item("Pannier bag pair", "Accessories", "PNNR", 38, 95, (("Volume", ("30 l", "44 l")),), "pair"),
    Item("Floor pump with gauge", "Accessories", "PUMP", 14, 39),
    Item("Child seat, rear", "Accessories", "CHSE", 47, 119, (_BRIGHT,)),
    Item("Display unit D2", "Power", "DSD2", 42, 99),
    Item("Charger 4 A", "Power", "CHG4", 33, 79, (("Plug", ("EU", "UK")),)),
)
PARTS = (
    Item("Fork seal kit", "Suspension", "FSKT", 8.4, 21, (("Stanchion", ("32 mm", "34 mm", "35 mm", "38 mm")),), "set"),
    Item("Air fork 29, 140 mm", "Suspension", "FRK9", 188, 0, (("Offset", ("44 mm", "51 mm")),)),
    Item("Rear shock 210x55", "Suspension", "SHK2", 121, 0),
    Item("Mid motor 85 Nm", "Power", "MTR8", 392, 0),
    Item("Hub motor 45 Nm", "Power", "MTR4", 148, 0),
    Item("Cell module 18650, 10s", "Power", "CELL", 61, 0, (), "pcs", "batch"),
    Item("Brake set, four-piston", "Brakes", "BRK4", 74, 0, (("Position", ("Front", "Rear")),)),
    Item("Brake set, two-piston", "Brakes", "BRK2", 39, 0, (("Position", ("Front", "Rear")),)),
    Item("Brake pad pair, sintered", "Brakes", "PADS", 6.2, 17, (), "pair"),
    Item("Brake pad pair, organic", "Brakes", "PADO", 5.1, 15, (), "pair"),
    Item("Brake rotor", "Brakes", "ROTR", 11.5, 29, (("Diameter", ("160 mm", "180 mm", "203 mm")),)),
    Item("Chain, 11-speed", "Drivetrain", "CHN1", 13.2, 34),
    Item("Chain, 12-speed", "Drivetrain", "CHN2", 18.9, 45),
    Item("Cassette 11-50", "Drivetrain", "CS50", 41, 0),
    Item("Belt drive 118T", "Drivetrain", "BLT1", 38, 0),
    Item("Derailleur, 11-speed", "Drivetrain", "DRL1", 36, 0),
    Item("Crank arm pair", "Drivetrain", "CRNK", 22, 0, (("Length", ("165 mm", "170 mm", "175 mm")),), "pair"),
    Item("Bottom bracket, press fit", "Drivetrain", "BBPF", 12, 0),
    Item("Rim 29, 30 mm", "Wheels", "RM29", 27, 0, (("Holes", ("28", "32", "36")),)),
    Item("Rim 27.5, 30 mm", "Wheels", "RM27", 26, 0, (("Holes", ("32", "36")),)),
    Item("Rim 20, cargo", "Wheels", "RM20", 23, 0),
    Item("Front hub, thru axle", "Wheels", "HBFR", 18, 0, (("Holes", ("28", "32")),)),
    Item("Spoke 2.0 stainless", "Wheels", "SPK2", 0.21, 0, (("Length", ("262 mm", "278 mm", "292 mm")),)),
    Item("Spoke nipple, brass", "Wheels", "NIPL", 0.05, 0, (), "pcs"),
    Item("Tyre 29 x 2.4", "Tyres", "TY29", 24, 59, (("Wall", ("Black", "Tan")),)),
    Item("Tyre 27.5 x 2.6", "Tyres", "TY27", 25, 59),
    Item("Tyre 20 x 2.15, cargo", "Tyres", "TY20", 17, 42),
    Item("Inner tube", "Tyres", "TUBE", 2.9, 9, (("Diameter", ("20", "27.5", "29")),)),
    Item("Frame, aluminium 6061", "Frames", "FRAL", 206, 0, (_ALL_SIZES,)),
    Item("Head set, tapered", "Frames", "HSTP", 15, 0),
    Item("Seat post, dropper 150", "Cockpit", "DRPP", 66, 0, (("Diameter", ("30.9 mm", "31.6 mm")),)),
    Item("Saddle, gel", "Cockpit", "SDLG", 14, 39),
    Item("Handlebar 780 mm", "Cockpit", "BAR7", 16, 0),
    Item("Grip pair, ergonomic", "Cockpit", "GRIP", 5.5, 19, (), "pair"),
    Item("Cable and housing", "Cockpit", "CBLH", 0.9, 0, (), "m"),
    Item("Light set, wired", "Electrics", "LGHT", 17, 0, (), "set"),
    Item(
        "Powder coat", "Consumables", "PWDR", 9.8, 0, (("Colour", ("Graphite", "Moss green", "Sand")),), "kg", "batch"
    ),
    Item("Chain lube 5 l", "Consumables", "LUBE", 28, 0),
    Item("Carton, bike size", "Packaging", "CRTN", 7.5, 0),
)
WORK = (
    ("Assembly and tuning", "SRV-ASM", 89),
    ("Motor firmware update", "SRV-FW", 35),
    ("Yearly inspection", "SRV-INS", 119),
)
SUPPLIERS = (
    ("Nordlager Komponenter AS", "NOK"),
    ("Velorad Teile GmbH", "EUR"),
    ("Pinegrove Cycle Supply", "USD"),
    ("Hjulmakeriet AB", "SEK"),
    ("Castellane Moteurs SARL", "EUR"),
    ("Tidewater Batteries Ltd", "GBP"),
    ("Osterholm Verpackung GmbH", "EUR"),
)
LOCATIONS = (("Main workshop", True, True), ("North warehouse", True, False), ("Returns depot", False, False))
OPERATORS = (
    ("Ada Lindqvist", "shopFloor"),
    ("Bram Vos", "shopFloor"),
    ("Chidi Okafor", "shopFloor"),
    ("Dana Weiss", "warehouse"),
    ("Eino Salo", "warehouse"),
)
FIRST = ("Ingrid", "Tomas", "Yara", "Felix", "Marta", "Olu", "Petra", "Quentin", "Runa", "Samir", "Tuva", "Viktor")
LAST = (
    "Aalto",
    "Berger",
    "Costa",
    "Dahl",
    "Ekholm",
    "Fontaine",
    "Grün",
    "Halvorsen",
    "Ibsen",
    "Janssen",
    "Kovač",
    "Lund",
)
SHOPS = ("Cykelhuset {}", "{} Bikes", "Radhaus {}", "Velo {}", "{} Mobility", "{} Outdoor Hire")
CITIES = (
    ("Tallinn", "10111", "EE"),
    ("Bergen", "5003", "NO"),
    ("Graz", "8010", "AT"),
    ("Utrecht", "3511", "NL"),
    ("Leeds", "LS1 4AP", "GB"),
    ("Porto", "4000-322", "PT"),
)
STREETS = ("Harbour Road", "Mill Lane", "Station Street", "Castle Hill", "Birch Avenue", "Old Market")
