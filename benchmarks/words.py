"""How much the learned weights of words add: `python benchmarks/words.py [DIR] [--files N] [--fit]`.

DIR holds files of labelled cases. Each of the last N files is judged with weights that were fitted without
it: how many are right by rules alone, and by rules and words. The rules may know these cases by now;
docs/diagnosis-accuracy.md has the figures of the first look. `--fit` writes the shipped weights instead.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned.cause_classes import class_of
from babysitter.diagnosis.learned.read_words import WEIGHTS_FILE
from babysitter.diagnosis.learned.weights_file import format_weights, parse_weights
from babysitter.model.finding import Severity
from babysitter.model.word_weights import WordWeights
from babysitter.playbook.load import load
from babysitter.usecases.classify_text import examine
from babysitter.workbench.evaluate import GradedCase, read_cases
from babysitter.workbench.train_words import JudgedCase, fit, read_examples

NO_WEIGHTS = WordWeights()
SURE = 0.9  # confidence


def measure(weights: WordWeights, judged: Sequence[JudgedCase], playbook: Playbook) -> Counter[str]:
    """What is right by rules and words, as the product says it, and by rules alone."""
    counts: Counter[str] = Counter()
    for each in judged:
        evidence, label = each.case.evidence, each.case.label
        for name, used in (("rules", NO_WEIGHTS), ("both", weights)):
            dumps = (evidence.thread_dump,)
            examined = examine(evidence.text, playbook, evidence.facts, dumps=dumps, weights=used)
            graded = GradedCase(each.case, examined, "", ())
            is_right = class_of(graded.cause) in each.accepted
            is_sure = examined.diagnosis.confidence >= SURE
            counts.update({f"{name} right": is_right, f"{name} alarms": graded.is_false_alarm})
            counts.update({f"{name} missed": graded.is_missed_fatal, f"{name} sure": is_sure})
            counts.update({f"{name} sure and right": is_sure and is_right})
        counts.update(
            cases=1, benign=label.severity is Severity.BENIGN, fatal=label.severity is Severity.FATAL
        )
    return counts


def main() -> None:
    """Measure, or fit and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("fixtures/incidents"))
    parser.add_argument("--files", type=int, default=2, help="how many files to measure")
    parser.add_argument("--fit", action="store_true", help="write the shipped weights")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.glob("*.yaml"))
    cases = [(case, path.stem) for path in paths for case in read_cases(path)]
    playbook = load()
    examples = read_examples(cases, playbook)
    if arguments.fit:
        weights = fit(examples)
        WEIGHTS_FILE.write_text(format_weights(weights), encoding="utf-8")
        print(f"{WEIGHTS_FILE}: {len(weights.of_text)} words of {len(cases)} cases")
        return
    whole: Counter[str] = Counter()
    for path in paths[-arguments.files :]:
        others = [each for each in examples if each.file != path.stem]
        weights = parse_weights(format_weights(fit(others)))
        held_out = [each for each in examples[: len(cases)] if each.file == path.stem]
        right = measure(weights, held_out, playbook)
        print(path.stem, dict(right), flush=True)
        whole += right
    print("all", dict(whole))


if __name__ == "__main__":
    main()
