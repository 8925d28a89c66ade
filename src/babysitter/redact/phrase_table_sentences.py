"""Secrets in sentences, prompts and calls of programs."""

from babysitter.redact.names import Name
from babysitter.redact.phrase import phrase

_USER = r"(?:user(?:name)?|usr|login|account|uid)"
_SECRET = r"(?:secret|password|passphrase|credential|token|api key)"
SENTENCES = (
    phrase(  # `username: ada / pass: ...`
        "pass-behind-user",
        "pass:|pass=|pass =|pass :|pw:|pw=",
        rf"(?i)\b{_USER}[\"']?\s?[:=]\s?[\"']?[\w.@+\-]{{1,128}}[\"']?[\s,;/|&]{{1,8}}(?:and )?"
        r"(?:pass|pw)[\"']?\s?[:=]\s?[\"']?(?P<value>[^\s\"',;]{3,256})",
        hint=rf"{_USER}[\"']? ?[:=] ?[^:=\n]+(?:pass|pw)[\"']? ?[:=]",
    ),
    phrase(
        "user-and-password-in-one-word",
        "cred|login",
        r"(?i)\b(?:cred(?:ential)?s?|logins?)(?: (?:are|were|is|was|of|for|with|as))?[ :=]{1,3}[\"'`]?"
        r"(?!https?:|file:|s3:|gs:)[A-Za-z][\w.@+\-]{1,64}:(?!//)(?P<value>[^\s\"'`]{4,256})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # `Retrieved secret "db-prod": ...`, alone at the end of its line
        "named-in-quotes",
        "secret |password |credential |token |api key |passphrase ",
        rf"(?i)\b{_SECRET}s?(?: (?:for|of|named|at|from|in))?(?: user| account| host)? "
        r"(?:[\"'`][^\"'`\n]{1,80}[\"'`]|[\w@][\w.@/\-]{1,80})(?: (?:is|are|was|now))?[:=]?\s{1,4}"
        r"(?<=[:=s] )[\"'`]?(?P<value>[^\s\"'`]{6,512})[\"'`}\])]{0,4}\.?[ \t]{0,4}$",
        Name.PROBABLE,
        hint=rf"{_SECRET}s? [^:=\n]+[:=] ?[\"'`]?[^ \"'`\n]+[\"'`}}\])]*\.?[ \t]*(?:\n|$)",
    ),
    phrase(
        "pass-phrase",
        "pass phrase|pass-phrase",
        r"(?i)pass[ -]phrase(?: (?:for|of) \S{1,128})?(?: is| was|\s?[:=]) ?[\"'`]?"
        r"(?P<value>[^\s\"'`]{4,256})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(
        "key-material",
        "key material|key bytes|raw key|key (hex|key (base64",
        r"(?i)\bkey(?: material| bytes)?(?: ?\([^)\n]{1,24}\))?\s?(?:is|[:=])\s?b?[\"']?"
        r"(?P<value>[A-Za-z0-9+/_\-]{20,4096}={0,2})",
        Name.POSSIBLE,
    ),
    phrase(  # the one argument of a client's constructor; https://cryptography.io/en/latest/fernet/
        "argument-of-client",
        "client(|fernet(|session(|api(|sdk(|auth(|authenticate(|connect(",
        r"\b[A-Za-z_][\w.]{0,80}\(\s{0,8}b?[\"'](?P<value>[A-Za-z0-9_\-+/=.]{20,512})[\"']\s{0,8}[,)]",
        Name.POSSIBLE,
    ),
    # RFC 4954: the server asks for the password (base64 of `Password:`) and the client sends it.
    phrase(
        "smtp-password",
        "334 ugfzc3dvcmq6",
        r"(?i)334 UGFzc3dvcmQ6[^\n]{0,40}\n(?:reply: retcode[^\n]{0,200}\n)?[^\n]{0,60}?"
        r"(?:send: b?[\"']|(?<![\w])C: |>>> |> |)(?P<value>[A-Za-z0-9+/]{4,400}={0,2})(?=\\|[\"']|\s|$)",
        Name.PROBABLE,
        after=2,
    ),
    phrase(  # OAuth 2.0, RFC 6749 section 4.1.2: a code beside its state
        "code-and-state",
        "code=",
        r"(?i)\?(?:[^\s?]{0,400}&)?(?:state=[^\s&]{1,400}&(?:[^\s?]{0,200}&)?code=(?P<value>[\w.~%/+\-]{10,2000}))",
        Name.PROBABLE,
        hint=r"state=\S+&code=",
    ),
    phrase(
        "state-behind-code",
        "code=",
        r"(?i)[?&]code=(?P<value>[\w.~%/+\-]{10,2000})&(?:[^\s?]{0,200}&)?state=",
        Name.PROBABLE,
        hint=r"[?&]code=\S+&state=",
    ),
)
