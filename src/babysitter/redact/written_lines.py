"""Reads a text whose line breaks are written out (`\\n` in JSON or in a `repr`) as the lines that it means.

A table, a YAML file or two lines of a prompt inside one entry of a log have no newline for the detectors to
see. The view has one in the place of each written one, at the same offsets.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from babysitter.redact.text_spans import Detector, Span, Text

_BREAK = re.compile(r"\\{1,8}(?:r\\{1,8})?n")
_BREAK_OR_TAB = re.compile(r"\\{1,8}(?:r\\{1,8})?[nt]")
# A string in quotes: its quotes begin and end a line as well.
_STRING = re.compile(r"(?<![\\\w])\"(?:[^\"\\\n]|\\.){2,65536}\"|(?<![\\\w])'(?:[^'\\\n]|\\.){2,65536}'")


def find_in_written_lines(
    text: Text, detectors: Sequence[Detector], continued: Callable[[Text, Sequence[Span]], Iterator[Span]]
) -> Iterator[Span]:
    """Spans that these detectors find in the text when its written line breaks are real ones."""
    if "\\n" not in text.text or _BREAK.search(text.text) is None:
        return
    view = Text(_STRING.sub(_opened, text.text))
    if view.text == text.text:
        view = Text(_BREAK_OR_TAB.sub(_broken, text.text))
    found = [span for detector in detectors for span in detector(view)]
    found += list(continued(view, sorted(set(found))))
    for start, end in found:
        value = view.text[start:end]
        first = start + len(value) - len(value.lstrip())
        yield first, first + len(value.strip())


def _opened(string: re.Match[str]) -> str:
    if _BREAK.search(string[0]) is None:
        return string[0]
    return "\n" + _BREAK_OR_TAB.sub(_broken, string[0][1:-1]) + "\n"


def _broken(sign: re.Match[str]) -> str:
    return " " * (len(sign[0]) - 1) + ("\n" if sign[0][-1] == "n" else "\t")
