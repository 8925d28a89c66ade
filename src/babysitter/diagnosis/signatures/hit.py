"""A match of a pattern in a buffer of lines."""

from typing import TypeAlias

# (line number from 0, index of the pattern, offset of the line's start, offset of its end). A plain tuple:
# a dense log gives hundreds of thousands of them.
Hit: TypeAlias = tuple[int, int, int, int]
