"""Which words of a signature's template belong to stance: lines that hold them do not report."""

import re

from babysitter.diagnosis.stance.vocabulary import CUES, Stance

NOT_REPORTING = frozenset({Stance.RETRIED, Stance.EXPECTED, Stance.QUOTED})
_SYNTAX = re.compile(r"\\|\.\.\.|[\[\]()|~*#/]|\{\w+(?::\w)?\}")
_BLANKS = re.compile(r"\s+")


def cue_in_template(text: str, *, may_tolerate: bool = False) -> str | None:
    """The first words of a template that belong to stance; None if none.

    `may_tolerate`: words of tolerance are all right, as in a signature of harmless lines.
    """
    return cue_in(_BLANKS.sub(" ", _SYNTAX.sub(" ", text)), may_tolerate=may_tolerate)


def cue_in(text: str, *, may_tolerate: bool = False) -> str | None:
    """The first words of a text that announce a retry, expect, quote or tolerate; None if none."""
    asked = NOT_REPORTING if may_tolerate else NOT_REPORTING | {Stance.TOLERATED}
    for cue in CUES:
        if cue.stance not in asked or cue.holds_failure or (cue.unless and cue.unless.search(text)):
            continue
        if found := cue.pattern.search(text):
            return found[0].strip()
    return None
