"""The words of a message as stems."""

import pytest

from babysitter.diagnosis.frame.word_stems import read_stems, stem


@pytest.mark.parametrize(
    "words",
    [
        "refuse refuses refused refusing",
        "kill kills killed killing",
        "drop drops dropped dropping",
        "retry retries retried retrying",
        "lose lost",
        "break broken broke",
        "deny denied denies denial",
        "close closed closing",
        "node nodes",
        "bundle bundles",
        "process processes",
        "fail failed failure failures failing",
        "die died dead death",
        "exceed exceeds exceeded",
        "allocate allocated allocation",
    ],
)
def test_stem_forms_of_one_word_agree(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize("pair", ["loss lose", "node not", "host hosted-by", "missing miss", "string strong"])
def test_stem_different_words_differ(pair: str) -> None:
    first, second = pair.split()
    assert stem(first) != stem(second)


_ROWS = [
    ("the volumeMounts of pod_template", "volum mount of pod templat"),
    ("HTTP status 503 from the shop", "http status httpserver from shop"),
    ("answered 404 Not Found", "answer httpabsent not find"),
    ("step 404 of 5000", "step of"),
    ("returned exit code 137", "exitkill"),
    ("exited with code 3", "exitcod"),
    ("exit code 0", "exit"),
    ("write: ENOSPC", "writ disk full"),
    ("open [Errno 13] /srv/x", "open permission deny filepath"),
    ("read gs://b/part-1.parquet", "read objectstor"),
    ("read part-1.parquet", "read datafil"),
    ("dial 192.0.2.7:8080", "dial netaddress"),
    ("at loader.py:17 in fetch", "at in fetch"),
    ("shop.errors.PriceError: gone", "shop pric priceexc go"),
    ("unknown --colour", "unknown flagnam"),
    ("it wasn't there", "it not ther"),
]


@pytest.mark.parametrize(("message", "stems"), _ROWS, ids=[row[0] for row in _ROWS])
def test_read_stems_of_a_message(message: str, stems: str) -> None:
    assert " ".join(read_stems(message)) == stems
