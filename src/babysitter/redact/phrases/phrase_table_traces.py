"""Passwords in traces of system calls and library calls: what somebody typed behind a prompt."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

TRACES = (
    phrase(  # https://man7.org/linux/man-pages/man1/strace.1.html: the prompt is written, the answer is read
        "read-behind-prompt",
        "write(",
        r"(?i)\b(?:p?write(?:v|64)?|send(?:to|msg)?)\(\d[^\n\"]{0,80}\"[^\"\n]{0,200}"
        r"(?:passw|passphrase|passcode|\bpin\b)"
        r"[^\n]{0,200}: ?\"[^\n]{0,80}\n"
        r"(?:[^\n]{0,400}\n){0,3}?[^\n\"]{0,80}?\bread\(\d[^\n\"]{0,80}"
        r"\"(?P<value>[^\"\n\\]{3,256})\\n\"",
        after=4,
        hint=r"write(?:v|64)?\([0-9][^\n]*(?:passw|passphrase|passcode|pin)[^\n]*: ?\"",
    ),
    phrase(  # https://man7.org/linux/man-pages/man1/ltrace.1.html
        "answer-of-getpass",
        "getpass(|readpassphrase(|askpass(",
        r"\b(?:getpass|readpassphrase|\w{0,24}askpass)\([^\n)]{0,200}\)\s{0,40}= "
        r"(?:0x[0-9a-f]{1,16} )?b?[\"'](?P<value>[^\"'\n]{3,256})[\"']",
    ),
    phrase(  # crypt(3): the password, and the salt or the hash
        "argument-of-crypt",
        'crypt("|crypt_r("',
        r"\bcrypt(?:_r)?\(\"(?P<value>[^\"\n]{3,256})\", \"\$",
    ),
    phrase(
        "compared-by-library",
        'cmp("',
        r"(?i)\bstrn?(?:case)?cmp\(\"(?P<value>[^\"\n]{6,256})\", ?\"[^\n]{0,200}passw",
        Name.LIKELY_PASSWORD,
    ),
)
