"""Reports of faults in words that no rule knows: made up things that do made up things."""

import random

THINGS = (
    "the quill ledger", "spindle", "the tide gate", "lattice plane", "the amber relay", "bobbin",
    "the sluice", "the second abacus", "gimbal ring", "the loom", "the parity orchard", "cantilever",
    "the mosaic index", "the drift compass", "palisade", "the copper manifold", "sextant", "the weir",
    "the tessera table",
)  # fmt: skip
DOINGS = (
    "has come loose from its bearing", "does not agree with its twin", "slid past the marked line",
    "turned inside out", "counts backwards now", "was found hollow", "has gone slack and stays so",
    "leans on an empty seat", "drifted off by {n} notches", "holds {n} grains where {m} belong",
    "answers in the wrong tongue", "swallowed its own tail", "gave up its seal", "shows a seam at {n}",
    "went dark before the bell", "is tilted by {f} degrees", "lies below the waterline",
)  # fmt: skip
MORE = (
    "the remainder is left on the floor", "nothing downstream will line up", "see plate {n} for the outline",
    "the keeper must level it by hand", "all further turns are void", "offset {n} kept for the record",
)  # fmt: skip


def fault_lines(draw: random.Random) -> list[str]:
    """One to three lines about one fault."""
    lines = [f"{draw.choice(THINGS)} {draw.choice(DOINGS)}"]
    lines += draw.sample(MORE, draw.choice((0, 0, 1, 2)))
    return [_filled(line, draw) for line in lines]


def _filled(text: str, draw: random.Random) -> str:
    return text.format(n=draw.randint(2, 900), m=draw.randint(2, 900), f=round(draw.uniform(1, 90), 2))
