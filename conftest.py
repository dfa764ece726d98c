"""What holds for every test of the workspace."""

import signal

# A shell that runs the tests in the background has them ignore Ctrl-C, and what they start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
