"""Text from a job, as a surface may print it."""

from babysitter.redact import redact, strip_control_characters

EVIDENCE_CHARACTERS_MOST = 1_000


def safe(text: str) -> str:
    """Text from a job, fit to leave the machine: redacted, without control characters, bounded."""
    shown = strip_control_characters(redact(text))
    if len(shown) <= EVIDENCE_CHARACTERS_MOST:
        return shown
    return f"{shown[:EVIDENCE_CHARACTERS_MOST]}… ({len(shown) - EVIDENCE_CHARACTERS_MOST} more characters)"
