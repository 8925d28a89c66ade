"""Secrets in what programs print: generators of keys, plans, dumps, traces of shells, reports of failures."""

from babysitter.redact.formats.command_lines import READS_INPUT
from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name


def _with_backslashes(words: str) -> str:
    """A pattern of these words, also with a backslash before each letter, as a shell traces a pattern."""
    return "|".join("".join(rf"\\?{letter}" for letter in word) for word in words.split())


_ECHO = r"\+{1,4} (?:echo|printf)(?: -\w{1,3})?(?: [\"']?%s\S{0,6})? [\"']?"
# What stands for a password that nobody has set.
_UNSET = _with_backslashes("changeme change_me change-me changeit replaceme password secret default todo")
_GENERATORS = (
    "wg genkey|wg genpsk|generate_key()|token_hex(|token_urlsafe(|openssl rand|pwgen|makepasswd|apg -"
    "|mkpasswd|key:generate --show|age-keygen|generate-key|gen-key|genkey|/dev/urandom|/dev/random|ls secret"
    "|rake secret|phx.gen.secret|get_random_secret_key()"
)
_GENERATOR_CALLS = (
    r"(?:\bwg gen(?:key|psk)|\bgenerate_key\(\)|\btoken_(?:hex|urlsafe)\(\d{0,4}\)|openssl rand|\b(?:pwgen"
    r"|apg|makepasswd|mkpasswd)\b|key:generate --show|\b(?:generate|gen)-?key\b|/dev/u?random"
    r"|\b(?:rails|rake) secret\b|\bphx\.gen\.secret\b|\bget_random_secret_key\(\))"
)
# What a program answers behind a prompt, and nobody typed.
_MESSAGE = (
    r"[^\n]*\b(?:incorrect|invalid|wrong|bad|denied|failed|try|again|required|error|not|too|no|the|is|was|empty"
    r"|does|do|must|please|and|or|same)\b"
)
_PROMPTS = (
    "new pass|enter pass|password for|passphrase for|enter your|enter the|retype|your pass|confirm pass"
)
_PROMPT = (
    r"(?i:(?:enter|type|input|new|current|old|retype|confirm|repeat|your)\b[^\n:]{0,40}"
    r"pass(?:word|phrase|code)"
    r"|pass(?:word|phrase|code) for)\b[^\n:]{0,80}:"
)
PRINTED = (
    phrase(  # `Loading configuration property: NAME, value`
        "property-and-value",
        "property: |option: |setting: |parameter: |variable: |config: |override: ",
        r"(?i)\b(?:property|option|setting|parameter|variable|config|override): "
        r"[\"']?(?P<name>[\w.\-]{2,128})[\"']?, "
        r"[\"']?(?P<value>[^\s\"']{3,4000})[\"']?[ \t]*(?=\n|\Z)",
        hint=r"(?:property|option|setting|parameter|variable|config|override): [\"']?[a-z0-9_.\-]+[\"']?, ",
    ),
    phrase(  # what a shell writes into a file whose name calls it a password
        "written-to-file",
        "echo |printf |cat <<",
        r"\b(?:echo|printf)(?: -\w{1,3})? (?P<quote>[\"']?)"
        r"(?P<value>(?<=[\"'])[^\"'$`\n]{3,256}|[^\s\"'$`|>;&]{6,256})"
        r"(?P=quote) ?>{1,2} ?[\"']?[\w.\-/~${}]{0,120}?"
        r"(?:pass(?:word|wd|phrase|code)?|secret|token|credentials?|api_?key)(?:[_.\-][a-z0-9]{2,12})?"
        r"[\"']?(?=[\s;&|]|$)",
        Name.LIKELY_PASSWORD,
        hint=r"(?:echo|printf) [^\n]*> ?[^ \n]*(?:pass|secret|token|cred|key)",
    ),
    phrase(  # the output stands alone on the next line; in Python's prompt in quotes
        "generated-key",
        _GENERATORS,
        rf"(?m){_GENERATOR_CALLS}[^\n>]{{0,160}}\n(?:b?'|base64:)?(?P<value>"
        rf"[A-Za-z0-9+/_\-=.!@#$%^&*~]{{12,512}})'?[ \t]*$",
        Name.CHOSEN,
        after=1,
    ),
    phrase(
        "printed-variable",
        'printenv |echo $|echo "$|echo ${|echo "${',
        r"(?m)(?:\bprintenv |\becho \"?\$\{?)(?P<name>[A-Za-z_]\w{1,80})\}?\"?[ \t]*\n"
        r"(?P<value>[^\s$]\S{3,4095}|[a-z]{3,10}(?: [a-z]{3,10}){3,23})[ \t]*$",
        after=1,
    ),
    phrase(  # three words and more that somebody has typed behind a prompt, and no message
        "phrase-behind-prompt",
        "enter |passphrase for |password for ",
        r"(?m)(?i:(?:enter|type|input) [^\n:]{0,40}pass(?:word|phrase)|pass(?:word|phrase) for)"
        rf" ?[^\n:]{{0,200}}: (?!{_MESSAGE})"
        r"(?P<value>[a-z]{3,12}(?:[ \-][a-z]{3,12}){2,23})[ \t]*$",
        hint=r"pass(?:word|phrase)[^\n:]*: [a-z]+[ \-][a-z]+[ \-][a-z]+",
    ),
    phrase(
        "word-below-prompt",
        _PROMPTS,
        rf"(?m){_PROMPT}[ \t]*\n[ \t]*(?P<value>[^\s:]{{4,128}})[ \t]*$",
        Name.LIKELY_PASSWORD,
        after=1,
    ),
    phrase(
        "phrase-below-prompt",
        _PROMPTS,
        rf"(?m){_PROMPT}[ \t]*\n[ \t]*(?!{_MESSAGE})"
        r"(?P<value>[a-z]{3,12}(?:[ \-][a-z]{3,12}){2,23})[ \t]*$",
        after=1,
    ),
    phrase(  # `set -x`: what is piped, and on the line below it the program that reads it, or above it
        "traced-pipe",
        "+ echo |+ printf ",
        rf"(?m)^{_ECHO}(?P<value>[^\s\"'$][^\n\"']{{3,255}})[\"']?\n\+{{1,4}} {READS_INPUT}",
        Name.LIKELY_PASSWORD,
        after=1,
    ),
    phrase(
        "traced-pipe-reader-first",
        "+ echo |+ printf ",
        rf"(?m)^\+{{1,4}} {READS_INPUT}[^\n]{{0,200}}\n{_ECHO}(?P<value>[^\s\"'$][^\n\"']{{3,255}})[\"']?$",
        Name.LIKELY_PASSWORD,
        before=1,
    ),
    phrase(
        "compared-with-placeholder",
        "[[ |+ [ |+ test ",
        rf"(?:\[\[?|\btest) [\"']?(?P<value>[^\s\"'$=\[]{{6,512}})[\"']? (?:!=|==?) [\"']?"
        rf"(?:{_UNSET})(?=[\"'\s]|$)",
        Name.CHOSEN,
        hint=r"(?:\[|test) [^ \n]+ (?:!=|==?) [^ \n]*(?:p\\?a\\?s\\?s|c\\?h\\?a\\?n|s\\?e\\?c|r\\?e\\?p"
        r"|d\\?e\\?f|t\\?o\\?d)",
    ),
    phrase(  # `set -x`: whether a variable is set, with its value
        "traced-test",
        "+ [ -|+ [[ -|+ test -",
        r"(?m)^\+{1,4} (?:\[\[?|test) -[nz] [\"']?(?P<value>[^\s\"'$]{12,512})",
        Name.CHOSEN,
    ),
    phrase(  # https://core.tcl-lang.org/expect: `exp_internal 1`
        "expect-diagnostics",
        "send: sending",
        r"(?i)(?:assword|passphrase|passcode)[^\n]{0,200}\n(?:[^\n]{0,200}\n)?[^\n]{0,40}send: sending \""
        r"(?P<value>[^\"\\\n]{3,256})",
        before=2,
    ),
    phrase(  # https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password
        "plan-of-random-password",
        "random_password",
        r"\"random_password\" [^\n]{0,120}\{\n(?:[^\n}]{0,200}\n){0,16}?[ \t+~\-]{0,16}"
        r"(?:result|bcrypt_hash)\s{1,40}= \"(?P<value>[^\"\n]{4,256})\"",
        after=17,
    ),
    phrase(  # cloud-init's module set-passwords
        "passwords-of-users",
        "random' passwords|random passwords|following passwords|passwords were set",
        r"(?m)(?:^|[\s:])[a-z_][\w\-]{0,31}:(?P<value>[^\s:/]{6,256})[ \t]*$",
        Name.LIKELY_PASSWORD,
        after=8,
    ),
    phrase(  # https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
        "redis-acl",
        "setuser| on >| on #|+@all >|allkeys >|~* >|resetpass >",
        r"(?i)\b(?:setuser\"?|user) \"?[\w.\-]{1,64}\"?(?= [^\n]{0,400}(?:[~+@&]|\b(?:on|off|allkeys)\b))"
        r"(?: [^\s>]\S{0,200}){0,8}? \"?[><#!](?P<value>[^\s\"]{3,256})",
        hint=r"user\"? \"?[^ \n]+ [^\n]*\"?[><#!][^ \n]",
    ),
    phrase(  # PHP's var_dump over two lines, a document of a database: `pass` in quotes or in brackets
        "pass-in-quotes",
        "pass\"|pass'|pass:|pass =",
        r"(?i)(?<![\w.\-])pass[\"']?\]?\s{0,4}(?:=>|[:=])\s{0,40}(?:string\(\d{1,6}\) )?(?P<quote>[\"'])"
        r"(?P<value>[^\"'\s]{8,256})(?P=quote)",
        Name.CHOSEN,
        after=1,
        hint=r"pass[\"']?\]?[ \t]*(?:=>|[:=])[ \t\n]*(?:string\([0-9]+\) )?[\"']",
    ),
    phrase(  # `pass   : ...` of a file whose signs stand below each other
        "pass-in-column",
        "pass  |pass :|pass =|pass\t",
        r"(?m)^[ \t]{0,16}pass[ \t]{1,16}[:=][ \t]{1,4}(?P<value>\S{6,256})[ \t]*$",
        Name.CHOSEN,
    ),
    phrase(  # pytest: the two sides of a comparison, and below them where one comes from
        "compared-in-test",
        " where '| where \"",
        r"(?m)\bassert (?P<quote>[\"'])[^\"'\n]{0,200}(?P=quote) (?:==|!=|in) (?P=quote)"
        r"(?P<value>[^\"'\n]{1,512})(?P=quote)[^\n]{0,80}\n[^\n]{0,20}\+ {1,8}where "
        r"[^\n]{1,400}?(?P<name>\w{1,80})[\"'\])(]{0,4}[ \t]*$",
        before=1,
    ),
    phrase(
        "origin-in-test",
        " where '| where \"",
        r"(?m)\+ {1,8}where (?P<quote>[\"'])(?P<value>[^\"'\n]{1,512})(?P=quote) = "
        r"[^\n]{1,400}?(?P<name>\w{1,80})[\"'\])(]{0,4}[ \t]*$",
    ),
    phrase(  # `"..." for field "password"`
        "value-before-field",
        "for field|for the field|for param|for the param|for property|for option|for setting|for variable"
        "|for key"
        "|for column|for attribute|for argument|for input|for flag|in column|in field|of field|of option"
        "|of param",
        r"(?i)(?<!\w)(?:\\*[\"'`]|&quot;|&\#39;)(?P<value>[^\"'`&\n]{3,512}?)(?:\\*[\"'`]|&quot;|&\#39;) "
        r"(?:(?:is|was) [\w ]{1,40})?(?:for|of|in|on|from) (?:the )?(?:field|parameter|property|option"
        r"|setting|key|variable|attribute|argument|input|column|flag) (?:\\*[\"'`]|&quot;|&\#39;)?(?P<name>"
        r"[\w.\-]{2,128})",
        hint=r"(?:for|of|in|on|from) (?:the )?(?:field|parameter|property|option|setting|key|variable"
        r"|attribute"
        r"|argument|input|column|flag) ",
    ),
    phrase(  # the bytes of a file that its name or a remark calls a key
        "dumped-bytes",
        "xxd|hexdump|od -",
        r"(?m)^[0-9a-f]{6,8}:?[ \t]{1,4}(?P<value>(?:[0-9a-f]{2,4}[ \t]{1,2}){3,31}[0-9a-f]{2,4})(?=[ \t]|$)",
        after=16,
        hint=r"(?:xxd|hexdump|\bod) [^\n]*(?:\bkey|[._\-]key|secret|passw|token|cred)",
    ),
    phrase(
        "default-of-variable",
        "${",
        r"\$\{(?:oc\.env:|env:|sys:|ENV:)?(?P<name>[A-Za-z_][\w.]{0,80})(?::[\-=]|[,:\-])[ ]?[\"']?"
        r"(?P<value>[^}\s\"'$?]{3,512})[\"']?\}",
        hint=r"\$\{[a-z_][a-z0-9_.:]*[,:\-][^}\n]",
    ),
    phrase(  # what a shell reads from a string
        "read-from-string",
        "<<<",
        r"\bread(?: -\w{1,3}(?: (?:\d{1,3}|'[^'\n]{0,80}'|\"[^\"\n]{0,80}\"))?){0,4} "
        r"(?P<name>[A-Za-z_]\w{1,60}) ?<<< ?[\"']?(?P<value>[^\s\"']{4,512})",
    ),
    phrase(  # any program that takes a user and, next, a password
        "options-of-user-and-password",
        " -u ",
        r"(?<=\s)-u [\w.@\-]{1,64} -p (?P<quote>[\"']?)(?P<value>[^\s\"']{6,256})(?P=quote)(?=\s|$)",
        Name.CHOSEN,
        hint=r" -u [^ \n]+ -p [\"']?[^ \n]",
    ),
)
