"""Which patterns make scanning dear? Each of the dearest is left out once; what is saved is what it costs.

The measure is the whole database over the same generated coordinator lines, in the same run.

    python benchmarks/patterns.py [--lines 20000] [--most 12]
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import hyperscan

sys.path.insert(0, str(Path(__file__).parent))
from classify import RULES, generated, padded

from babysitter.diagnosis.causes.rule_index import index_of
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.playbook.load import load

SINGLES = 40  # the dearest by themselves, which are then left out of the whole


def database(patterns: Sequence[Pattern]) -> hyperscan.Database:
    """These patterns in one database."""
    made = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = hyperscan.HS_FLAG_MULTILINE
    made.compile(
        expressions=[pattern.quick.encode("ascii") for pattern in patterns],
        ids=list(range(len(patterns))),
        flags=[flags | (hyperscan.HS_FLAG_CASELESS if pattern.ignore_case else 0) for pattern in patterns],
    )
    return made


def scan_ms(patterns: Sequence[Pattern], text: bytes, repeats: int) -> float:
    """Milliseconds of the quickest scan."""
    made, times = database(patterns), []
    for _ in range(repeats):
        started = time.perf_counter()
        made.scan(text, match_event_handler=lambda *hit: None)  # noqa: ARG005
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--most", type=int, default=12)
    options = parser.parse_args()
    text = generated(options.lines, 0.005)
    book = index_of(padded(load(), RULES))
    whole_ms = scan_ms(book.patterns, text, 9)
    singles = sorted(book.patterns, key=lambda pattern: scan_ms([pattern], text, 2), reverse=True)[:SINGLES]
    saved = [
        (whole_ms - scan_ms([pattern for pattern in book.patterns if pattern is not one], text, 5), one)
        for one in singles
    ]
    saved.sort(key=lambda pair: pair[0], reverse=True)
    print(f"{len(book.patterns)} patterns, {options.lines:,} lines: {whole_ms:.2f} ms")
    for ms, pattern in saved[: options.most]:
        rules = ", ".join(book.placed[index].rule.id for index in book.triggered[pattern])
        print(f"{ms / whole_ms:5.0%}  {rules}: {pattern.text[:100]}")
    rest = [
        pattern for pattern in book.patterns if all(pattern is not one for _, one in saved[: options.most])
    ]
    print(f"without these: {scan_ms(rest, text, 9) / whole_ms:.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
