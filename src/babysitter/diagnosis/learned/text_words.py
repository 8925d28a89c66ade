"""Lines of a log -> the words that causes are learned by: single words, and pairs that stand side by side.

Names in camel case and with underscores are several words. Digits and punctuation are none, so the same
message with another number has the same words.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts

MAX_CHARACTERS = 400  # of a line
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z]{2,}")
_FRAME = re.compile(r'\s*File ".*", line \d+')
_AGES_S = ((60.0, "a minute"), (600.0, "ten minutes"), (1800.0, "half an hour"))


def words_of_line(line: str) -> set[str]:
    """The words and pairs of words of one line, in lower case."""
    text = _HUMP.sub(" ", line[:MAX_CHARACTERS].replace("_", " "))
    words = [word.lower() for word in _WORD.findall(text)]
    return {*words, *(f"{one} {other}" for one, other in pairwise(words))}


def words_of_lines(lines: Iterable[str]) -> set[str]:
    """The words of all lines but those of frames in tracebacks; a pair stands within one line."""
    words: set[str] = set()
    is_code = False
    for line in lines:
        is_frame = _FRAME.match(line) is not None
        if not is_frame and not is_code:
            words |= words_of_line(line)
        is_code = is_frame  # the line of code that a frame shows
    return words


def words_of_facts(facts: JobFacts) -> set[str]:
    """What is known beside the lines, as words: state, exit code, fields, silence."""
    words = {f"={facts.state or 'no-state'}"}
    words |= words_of_lines([*facts.error.splitlines(), *facts.pending_reason.splitlines()])
    if facts.exit_code is not None:
        words.add(f"=exit {facts.exit_code}")
    if facts.pending_reason:
        words.add("=pending reason")
    if facts.last_line_age_s and facts.state in (None, JobState.RUNNING):
        age_s = facts.last_line_age_s
        limit = next((name for limit_s, name in _AGES_S if age_s < limit_s), "hours")
        words.add(f"=silent for {limit}")
    return words
