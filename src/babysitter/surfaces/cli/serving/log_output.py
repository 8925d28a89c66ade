"""Where the service's log goes: standard error, for people on a terminal, as JSON lines elsewhere."""

import sys


def log_to_stderr(*, warnings_only: bool = False, errors_only: bool = False) -> None:
    """Standard output belongs to what was asked for."""
    from babysitter.engine.service_log import ERROR, INFO, WARNING, configure_log

    level = ERROR if errors_only else WARNING if warnings_only else INFO
    configure_log(sys.stderr, as_json=not sys.stderr.isatty(), least_level=level)
