"""Passwords in what is said of logins: attempts, answers at a prompt, a user and a pass in one sentence."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_WORD = r"[\"'`]?(?P<value>[^\s\"'`/\[\]()]{6,256})"
_SIGNED = r"(?=[^\s]{0,128}[!#$%&*+?^~])"
_TYPED = "typed |typing |types |entered |entering |enters |pasted |pasting "
_TYPES = r"\b(?:typ(?:ed|es|ing)|enter(?:ed|s|ing)|past(?:ed|es|ing))"
_AT_PROMPT = (
    r"(?:at|in|into|to|for|as|behind) (?:the |a |his |her |their |my |your )?(?:[\w\-]{1,24} ){0,2}"
    r"(?:password|passphrase|passcode|pin)\b"
)
_TYPED_HINT = r"(?:typ|enter|past)[a-z]+ [^\n]+ (?:at|in|into|to|for|as|behind) [^\n]*(?:pass[wpc]|pin)"
LOGINS = (
    phrase(  # https://docs.cowrie.org: `login attempt [b'root'/b'...'] failed`
        "attempt-in-brackets",
        "login attempt [",
        r"login attempt \[(?:b')?[^\]/'\n]{1,64}'?/(?:b')?(?P<value>[^\]'\n]{1,128})'?\]",
    ),
    phrase(
        "attempt-of-user-and-password",
        "attempt",
        r"(?i)\b(?:auth\w{0,12}|log-?in|sign-?in|ssh|ftp|password|credential)s? attempts?"
        rf"(?: (?:for|with|as|by|from))?:? [\"'`]?[a-z][\w.@\-]{{0,64}}:(?!//){_WORD}",
        Name.CHOSEN,
        hint=r"attempts?(?: [a-z]+)?:? [\"'`]?[a-z][^ \n]*:[^ \n]",
    ),
    phrase(  # `tried root:...`
        "tried-user-and-password",
        "tried |trying |try |use |using ",
        rf"(?i)\b(?:use|using|try|trying|tried) [\"'`]?[a-z][\w.@\-]{{0,64}}:(?!//|\d{{2,5}}\b)"
        rf"{_SIGNED}{_WORD}",
        Name.CHOSEN,
        hint=r"(?:use|using|try|trying|tried) [\"'`]?[a-z][^ :\n]*:[^ \n]*[!#$%&*+?^~]",
    ),
    phrase(
        "typed-in-quotes",
        _TYPED,
        rf"(?i){_TYPES} [\"'`](?P<value>[^\"'`\n]{{4,256}})[\"'`] {_AT_PROMPT}",
        hint=_TYPED_HINT,
    ),
    phrase(
        "typed-at-prompt",
        _TYPED,
        rf"(?i){_TYPES} (?P<value>[^\s\"'`]{{6,256}}) {_AT_PROMPT}",
        Name.LIKELY_PASSWORD,
        hint=_TYPED_HINT,
    ),
    phrase(  # `the wifi is labnet and the pass is ...`: a pass alone also goes over data
        "pass-in-sentence-about-access",
        " pass ",
        r"(?i)\b(?:user(?:name)?|log-?in|account|wi-?fi|ssid|network|host|server|vpn|portal|wiki|box|admin|root)\b"
        rf"[^\n]{{0,120}}?[ ,(/](?:pass|pw) (?:(?:is|was|=) )?(?!(?:is|was) ){_WORD}",
        Name.CHOSEN,
        hint=r"(?:user|log-?in|account|wi-?fi|ssid|network|host|server|vpn|portal|wiki|box|admin|root)"
        r"[^\n]*[ ,(/](?:pass|pw) [^ \n]",
    ),
    phrase(  # `Task auth.login[...] args=('ada', '...')`
        "arguments-of-login",
        " args",
        r"(?i)(?:log_?in|sign_?in|passw\w{0,16}|auth(?:entic\w{0,8}|oriz\w{0,8})?)\b[^\n]{0,80}?"
        r"\bargs[=: ]{1,3}[\[(]{1,2}[\"'][^\"'\n]{1,128}[\"'], ?[\"'](?P<value>[^\"'\n]{6,256})[\"']",
        Name.CHOSEN,
    ),
    phrase(  # `login(ada, ...)`, as a log shows a call
        "call-without-quotes",
        "login(|log_in(|authenticate(|sign_in(|signin(|_password(|auth(",
        r"(?i)(?:log_?in|authenticate|sign_?in|(?:check|verify|set|change)_password|auth)\([\w.@\-]{1,64}, ?"
        r"(?![a-z_]+=)(?P<value>[^\s,()\"']{6,256})\)",
        Name.CHOSEN,
        hint=r"(?:in|authenticate|password|auth)\([a-z0-9_.@\-]+, ?[^ ,()\"'\n]{6,}\)",
    ),
    phrase(  # Oracle repeats what it was given
        "denied-by-oracle",
        "ora-",
        r"(?i)\bora-\d{5}\b[^\n]{0,200}?\s[A-Za-z][\w$#]{0,63}/(?P<value>[^\s\"'/@]{3,128})@",
        Name.CHOSEN,
    ),
    phrase(  # somebody has typed a password where the name of a user is asked for
        "password-for-user",
        "invalid user |illegal user |unknown user |no such user |not in sudoers",
        rf"(?i)\b(?:invalid|illegal|unknown|no such) user:? [\"'`]?{_SIGNED}{_WORD}",
        Name.CHOSEN,
    ),
)
