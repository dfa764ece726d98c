"""Journal errors, told apart by what the caller does next.

JournalError
├── JournalBusy      another process holds the file: try again, nothing happened
├── JournalUnusable  the file cannot serve: write nothing to Katana, tell the sentence
├── LaneLost         another applies what was held by us: send nothing more, what is not sent is not tried
├── ClaimLost        somebody else has the plan by now: send nothing more, claim again to learn the outcome
└── WrongOrder       the call itself is wrong: mend the code
"""


class JournalError(Exception):
    """Base of everything that the journal raises on purpose; nothing of the call was kept."""


class JournalBusy(JournalError):
    """Another process did not let go of the file in time."""


class JournalUnusable(JournalError):
    """The file is damaged, newer than this version, full, read-only or not ours; the message says what to do."""


class ClaimLost(JournalError):
    """The claim under which this was to be done is over: finished, or taken over by another owner."""


class LaneLost(JournalError):
    """The lanes that were held are another's by now, because their holder was not heard of."""


class WrongOrder(JournalError):
    """An action was sent twice, ended before it was sent, or a plan finished while one was being sent."""
