"""Secrets in the commands of line protocols: FTP, POP3, IMAP, SMTP, Redis."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_METHODS = r"(?:PLAIN|LOGIN|TLS|SSL|EXTERNAL|ANONYMOUS|CRAM|DIGEST|SCRAM|NTLM|GSS|XOAUTH|OAUTHBEARER)"
_SIDE = r"[<>*CS: ]{0,6}"  # who speaks, as clients mark it
PROTOCOLS = (
    phrase(
        "redis-monitor-auth",
        '"auth" "',
        r"(?i)\"AUTH\"(?:\s\"[^\"\n]{1,64}\")?\s\"(?P<value>[^\"\n]{1,256})\"",
    ),
    phrase(  # SMTP, IMAP
        "mail-login",
        "auth plain |auth login |auth xoauth2 | login ",
        r"\b(?:AUTH (?:PLAIN|LOGIN|XOAUTH2)|[A-Za-z]{1,4}\d{1,6} LOGIN "
        r"(?:\\*\"[^\"\n]{1,128}\"|[^\s\"]{1,128})) "
        r"\\*[\"']?(?P<value>[^\s\"']{4,4000})",
        Name.PROBABLE,
    ),
    phrase(  # both answers of AUTH LOGIN on one line; the first response of IMAP's AUTHENTICATE (RFC 4959)
        "mail-login-inline",
        "auth login |authenticate plain |authenticate login |authenticate xoauth2 ",
        rf"\b(?:AUTH LOGIN (?:(?!{_METHODS})[A-Za-z0-9+/]{{4,400}}={{0,2}}|\[redacted\]) "
        rf"|AUTHENTICATE (?:PLAIN|LOGIN|XOAUTH2) )(?!{_METHODS})"
        r"(?P<value>[A-Za-z0-9+/]{4,4000}={0,2})(?=[\s\"'\\]|$)",
        Name.PROBABLE,
    ),
    # https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries, and the same of Slack and
    # Stripe: who has the body as well can send it again.
    phrase(
        "signature-of-webhook",
        "-signature",
        r"(?i)\b[\w\-]{0,40}-signature(?:-\d{1,3})?[\"'\\]{0,4}\s?[:=,]\s?[\"'\\]{0,4}"
        r"(?:t=\d{9,12},)?(?:sha(?:1|256|384|512)|v\d)=(?P<value>[0-9a-f]{32,128})\b",
        Name.SECRET,
        hint=r"-signature(?:-[0-9]+)?[^a-z0-9\n]+(?:t=[0-9]+,)?(?:sha|v)[0-9]+=",
    ),
    phrase(
        "user-and-pass",
        "pass ",
        r"\bUSER \S{1,128}\n(?:[^\n]{0,200}\n){0,2}?[^\n]{0,80}?\bPASS (?P<value>\S{3,256})",
        before=3,
        hint=r"\bPASS ",
    ),
    phrase(  # RFC 959, 1939: the server asks for the password or says what came of it
        "pass-beside-reply",
        "pass ",
        rf"(?m)^{_SIDE}(?:331 |\+OK )[^\n]{{0,200}}\n{_SIDE}PASS (?P<value>\S{{3,256}})[ \t]*$",
        before=1,
        hint=r"\bpass [^ \n]+[ \t]*(?:\n|$)",
    ),
    phrase(
        "pass-before-reply",
        "pass ",
        rf"(?m)^{_SIDE}PASS (?P<value>\S{{3,256}})[ \t]*\n{_SIDE}(?:(?:230|530)[ \-][A-Z]|\+OK |-ERR )",
        after=1,
        hint=r"\bpass [^ \n]+[ \t]*\n",
    ),
    phrase(  # a list of names and values as a client of Redis shows it
        "numbered-replies",
        ') "',
        r"(?m)^\s{0,16}\d{1,4}\) \"(?P<name>[\w.\-:]{2,128})\"\n"
        r"\s{0,16}\d{1,4}\) \"(?P<value>[^\"\n]{1,4000})\"",
        after=1,
        hint=r"[0-9]\) \"[a-z0-9_.:\-]+\"\n",
    ),
    phrase(  # FTP and POP3 on one line; what a client says of what it sends
        "pass-of-user",
        "> pass |< pass |c: pass |\"pass |'pass |/ pass |; pass |, pass |→ pass |..pass ",
        r"(?:\.\.|\bUSER \S{1,128}[^\n]{1,80}?|[<>] ?|\bC: ?"
        r"|(?i:\bsen[dt]\w{0,3}|\bwrite|\bcommand):? ?[^\n\"']{0,16}"
        r"b?[\"']?)\bPASS (?P<value>[^\s\"'\\]{3,256})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # a string that is sent: `"AUTH ...\r\n"`
        "auth-in-string",
        "\"auth |'auth |\"pass |'pass ",
        rf"[\"'](?:AUTH (?!{_METHODS})(?:[\w.\-]{{1,64}} )?|PASS )"
        r"(?P<value>[^\s\"'\\]{3,256})(?:\\+r)?\\+n",
        Name.LIKELY_PASSWORD,
    ),
)
