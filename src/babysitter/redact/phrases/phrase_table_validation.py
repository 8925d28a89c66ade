"""Secrets in what a check says of them: the rejected input of a field, what was expected and what came."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_QUOTE = r"\\*[\"']"
_STRING = rf"{_QUOTE}(?P<value>[^\"'\\\n]{{3,2000}})"
_FIELD = rf"{_QUOTE}(?P<name>[\w.\-]{{2,128}}){_QUOTE}"
_NOUN = r"(?:pass(?:word|phrase|code|wd)|secret|api[ _\-]?key|access[ _\-]key|credential|auth token)s?"
_CAME = r"(?:got|received|expected|actual|given|provided|supplied|want(?:ed)?|have|but (?:was|got))"
_NOUN_HINT = r"(?:pass[wpc]|secret|key|credential|token)"
# In quotes, or with a sign that sentences do not have.
_WORD = r"(?:[\"'`<\[]|(?=[^\s]{0,128}[!#$%&*+?^~]))(?![a-z_]+=)(?P<value>[^\s\"'`<>,;()\[\]]{6,256})"
VALIDATION = (
    # https://docs.pydantic.dev/latest/errors/errors: the place of the field, and on the same line its input
    phrase(
        "input-of-field",
        "loc",
        rf"(?i){_QUOTE}loc{_QUOTE}\s?:\s?[\[(][^\])\n]{{0,200}}?{_FIELD},?[\])][^\n{{}}]{{0,600}}?"
        rf"{_QUOTE}input{_QUOTE}\s?:\s?{_STRING}",
        hint=r"[\"']loc\\*[\"'] ?: ?[\[(][^\n]*[\"']input\\*[\"'] ?:",
    ),
    phrase(  # https://docs.spring.io: `"field":"...","rejectedValue":"..."`
        "rejected-value-of-field",
        "rejected",
        rf"(?i){_QUOTE}(?:field|property|path|param|parameter|attribute){_QUOTE}\s?:\s?{_FIELD}[^\n{{}}]{{0,400}}?"
        rf"{_QUOTE}rejected(?:_?value)?{_QUOTE}\s?:\s?{_STRING}",
    ),
    phrase(
        "rejected-value-before-field",
        "rejected",
        rf"(?i){_QUOTE}rejected(?:_?value)?{_QUOTE}\s?:\s?{_STRING}{_QUOTE}[^\n{{}}]{{0,400}}?"
        rf"{_QUOTE}(?:field|property|path|param|parameter|attribute){_QUOTE}\s?:\s?{_FIELD}",
    ),
    phrase(  # Spring's text: `on field 'password': rejected value [...]`
        "rejected-value-in-brackets",
        "rejected value [",
        r"(?i)on field ['\"](?P<name>[\w.\-\[\]]{2,128})['\"]: rejected value \[(?P<value>[^\]\n]{3,2000})\]",
    ),
    phrase(  # `password mismatch: got ..., expected ...`
        "what-came",
        "got |received |expected |actual |given |provided |supplied |want |wanted |have |but was ",
        rf"(?i)\b{_NOUN}\b[^\n]{{0,60}}?\b{_CAME}[: =]{{1,2}}{_WORD}",
        Name.CHOSEN,
        hint=rf"{_NOUN_HINT}[^\n]*(?:got|received|expected|actual|given|provided|supplied|want|wanted|have|was)"
        r"[: =]+[^ \n]*[0-9]",
    ),
    phrase(
        "what-was-expected",
        " expected | but was | want | got ",
        rf"(?i)\b{_NOUN}\b[^\n]{{0,60}}?\b{_CAME}[: =]{{1,2}}[^\s]{{3,260}},? (?:and |but )?"
        rf"{_CAME}[: =]{{1,2}}{_WORD}",
        Name.CHOSEN,
        hint=rf"{_NOUN_HINT}[^\n]* (?:expected|was|want|got)[: =]+[^ \n]*[0-9]",
    ),
)
