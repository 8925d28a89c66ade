"""What lines of one shape have in common: a line with every digit a zero.

A log has few shapes. What a reader finds by shape alone it finds once for all lines of that shape.
"""

_ZEROS = bytes.maketrans(b"123456789", b"000000000")


def without_digits(text: str) -> str:
    """Return the text with every digit a zero."""
    if text.isascii():  # ten times as fast as the method of str
        return text.encode("ascii").translate(_ZEROS).decode("ascii")
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS).decode("utf-8", "surrogatepass")
