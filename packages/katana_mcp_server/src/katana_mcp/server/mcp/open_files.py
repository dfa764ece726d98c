"""How many files and connections the system lets this process open; some systems have no such limit."""

try:
    from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
except ImportError:

    def allow_open_files(count: int) -> int:
        """Return how many files may be open."""
        return count

else:

    def allow_open_files(count: int) -> int:
        """Have the system allow so many open files, where it lets us, and return how many may be open, up to that."""
        soft, hard = getrlimit(RLIMIT_NOFILE)
        if RLIM_INFINITY in {soft, hard} or soft >= count:
            return count
        allowed = min(count, hard)
        setrlimit(RLIMIT_NOFILE, (allowed, hard))
        return allowed
