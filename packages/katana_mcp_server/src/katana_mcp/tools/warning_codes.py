"""Stable codes of warnings and refusals; programs match on these, so a released code never changes.

| code | severity | when |
|---|---|---|
| `invalid_argument` | blocking | an argument has the wrong type, form or range |
| `unknown_argument` | blocking | an argument that the tool does not have |
| `unknown_tool` | blocking | a tool that is not served |
| `not_found` | blocking | nothing has the id, number, SKU or name that was given |
| `ambiguous_name` | blocking | a name, code or SKU that several live records have |
| `nothing_to_search` | blocking | a search text without a letter or a digit |
| `katana_unavailable` | blocking | Katana did not answer and the cache holds nothing to answer from |
| `wrong_account` | blocking | KATANA_SYNC_API_KEY is a key of another account than KATANA_API_KEY |
| `cache_unavailable` | blocking | the local cache cannot be read or written |
| `rebuild_running` | blocking | another rebuild of the cache is under way |
| `rebuild_failed` | blocking | a rebuild of the cache could not be completed; the old data stays |
| `internal_error` | blocking | a fault that nobody foresaw; the message names its log entry |
| `cold_cache` | advisory | the first sync is still running: rows may be missing |
| `stock_unknown` | advisory | the stock of some variants could not be read; they are not empty |
| `unread_records` | advisory | records that are in Katana but could not be read; they are left out, not gone |
| `ledger_in_doubt` | advisory | balances of movements may be those from before a back-dated one |
| `truncated_result` | info | the answer was cut to a size that fits |
| `duplicate_sku` | advisory | a SKU that several live variants have; the first one was taken |
| `archived_item` | advisory | the record is archived in Katana |
| `deleted_item` | advisory | the record is deleted in Katana |
"""

INVALID_ARGUMENT = "invalid_argument"
UNKNOWN_ARGUMENT = "unknown_argument"
UNKNOWN_TOOL = "unknown_tool"
NOT_FOUND = "not_found"
AMBIGUOUS_NAME = "ambiguous_name"
NOTHING_TO_SEARCH = "nothing_to_search"
KATANA_UNAVAILABLE = "katana_unavailable"
WRONG_ACCOUNT = "wrong_account"
CACHE_UNAVAILABLE = "cache_unavailable"
REBUILD_RUNNING = "rebuild_running"
REBUILD_FAILED = "rebuild_failed"
INTERNAL_ERROR = "internal_error"
COLD_CACHE = "cold_cache"
STOCK_UNKNOWN = "stock_unknown"
UNREAD_RECORDS = "unread_records"
LEDGER_IN_DOUBT = "ledger_in_doubt"
TRUNCATED_RESULT = "truncated_result"
DUPLICATE_SKU = "duplicate_sku"
ARCHIVED_ITEM = "archived_item"
DELETED_ITEM = "deleted_item"
