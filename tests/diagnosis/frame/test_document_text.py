"""What is no log: documents of several kinds; and logs that look like one and are none."""

from pathlib import Path

import pytest

from babysitter.diagnosis.frame.document_text import MIN_LINES, document_kind

ROOT = Path(__file__).parents[3]
PROSE = """The harbour was quiet when the first boats came back from the northern banks that morning
and nobody on the quay had expected them before the evening tide had turned again
because the wind had been blowing steadily from the south for almost a whole week
so the women who mended nets on the long wall looked up from their work with surprise
while the children ran down the narrow steps to be the first to catch a rope
and old Henrik shut the door of his little office behind him with great care
as he always did when something was about to happen that he did not like
for in his experience good news never arrived earlier than it was expected
and bad news as every sailor knows has the wind behind it all the way home
the skipper of the leading boat stood in the bow with both hands in his pockets
which was a thing that no man in the village had ever seen him do before
so they waited in silence until the hull touched the worn stones of the pier""".splitlines()
TABLE = [f"{number},{number * 3},north,{number / 7:.2f}" for number in range(30)]
MARKUP = ["<html>", "<body>", *["<p>Some words of it</p>"] * 15, "</body>", "</html>"]
PLAIN_PRINTS = [f"loaded part {number} of the corpus and wrote it to the cache" for number in range(30)]
TRACEBACK = ["Traceback (most recent call last):", '  File "a.py", line 1, in <module>', "KeyError: 'text'"]
CODE = (ROOT / "src" / "babysitter" / "clock.py").read_text(encoding="utf-8").splitlines()
README = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (README, "Markdown"),
        (CODE, "source code"),
        (PROSE, "prose"),
        (TABLE, "a table of values"),
        (MARKUP, "markup"),
    ],
)
def test_document_has_its_kind(lines, kind):
    assert document_kind(lines) == kind


@pytest.mark.parametrize(
    "lines",
    [
        (ROOT / "docs" / "sample.log").read_text(encoding="utf-8").splitlines() * 2,
        PLAIN_PRINTS,
        PROSE[: MIN_LINES - 1],  # too little to tell
        [*README, *TRACEBACK],  # a program that prints a document, and fails
        [*CODE, *TRACEBACK],
        [*TABLE, "30,nan,north,nan"],  # the losses of a training
        ["Calling squeue failed, check the scheduler by hand if you continue to see this"] * 20,
        [f"12:00:{second:02d} {line}" for second, line in enumerate(PROSE)],
        [f"INFO {line}" for line in CODE],
        ["Epoch 1", "Epoch 2", "done"] * 10,
        [],
    ],
)
def test_log_is_no_document(lines):
    assert document_kind(lines) == ""
