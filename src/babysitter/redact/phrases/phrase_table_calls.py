"""Secrets among the arguments of calls that log in, in commands that hide them, at prompts of debuggers."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_USER = r"[\"'][\w.@\-]{1,64}[\"']"
# A host, or an address with a scheme: `jdbc:...`, `dbi:mysql:database=runs;host=db1`.
_ADDRESS = (
    r"[\"'](?:localhost|[\w.\-]{1,253}[.:/][\w.:/\-]{1,253}|[a-z][a-z0-9+.\-]{1,20}:[^\"'\n]{1,400})[\"']"
)
_NEXT = r"\s{0,4},\s{0,8}"
_LOGS_IN = (
    r"\b(?:\w{0,40}connect|Connection|create_pool|SessionPool|FTP(?:_TLS)?|SMB\w{0,16}|log_?[io]n|Telnet)"
)
_CALLS = "|".join(
    f"{call}({quote}"
    for call in ("connect", "connection", "pool", "ftp", "ftp_tls", "login", "logon", "telnet")
    for quote in "\"'"
)
CALLS = (
    phrase(  # a realm, a host, a user and, last, the password
        "password-of-credentials",
        "credentials(|credential(",
        r"Credentials?\((?:\s{0,8}[\"'][^\"'\n]{1,253}[\"']\s{0,4},){1,3}\s{0,8}[\"'](?P<value>[^\"'\n]{4,256})[\"']\s{0,4}\)",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # address, port, user and password
        "address-port-user-password",
        "('|(\"|['|[\"",
        r"[(\[][\"'][\w.\-]{2,253}[\"'], ?\d{2,5}, ?[\"'][\w.@+\-]{1,64}[\"'], ?"
        r"[\"'](?P<value>[^\"'\n]{6,256})[\"']",
        Name.CHOSEN,
        hint=r"[(\[][\"'][a-z0-9.\-]+[\"'], ?[0-9]{2,5}, ?[\"'][^\n\"']+[\"'], ?[\"']",
    ),
    phrase(
        "login-call",
        ".login(|createuser(|basicauth(|digestauth(|.auth(|networkcredential(",
        r"(?i)(?:\.login|\.auth|createuser|basicauth|digestauth|networkcredential)\(\s{0,8}[\"'][^\"'\n]{0,128}[\"']\s{0,4},"
        r"\s{0,8}[\"'](?P<value>[^\"'\n]{3,256})[\"']",
    ),
    phrase(  # an object of two strings: `BasicAuthentication`, `HttpNtlmAuth`, `PlainTextAuthProvider`
        "user-and-password-of-object",
        "auth(|authentication(|authenticator(|authprovider(|credentials(|credential(",
        r"(?:Auth|Authentication|Authenticator|AuthProvider|Credentials?)\(\s{0,8}"
        r"[\"'][^\"'\n]{1,128}[\"']\s{0,4},\s{0,8}[\"'](?P<value>[^\"'\n]{6,256})[\"']\s{0,4}\)",
        Name.LIKELY_PASSWORD,
    ),
    # User, password, address, as https://python-oracledb.readthedocs.io/en/latest/api_manual/module.html has
    # them; or address, user, password, as https://docs.python.org/3/library/ftplib.html
    phrase(
        "address-user-password",
        _CALLS,
        rf"{_LOGS_IN}\(\s{{0,8}}(?:{_ADDRESS}{_NEXT}(?:\d{{2,5}}{_NEXT})?{_USER}{_NEXT}"
        rf"|{_USER}{_NEXT}(?=[\"'][^\"'\n]{{4,256}}[\"']{_NEXT}{_ADDRESS}))[\"'](?P<value>[^\"'\n]{{4,256}})[\"']",
        Name.LIKELY_PASSWORD,
    ),
    # https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring
    phrase(
        "secure-string",
        "convertto-securestring",
        r"(?i)convertto-securestring\s{1,4}(?:-(?:asplaintext|force)\s{1,4}){0,2}(?:-string\s{1,4})?"
        r"(?:\\*(?P<quote>[\"'])(?!\$)|(?![\-$(\"'\\]))(?P<value>(?(quote)[^\"'\\\n]|[^\s;|)\"']){3,512})",
    ),
    phrase(
        "secure-string-piped",
        "convertto-securestring",
        r"(?i)[\"'](?P<value>[^\"'$\n]{3,512})[\"']\s{0,4}\|\s{0,4}convertto-securestring",
    ),
    # https://docs.github.com/actions/reference/workflow-commands-for-github-actions#masking-a-value-in-a-log,
    # https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
    phrase(
        "masked-in-log",
        "add-mask::|task.setsecret]|issecret=true",
        r"(?i)(?:::add-mask::|##vso\[task\.setsecret\]"
        r"|##vso\[task\.setvariable [^\]\n]{0,200}issecret=true[^\]\n]{0,80}\])"
        r"(?P<value>[^\s$*\"'][^\n\"']{2,4000}?)[\"']?[ \t]*$",
    ),
    # What drives a browser types into a field: Playwright, Cypress, Puppeteer, Selenium
    phrase(
        "typed-into-field",
        ".fill(|.type(|.setvalue(|.val(|.input(|.fill_in(",
        r"(?i)\.(?:fill|type|setValue|val|input|fill_in)\(\s{0,4}[\"'`][^\n]{0,80}?(?:passw|pwd|passphrase|passcode)"
        r"[^\n,]{0,60}?[\"'`],\s{0,4}[\"'`](?P<value>[^\"'`\n]{3,256})[\"'`]",
    ),
    phrase(
        "typed-into-found-field",
        ".fill(|.type(|send_keys(|sendkeys(|.setvalue(|press_sequentially(|presssequentially(|.val(",
        r"(?i)(?:passw|pwd|passphrase|passcode)[^\n]{0,60}?\)\.(?:fill|type|send_?keys|setValue|press_?sequentially|val)\("
        r"\s{0,4}[\"'`](?P<value>[^\"'`\n]{3,256})[\"'`]",
    ),
    phrase(  # what a person asks for at the prompt of a debugger, and its answer
        "printed-at-prompt",
        "(pdb) |ipdb> |(gdb) |(lldb) |>>> |\nout[",
        r"(?m)(?:\((?:Pdb|gdb|lldb)\)|ipdb>|>>>|In \[\d{1,5}\]:) (?:(?:pp?|po|print)[ (]{1,2}|!)?"
        r"(?P<name>[A-Za-z_][\w.\->\[\]\"']{0,127})\)?[ \t]*\n"
        r"(?:Out\[\d{1,5}\]: |\$\d{1,6} = (?:0x[0-9a-f]{1,16} )?)?"
        r"b?[\"'](?P<value>[^\"'\n]{1,2000})[\"'][ \t]*$",
        before=1,
        after=1,
    ),
)
