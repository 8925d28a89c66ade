"""The files of learned weights: one row per word, with the classes that it speaks for or against.

    classes     actor-died      auth-error      ...     first row: the classes, numbered from 0
    space leav  14:47 12:-8                             weights in fiftieths, the weightiest first

The file for verdicts has a row `sharpness<tab>6.0` behind the first one, and rows for the classes of lines:

    !disk-full  13:51 9:-6

Fields of the head, and a word and its weights, are separated by tabs.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from babysitter.model.learned_weights import LineWeights, Scores, VerdictWeights

_MEANING = "!"  # begins the row of a class of lines
_STEPS = 50  # of a weight of 1


class WeightRows(Mapping[str, Scores]):
    """Weights by word, read from the row of a word when it is asked for: a line has few of all words."""

    def __init__(self, classes: Sequence[str], rows: Mapping[str, str]) -> None:
        self._rows = rows
        class_of_number = {str(number): name for number, name in enumerate(classes)}
        self._read = cache(lambda word: _weights_of(rows[word], class_of_number))

    def __getitem__(self, word: str) -> Scores:
        return self._read(word)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def parse_verdict_weights(text: str) -> VerdictWeights:
    """Read the file for verdicts. Raises ValueError that names the line of the head that is wrong.

    A row that is wrong raises it when its word is looked up.
    """
    classes, rows = _head(text)
    if not rows or not rows[0].startswith("sharpness\t"):
        raise ValueError("line 2 must name the sharpness")
    by_word = _by_word(rows[1:], first=3)
    meanings = {word[len(_MEANING) :]: row for word, row in by_word.items() if word.startswith(_MEANING)}
    words = {word: row for word, row in by_word.items() if not word.startswith(_MEANING)}
    sharpness = float(rows[0].split("\t")[1])
    return VerdictWeights(classes, WeightRows(classes, words), WeightRows(classes, meanings), sharpness)


def format_verdict_weights(weights: VerdictWeights) -> str:
    """The text of the file for verdicts; words in alphabetical order."""
    rows = [_first_row(weights.classes), f"sharpness\t{weights.sharpness}"]
    rows += _rows(weights.of_word, weights.classes)
    rows += [f"{_MEANING}{row}" for row in _rows(weights.of_meaning, weights.classes)]
    return "\n".join(rows) + "\n"


def parse_line_weights(text: str) -> LineWeights:
    """Read the file for single lines; raises ValueError as `parse_verdict_weights` does."""
    classes, rows = _head(text)
    return LineWeights(classes, WeightRows(classes, _by_word(rows, first=2)))


def format_line_weights(weights: LineWeights) -> str:
    """The text of the file for single lines; words in alphabetical order."""
    return "\n".join([_first_row(weights.classes), *_rows(weights.of_word, weights.classes)]) + "\n"


def _head(text: str) -> tuple[tuple[str, ...], list[str]]:
    """The classes, and the rows behind them."""
    first, *rows = text.splitlines() or [""]
    if not first.startswith("classes\t"):
        raise ValueError("line 1 must name the classes")
    return tuple(first.split("\t")[1:]), rows


def _by_word(rows: Sequence[str], first: int) -> dict[str, str]:
    """The rows by their words. `first`: the number of the first of them in the file."""
    by_word = {}
    for number, row in enumerate(rows, first):
        word, tab, fields = row.partition("\t")
        if not tab:
            raise ValueError(f"line {number} must be a word, a tab, and pairs of a class and a weight")
        by_word[word] = fields
    return by_word


def _first_row(classes: Sequence[str]) -> str:
    return "\t".join(["classes", *classes])


def _rows(weights: Mapping[str, Scores], classes: Sequence[str]) -> Iterator[str]:
    index = {name: place for place, name in enumerate(classes)}
    return (f"{word}\t{_pairs(scores, index)}" for word, scores in sorted(weights.items()))


def _weights_of(fields: str, class_of_number: Mapping[str, str]) -> Scores:
    try:
        pairs = [part.split(":") for part in fields.split(" ")] if fields else []
        return {class_of_number[index]: int(value) / _STEPS for index, value in pairs}
    except (ValueError, KeyError):
        raise ValueError(f"{fields!r} must be pairs of a class and a weight") from None


def _pairs(scores: Scores, index: Mapping[str, int]) -> str:
    counted = [(index[name], round(value * _STEPS)) for name, value in scores.items()]
    ranked = sorted((pair for pair in counted if pair[1]), key=lambda pair: (-abs(pair[1]), pair[0]))
    return " ".join(f"{place}:{value}" for place, value in ranked)
