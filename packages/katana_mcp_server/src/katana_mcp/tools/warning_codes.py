"""Stable codes of warnings and refusals; programs match on these, so a released code never changes.

| code | severity | when |
|---|---|---|
| `invalid_argument` | blocking | an argument has the wrong type, form or range |
| `unknown_argument` | blocking | an argument that the tool does not have |
| `unknown_tool` | blocking | a tool that is not served |
| `call_directly` | blocking | `call_tool` was to call a tool that is listed by itself: one that changes something |
| `not_found` | blocking; advisory beside rows, and of a new bin | nothing has the id, number, code, SKU or name given |
| `ambiguous_name` | blocking | a name, code or SKU that several live records have |
| `nothing_to_search` | blocking | a search text without a letter or a digit |
| `katana_unavailable` | blocking, beside rows advisory | Katana did not answer and the cache lacks what is asked |
| `wrong_account` | blocking | KATANA_SYNC_API_KEY is a key of another account than KATANA_API_KEY |
| `cache_unavailable` | blocking | the local cache cannot be read or written |
| `upstream_down` | blocking | another server, whose tool is called, is down or did not answer |
| `schema_pending` | blocking | another server changed its tool, and nobody has adopted that |
| `rebuild_running` | blocking | another rebuild of the cache is under way |
| `rebuild_failed` | blocking | a rebuild of the cache could not be completed; the old data stays |
| `unknown_plan` | blocking | a plan token that was not given out to this caller for this account |
| `expired_plan` | blocking | a plan that was not applied in time |
| `confirmation_required` | blocking | a person has to confirm each write here, and this client cannot ask one |
| `declined_plan` | blocking | a plan, or a call of another server, that a person said no to; nothing was done |
| `stale_plan` | blocking | what the plan depends on was changed since; nothing was written |
| `plan_running` | blocking; advisory of a read | the plan, or another of the same record, is being applied |
| `plan_too_large` | blocking | the plan holds more than one plan may here; nothing was written |
| `too_many_writes` | blocking | the caller has sent as many writes in a minute as are allowed; the token stays good |
| `journal_unavailable` | blocking | the journal of writes cannot be used: nothing is written; advisory after a write |
| `read_only` | blocking | this server, or this request, never writes to Katana |
| `same_source_destination` | blocking | goods would stay where they are |
| `invalid_quantity` | blocking | a quantity that moves nothing |
| `invalid_status_transition` | blocking | a status that cannot follow the present one |
| `no_effective_change` | blocking | the request would change nothing |
| `locked` | blocking | the status of a document, or that a row is received, forbids the change; or nothing allows it |
| `unreceive_required` | blocking | a change takes received goods out of stock again, and was not asked for as that |
| `reopen_required` | blocking | a status undoes the productions of a done order, and was not asked for as that |
| `tracking_location_required` | blocking | an outsourced order without the place of its ingredients |
| `own_location_required` | blocking | no row of a new order goes to the order's own location |
| `price_required` | blocking | no price was given, and the item has none that fits |
| `tax_rate_required` | blocking | no tax rate was given, and the account has no default one |
| `batch_required` | blocking | rows that are tracked by batch cannot be received by a status |
| `empty_order` | blocking | an order has no rows to receive or to ship |
| `draft_order` | blocking | an order that is a draft is not received |
| `not_received` | blocking | an order of which nothing is received is corrected: it is changed instead |
| `not_closed` | blocking | an order that is not shipped, or not done, is corrected: it is changed instead |
| `already_received` | blocking; advisory of a note of as much as came before | an order, or a row, that has come |
| `over_receipt` | blocking | more came of a row than is open |
| `batch_sum_mismatch` | blocking | batches come to more than what came |
| `serial_qty_not_integer` | blocking | serial numbers of a quantity that is no whole number |
| `serial_count_mismatch` | blocking | another number of serial numbers than of stock units |
| `circular_bom` | blocking | a product would be part of itself |
| `not_an_ingredient` | blocking | a service in a bill of materials |
| `unit_mismatch` | blocking | an ingredient takes the place of one in another unit, and no quantity was given |
| `not_producible` | blocking; advisory beside rows | the item is not marked as made, or the location makes nothing |
| `over_shipment` | blocking | more of a row is to leave than is open |
| `already_completed` | blocking | all of an order, or of a row, has been packed or delivered |
| `serial_numbers_required` | blocking | goods that are tracked by serial number would leave without one |
| `over_return` | blocking | more of a shipped row is to come back than can still be returned |
| `untraced_receipt` | advisory | goods that are tracked by batch come in none |
| `untraced_shipment` | advisory | goods that are tracked by batch leave in none |
| `trail_ends` | advisory | goods that are traced are of no batch and no serial number from here on |
| `no_rows_left` | blocking | the request would take every row of a document |
| `unknown_row_id` | blocking | a row or an address that the record does not have |
| `duplicate_row` | blocking | an address that the request adds twice; advisory for goods and ingredients |
| `only_one_allowed` | blocking | a second shipping fee or address of a type of an order, or address of a supplier |
| `duplicate_row_overrides` | blocking | a row, a cost or an address that the request changes or deletes twice |
| `second_billing_address` | blocking | a customer has one billing address |
| `invalid_default_address` | blocking | an address that cannot be the default: for billing, deleted, or one of two |
| `blocked_status` | advisory | the status of a document is unusual for what is planned, and the plan deals with it |
| `inventory_ordering` | advisory | goods that are made for an order would leave before they are there |
| `internal_error` | blocking | a fault that nobody foresaw; the message names its log entry |
| `unexpected_result` | advisory | Katana answered something else than was planned |
| `status_moves_back` | advisory | a status before the present one: goods that moved go back |
| `stock_was_moved` | advisory | a document is deleted that has moved stock |
| `insufficient_stock` | advisory | more is to leave a location than it has |
| `possible_duplicate` | advisory | a live document of the last 24 hours has the same parties and the same lines |
| `duplicate_order_number` | advisory | another document has this number; blocking where no free one was found |
| `duplicate_number` | advisory | a document was made, and another one has its number by now |
| `not_purchasable` | advisory | the item is not marked as bought; blocking for a service |
| `not_sellable` | advisory | the item is not marked as sold; blocking for a location that does not sell |
| `over_production` | advisory | more is made of an order than remains |
| `restocked_elsewhere` | advisory | returned goods go in stock at another location than the return comes to |
| `customer_discount` | advisory | a customer has a discount rate, and a new order takes nothing off |
| `discount_above_price` | advisory | a discount takes more off a row than the row costs |
| `dates_cascade` | advisory | a date of the head overwrites that of every row |
| `locations_cascade` | advisory | the location of the head moves every row that was for the old one |
| `past_arrival_date` | advisory | goods are expected on a day that has passed, or before they leave |
| `ingredients_missing` | advisory | a date counts on an order that lacks ingredients which nothing brings |
| `past_due_date` | advisory | an order is due on a day that has passed |
| `future_date` | advisory | a day on which something is done lies after tomorrow |
| `amounts_stay` | advisory | a currency or a supplier changes, and prices keep their numbers |
| `receives_rows` | advisory | a status receives every open row |
| `billed_order` | advisory | an order with bills is deleted, which Katana may refuse; blocking to reopen it unasked |
| `duplicate_name` | advisory | another live record has this name; blocking for the label of a custom field |
| `default_address_deleted` | advisory | a default address is deleted, and no other one is named |
| `open_orders` | advisory | what is deleted has orders that are still open |
| `supplies_items` | advisory | a supplier is deleted that is the default supplier of items |
| `misread_lines` | advisory; to complete a count, or where nothing else changes, blocking | lines were not understood |
| `moved_since_count` | advisory | goods moved after counting began, which a stocktake does not take into account |
| `uncounted_rows` | advisory | a stocktake is completed, and rows of it have no count |
| `new_bin` | advisory | the location has no bin of that name, so one is made |
| `stock_at_hand` | advisory | an order is made for rows of which goods are in stock already |
| `in_use` | advisory | products are made of what is deleted, it is in stock, or records have values of it |
| `needs_feature` | advisory | Katana may refuse it, as a feature that not every account has is needed |
| `no_way_back` | advisory | the plan cannot be taken back by another one |
| `other_supplier` | advisory | the price that was taken is that of another supplier |
| `below_minimum` | advisory | less is ordered than the item's minimum order quantity |
| `left_behind` | advisory | Katana left a record of a create that it refused or failed; the message deletes it |
| `cache_write_failed` | info | a write was applied, and the cache does not show it yet |
| `stock_booked` | info | which stock adjustment a completed stocktake has made |
| `not_in_stock` | info | free stock, as far as it is known, does not cover a new sales order |
| `default_number` | info | no number was given: the next free one is assigned when the plan is applied |
| `default_price` | info | no price was given, so the item's own was taken |
| `other_price` | info; advisory where a row keeps it | the price that was given, or is kept, is not that of the item |
| `default_batches` | info | no batches were named, so those that expire first were taken |
| `default_tax_rate` | info | no tax rate was given, so the account's default one was taken |
| `tax_unknown` | info | the tax rate of a row is not known, so the total with tax is left out |
| `time_zone_unknown` | info | the factory's time zone is not known, so days are those of UTC |
| `cold_cache` | advisory | the first sync is still running: rows may be missing |
| `stock_unknown` | advisory | the stock of some variants could not be read; they are not empty |
| `unread_records` | advisory | records that are in Katana but could not be read; they are left out, not gone |
| `unread_field` | advisory | a filter, an order or a sum leaves out records of which it could not read the field |
| `ledger_in_doubt` | advisory | balances of movements may be old, or count one that was deleted |
| `partial_name` | info | a part of a name in a filter stood for the only record that has it |
| `unknown_value` | advisory, where records have it info | a filter by a value that Katana is not known to send |
| `partial_match` | advisory | nothing holds every word of the search: the rows hold some of them |
| `truncated_result` | info | the answer, or the text that is searched for, was cut to a size that fits |
| `duplicate_sku` | advisory | a SKU that several live variants have; the first one was taken |
| `unusual_price` | advisory | a supplier's price is far from the last ones; a new one from the one now, or 0 |
| `matched_by_code` | info, of a SKU advisory | goods are named by another code, or their SKU is a code of others |
| `matched_by_description` | advisory | a line of a document was taken by its words, not by a code |
| `archived_item` | advisory | the record is archived in Katana |
| `deleted_item` | advisory | the record is deleted in Katana |
"""

INVALID_ARGUMENT = "invalid_argument"
UNKNOWN_ARGUMENT = "unknown_argument"
UNKNOWN_TOOL = "unknown_tool"
CALL_DIRECTLY = "call_directly"
NOT_FOUND = "not_found"
AMBIGUOUS_NAME = "ambiguous_name"
NOTHING_TO_SEARCH = "nothing_to_search"
KATANA_UNAVAILABLE = "katana_unavailable"
WRONG_ACCOUNT = "wrong_account"
CACHE_UNAVAILABLE = "cache_unavailable"
UPSTREAM_DOWN = "upstream_down"
SCHEMA_PENDING = "schema_pending"
REBUILD_RUNNING = "rebuild_running"
REBUILD_FAILED = "rebuild_failed"
UNKNOWN_PLAN = "unknown_plan"
EXPIRED_PLAN = "expired_plan"
CONFIRMATION_REQUIRED = "confirmation_required"
DECLINED_PLAN = "declined_plan"
STALE_PLAN = "stale_plan"
PLAN_RUNNING = "plan_running"
PLAN_TOO_LARGE = "plan_too_large"
TOO_MANY_WRITES = "too_many_writes"
JOURNAL_UNAVAILABLE = "journal_unavailable"
READ_ONLY = "read_only"
SAME_SOURCE_DESTINATION = "same_source_destination"
INVALID_QUANTITY = "invalid_quantity"
INVALID_STATUS_TRANSITION = "invalid_status_transition"
NO_EFFECTIVE_CHANGE = "no_effective_change"
LOCKED = "locked"
UNRECEIVE_REQUIRED = "unreceive_required"
REOPEN_REQUIRED = "reopen_required"
TRACKING_LOCATION_REQUIRED = "tracking_location_required"
OWN_LOCATION_REQUIRED = "own_location_required"
PRICE_REQUIRED = "price_required"
TAX_RATE_REQUIRED = "tax_rate_required"
BATCH_REQUIRED = "batch_required"
EMPTY_ORDER = "empty_order"
DRAFT_ORDER = "draft_order"
NOT_RECEIVED = "not_received"
NOT_CLOSED = "not_closed"
ALREADY_RECEIVED = "already_received"
OVER_RECEIPT = "over_receipt"
BATCH_SUM_MISMATCH = "batch_sum_mismatch"
SERIAL_QTY_NOT_INTEGER = "serial_qty_not_integer"
SERIAL_COUNT_MISMATCH = "serial_count_mismatch"
CIRCULAR_BOM = "circular_bom"
NOT_AN_INGREDIENT = "not_an_ingredient"
UNIT_MISMATCH = "unit_mismatch"
NOT_PRODUCIBLE = "not_producible"
OVER_SHIPMENT = "over_shipment"
ALREADY_COMPLETED = "already_completed"
SERIAL_NUMBERS_REQUIRED = "serial_numbers_required"
OVER_RETURN = "over_return"
UNTRACED_RECEIPT = "untraced_receipt"
UNTRACED_SHIPMENT = "untraced_shipment"
TRAIL_ENDS = "trail_ends"
NO_ROWS_LEFT = "no_rows_left"
UNKNOWN_ROW_ID = "unknown_row_id"
DUPLICATE_ROW = "duplicate_row"
ONLY_ONE_ALLOWED = "only_one_allowed"
DUPLICATE_ROW_OVERRIDES = "duplicate_row_overrides"
SECOND_BILLING_ADDRESS = "second_billing_address"
INVALID_DEFAULT_ADDRESS = "invalid_default_address"
BLOCKED_STATUS = "blocked_status"
INVENTORY_ORDERING = "inventory_ordering"
INTERNAL_ERROR = "internal_error"
UNEXPECTED_RESULT = "unexpected_result"
STATUS_MOVES_BACK = "status_moves_back"
STOCK_WAS_MOVED = "stock_was_moved"
INSUFFICIENT_STOCK = "insufficient_stock"
POSSIBLE_DUPLICATE = "possible_duplicate"
DUPLICATE_ORDER_NUMBER = "duplicate_order_number"
DUPLICATE_NUMBER = "duplicate_number"
NOT_PURCHASABLE = "not_purchasable"
NOT_SELLABLE = "not_sellable"
OVER_PRODUCTION = "over_production"
RESTOCKED_ELSEWHERE = "restocked_elsewhere"
CUSTOMER_DISCOUNT = "customer_discount"
DISCOUNT_ABOVE_PRICE = "discount_above_price"
DATES_CASCADE = "dates_cascade"
LOCATIONS_CASCADE = "locations_cascade"
PAST_ARRIVAL_DATE = "past_arrival_date"
INGREDIENTS_MISSING = "ingredients_missing"
PAST_DUE_DATE = "past_due_date"
FUTURE_DATE = "future_date"
AMOUNTS_STAY = "amounts_stay"
RECEIVES_ROWS = "receives_rows"
BILLED_ORDER = "billed_order"
DUPLICATE_NAME = "duplicate_name"
DEFAULT_ADDRESS_DELETED = "default_address_deleted"
OPEN_ORDERS = "open_orders"
SUPPLIES_ITEMS = "supplies_items"
MISREAD_LINES = "misread_lines"
MOVED_SINCE_COUNT = "moved_since_count"
UNCOUNTED_ROWS = "uncounted_rows"
NEW_BIN = "new_bin"
STOCK_AT_HAND = "stock_at_hand"
IN_USE = "in_use"
NEEDS_FEATURE = "needs_feature"
NO_WAY_BACK = "no_way_back"
OTHER_SUPPLIER = "other_supplier"
BELOW_MINIMUM = "below_minimum"
LEFT_BEHIND = "left_behind"
CACHE_WRITE_FAILED = "cache_write_failed"
STOCK_BOOKED = "stock_booked"
NOT_IN_STOCK = "not_in_stock"
DEFAULT_NUMBER = "default_number"
DEFAULT_PRICE = "default_price"
OTHER_PRICE = "other_price"
DEFAULT_BATCHES = "default_batches"
DEFAULT_TAX_RATE = "default_tax_rate"
TAX_UNKNOWN = "tax_unknown"
TIME_ZONE_UNKNOWN = "time_zone_unknown"
COLD_CACHE = "cold_cache"
STOCK_UNKNOWN = "stock_unknown"
UNREAD_RECORDS = "unread_records"
UNREAD_FIELD = "unread_field"
LEDGER_IN_DOUBT = "ledger_in_doubt"
PARTIAL_NAME = "partial_name"
UNKNOWN_VALUE = "unknown_value"
PARTIAL_MATCH = "partial_match"
TRUNCATED_RESULT = "truncated_result"
DUPLICATE_SKU = "duplicate_sku"
UNUSUAL_PRICE = "unusual_price"
MATCHED_BY_CODE = "matched_by_code"
MATCHED_BY_DESCRIPTION = "matched_by_description"
ARCHIVED_ITEM = "archived_item"
DELETED_ITEM = "deleted_item"
