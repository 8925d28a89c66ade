"""Secrets in forms of HTML: the value of a field that hides it or whose name says so."""

from babysitter.redact.phrases.phrase import phrase

_VALUE = r"\b(?:value|content)=\\*(?P<quote>[\"'])(?P<value>[^\"'\n\\]{3,2000})\\*(?P=quote)"
_NAMED = r"\b(?:name|id)=\\*[\"']?(?P<name>[\w.\-\[\]]{2,80})\\*[\"']?"
_HIDDEN = r"\btype=\\*[\"']?password\b"
_FIELD = r"(?i)<(?:input|meta)\b[^>\n]{0,160}?"
MARKUP = (
    phrase(
        "password-field",
        "<input ",
        rf"{_FIELD}{_HIDDEN}[^>\n]{{0,160}}?{_VALUE}",
        hint=r"type=[\\\"']*password",
    ),
    phrase(
        "password-field-value-first",
        "<input ",
        rf"{_FIELD}{_VALUE}[^>\n]{{0,160}}?{_HIDDEN}",
        hint=r"type=[\\\"']*password",
    ),
    phrase("named-field", "<input |<meta ", rf"{_FIELD}{_NAMED}[^>\n]{{0,160}}?{_VALUE}"),
    phrase("named-field-value-first", "<input |<meta ", rf"{_FIELD}{_VALUE}[^>\n]{{0,160}}?{_NAMED}"),
)
