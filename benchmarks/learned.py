"""How much the learned weights add: `python benchmarks/learned.py [DIR] [--files N] [--fit]`.

DIR holds files of labelled incidents. The last N files are judged with weights of lines and of verdicts that
were fitted without any of them: how many are right by rules alone, and by rules and lines. The rules may know
these cases by now; docs/diagnosis-accuracy.md has the figures of the first look. `--fit`
writes the shipped weights instead: those of lines from `fixtures/lines/`, the specimens of all signatures and
the calm incidents of DIR, then those of verdicts from DIR.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned import line_meaning, read_log
from babysitter.diagnosis.learned.cause_classes import class_of
from babysitter.diagnosis.learned.weights_file import (
    format_line_weights,
    format_verdict_weights,
    parse_line_weights,
    parse_verdict_weights,
)
from babysitter.model.finding import Severity
from babysitter.model.learned_weights import VerdictWeights
from babysitter.playbook.load import load, read_scenarios
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.evaluate import GradedCase, LabelledCase, read_cases
from babysitter.workbench.train_lines import LabelledLine, calm_lines, fit_lines, read_lines, specimens
from babysitter.workbench.train_verdicts import JudgedCase, fit, read_examples

FIXTURES = Path(__file__).parents[1] / "fixtures"
NO_WEIGHTS = VerdictWeights()
SURE = 0.9  # confidence
COMMON = 3  # times a line of the most common errors, codes and statuses counts
LOG_ALONE = 3  # every third incident is read without its state as well


def measure(weights: VerdictWeights, judged: Sequence[JudgedCase], playbook: Playbook) -> Counter[str]:
    """What is right by rules and lines, as the product says it, and by rules alone."""
    counts: Counter[str] = Counter()
    for case in judged:
        evidence, label = case.case.evidence, case.case.label
        for name, used in (("rules", NO_WEIGHTS), ("both", weights)):
            dumps = (evidence.thread_dump,)
            examined = examine(evidence.text, playbook, evidence.facts, dumps=dumps, weights=used)
            graded = GradedCase(case.case, examined, "", ())
            is_right = class_of(graded.cause) in case.accepted
            is_sure = examined.diagnosis.confidence >= SURE
            counts.update({f"{name} right": is_right, f"{name} alarms": graded.is_false_alarm})
            counts.update({f"{name} missed": graded.is_missed_fatal, f"{name} sure": is_sure})
            counts.update({f"{name} sure and right": is_sure and is_right})
        counts.update(
            cases=1, benign=label.severity is Severity.BENIGN, fatal=label.severity is Severity.FATAL
        )
    return counts


def fit_all(cases: Sequence[tuple[LabelledCase, str]], playbook: Playbook) -> None:
    """Fit both files of weights and write them."""
    lines = [*labelled_lines(playbook), *calm_lines(case for case, _ in cases)]
    of_lines = fit_lines(lines)
    line_meaning.WEIGHTS_FILE.write_text(format_line_weights(of_lines), encoding="utf-8")
    print(f"{line_meaning.WEIGHTS_FILE}: {len(of_lines.of_word)} words of {len(lines)} lines")
    line_meaning.use(of_lines)
    of_verdicts = fit(read_examples(with_logs_alone(cases), playbook))
    read_log.WEIGHTS_FILE.write_text(format_verdict_weights(of_verdicts), encoding="utf-8")
    print(f"{read_log.WEIGHTS_FILE}: {len(of_verdicts.of_word)} words of {len(cases)} cases")


def with_logs_alone(cases: Sequence[tuple[LabelledCase, str]]) -> list[tuple[LabelledCase, str]]:
    """All incidents, and every third as a log alone."""
    return [*cases, *((case.as_log_alone(), file) for case, file in cases[::LOG_ALONE])]


def incident_files(folder: Path) -> list[Path]:
    """The files of labelled incidents of a folder by number, the newest last."""
    return sorted(folder.glob("*.yaml"), key=lambda path: (len(path.name), path.name))


def labelled_lines(playbook: Playbook) -> Iterator[LabelledLine]:
    """The corpus of lines, and every specimen under the cause that its signature means."""
    for path in sorted((FIXTURES / "lines").glob("*.tsv")):
        yield from read_lines(path)
    for _ in range(COMMON):
        yield from read_lines(FIXTURES / "codes.tsv")
    scenarios = [read_scenarios(path)[0] for path in sorted((FIXTURES / "playbooks").glob("*.test.yaml"))]
    yield from specimens(playbook, [scenario for scenario in scenarios if scenario is not None])


def main() -> None:
    """Measure, or fit and write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FIXTURES / "incidents")
    parser.add_argument("--files", type=int, default=2, help="how many files to measure")
    parser.add_argument("--fit", action="store_true", help="write the shipped weights")
    arguments = parser.parse_args()
    paths = incident_files(arguments.folder)
    cases = [(case, path.stem) for path in paths for case in read_cases(path)]
    playbook = load()
    if arguments.fit:
        fit_all(cases, playbook)
        return
    held_out = {path.stem for path in paths[-arguments.files :]}
    lines = [*labelled_lines(playbook), *calm_lines(case for case, file in cases if file not in held_out)]
    line_meaning.use(parse_line_weights(format_line_weights(fit_lines(lines))))
    examples = read_examples(with_logs_alone(cases), playbook)
    known = [example for example in examples if example.file not in held_out]
    weights = parse_verdict_weights(format_verdict_weights(fit(known)))
    whole: Counter[str] = Counter()
    for file in sorted(held_out):
        right = measure(
            weights, [example for example in examples[: len(cases)] if example.file == file], playbook
        )
        print(file, dict(right), flush=True)
        whole += right
    print("all", dict(whole))


if __name__ == "__main__":
    main()
