"""The words around secrets that have no name and no known form: a statement of SQL, a prompt, two lines."""

from babysitter.redact.phrases.phrase import Phrase, phrase
from babysitter.redact.phrases.phrase_table_calls import CALLS
from babysitter.redact.phrases.phrase_table_codes import CODES
from babysitter.redact.phrases.phrase_table_commands import COMMANDS
from babysitter.redact.phrases.phrase_table_functions import FUNCTIONS
from babysitter.redact.phrases.phrase_table_languages import LANGUAGES
from babysitter.redact.phrases.phrase_table_logins import LOGINS
from babysitter.redact.phrases.phrase_table_markup import MARKUP
from babysitter.redact.phrases.phrase_table_material import MATERIAL
from babysitter.redact.phrases.phrase_table_printed import PRINTED
from babysitter.redact.phrases.phrase_table_protocols import PROTOCOLS
from babysitter.redact.phrases.phrase_table_queries import QUERIES
from babysitter.redact.phrases.phrase_table_sentences import SENTENCES
from babysitter.redact.phrases.phrase_table_settings import SETTINGS
from babysitter.redact.phrases.phrase_table_traces import TRACES
from babysitter.redact.phrases.phrase_table_validation import VALIDATION
from babysitter.redact.settings.names import Name

_COMMANDS = (
    "print-access-token|print-identity-token|auth token|create token|get-login-password|"
    "get-access-token|op read|pass show|vault print token"
)
# Between two words of a seed; also in a list of strings. Only the first twelve may be on two lines.
_BLANK = r"(?:,? |[\"'],\s?[\"'])"
_BLANK_OR_BREAK = rf"(?:{_BLANK}|,?\s?\n\s{{0,8}})"
_ITEM = r"(?:- |\w{0,16}\[\d{1,4}\](?: ?=> ?| ?[:=] ?))"  # of YAML, of PHP, `argv[1]=`
PHRASES: tuple[Phrase, ...] = (
    phrase(
        "expect-send",
        "send",
        r"(?i)assword[:? ]{0,3}[\"')\]\s{;]{0,12}(?:\w{1,16}\.)?send(?:line)?\s{0,4}\(?\s{0,4}(?:--\s{1,4})?"
        r"[\"'](?P<value>[^\"'\\\n]{3,128})",
        before=1,
    ),
    phrase(
        "here-string",
        "<<<",
        r"(?i)(?:token|passw|stdin|secret|login)[^\n]{0,80}<<<\s{0,4}[\"']?(?P<value>[^\s\"']{4,512})",
        Name.SECRET,
    ),
    phrase(
        "connection-call",  # address, user, password
        "getconnection(|construct(|_connect(|pdo(|mysqli(|_bind(|_login(|imap_open(",
        r"(?:getConnection|construct|_connect|PDO|mysqli|ldap_bind|ftp_login|imap_open)"
        r"\((?:\s{0,8}(?:[\"'][^\"'\n]{1,400}[\"']|\$\w{1,40}|Object\(\w{1,40}\)|Resource id #\d{1,6})"
        r"\s{0,4},){2}"
        r"\s{0,8}[\"'](?P<value>[^\"'\n]{3,256})[\"']",
    ),
    phrase(
        "form-data",
        'form-data; name="|form-data; name=\\"',
        r"form-data; name=\\*\"(?P<name>[\w.\-]{1,128})\\*\"(?:\n\n|(?:\\+r)?\\+n(?:\\+r)?\\+n)"
        r"(?P<value>[^\s\"\\]{3,4000})",
        after=2,
    ),
    phrase(
        "secret-object",
        "secretstr(|secretbytes(|secret_value()",
        r"(?:Secret(?:Str|Bytes)\(b?|get_secret_value\(\)\s{0,4}(?:->|==?|:|is|was|returned)\s{0,4}b?)[\"'](?P<value>[^\"'\n]{3,4000})[\"']",
    ),
    # RFC 7517 and 7518: the private members of a key.
    phrase(
        "json-web-key",
        '"kty|kty\\"',
        r"\\*\"(?:d|p|q|dp|dq|qi|k)\\*\"\s{0,4}:\s{0,4}\\*\"(?P<value>[A-Za-z0-9_\-+/=]{8,1024})",
        before=12,
        after=12,
    ),
    phrase(
        "printed-token",
        _COMMANDS,
        rf"(?m)\b(?:{_COMMANDS})\b[^\n|>]{{0,120}}\n(?P<value>[^\s:]{{12,4096}})[ \t]*$",
        Name.PROBABLE,
        after=1,
    ),
    # The file of cookies that curl and wget write: domain, flag, path, flag, expiry, name, value.
    phrase(
        "cookie-file",
        "\ttrue\t|\tfalse\t",
        r"(?m)^\S{3,256}\t(?:TRUE|FALSE)\t\S{1,256}\t(?:TRUE|FALSE)\t\d{1,20}\t\S{1,128}\t(?P<value>\S{4,4096})$",
        Name.PROBABLE,
    ),
    phrase(
        "curl-cookie",
        "curl",
        r"\s(?:-b|--cookie)[ =]{1,4}[\"']?[\w.\-]{1,64}=(?P<value>[^\s\"';]{4,4096})",
        Name.PROBABLE,
    ),
    phrase(
        "cookie-object",
        "<cookie ",
        r"<Cookie [\w.\-]{1,64}=(?P<value>[^\s;>]{4,4096}) for ",
        Name.PROBABLE,
    ),
    phrase(
        "wandb-call",
        "wandb.login(",
        r"wandb\.login\([^)\n]{0,80}?key\s{0,4}=\s{0,4}[\"'](?P<value>[^\"'\n]{4,512})[\"']",
    ),
    phrase(
        "openssl-pass",
        "pass:",
        r"-pass(?:in|out|word)?\s{1,4}[\"']?pass:(?P<value>[^\s\"']{1,256})",
    ),
    # https://docs.anaconda.com: a channel's address holds the token.
    phrase(
        "conda-channel",
        "/t/",
        r"://[^\s/]{1,253}(?:/[\w.\-]{1,64}){0,4}/t/(?P<value>[A-Za-z0-9%\-_~+=.]{16,512})/",
        Name.SECRET,
    ),
    # Google's Secret Manager: projects.secrets.versions.access
    phrase(
        "secret-payload",
        "payload",
        r"(?i)payload[\"']?\s{0,4}:\s{0,4}\{?\s{0,40}(?:[\"']?dataCrc32c[\"']?\s{0,4}:[^\n]{1,40}\s{0,40})?"
        r"[\"']?data[\"']?\s{0,4}:\s{0,4}[\"']?(?P<value>[A-Za-z0-9+/_\-]{8,65536}={0,2})(?=[\"'\s}]|$)",
        Name.SECRET,
        after=3,
    ),
    phrase(
        "oauth-code",
        "code=",
        r"(?i)(?:callback|oauth2?|redirect|sign-?in|azurewebsites\.net)[^\s?]{0,60}\?(?:[^\s]{0,160}&)?code=(?P<value>[\w.~%/+\-]{10,2000})",
        Name.PROBABLE,
    ),
    # dbt's profiles and their like: `pass` beside a user.
    phrase(
        "pass-beside-user",
        "pass:",
        r"(?m)^(?P<indent>[ \t]{1,40})(?:user|username|login|account)[\"']?:[^\n]{0,200}\n"
        r"(?:(?P=indent)\w[^\n]{0,200}\n){0,4}?(?P=indent)pass:[ \t]+[\"']?(?P<value>[^\s\"']{1,256})",
        before=6,
    ),
    phrase(
        "validation-input",
        "input_value=",
        r"(?m)^[ \t]{0,80}(?P<name>[\w.\->\[\]]{1,128})\n[^\n]{0,800}?"
        r"\binput_value=[\"'](?P<value>[^\"'\n]{1,2000})",
        before=1,
    ),
    phrase(
        "list-of-arguments",
        '- -|- \'-|- "-|] => -|]: -|] = -|]=-|] = "-|]: "-',
        rf"(?m)(?<!\S){_ITEM}[\"']?(?P<name>--?[A-Za-z][\w.\-]{{1,80}})[\"']?[ \t]*\n"
        rf"[ \t]{{0,80}}{_ITEM}[\"']?(?P<value>[^\"'\n]{{1,2000}}?)[\"']?[ \t]{{0,8}}$",
        after=1,
    ),
    phrase(  # `kubectl describe configmap`
        "underlined-name",
        "\n----",
        r"(?m)^(?P<name>[\w.\-]{1,128}):\n-{4}\n(?P<value>\S[^\n]{0,4000})$",
        before=1,
        after=2,
    ),
    phrase(
        "rejected-value",
        "not a valid|an invalid|not an allowed",
        r"[\"'`](?P<value>[A-Za-z0-9_\-+/=.~]{12,4000})[\"'`] "
        r"(?:is|was) (?:not a valid|an invalid|not an allowed) "
        r"(?:[\w\-]{1,40} ){0,2}?[\w.\-]{0,60}(?:token|key|secret|password|credential)s?\b",
        Name.POSSIBLE,
    ),
    phrase(
        "changed-value",
        ' -> "| => "| → "|-> \\"',
        r"(?P<name>[\w.\-]{2,128})\\*[\"']?\s{0,40}[=:]\s{0,8}\\*\"[^\"\n]{0,4000}\" "
        r"(?:->|=>|→) \\*\"(?P<value>[^\"\\\n]{1,4000})",
    ),
    phrase(  # Terraform's variables and outputs
        "named-block",
        'variable "|output "',
        r"\b(?:variable|output) \"(?P<name>[\w.\-]{1,128})\" \{\n(?:[^\n}]{0,200}\n){0,5}?"
        r"[ \t]{0,40}(?:default|value)[ \t]{0,40}= \"(?P<value>[^\"\n]{1,4000})\"",
        after=6,
    ),
    phrase(
        "default-of-option",
        "default",
        r"(?P<name>--[A-Za-z][\w.\-]{1,80})\b[^\n]{0,200}?[\[(]default(?: is)?[:=]? ?[\"']?"
        r"(?P<value>[^\s\])\"']{3,4000})[\"']?[\])]",
    ),
    phrase(
        "secret-id",
        "secret id|secret_id|secretid",
        r"(?i)secret[ _]?id[\"'\\]{0,4}[\s:=\"'\\]{1,24}"
        r"(?P<value>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        Name.SECRET,
    ),
    phrase(
        "generated",
        "generated|has been|temporary password|ly created|ly rotated",
        r"(?i)\b(?P<name>[\w.\-]{3,64}) (?:is|was|has been) "
        r"(?:auto-?|\w{3,12}ly )?(?:generated|reset|created|changed|issued|rotated)"
        r"[^:\n]{0,60}: ?(?P<value>\S{4,512})",
        hint=r"(?:is|was|has been) (?:auto-?|[a-z]+ly )?(?:generated|reset|created|changed|issued|rotated)"
        r"[^:\n]*: ?[^ \n]",
    ),
    phrase(  # `... with this password:`, and the password alone below
        "password-below",
        "password",
        r"(?i)password\b[^\n]{0,120}:\n{1,2}[ \t]{0,40}(?P<value>[A-Za-z0-9+/=_\-]{12,64})[ \t]*(?:\n|$)",
        Name.POSSIBLE,
        after=2,
        hint=r"password[^\n]{0,120}:\n",
    ),
    phrase(  # `the node asks for its password:`, and below it a word of letters and digits alone
        "answer-below",
        "password|passphrase|passcode|pass phrase",
        r"(?i)pass(?:word|[ \-]?phrase|code)\b[^\n]{0,120}[:?]\n{1,2}[ \t]{0,40}"
        r"(?=[^\s]{0,128}[a-z])(?=[^\s]{0,128}\d)(?![\[<({\-/]|\w{1,64}@|\w{1,20}://|[^\s]{0,128}[\w\"']\(|[a-z_]\w*=)"
        r"(?P<value>[^\s:\"'`]{6,128})[ \t]*(?:\n|$)",
        Name.LIKELY_PASSWORD,
        after=2,
        hint=r"pass(?:word|[ \-]?phrase|code)[^a-z\n][^\n]*[:?]\n|pass(?:word|phrase|code)[:?]\n",
    ),
    phrase(  # base32 in groups (a seed of TOTP), an app password of Google
        "in-groups-of-four",
        "secret|password|totp|otp",
        r"(?i:secret|password|totp|otp|key|seed)[\"'\\]{0,4}\s?[:=]\s?[\"'\\]{0,4}"
        r"(?P<value>[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}|[a-z]{4}(?: [a-z]{4}){3})(?![ ]?[A-Za-z0-9])",
        hint=r"[:=] ?[\\\"']{0,4}(?:[a-z2-7]{4} ){3}[a-z2-7]{4}\b",
    ),
    phrase(
        "words-of-a-seed",
        "mnemonic|phrase|words",
        r"(?i:mnemonic|phrase|\b(?:12|15|18|21|24|twelve|fifteen|eighteen|twenty-four|recovery|seed"
        r"|secret) words)(?: \([^)\n]{1,24}\)|[^\n:=]{0,60}(?=[:=]))?"
        r"[\s:=\"'`\\│|>«“\[]{1,40}"
        rf"(?P<value>[a-z]{{3,8}}(?:{_BLANK_OR_BREAK}[a-z]{{3,8}}){{11}}(?:{_BLANK}[a-z]{{3,8}}){{0,12}}"
        r"|[A-Z]{3,8}(?:,? [A-Z]{3,8}){11,23})\b",
        after=2,
        hint=r"(?:mnemonic|phrase|words)(?:[^\n:=]{0,60}:\n|(?: \([^)\n]{0,24}\)|[^\n:=]{0,60}[:=])?"
        r"[^a-z0-9]+[a-z]+[,\"' ]+[a-z]+[,\"' ]+[a-z]+[,\"' ]+[a-z]+[,\"' ]+[a-z])",
    ),
    phrase(  # numbered, also one below the other
        "numbered-words-of-a-seed",
        "mnemonic|phrase:|phrase (|words:|words (",
        r"(?i:mnemonic|phrase|words)(?: \([^)\n]{1,24}\))?[\s:=\"'`\\│|>«“\[]{1,40}"
        r"(?P<value>1[.):] ?[a-z]{3,8}(?:[\s,│|]{1,8}\d{1,2}[.):] ?[a-z]{3,8}){11,23})\b",
        after=25,
        hint=r"(?:mnemonic|phrase|words)(?: \([^)\n]*\))?[^a-z0-9]+1[.):] ?[a-z]",
    ),
    phrase("oracle", "jdbc:oracle", r"(?i)jdbc:oracle:\w{1,16}:[\w$#]{1,64}/(?P<value>[^\s@\"']{1,256})@"),
    phrase(
        "set-password",
        "set password",
        r"(?i)set password[^=\n]{0,120}=\s{0,4}(?:password\()?[\"'](?P<value>[^\"'\n]{1,256})[\"']",
    ),
    phrase(
        "decoded-secret",
        "base64 -d|base64 --d",
        r"secrets?[^\n]{1,400}\| ?base64 (?:-d|-D|--decode)[^\n]{0,40}\n"
        r"(?P<value>(?!\{\"auths\":)\S{4,4096})[ \t]*(?:\n|$)",
        Name.LIKELY_PASSWORD,
        after=1,
    ),
    phrase(
        "socket-ticket",
        "ticket=",
        r"wss?://[^\s?]{1,200}\?(?:[^\s]{0,200}&)?ticket=(?P<value>[\w.\-%]{8,512})",
        Name.PROBABLE,
    ),
    phrase(
        "html-cells",
        "<td|<dd",
        r"(?i)<(?:t[dh]|dt)[^>\n]{0,80}>\s{0,8}(?:<\w{1,6}>)?(?P<name>[\w.\-]{2,128}"
        r"(?: [\w.\-]{1,64}){0,3}):?(?:</\w{1,6}>)?\s{0,8}"
        r"</(?:t[dh]|dt)>\s{0,8}<(?:td|dd)[^>\n]{0,80}>\s{0,8}(?:<\w{1,6}(?: [^>\n]{1,80})?>){0,2}"
        r"(?P<value>[^<\n]{1,2000}?)\s{0,8}<",
        after=1,
    ),
    phrase(  # PHP's var_dump
        "typed-dump",
        "string(",
        r"\[\"(?P<name>[\w.\-]{1,128})\"[^\]\n]{0,40}\]\s{0,4}=>\s{0,40}string\(\d{1,6}\)\s\"(?P<value>[^\"\n]{1,4000})\"",
        before=1,
    ),
    *CALLS,
    *COMMANDS,
    *FUNCTIONS,
    *LANGUAGES,
    *LOGINS,
    *MARKUP,
    *MATERIAL,
    *PROTOCOLS,
    *QUERIES,
    *SETTINGS,
    *TRACES,
    *VALIDATION,
    *SENTENCES,
    *CODES,
    *PRINTED,
)
