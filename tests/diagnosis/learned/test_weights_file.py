import pytest

from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.line_meaning import CONSEQUENCE, shipped_line_weights
from babysitter.diagnosis.learned.line_meaning import WEIGHTS_FILE as LINES
from babysitter.diagnosis.learned.read_log import WEIGHTS_FILE as VERDICTS
from babysitter.diagnosis.learned.read_log import shipped_verdict_weights
from babysitter.diagnosis.learned.weights_file import (
    format_line_weights,
    format_verdict_weights,
    parse_line_weights,
    parse_verdict_weights,
)
from babysitter.model.finding import Cause
from babysitter.model.learned_weights import LineWeights, VerdictWeights

MAX_BYTES = 300_000  # of both files
CAUSES = {class_of(cause) for cause in set(Cause) - {Cause.JOB_GONE}}  # that a log can show


def test_weights_of_lines_are_read_as_written():
    weights = LineWeights(
        ("calm", "disk-full"), {"space left": {"disk-full": 0.86, "calm": -0.1}, "step": {}}
    )
    again = parse_line_weights(format_line_weights(weights))
    assert (again.classes, dict(again.of_word)) == (weights.classes, weights.of_word)


def test_weights_of_verdicts_are_read_as_written():
    weights = VerdictWeights(
        ("calm", "disk-full"), {"verdict disk-full": {"disk-full": 0.26}}, {"calm": {"calm": 0.5}}, 6.0
    )
    again = parse_verdict_weights(format_verdict_weights(weights))
    assert (again.classes, again.sharpness) == (weights.classes, weights.sharpness)
    assert (dict(again.of_word), dict(again.of_meaning)) == (weights.of_word, weights.of_meaning)


def test_the_weightiest_class_stands_first():
    weights = LineWeights(("a", "b", "c"), {"word": {"a": 0.1, "b": -0.9, "c": 0.5}})
    assert format_line_weights(weights).splitlines()[1] == "word\t1:-45 2:25 0:5"


@pytest.mark.parametrize("text", ["", "\n", "sharpness\t6.0\nclasses\tcalm\n", "word\t0:1\n"])
def test_a_file_without_classes_is_refused(text):
    for parse in (parse_line_weights, parse_verdict_weights):
        with pytest.raises(ValueError, match="line 1"):
            parse(text)


def test_a_file_without_sharpness_is_refused():
    with pytest.raises(ValueError, match="line 2"):
        parse_verdict_weights("classes\tcalm\nword\t0:1\n")


def test_a_row_without_a_tab_is_named():
    with pytest.raises(ValueError, match="line 3"):
        parse_line_weights("classes\tcalm\nword\t0:1\nother\n")


@pytest.mark.parametrize("fields", ["7:1", "-1:1", "0:x", "calm"])
def test_a_row_that_is_none_is_named_when_it_is_read(fields):
    weights = parse_line_weights(f"classes\tcalm\nword\t0:1\nother\t{fields}\n")
    assert weights.score({"word"})
    with pytest.raises(ValueError, match=fields):
        weights.score({"other"})


def test_every_shipped_row_can_be_read():
    verdicts = shipped_verdict_weights()
    for weights in (shipped_line_weights().of_word, verdicts.of_word, verdicts.of_meaning):
        assert all(isinstance(scores, dict) for scores in weights.values())


def test_the_shipped_weights_know_every_cause():
    assert set(shipped_line_weights().classes) >= CAUSES | {CALM, CONSEQUENCE}
    assert set(shipped_verdict_weights().classes) >= CAUSES | {CALM}


def test_the_shipped_files_stay_small():
    assert LINES.stat().st_size + VERDICTS.stat().st_size <= MAX_BYTES
