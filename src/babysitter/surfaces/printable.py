"""Text from a job, as a surface may print it."""

from babysitter.redact import redact, strip_control_characters

MAX_EVIDENCE_CHARACTERS = 1_000


def safe_lines(text: str) -> str:
    """Several lines, each as `safe` makes it."""
    return "\n".join(map(safe, text.split("\n")))


def safe(text: str) -> str:
    """Text from a job, fit to leave the machine: redacted, without control characters, bounded."""
    shown = strip_control_characters(redact(text))
    if len(shown) <= MAX_EVIDENCE_CHARACTERS:
        return shown
    return f"{shown[:MAX_EVIDENCE_CHARACTERS]}… ({len(shown) - MAX_EVIDENCE_CHARACTERS} more characters)"
