import pytest

from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.read_words import WEIGHTS_FILE, shipped_weights
from babysitter.diagnosis.learned.weights_file import format_weights, parse_weights
from babysitter.model.finding import Cause
from babysitter.model.word_weights import WordWeights

MAX_BYTES = 140_000
HEAD = "classes\tcalm\tdisk-full\nsharpness\t6.0\n"


def test_what_is_written_is_read_again():
    weights = WordWeights(
        ("calm", "disk-full"),
        {"space left": {"disk-full": 0.85, "calm": -0.1}, "step": {}},
        {"verdict disk-full": {"disk-full": 0.26}},
        6.0,
    )
    assert parse_weights(format_weights(weights)) == weights


def test_the_weightiest_class_stands_first():
    weights = WordWeights(("a", "b", "c"), {"word": {"a": 0.1, "b": -0.9, "c": 0.5}})
    assert "word\t1:-18 2:10 0:2" in format_weights(weights)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1"),
        ("sharpness\t6.0\nclasses\tcalm\n", "line 1"),
        (f"{HEAD}word\t7:1\n", "line 3"),
        (f"{HEAD}word\t0:1\nother\t0:x\n", "line 4"),
        (f"{HEAD}word\tdisk-full\n", "line 3"),
    ],
)
def test_a_row_that_is_none_is_named(text, where):
    with pytest.raises(ValueError, match=where):
        parse_weights(text)


def test_the_shipped_weights_know_every_cause_that_a_log_can_show():
    shown = set(Cause) - {Cause.JOB_GONE}
    assert set(shipped_weights().classes) == {class_of(cause) for cause in shown}


def test_the_shipped_file_is_small_and_as_it_would_be_written():
    text = WEIGHTS_FILE.read_text(encoding="utf-8")
    assert len(text) <= MAX_BYTES
    assert format_weights(parse_weights(text)) == text


def test_healthy_and_noise_are_one_class():
    assert class_of(Cause.HEALTHY) == class_of(Cause.TRANSIENT_NOISE) == CALM
    assert class_of(Cause.DISK_FULL) == "disk-full"
