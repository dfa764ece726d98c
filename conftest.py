"""What holds for every test of the workspace."""

import signal

from hypothesis import settings

# Hypothesis would fail what takes longer than 200 ms, on a loaded machine anything.
settings.register_profile("whatever it takes", deadline=None)
settings.load_profile("whatever it takes")

# A shell that runs the tests in the background has them ignore Ctrl-C, and what they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
