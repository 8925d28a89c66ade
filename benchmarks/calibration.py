"""How far the displayed confidence is a frequency: right verdicts of each fifth, and the mean error.

    python benchmarks/calibration.py DIR [DIR ...]

Each DIR holds labelled cases (as for `babysit eval`); all are judged together, sorted by confidence and cut
into five equal parts. The two benign kinds count as one.
"""

import argparse
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from babysitter.model.finding import Cause
from babysitter.playbook.load import load
from babysitter.workbench.evaluate import GradedCase, evaluate, read_cases

PARTS = 5
BENIGN = frozenset({Cause.HEALTHY, Cause.TRANSIENT_NOISE})


def is_right(graded: GradedCase) -> bool:
    """Whether the cause is one that the label accepts."""
    return graded.is_lenient or {graded.cause, graded.case.label.cause} <= BENIGN


def error_of(part: Sequence[GradedCase]) -> float:
    """Mean confidence less the share of right verdicts."""
    told = sum(case.examined.diagnosis.confidence for case in part)
    return (told - sum(map(is_right, part))) / len(part)


def main() -> None:
    """Print the five parts, the expected calibration error, and how often proofs are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    playbook = load()
    strengths = {placed.rule.id: placed.rule.confidence for placed in playbook.placed}
    cases = [case for place in parser.parse_args().cases for case in read_cases(place)]
    graded = sorted(evaluate(cases, playbook).graded, key=lambda case: case.examined.diagnosis.confidence)
    expected = 0.0
    size = ceil(len(graded) / PARTS)
    for part in (graded[first : first + size] for first in range(0, len(graded), size)):
        low, high = (case.examined.diagnosis.confidence for case in (part[0], part[-1]))
        right = sum(map(is_right, part))
        print(
            f"{low:.2f} to {high:.2f}  right {right}/{len(part)}  off by {100 * error_of(part):+.1f} points"
        )
        expected += abs(error_of(part)) * len(part) / len(graded)
    print(f"expected calibration error {100 * expected:.1f} points over {len(graded)} cases")
    proofs = [case for case in graded if any(map(strengths.get, case.examined.diagnosis.rules[:1]))]
    proofs = [proof for proof in proofs if strengths[proof.examined.diagnosis.rules[0]] >= 0.9]
    print(f"proofs right {sum(map(is_right, proofs))}/{len(proofs)} of {len(graded)} verdicts")


if __name__ == "__main__":
    main()
