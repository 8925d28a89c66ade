"""Is a text a document rather than a log: prose, Markdown, source code, markup, a table of values?

A log need not have clocks or levels: many programs only print. So what counts is what a text is, not what it
lacks: most of its lines have the form of one kind of document, and hardly any that of a log.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.frame.line import read_frame
from babysitter.model.log import LogLevel

MIN_LINES = 12  # that are not empty; of fewer nothing is said
MAX_LINES = 600  # of the beginning, and of the end
END_LINES = 20  # in which no exception stands
MIN_DOCUMENT_SHARE = 0.5  # of lines that have the form of a document
MIN_SIGNS = 2  # lines that hardly anything but this kind of document has
MIN_TABLE_SHARE = 0.95  # of lines with the same number of separators
MIN_SEPARATORS = 2
MAX_WORDY_CELLS = 0.3  # share of cells with several words
MAX_LOG_SHARE = 0.15  # of lines that have the form of a log
MAX_REPORT_SHARE = 0.25  # of lines of prose in which something fails
MAX_CHARACTERS = 400  # of a line that are read
MIN_PROSE_WORDS = 8
MIN_NEW_SHARE = 0.95  # of these: programs say the same again and again
MIN_PROSE_SHARE = 0.7  # of lines: single sentences are printed by programs too

_REPORT = re.compile(
    r"\s*(?:Traceback \(most recent|File \".+\", line \d|at [\w.$]+\(|[\w.]*(?:Error|Exception|Interrupt)\b)"
)
# An object of one line, a bar, a step, a value with its name.
_STATUS = re.compile(
    r"\s*\{.*\}$|.*?(?:\d+\s?%\||\b\d+/\d+\b|\d+(?:\.\d+)?\s?(?:it/s|s/it|MB/s|GB/s|tok(?:ens)?/s)"
    r"|\b(?:step|epoch|iter(?:ation)?|batch|rank|worker|shard|attempt|retry)s?\b\W{0,3}\d"
    r"|\b[a-z_]\w*[=:]\s?-?(?:\d[\d.e+-]*|nan|inf)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][a-z'’]+")
_NOT_FINITE = re.compile(r"\b(?:nan|inf)\b", re.IGNORECASE)
_NO_PROSE = re.compile(r"[=|{}<>\[\]]")


class _Form(NamedTuple):
    """The lines of one kind of document. `sign`: a line that hardly anything else has."""

    kind: str
    line: re.Pattern[str]
    sign: re.Pattern[str]


_FORMS = (
    _Form(
        "Markdown",
        re.compile(
            r"#{1,6} \S|\s*(?:[-*+]|\d{1,2}[.)]) +\S.*[a-z]|\|.*\|$|\s*(?:```|~~~)|> "
            r"|.*\]\([^)\s]+\)|.*`[^`]+`|={4,}$|-{4,}$"
        ),
        re.compile(r"#{1,6} [A-Z\d`]|\s*(?:```|~~~)|.*\]\((?:https?://|[\w./#-]+)\)|\|(?: ?:?-+:? ?\|)+$"),
    ),
    _Form(
        "source code",
        re.compile(
            r"\s*(?:def |class |import |from \S+ import |return\b|if .*:$|el(?:if|se)\b.*:|for .* in .*:$|"
            r"while .*:$|try:|except\b.*:|with .*:$|raise |assert |yield |async |await |self\.|@\w|\"{3}|"
            r"#include|#define|using |namespace |template ?<|"
            r"(?:public|private|protected|static|const|let|var|fn|func|pub|impl|struct|enum|package|type) \S|"
            r"//|/\*|\*/| \* )"
            r"|.*(?:[{};]|\)\s*(?:->.*)?:|\\|,|\($|\[$)$|\s*[\])}]+[,;:]?$"
            r"|\s*[\w.\[\]]+(?::\s?[\w\[\], |.]+)? [-+*/|]?= \S"
        ),
        re.compile(
            r"\s*(?:(?:async )?def \w+\(|class \w+.*[:{]$|import [\w.]+(?: as \w+)?;?$|from [\w.]+ import |"
            r"#include [<\"]|(?:export )?(?:const|let|var) \w+ = |(?:pub )?(?:fn|func) \w+.*\{$|"
            r"package \w+;?$|(?:public|private|protected) [\w<>\[\] ]+\(.*\{$)"
        ),
    ),
    _Form("markup", re.compile(r"\s*</?[A-Za-z!?][^>]*>?|.*</\w+>\s*$"), re.compile(r"\s*</\w+>\s*$")),
)


def document_kind(texts: Sequence[str]) -> str:
    """Return the kind of document that these lines are; "" if they may be a log."""
    full = [text[:MAX_CHARACTERS].rstrip() for text in texts if text.strip()]
    lines, end = full[:MAX_LINES], full[-END_LINES:]
    if len(lines) < MIN_LINES or any(_of_report(line) for line in end):
        return ""
    if _is_table(lines):
        return "a table of values"
    if any(
        sum(map(_is_of_log, part)) > MAX_LOG_SHARE * len(part) for part in (lines, full[-MAX_LINES:], end)
    ):
        return ""
    for kind, form, sign in _FORMS:
        of_kind = sum(form.match(line) is not None for line in lines)
        if of_kind >= MIN_DOCUMENT_SHARE * len(lines) and sum(map(bool, map(sign.match, lines))) >= MIN_SIGNS:
            return kind
    return "prose" if _is_prose(lines) else ""


def _of_report(line: str) -> bool:
    """Whether a line is a stack frame or an exception: a program may print documents before it fails."""
    return _REPORT.match(line) is not None


def _is_of_log(line: str) -> bool:
    frame = read_frame(line)
    return (
        frame.at_s is not None
        or frame.level is not LogLevel.UNKNOWN
        or _of_report(line)
        or _STATUS.match(line) is not None
    )


def _is_table(lines: Sequence[str]) -> bool:
    """Whether nearly all lines have as many separators, and none reports a failure or is not finite."""
    for separator in ",\t;":
        numbers = Counter(line.count(separator) for line in lines)
        ((number, times),) = numbers.most_common(1)
        if number >= MIN_SEPARATORS and times >= MIN_TABLE_SHARE * len(lines):
            cells = [cell.strip() for line in lines for cell in line.split(separator)]
            words = sum(" " in cell for cell in cells)
            is_log = any(_is_of_log(line) or _reports(line) for line in lines)
            return words <= MAX_WORDY_CELLS * len(cells) and not is_log
    return False


def _is_prose(lines: Sequence[str]) -> bool:
    """Whether nearly all lines are words and new ones, and hardly any reports a failure."""
    words = [_WORD.findall(line) for line in lines if not _NO_PROSE.search(line)]
    full = [tuple(found) for found in words if len(found) >= MIN_PROSE_WORDS]
    is_new = len(set(full)) >= MIN_NEW_SHARE * len(full)
    is_calm = sum(map(_reports, lines)) <= MAX_REPORT_SHARE * len(lines)
    return len(full) >= MIN_PROSE_SHARE * len(lines) and is_new and is_calm


def _reports(line: str) -> bool:
    return find_failure_words(line) is not None or _NOT_FINITE.search(line) is not None
