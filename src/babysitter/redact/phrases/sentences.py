"""Finds passwords that a sentence says: `the password for the store is ...`, `changed from ... to ...`.

What is said behind a label must look chosen as a password: letters and digits mixed, or signs among them. A
sentence about passwords has many other words behind `is`.
"""

import re
from collections.abc import Iterator
from itertools import islice

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.phrases import labels
from babysitter.redact.phrases.labels import AMBIGUOUS, KEYS, PASSWORDS
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import is_secret
from babysitter.redact.settings.value_shapes import is_chosen, is_spoken
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

SHORTEST_NEXT = 7
MAX_VERBS = 8  # behind one label
FARTHEST = 100  # characters between a label and what it says
_ENGLISH = r"\b(?:pass(?:word|phrase|code|wd)|pwd?|api[ \-]key|access key|secret|credentials?|creds)\b"
_LABEL = lazy_regex(rf"(?i)(?P<english>{_ENGLISH})|(?P<password>{PASSWORDS})|{KEYS}|{AMBIGUOUS}")
_PASSWORD = lazy_regex(rf"(?i)pass(?:word|phrase|code|wd)\b|{PASSWORDS}")
# The same as the linear scanner sees it, in lower case and "?" for what is not ASCII.
SIGNS = (
    r"(?:(?:pass(?:word|phrase|code|wd)|\bpwd?|(?:api[ \-]|access )key|secret|credentials?|creds)(?:['?]s)?"
    r" [^\s=:|]"
    rf"|{labels.SIGNS})[^\n]*[0-9]"
    r"|pass(?:word|phrase|code|wort)[^\n]*[\"'`?][a-z]+ [a-z]+ [a-z]+ [a-z]+"
)
_LINES = LinearPattern(SIGNS, ignore_case=True)
# English, German, Dutch, French, Spanish, Portuguese, Italian, Scandinavian, Finnish, Polish, Czech,
# Romanian, Turkish, Hungarian, Russian, Ukrainian, Chinese.
_SAYS = lazy_regex(
    r"(?i)(?:(?:(?<=[\s\"'`”»)])"
    r"(?:is|was|are|used to be|will be|equals|reads|becomes"
    r"|lautet|ist|wird|war|heißt|luidt|wordt|est|était|sera|devient"
    r"|es|era|será|é|foi|è|sarà|är|er|var|on|oli|to|jest|je|este|olarak|ez|adalah|yra|là|это|теперь|будет|це|буде|będzie|bude|blir|bliver|olacak|lesz|है)|['’]s)"
    r"(?: (?:now|still|set to|jetzt|nu|ora|agora|ahora|maintenant))?(?=[\s:])"
    r"|[:=：＝](?!//)|[是为為はが는은이]|\s[—–](?=\s))\s?:?\s{0,4}"
)
_VALUE = lazy_regex(
    r"(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{4,128})(?P=quote)|[“«‘„「『【]\s?(?P<angled>[^”»’“」』】\n]{4,128}?)\s?[”»’“」』】]"
    # up to a remark in brackets, and a line break written out
    r"|(?P<bare>(?:[^\s\"'`“«‘„”»’「」『』【】。，、；！？।(\\]"
    r"|\((?![^\x00-\x7f])|\\(?![nrt\"'\\])){5,256})"
)
# In brackets right behind its label.
_HELD = lazy_regex(
    r"(?:\s[(\[]|\s?[（「『【])[\"'`]?(?P<value>[^\s()\[\]（）「」『』【】\"'`]{6,256})[\"'`]?[)\]）」』】]"
)
# A value right behind its label, and nothing between them: `with pw ...`.
_WITH = lazy_regex(
    r"(?i)(?:with|using|mit|met|avec|con|com|med|and|und|et|e|y|[,/(])\s(?:the |das |le |la |el )?$"
)
_CHANGE = lazy_regex(
    r"(?i)(?:chang|rotat|updat|reset|switch|replac|geändert|gewechselt|remplac|modifi|cambi|alterad|mudad|gewijzig"
    r"|ändrad|ændret|zmien|změn)"
)
_FROM_TO = lazy_regex(
    r"(?i)\b(?:from|von|de|da|van|från|fra|z|ze) [\"'`]?(?P<old>[^\s\"'`]{4,128})[\"'`]? "
    r"(?:to|auf|zu|in|à|a|en|para|por|per|naar|till|til|na) [\"'`]?(?P<new>[^\s\"'`]{4,128})"
)
_QUOTES_IT = lazy_regex(r"(?i)lautet|luidt|reads|equals")  # verbs that only what is written goes behind
# A word that begins a sentence or is a name, and digits: behind a label it is a password.
_CAPITAL = lazy_regex(
    r"(?!(?i:version|python|base|bcrypt|argon|number|step|node|level|line|page|user|host|windows|ubuntu))"
    r"[A-Z][a-z]{4,20}[_\-#]?\d{2,4}[!?.#*]?$"
)
_OPENING_QUOTES = tuple("\"'`“«‘„「『【")
_TRAILING = ".,;:)]}"


def find_in_sentences(text: Text) -> Iterator[Span]:
    """Spans of the passwords that sentences say."""
    for start, end in _LINES.lines(text):
        labels = list(_LABEL.finditer(text.text, start, end))
        limits = [*(label.start() for label in labels[1:]), end]
        for label, limit in zip(labels, limits, strict=False):
            stop = min(limit, label.end() + FARTHEST)
            yield from _said(text.text, (start, end), label.span(), stop)
            yield from _next_to(text.text, end, label)


def _said(text: str, line: Span, label: Span, stop: int) -> Iterator[Span]:
    """What the words behind a label say, up to `stop`, where the next label begins."""
    start, at = label
    if text[at : at + 1] == " " and _WITH.search(text, max(line[0], start - 24), start) is not None:
        yield from _value(text, at + 1, line[1], is_next=text[start] in "pP")
    for says in islice(_SAYS.finditer(text, at, stop), MAX_VERBS):
        yield from _value(
            text,
            says.end(),
            line[1],
            is_next=_QUOTES_IT.search(says[0]) is not None,
            is_capital=_PASSWORD.match(text, start) is not None,
        )
    change = _FROM_TO.search(text, at, stop)
    if change is not None and _CHANGE.search(text, max(line[0], start - FARTHEST), stop) is not None:
        spans = [_trimmed(text, *change.span(group)) for group in ("old", "new")]
        if any(is_chosen(text[begin:close]) for begin, close in spans):
            yield from (span for span in spans if is_secret(text[span[0] : span[1]], Name.LIKELY_PASSWORD))


def _next_to(text: str, end: int, label: re.Match[str]) -> Iterator[Span]:
    """The value in brackets behind a label, or a word behind one not in English: the verb may be last."""
    held = _HELD.match(text, label.end(), end)
    if held is not None and is_chosen(held["value"]) and judge_name(held["value"]) is Name.INNOCENT:
        yield held.span("value")
    elif label["english"] is None and text[label.end() : label.end() + 1] == " ":
        is_quoted = (
            label["password"] is not None and text[label.end() + 1 : label.end() + 2] in _OPENING_QUOTES
        )
        is_password = label["password"] is not None
        yield from _value(text, label.end() + 1, end, is_next=is_quoted, is_capital=is_password)


def _value(
    text: str, at: int, end: int, *, is_next: bool = False, is_capital: bool = False
) -> Iterator[Span]:
    """The word at `at` when it is a password.

    `is_next`: nothing else can stand there. `is_capital`: a capital, small letters and digits are one.
    """
    found = _VALUE.match(text, at, end)
    if found is None or REDACTED in found[0]:
        return
    span = found.span(found.lastgroup or 0)
    if found.lastgroup == "bare":
        span = _trimmed(text, *span)
    value = text[span[0] : span[1]]
    if found.lastgroup != "bare" and is_spoken(value):
        yield span
        return
    if is_capital and _CAPITAL.match(value) is not None:
        yield span
        return
    is_next = is_next and len(value) >= SHORTEST_NEXT and any(map(str.isdigit, value))
    if is_chosen(value) or (is_next and is_secret(value, Name.LIKELY_PASSWORD)):
        yield span


def _trimmed(text: str, start: int, end: int) -> Span:
    """The word without the punctuation of the sentence; a `!` may belong to it."""
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    return start, end
