"""Where the service's log goes: standard error, for people on a terminal, as JSON lines elsewhere."""

import sys


def log_to_stderr() -> None:
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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
