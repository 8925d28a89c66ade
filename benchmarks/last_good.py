"""How well a comparison with the last good run finds a planted fault, and how quiet it is between good runs.

    python benchmarks/last_good.py [--seed 1] [--pairs 30]

Pairs of logs are generated (tests/support/run_pairs.py); another seed draws other pairs. No rule is read: the
lines that are shown come from the comparison alone.
"""

import argparse
import time
from collections.abc import Callable

from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.last_good.compare import SHOWN, compare_runs
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.model.run_profile import RunComparison, RunProfile
from tests.support.run_pairs import RunPair, absence_pair, good_pair, is_planted, line_pair, pairs, slow_pair


def profile_of(text: str) -> RunProfile:
    return add_lines(RunProfile(), observation_of_text(text).seen_lines)


def compared(pair: RunPair) -> RunComparison:
    return compare_runs(profile_of(pair.other), GoodRuns([profile_of(pair.good)]))


def is_shown(pair: RunPair, comparison: RunComparison) -> bool:
    """Whether a planted line is among the first five (of a missing or slow stage: one of its lines)."""
    return any(is_planted(pair, difference.text) for difference in comparison.differences[:SHOWN])


def measure(name: str, kind: Callable[[int], RunPair], seed: int, count: int, *, verbose: bool) -> None:
    began, right, quiet = time.perf_counter(), 0, 0
    for pair in pairs(kind, seed, count):
        comparison = compared(pair)
        quiet += not comparison.differences
        shown = is_shown(pair, comparison)
        right += shown
        if verbose and (comparison.differences if not pair.planted else not shown):
            print(f"  seed {pair.seed} {pair.shape} {pair.fault} {pair.planted[:2]}")
            for difference in comparison.differences[:SHOWN]:
                text = f"{difference.text[:90]!r} {difference.comparison}"
                print(f"     {difference.weight} {difference.kind} {text}")
    result = f"quiet {quiet}/{count}" if kind is good_pair else f"in the first five {right}/{count}"
    print(f"{name:<22} {result:<28} {1000 * (time.perf_counter() - began) / count:.0f} ms a pair")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--verbose", action="store_true", help="print each pair that was not judged right")
    arguments = parser.parse_args()
    kinds = (
        ("a planted line", line_pair),
        ("two good runs", good_pair),
        ("an absence", absence_pair),
        ("a slow stage", slow_pair),
    )
    for name, kind in kinds:
        measure(name, kind, 1000 * arguments.seed, arguments.pairs, verbose=arguments.verbose)


if __name__ == "__main__":
    main()
