"""Secrets in commands that print a password for another program, and at prompts of databases."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_PRINTS = (
    r"(?:/(?:usr/)?bin/)?(?:echo|printf)(?: -\w{1,3}| --)?(?: \\*[\"']?%s\S{0,6}?\\*[\"']?)? \\*[\"']{0,2}"
)
_PRINTED = r"(?P<value>(?<=[\"'])[^\"'\\$`\n]{3,256}|[^\s\"'\\$`|>;&)]{3,256})"
# Behind an option: quoted, or a word.
_ARGUMENT = r"[\"']?(?P<value>(?<=[\"'])[^\"'$\n]{3,2000}|[^\s\"'$]{3,2000})"
COMMANDS = (
    # restic's `--password-command`, borg's `BORG_PASSCOMMAND`, `GIT_ASKPASS`, `passwordeval` of msmtp
    phrase(
        "printed-for-program",
        "echo |printf ",
        r"(?i)(?:pass(?:w(?:or)?d|phrase)?|secret|token|credentials?|key)s?[_\-]?(?:command|cmd|process|program|helper|eval|script)"
        r"[\"'\\]{0,4}[\s:=,\[(]{1,8}(?:[brf]?[\"'\\]{1,4})?(?:(?:/bin/)?(?:ba)?sh -c \\*[\"']?|!f\(\) \{ )?"
        rf"{_PRINTS}{_PRINTED}",
        Name.LIKELY_PASSWORD,
        hint=r"(?:command|cmd|process|program|helper|eval|script)[^a-z0-9\n]+[^\n]*(?:echo|printf) ",
    ),
    phrase(
        "printed-by-askpass",
        "askpass",
        rf"(?i)askpass[\"'\\]{{0,4}}[\s:=,]{{1,8}}(?:[\"'\\]{{1,4}})?{_PRINTS}{_PRINTED}",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # what a shell passes as a file: `--password-file <(echo ...)`
        "printed-as-file",
        "<(echo |<(printf |<( echo |<( printf ",
        rf"(?i)(?:pass|pw|secret|token|cred|key|auth)"
        r"(?:[\w.\-]{0,40}[ =]{1,4}|[^\n|<]{0,120}-file[ =])[\"']?<\( ?"
        rf"{_PRINTS}{_PRINTED}",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # `--name /prod/db/password ... --value ...`
        "value-of-named-setting",
        " -value | --value | --value=| --secret-value| --body | -b ",
        r"(?i)(?<![\w\-])(?:create|put|set|--(?:name|key|parameter))[ =][\"']?(?P<name>[\w/][\w./:\-]{1,127})"
        r"[\"']?(?=\s)"
        rf"[^\n|;]{{0,200}}? (?:--?(?:secret-)?value|--body|-b)[ =]{_ARGUMENT}",
        hint=r"(?:create|put|set|--name|--key|--parameter)[ =][^\n]* (?:--?(?:secret-)?value|--body|-b)[ =]",
    ),
    phrase(  # https://docs.aws.amazon.com/cli/latest/reference/ssm/put-parameter.html
        "secure-parameter",
        "securestring",
        rf"(?i)put-parameter\b(?=[^\n]{{0,600}}securestring)[^\n]{{0,400}}? --value[ =]{_ARGUMENT}",
    ),
    phrase(  # `sed s/__DB_PASS__/.../`
        "put-for-placeholder",
        "sed |perl ",
        r"(?<![\w\-])s(?P<sign>[/|#,~!])[^\w\n]{0,6}_{0,3}(?P<name>[A-Za-z][\w.\-]{1,80}?)"
        r"(?i:_*(?:placeholder|here|value)|)_{0,3}[^\w\n]{0,6}(?P=sign)"
        r"(?P<value>(?:(?!(?P=sign))[^\s\"'$\\]){3,512})(?P=sign)",
        hint=r"(?:sed|perl) [^\n]*\bs[/|#,~!][^a-z0-9]*[a-z]",
    ),
    # https://docs.oracle.com/en/database/oracle/oracle-database/23/sqpug/CONNECT.html
    phrase(
        "oracle-connect",
        "conn|userid",
        r"(?i)\b(?:conn(?:ect)?[ (]{1,3}|userid ?= ?)[\"']{0,2}[A-Za-z][\w$#]{0,63}/"
        r"(?P<quote>\"?)(?P<value>[^\s\"'/]{3,128})"
        r"(?P=quote)(?:@(?://)?[\w.\-]{1,253}(?::\d{1,5})?(?:/[\w.\-]{1,128})?(?=[\s\"';)]|$)|(?= as sys))",
        Name.LIKELY_PASSWORD,
        hint=r"(?:conn|connect|userid)[ (=]+[\"']*[a-z][a-z0-9_$#]*/[^ \n/]+(?:@| as sys)",
    ),
)
