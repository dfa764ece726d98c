"""A typed async client of the Katana manufacturing ERP API."""

from katana_client.budget import Budget, SlidingWindowBudget
from katana_client.client import BASE_URL, KatanaClient, Options
from katana_client.clock import Clock, ManualClock, SystemClock
from katana_client.collection import Spec
from katana_client.exchange import Call, Reply
from katana_client.headers import RateFacts
from katana_client.ledger import Priority, Quota
from katana_client.page import InvalidRecord, Page
from katana_client.resource import Resource
from katana_client.sending import Answer, Patience, RequestRecord
from katana_client.wire import ReadModel, WriteModel

__all__ = [
    "BASE_URL",
    "Answer",
    "Budget",
    "Call",
    "Clock",
    "InvalidRecord",
    "KatanaClient",
    "ManualClock",
    "Options",
    "Page",
    "Patience",
    "Priority",
    "Quota",
    "RateFacts",
    "ReadModel",
    "Reply",
    "RequestRecord",
    "Resource",
    "SlidingWindowBudget",
    "Spec",
    "SystemClock",
    "WriteModel",
]
