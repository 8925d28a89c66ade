"""How much the learned weights of words add: `python benchmarks/words.py [DIR] [--files N] [--fit]`.

DIR holds files of labelled cases. Each of the last N files is judged with weights that were fitted without
it: how many are right by rules alone, and by rules and words. The rules may know these cases by now;
docs/diagnosis-accuracy.md has the figures of the first look. `--fit` writes the shipped weights instead.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from babysitter.diagnosis.judge.by_words import CLEARLY
from babysitter.diagnosis.learned.read_words import WEIGHTS_FILE
from babysitter.diagnosis.learned.weights_file import format_weights, parse_weights
from babysitter.playbook.load import load
from babysitter.workbench.evaluate import read_cases
from babysitter.workbench.train_words import JudgedCase, fit, read_examples


def measure(examples: Sequence[JudgedCase], judged: Sequence[JudgedCase]) -> Counter[str]:
    """How many of the judged ones are right by rules, and by rules and words fitted to the examples."""
    weights = parse_weights(format_weights(fit(examples)))
    right: Counter[str] = Counter()
    for each in judged:
        shares = weights.probabilities(weights.score_text(each.text), weights.score_verdict(each.verdict))
        best = max(shares, key=lambda name: shares[name])
        is_clear = shares[best] - shares.get(each.by_rules, 0.0) >= CLEARLY
        said = best if is_clear else each.by_rules
        right.update(cases=1, rules=each.by_rules in each.accepted, both=said in each.accepted)
    return right


def main() -> None:
    """Measure, or fit and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("fixtures/incidents"))
    parser.add_argument("--files", type=int, default=2, help="how many files to measure")
    parser.add_argument("--fit", action="store_true", help="write the shipped weights")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.glob("*.yaml"))
    cases = [(case, path.stem) for path in paths for case in read_cases(path)]
    examples = read_examples(cases, load())
    if arguments.fit:
        weights = fit(examples)
        WEIGHTS_FILE.write_text(format_weights(weights), encoding="utf-8")
        print(f"{WEIGHTS_FILE}: {len(weights.of_text)} words of {len(cases)} cases")
        return
    whole: Counter[str] = Counter()
    for path in paths[-arguments.files :]:
        others = [each for each in examples if each.file != path.stem]
        right = measure(others, [each for each in examples[: len(cases)] if each.file == path.stem])
        print(path.stem, dict(right), flush=True)
        whole += right
    print("all", dict(whole))


if __name__ == "__main__":
    main()
