"""What is still right when half of all signatures and rules are gone: how far the diagnosis generalises.

    python benchmarks/dropout.py DIR [--share 0.5] [--seeds 5]

DIR holds labelled cases (as for `babysit eval`). Each seed removes another random half.
"""

import argparse
from pathlib import Path

from babysitter.playbook.load import load
from babysitter.workbench.evaluate import EvaluationReport, evaluate, read_cases
from babysitter.workbench.thinned_rules import thinned


def shown(name: str, report: EvaluationReport) -> str:
    """One line: right, alarms in benign cases, missed fatal ones."""
    return f"{name:<10} right {report.lenient}  alarms {report.false_alarms}  missed {report.missed_fatal}"


def main() -> None:
    """Print one line for all rules, one for each seed, and their sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="?", default=Path("fixtures/diagnosis.yaml"))
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    cases, playbook = read_cases(arguments.cases), load()
    print(shown("all rules", evaluate(cases, playbook)), flush=True)
    reports = []
    for seed in range(1, arguments.seeds + 1):
        reports.append(evaluate(cases, thinned(playbook, arguments.share, seed)))
        print(shown(f"seed {seed}", reports[-1]), flush=True)
    for name in ("lenient", "false_alarms", "missed_fatal"):
        ratios = [getattr(report, name) for report in reports]
        right, of = sum(ratio.right for ratio in ratios), sum(ratio.of for ratio in ratios)
        print(f"{name:<14} {right}/{of} ({100 * right / max(1, of):.1f} %)")


if __name__ == "__main__":
    main()
