"""Lines without secrets, which must stay as they are: of generators (innocent.txt) and of real recordings."""

import base64
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORDS = (
    "train",
    "eval",
    "dedup",
    "loader",
    "scatter",
    "corpus",
    "tokenizer",
    "batch",
    "minhash",
    "parquet",
    "vocab",
)
TEMPLATES = tuple(
    line
    for line in (Path(__file__).parent / "innocent.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
)
_HOLE = re.compile(r"\{(int|float|hex|low|base64|uuid|word|job|path)(?::(\d+))?\}")
_LOW = "abcdefghijklmnopqrstuvwxyz0123456789"
_KNOWN = re.compile(r"tok-alpha|iris_k_|Bearer |eyJ", re.IGNORECASE)  # made-up tokens that recordings hold


def _hex(dice: random.Random, length: int) -> str:
    return "".join(dice.choice("0123456789abcdef") for _ in range(length))


def _job(dice: random.Random) -> str:
    return f"/ada/{dice.choice(WORDS)}/zephyr-{dice.choice(WORDS)}-{_hex(dice, 8)}-p{dice.randint(0, 3)}-a0"


def _path(dice: random.Random) -> str:
    part = f"part-{dice.randint(0, 99999):05d}-of-01024.parquet"
    return f"gs://marin-us-central2/{dice.choice(WORDS)}-{_hex(dice, 6)}/{part}"


FILLERS: Mapping[str, Callable[[random.Random, int], str]] = {
    "int": lambda dice, length: str(dice.randint(10 ** (length - 1), 10**length - 1)),
    "float": lambda dice, _: f"{dice.random() * 10 ** dice.randint(-6, 6):.4g}",
    "hex": _hex,
    "low": lambda dice, length: "".join(dice.choice(_LOW) for _ in range(length)),
    "base64": lambda dice, length: base64.b64encode(dice.randbytes(length)).decode(),
    "uuid": lambda dice, _: "-".join(_hex(dice, length) for length in (8, 4, 4, 4, 12)),
    "word": lambda dice, _: dice.choice(WORDS),
    "job": lambda dice, _: _job(dice),
    "path": lambda dice, _: _path(dice),
}


def line_of(template: str, dice: random.Random) -> str:
    return _HOLE.sub(lambda hole: FILLERS[hole[1]](dice, int(hole[2] or 0)), template)


def generated(count: int, seed: int = 0) -> Iterator[str]:
    """So many lines, every template in turn."""
    dice = random.Random(seed)
    for number in range(count):
        yield line_of(TEMPLATES[number % len(TEMPLATES)], dice)


def recorded() -> Iterator[str]:
    """Lines that real jobs and clusters printed, without those that hold a (made-up) token."""
    for name in ("messages.tsv", "calm-messages.tsv"):
        for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines():
            if not _KNOWN.search(line):
                yield line.split("\t")[-1]
    for file in sorted(FIXTURES.glob("iris-2026-05/*/**/*.txt")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if not _KNOWN.search(line):
                yield line
