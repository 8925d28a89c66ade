"""Where the service's log goes: standard error, for people on a terminal, as JSON lines elsewhere."""

import sys


def log_to_stderr(*, warnings_only: bool = False) -> None:
    """Standard output belongs to what was asked for."""
    import structlog

    is_terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(() if is_terminal else (structlog.processors.dict_tracebacks,)),
            structlog.dev.ConsoleRenderer() if is_terminal else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(30 if warnings_only else 20),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
