"""Runs a module with its arguments where what only Unix has is gone: modules, functions, flags, signals, handlers.

Libraries that choose their modules by the system's name are loaded before: what they have for Windows needs none of
this, and is theirs to test.
"""

import asyncio
import importlib
import os
import runpy
import signal
import sys

import platformdirs

CHOOSING = ("filelock", "mcp.server.stdio")
MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
FUNCTIONS = (
    *("chown", "fchmod", "fchown", "fork", "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg", "lchown"),
    *("mkfifo", "register_at_fork", "setsid", "sysconf", "uname", "WIFEXITED"),
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
)
SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2")
HANDLERS = ("add_signal_handler", "remove_signal_handler", "create_unix_connection", "create_unix_server")


def _absent(*_: object, **__: object) -> None:
    raise NotImplementedError


assert platformdirs.user_cache_dir()
for module in CHOOSING:
    importlib.import_module(module)
for module in MODULES:
    sys.modules[module] = None  # pyright: ignore[reportArgumentType]  # ty: ignore[invalid-assignment] - what Python itself writes there for "no import"
for place, names in ((os, FUNCTIONS), (signal, SIGNALS)):
    for name in names:
        if hasattr(place, name):
            delattr(place, name)
for name in HANDLERS:
    setattr(asyncio.SelectorEventLoop, name, _absent)
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
