"""The file of learned weights: one row per word, with the classes that it speaks for or against.

    classes     actor-died      auth-error      ...     first row: the classes, numbered from 0
    sharpness   6.0
    gradient norm       17:14 6:-3                      weights in twentieths, the weightiest first
    !verdict disk-full  13:8                            a word about the rules' verdict, in hundredths

Fields of the first two rows, and a word and its weights, are separated by tabs.
"""

from collections.abc import Mapping

from babysitter.model.word_weights import Scores, WordWeights

_OF_VERDICT = "!"
_STEPS = 20  # of a weight of 1
_FINER = 5  # times, for words about the verdict


def parse_weights(text: str) -> WordWeights:
    """Read the file. Raises ValueError with the number of the first line that is not a row."""
    rows = text.splitlines()
    if len(rows) < 2 or not rows[0].startswith("classes\t") or not rows[1].startswith("sharpness\t"):
        raise ValueError("line 1 must name the classes and line 2 the sharpness")
    classes = tuple(rows[0].split("\t")[1:])
    of_text: dict[str, Scores] = {}
    of_verdict: dict[str, Scores] = {}
    for number, row in enumerate(rows[2:], start=3):
        word, _, fields = row.partition("\t")
        is_of_verdict = word.startswith(_OF_VERDICT)
        steps = _STEPS * _FINER if is_of_verdict else _STEPS
        try:
            pairs = [each.split(":") for each in fields.split(" ")] if fields else []
            weights = {classes[int(index)]: int(value) / steps for index, value in pairs}
        except (ValueError, IndexError):
            raise ValueError(f"line {number} must be a word, a tab, and pairs of class and weight") from None
        (of_verdict if is_of_verdict else of_text)[word.removeprefix(_OF_VERDICT)] = weights
    return WordWeights(classes, of_text, of_verdict, float(rows[1].split("\t")[1]))


def format_weights(weights: WordWeights) -> str:
    """The text of the file; words in alphabetical order."""
    index = {name: place for place, name in enumerate(weights.classes)}
    rows = ["\t".join(["classes", *weights.classes]), f"sharpness\t{weights.sharpness}"]
    rows += [f"{word}\t{_pairs(each, index, _STEPS)}" for word, each in sorted(weights.of_text.items())]
    rows += [
        f"{_OF_VERDICT}{word}\t{_pairs(each, index, _STEPS * _FINER)}"
        for word, each in sorted(weights.of_verdict.items())
    ]
    return "\n".join(rows) + "\n"


def _pairs(scores: Scores, index: Mapping[str, int], steps: int) -> str:
    counted = [(index[name], round(value * steps)) for name, value in scores.items()]
    ranked = sorted((each for each in counted if each[1]), key=lambda each: (-abs(each[1]), each[0]))
    return " ".join(f"{place}:{value}" for place, value in ranked)
