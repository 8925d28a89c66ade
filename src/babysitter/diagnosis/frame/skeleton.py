"""What lines of one shape have in common: a line with every digit a zero.

A log has few shapes. What a reader finds by shape alone it finds once for all lines of that shape.
"""

from functools import lru_cache

_ZEROS = bytes.maketrans(b"123456789", b"000000000")


@lru_cache(maxsize=16_384)  # several readers ask about the same lines
def without_digits(text: str) -> str:
    """Return the text with every digit a zero."""
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS).decode("utf-8", "surrogatepass")
