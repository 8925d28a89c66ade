"""The shipped playbooks stay small and readable."""

import re

from babysitter.playbook.load import load, playbook_files
from babysitter.shipped import shipped

MAX_BYTES = (
    222_000  # of all files, without specimens; fewer lines cost unseen incidents (docs/diagnosis-accuracy.md)
)
MAX_LINE_CHARS = 400
MAX_REGEX_SHARE = 0.1  # raw expressions per signature


def files():
    return [path for paths in playbook_files([shipped()]) for path in paths]


def test_shipped_playbooks_size():
    sizes = [path.stat().st_size for path in [*files(), shipped() / "causes.yaml"]]
    assert sum(sizes) <= MAX_BYTES


def test_shipped_lines_are_short():
    long = [f"{path}:{at}" for path in files() for at, line in _lines(path) if len(line) > MAX_LINE_CHARS]
    assert long == []


def test_shipped_raw_expressions_are_few():
    raw = sum(len(re.findall(r"\bregex:", path.read_text())) for path in files())
    assert raw <= MAX_REGEX_SHARE * len(load().signatures)


def test_every_signature_means_something_or_is_named():
    playbook, text = load(), "".join(path.read_text() for path in files() if path.parent.name == "rules")
    idle = [
        name
        for name, signature in playbook.signatures.items()
        if signature.means is None and not re.search(rf"{re.escape(name)}\b(?!-)", text)
    ]
    assert idle == []


def _lines(path):
    return enumerate(path.read_text().splitlines(), 1)
