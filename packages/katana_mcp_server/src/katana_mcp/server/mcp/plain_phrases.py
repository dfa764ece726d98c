"""How people in a factory say things of several words, in the words that tools are named and described by.

A phrase that asks for a change counts only where the question does not begin as one that reads.
"""

import re
from collections.abc import Mapping, Sequence

type Phrases = Sequence[tuple[re.Pattern[str], str]]


def _compiled(phrases: Mapping[str, Sequence[str]]) -> Phrases:
    return [(re.compile(rf"\b(?:{'|'.join(said)})\b"), meant) for meant, said in phrases.items()]


_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
_KINDS = (
    r"(?:suppliers?|vendors?|locations?|warehouses?|(?:tax|vat) rates?|operators?|additional costs?"
    r"|(?:the )?(?:storage )?bins|price lists|return reasons)"
)
_HEADS = r"(?:address|price|date|deadline|quantity|phone|e-?mail|name|supplier)"
_OF_NO_CUSTOMER = r"(?:purchas|suppl|vendor|manufact|product|transfer|work|from|need|buy|bought|\bpos?\b|[a-z]{2}-\d)"

_PAPER = r"(?:invoice|bill|confirmation|delivery note|packing (?:slip|list))"

_TO_A_PLACE = r"(?: from .{1,40} to | to (?:the )?(?:\w+ )?(?:location|warehouse|site|store))"

_READING = _compiled(
    {
        "list": (r"^(?:\w+ ){0,3}(?:orders|transfers|adjustments|customers|purchases|deliveries)",),
        "list item": (
            *(r"every(?:thing)? we (?:sell|make|buy|offer)", r"(?:all|every) \w+ we offer"),
            *("assortment", "whole catalogue", r"that can be (?:bought|sold|made)"),
        ),
        "list stock transfers": (r"(?:(?:under|on (?:its|their)) way|moved) between",),
        "variant": (r"sizes?|colou?rs?|models?",),
        "variants prices codes details": (r"price list for",),
        "get item": (r"with all (?:its |of its |the )?(?:variants|sizes|colou?rs|options)",),
        "supplier item": (r"(?:sells?|supplies|supply) (?:us|to us)",),
        "inventory": ("how many",),
        "check inventory": (
            *("enough", "on hand", r"on (?:the|our) shel(?:f|ves)", "in store", "free to sell"),
            *(r"do we (?:still )?have any", r"can (?:i|we) (?:promise|sell|ship) \d+"),
            r"stock of .{1,40} (?:in|at) (?:every|each|all)",
        ),
        "past moment": (
            rf"(?:on|by|of|since) (?:the )?(?:\d+(?:st|nd|rd|th)?|first|last)(?: day)?(?: of)? {_MONTH}",
            *(rf"back in {_MONTH}", r"(?:start|end) of (?:last|the) \w+", "last new year"),
        ),
        "trace batch": (
            *("recall(?:s|ed)?", "broken seal", r"batch(?:es)? are in what", r"(?:made|built) from (?:lot|batch)"),
            *(r"where did this (?:batch|lot)", r"(?:lot|batch|serial)\b.{0,40} (?:used for|end up|go into)"),
        ),
        "movement history": (
            *("what happened to", r"where (?:did|has|have) .{1,60} (?:go|gone)", "ins and outs"),
            *(r"(?:came|went|gone) (?:in|out)", r"(?:trace|follow) (?:every|each|all|the)", "every change of"),
        ),
        "list traceability": (r"(?:find|look(?:ing)? (?:up|for)) (?:an? |the )?(?:serial|batch|lot)\b",),
        "low short stock": (
            *(
                "shopping list",
                r"(?:is|are|anything|already) out of stock",
                r"run(?:ning)? (?:out|low)",
                r"(?:need|have|what) to (?:buy|order|reorder)",
            ),
            r"(?:should|must|do) (?:i|we) (?:buy|purchase|order|reorder)",
        ),
        "purchase order": (
            r"(?:deliver\w*|shipments?|orders?|goods|parcels?) .{0,30}(?:from|by) .{0,30}(?:vendors?|suppliers?)",
            r"(?:with|to) (?:a |the |our )?(?:vendors?|suppliers?)",
        ),
        "list purchase order": (
            *(r"wait(?:ing)? for .{0,40}from", "still to come", "on order", r"arriv(?:e|es|ing)", "incoming"),
            r"(?:late|overdue) from",
        ),
        "sales order": (
            *(r"so-\d+", "parcels?", "unpaid", "unshipped", "web ?shop", "quotes?", "quotation"),
            rf"^(?!.*{_OF_NO_CUSTOMER})(?!(?:re)?order).*orders?",
        ),
        "list open sales order": (
            *(
                "backlog",
                r"customer orders",
                rf"^(?!.*{_OF_NO_CUSTOMER}).*orders .{{0,40}}not (?:yet )?(?:delivered|shipped)",
            ),
        ),
        "order readiness": (
            r"(?:what|which|orders?|can) .{0,30}(?:go|ship|leave|be (?:sent|shipped))(?: out)?(?: today| now|$)",
            r"orders? .{0,40}wait(?:s|ing)? for (?:stock|goods|parts|materials?)",
            r"orders? .{0,40}(?:will|going to) be late",
            r"why is so-\S+ late",
        ),
        "buildable": (
            r"how many .{0,40}(?:can|could) (?:we|i|you|be) (?:still )?(?:build|built|make|made|assemble|produce)",
            r"(?:can|could) be built with",
        ),
        "promise date": (
            r"(?:by when|when|how (?:soon|fast|quickly)) (?:can|could) (?:we|i|you|they)",
            *(r"earliest (?:delivery|ship\w*|possible) date", r"(?:what|which) date can", "promise .{1,40} for when"),
        ),
        "sales return": (r"(?:sen[dt]|came|comes?|coming) back", r"refund\w*", r"returned (?:goods|items|parts)"),
        "search number": (r"with (?:the )?(?:reference|number|tracking number|confirmation number) \S+",),
        "customer": ("contacts?", "terms of payment", "payment terms"),
        "list manufacturing order": (
            r"(?:is|are|being) (?:being )?(?:built|made|produced|assembled)(?! of| from| out)",
        ),
        "blocking ingredient": (
            *("bottlenecks?", "held up", r"why (?:can ?not|can't|cannot) we (?:produce|build|make|start)"),
            r"(?:stop|stops|stopping|delays?|delaying|hinders?) (?:the )?(?:production|manufacturing|work|us)",
        ),
        "missing ingredient recipe": (r"can we (?:start|build|make|produce)",),
        "consist": ("made of", r"(?:made|built|assembled) (?:of|from|out of)"),
        "where used bom": (
            *(r"parts? lists?", r"in which \w+ (?:do|does|is|are)", r"go(?:es)? into"),
            r"(?:which|what|where) (?!\w*orders?\b)\w+(?: \w+)? (?:uses?|needs?|contains?)",
        ),
        "list reference": (
            rf"(?:which|what|names of(?: our| the)?|list(?: of)?|all|our) {_KINDS}",
            *(r"^(?:additional costs|(?:tax|vat) rates|operators|price lists$)", r"reasons? (?:for|of) (?:a )?return"),
        ),
        "verify document": (
            *(rf"{_PAPER} .{{0,40}}(?:match|agree|right|correct|lists?|order|\bpo-|ordered)",),
            rf"(?:match|compare|check|verify|reconcile|differs?) .{{0,60}}{_PAPER}",
            r"(?:charge|bill|invoice)d? .{0,30}(?:price|ordered)",
        ),
        "list stocktakes": (r"^(?:what|which|show|is) .{0,60}\bstocktakes?\b",),
        "list stock adjustment": (r"^list .{0,20}\bcounts\b",),
        "inventory signals": (
            *(r"how (?:long|many days) (?:do|does|will|is) .{0,40}(?:stock|last|enough)", "days of stock", "stockout"),
            *(r"run(?:ning)? out of(?! what)", "sold out", r"(?:go|goes|going|be) out of stock"),
        ),
        "demand forecast": (r"(?:planned|future|expected) demand", r"expect to (?:sell|use|need)"),
        "fresh cache": ("up to date", r"how (?:old|recent|current) (?:is|are)"),
    }
)
_CHANGING = _compiled(
    {
        "create": (
            r"(?:register|set up|sign up|book|prepare|raise|make|type|key|put) (?:in )?(?:an? |the )",
            "open an account",
        ),
        "create item": (
            *(r"add (?:it|them|this) to what we sell", r"we offer .{1,40} now", r"put it into the system"),
            r"^set up .{1,60} in .{1,20} (?:sizes|colou?rs|variants)",
        ),
        "modify item variants": (
            r"(?:add|change|drop) (?:an? |the |another )?(?:size|colou?r|option|variant)\b.{0,20} (?:to|of|from)\b",
            r"(?:change|set|raise|lower|put|scan) .{0,60}(?:lead time|barcode|supplier code|minimum order)",
        ),
        "delete one item with its variants": (r"out of the catalogue", r"off the catalogue"),
        "create item service services name": (r"^set up (?:a |an )?new (?:service|item)\b",),
        "create supplier": (r"set up .{1,60} as (?:an? |our )?(?:new )?(?:suppliers?|vendors?)",),
        "create purchase order": (
            *(r"(?:need|order|want|buy) (?:about )?\d+ .{1,60} from", r"^we need \d+", "stock up"),
            r"restock(?!.{0,40}(?:return|\bro-\d))",
            r"^purchase \d+",
        ),
        "create purchase order outsourced": (r"subcontract\w*", r"outsource (?:to|the|this|it|\d)"),
        "receive purchase order": (
            r"book(?:ing)? in (?:an? |the |this )?(?:deliver|goods|order)\w*",
            r"^(?:the )?(?:goods|parcel|delivery|pallet) (?:has |have )?(?:arrived|came)",
        ),
        "modify purchase order additional costs": (
            r"(?:add|put) .{0,20}(?:freight|customs|duty|shipping).{0,20} (?:to|on) (?:an? |the )?(?:purchase|po-)",
        ),
        "modify purchase order unreceive": (r"(?:undo|reverse|revert|take back) (?:an? |the )?receipts?",),
        "delete supplier": (r"no longer buy from",),
        "create manufacturing order": (
            *(r"^(?:make|build|produce|assemble|manufacture) (?:another )?\d+", r"^new mo\b"),
            r"plan to (?:make|build|produce|manufacture)",
        ),
        "create sales return": (
            r"(?:plan|open|enter|start|book) (?:an? |the )?(?:new )?return\b",
            r"(?:sends?|sent|brings?|brought) .{1,30} back",
        ),
        "refund sales return": ("money back", r"^refund\b", r"refund (?:the |a |an )?(?:customer|order|so-)"),
        "create sales order rows": (r"orders? (?:from|in|by) (?:an? )?(?:pdf|e-?mail|scan|fax|letter)",),
        "modify sales return": (
            r"(?:restock|receive|put|book) .{0,60}(?:\bro-\d+|\breturn(?:ed|s)?\b)",
            r"(?:\bro-\d+|\breturn) .{0,30}(?:arrived|is back|into stock)",
        ),
        "replace ingredient": (
            *(r"^(?:replace|substitute|swap)\b", r"(?:in place of|instead of) .{1,40} (?:in|everywhere|wherever)"),
        ),
        "modify bom": (r"(?:change|take|put|add|remove|drop|copy) .{1,60}\b(?:bom|recipe|bill of materials)\b",),
        "modify bom operations": (r"^(?!.*\bmo-\d).* takes? .{1,30}\b(?:seconds|minutes|hours)\b",),
        "modify sales order": (*(r"take .{1,40} off so-\d+", r"ordered by (?:the |a )?customer"),),
        "modify sales order update rows shipping fees addresses": (r"price .{1,20}(?:sales order|\bso-\d+)",),
        "modify sales order addresses": (r"address on (?:an? |the )?(?:\w+ )?(?:order|so-\d+)",),
        "modify manufacturing order recipe row": (r"instead of .{1,40} in mo-\d+",),
        "create manufacturing orders row sales": (
            *(r"make .{1,40} to order", r"(?:start|begin) production for", r"^mos for", r"manufacturing orders for"),
            r"split .{1,60}manufacturing orders",
            r"make (?:it|them|this|these) for .{1,30}order",
        ),
        "complete manufacturing order": (
            *(r"\bmo-\d+ used", r"used (?:more|less) .{0,40}than (?:planned|the recipe)"),
            *(r"(?:book|record|report|enter|undo) .{0,30}produc(?:ed|tions?)", r"(?:mo-\d+|job) is (?:done|finished)"),
            r"^we (?:made|produced|built|finished) \d+",
        ),
        "modify manufacturing order": (
            *(r"^(?:un)?block mo-\d+", r"add (?:an? )?(?:operation|ingredient|step) to", r"push .{1,40}\bmo-\d+"),
        ),
        "prioritize orders ranking": (
            *(
                r"priorit(?:y|ies|i[sz]e)",
                "urgent",
                r"rush (?:order|job)s?",
                r"re-?rank",
                "first in line",
                "last in line",
            ),
            *(
                r"(?:up|down|ahead) (?:in )?the (?:queue|line|list)",
                r"(?:before|after) (?:[sm]o-\d+|all (?:the )?others)",
            ),
            r"(?:do|make|build|put|run|serve) .{1,60} (?:first|last)$",
        ),
        "replenish": (r"^(?:buy|order) (?:\w+ ){1,5}(?:lacks?|missing|short)\b",),
        "modify safety stock": (r"keep (?:at least|no less than|a minimum)",),
        "plan bin transfer": (
            r"put .{0,60}(?:away|(?:on|in|into) (?:the |a )?(?:shel(?:f|ves)|bins?))",
            r"(?:from|to|into) (?:bin|shelf)",
            r"(?:clear|empty) (?:out )?(?:the )?(?:bin|shelf)",
        ),
        "create transfer": (
            *(r"(?:relocate|move|send|bring|carry) .{1,60} (?:to|into|over)", r"^transfer \d+"),
            r"(?:ship|take) .{1,60} from .{1,40} to",
        ),
        "define custom field": ("fields?", r"drop-?downs?"),
        "count stock": (
            *(r"(?:start|begin|open|plan|complete|finish|close|delete|cancel) .{0,30}\b(?:stocktake|count)",),
            *(r"count(?:ed|ing)? (?:sheet|list)", r"(?:enter|put|book|type) .{0,30}\bcount", r"^(?:we )?counted the"),
        ),
        "create adjustment": (
            *("damaged", "broken?", "scrap(?:ped)?", "garbage", "rubbish", "ruined", "rotten", "expired", "stolen"),
            *(
                "lost",
                r"writ(?:e|ing|ten) off",
                r"t(?:ake|ook|aken) .{1,60}out of stock",
                r"counted (?:only )?\d+",
                r"too (?:many|few)",
            ),
            *(r"(?:stocktake|counting) (?:difference|result)", r"the system (?:says|shows)"),
        ),
        "create stock adjustment": (
            r"correct the stock",
            r"counted .{1,30} but (?:the |our )?(?:system|books?|stock)",
        ),
        "fulfill sales order": (
            rf"^(?!.*{_TO_A_PLACE})(?:ship|pack|dispatch|fulfill?|deliver)",
            rf"^(?!.*{_TO_A_PLACE})send (?:out )?(?:\w+ ){{0,6}}(?:orders?|so-\d+)",
            r"^(?!.*(?:purchase|\bpo-|transfer|\bst-))mark .{1,60} (?:shipped|delivered|packed|sent|dispatched)",
            *("left the house", "went out", r"(?:take back|undo|revert) (?:the |a )?shipment"),
        ),
        "correct received purchase order": (
            r"(?:correct|fix|change|wrong|mistake|missing|delete|reopen).{0,60}(?:received|closed)",
            *(r"received .{0,40}(?:wrong|but only|mistake)", r"booked in .{0,40}but"),
        ),
        "correct manufacturing order done": (
            r"(?:correct|fix|wrong|mistake|recipe|reopen done).{0,60}(?:done|finished|completed|complete it again)",
            r"(?:made|produced) .{0,40}but (?:reported|only)",
        ),
        "correct packed delivered sales order closed": (
            r"(?:correct|fix|change|wrong|mistake|missing|delete|reopen)(?!.*address).{0,60}(?:shipped|delivered|packed)",
            r"(?:shipped|delivered) .{0,40}(?:wrong|but (?:only|booked)|mistake)",
        ),
        "modify": (
            *(r"push(?:ed)? back", "put off", "bring forward", "delayed until", r"wants? \w+ (?:more|less|fewer)"),
            *(r"mark .{1,60} as", r"take .{1,40} off", "typo", r"make it \d+", r"(?:is|are|was) wrong"),
            *(r"moved(?=,| to| away)", rf"(?:new (?:\w+ )?|different ){_HEADS}"),
            *(r"needs? an?other", r"needs? (?:a )?(?:different|new|second|further|additional) \w+"),
            r"(?:fix|correct) (?:the|a) (?:\w+ )?(?:price|quantity|date|notes?|reason)",
            r"give .{1,60} (?:another|a new|a different)",
            r"add .{1,60} to (?:an? |the |this )?(?:\w+ )?(?:order|transfer|line|customer)",
        ),
        "delete": (r"get(?:ting)? rid of", r"thrown? (?:away|out)", r"(?:was|is) a mistake"),
        "apply write plan": (
            *("go ahead", "do it", r"carry (?:it|them|that) out", r"(?:planned|previewed) changes?"),
            r"(?:changes?|plans?|previews?) (?:that )?(?:i|you|we) (?:just )?(?:saw|see|showed|made|planned)",
        ),
        "rebuild cache": ("reload", "from scratch"),
    }
)
_READS = re.compile(
    r"\W*(?:find|search|look|list|show|which|what|who|whose|where|when|why|how|get(?! rid)|is|are|did|does|has|have)\b"
)
_DEAD = re.compile(
    r"\b(?:get(?:ting)? rid of|up to date|at the moment|right now|at present|where (?:did|has|have)|how many"
    r"|out of stock|waiting for(?= .{0,40}from)|everything we sell|planned change|set up"
    r"|that can be (?:bought|sold|made)"
    r"|buy from(?= an? new (?:supplier|vendor))|no longer buy from|take(?= .{1,40} off so-)|off(?= so-)"
    r"|the (?:system|books?) says?"
    r"|with (?:its|all|their) (?:lines|rows)|was corrected(?= in)|customer(?= orders)|(?<=orders )of a customer"
    r"|the system (?:says|shows)"
    r"|make it(?= \d)|confirmation(?= number)|give(?= .{1,60} (?:another|a new|a different)\b)"
    r"|the (?:change|plan|preview) (?:i|you|we) (?:just )?(?:saw|showed|made))\b"
)
"""Phrases whose words mean something else each for itself."""
_THINGS = re.compile(
    r"\b(?:items?|parts?|products?|materials?|services?|articles?|variants?|skus?|customers?|clients?|buyers?|suppliers?"
    r"|vendors?|orders?|purchases?|sales?|transfers?|adjustments?|ingredients?|components?|recipes?|boms?|inventory"
    r"|stock|cache|data|plans?|previews?|locations?|warehouses?|sites?|stores?|production|manufacturing|movements?"
    r"|prices?|costs?|tokens?|rates?|operators?|corrections?|deliver(?:y|ies)|katana|[a-z]{2}-\d+)\b"
)
"""What tools are about; a question that names none of it is about an item."""
_LONGEST = 1_000
"""Characters of a question in which phrases are looked for."""


def in_our_words(question: str) -> str:
    """Return a question in lower case, with what its phrases mean behind it."""
    asked = question[:_LONGEST].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    reads = _READS.match(asked) is not None
    phrases = _READING if reads else (*_READING, *_CHANGING)
    meant = [words for said, words in phrases if said.search(asked)]
    if (reads or meant) and not _THINGS.search(" ".join((asked, *meant))):
        meant.append("item")
    return " ".join((_DEAD.sub(" ", asked), *meant))
