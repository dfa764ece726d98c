"""What is set from outside: settings, flags, logs, the door to the sandbox; nothing here opens a cache."""
