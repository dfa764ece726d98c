"""Work on the cache of a sandbox's account, as a command line would give it."""

from pathlib import Path

from katana_mcp.commands.cache.job import Job
from katana_mcp.configuration.sandbox import OwnSandbox
from katana_mcp.configuration.settings import load
from katana_mcp.server.wiring import Environment, cache_directory


def quiet(what: str, done: int, total: int | None) -> None:
    """Show nothing."""
    del what, done, total


def job_on(own: OwnSandbox, root: Path, **flags: object) -> Job:
    """Return a job on the sandbox's account, on the sandbox's clock."""
    settings = load(_env_file=None, sandbox=True, api_key=own.api_key, cache_dir=root, **flags)
    outside = Environment(transport=own.transport(), clock=own.sandbox.clock)
    directory = cache_directory(settings, outside)
    assert directory is not None
    return Job(
        settings=settings,
        outside=outside,
        flags=settings.flags(),
        directory=directory,
        clock=own.sandbox.clock,
        tell=quiet,
    )
