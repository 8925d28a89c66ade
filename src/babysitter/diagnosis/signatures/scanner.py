"""Many patterns over whole buffers of lines: one interface, two engines that give equal answers.

`scanner_hyperscan.py` is the fast one, where its wheel installs; `engine_re2.py` works everywhere.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from babysitter.diagnosis.signatures.compile_cache import cache_folder
from babysitter.diagnosis.signatures.hit import Hit
from babysitter.diagnosis.signatures.pattern import LINE_LIMIT_BYTES, Pattern

SMALL_BYTES = 8 << 20  # below this the time to compile a fast database does not come back
MAX_ENGINES = 4

_BLOCK = LINE_LIMIT_BYTES // 2
_TAIL_BYTES = 4096
_CUT = b" [...] "
_COLOUR = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class Scanner(Protocol):
    """Compiled patterns. Immutable; one thread at a time."""

    def scan(self, text: bytes) -> list[Hit]:
        """Each line with each pattern that matches it, once, by line and then by pattern.

        `text` is tidy (see `tidy`): no line is longer than the limit. Time is linear in its size.
        """
        ...


def tidy(text: bytes) -> bytes:
    """The text without colours and carriage returns at line ends, long lines cut; as many lines as before."""
    if b"\x1b" in text:
        text = _COLOUR.sub(b"", text)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    return _cut_long_lines(text)


def open_engine(patterns: Sequence[Pattern], *, size_hint: int = 1 << 30) -> Scanner:
    """The best engine for this machine and for about this many bytes.

    The last few are kept for rules that are read again; compiled databases are kept on disk too.
    """
    may_wait = size_hint >= SMALL_BYTES or cache_file(patterns).exists()
    return _engine(tuple(patterns), may_wait)


@lru_cache(maxsize=MAX_ENGINES)
def _engine(patterns: tuple[Pattern, ...], may_wait: bool) -> Scanner:
    from babysitter.diagnosis.signatures.scanner_re2 import Re2Scanner

    try:
        from babysitter.diagnosis.signatures.scanner_hyperscan import HyperscanScanner
    except ImportError:
        return Re2Scanner(patterns)
    return HyperscanScanner(patterns, cache=cache_file(patterns)) if may_wait else Re2Scanner(patterns)


def cache_file(patterns: Sequence[Pattern]) -> Path:
    """Where the compiled form of exactly these patterns is kept."""
    digest = sha256()
    for pattern in patterns:
        digest.update(f"{pattern.quick}\0{pattern.ignore_case}\0".encode())
    return cache_folder() / f"patterns-{digest.hexdigest()[:24]}"


def _cut_long_lines(text: bytes) -> bytes:
    """A line over the limit fills an aligned block of half the limit; most texts have no such block."""
    find = text.find
    for start in range(0, len(text) - _BLOCK, _BLOCK):
        if find(b"\n", start, start + _BLOCK) < 0:
            return b"\n".join([_shortened(line) for line in text.split(b"\n")])
    return text


def _shortened(line: bytes) -> bytes:
    """A line within the limit: of a longer one its head and its tail, where an error after a dump stands."""
    if len(line) <= LINE_LIMIT_BYTES:
        return line
    head = LINE_LIMIT_BYTES - _TAIL_BYTES - len(_CUT)
    return line[:head] + _CUT + line[-_TAIL_BYTES:]
