"""Secrets in sentences, prompts and calls of programs."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_USER = r"(?:user(?:name)?|usr|login|account|uid|role|e-?mail|owner)"
_SECRET = r"(?:secret|password|passphrase|credential|token|api key)"
# Not `the password server`: the noun ends, or a preposition goes on.
_END_OF_NOUN = r"(?=[.,;!)]|\s(?:for|of|to|on|in|at|now|and)\b|\s*$)"
_AS = "as pass|as pw|as the |as your |as its |as my |as a |as new |as admin |as root |as db |as default "
_AS_PASSWORD = (
    r"as (?:the |your |its |my |a |new |admin |root |db |default ){0,3}"
    r"(?:password|passphrase|passwd|passcode|pw|pass)"
)
_AS_HINT = r" as (?:[a-z]+ )*(?:pass|pw)"
_OWNER = r"(?:the|my|your|our|their|his|her|its|new|old|a|this|that)"
# Keys that name a thing, and tokens of pages.
_OTHER_KEYS = (
    r"(?:cache|object|primary|partition|sort|s3|storage|blob|public|host|routing|idempotency|row|group|dict"
    r"|next|page|continuation|pagination|cursor|resume|sync)"
)
# Each of these is rare beside the noun alone.
_KEY_GOES_ON = "|".join(
    f"{noun}{rest}"
    for noun in ("key", "token", "secret")
    for rest in (
        "'s ",
        "’s ",
        ": it",
        ", it",
        ", in ",
        " - ",
        " — ",
        " – ",
        " for ",
        " of ",
        " you ",
        " that ",
        " we ",
    )
)
SENTENCES = (
    phrase(  # `username: ada / pass: ...`
        "pass-behind-user",
        'pass:|pass=|pass =|pass :|pw:|pw=|pass"|pass\\"|pass\'',
        rf"(?i)\b{_USER}[\"']?\s?[:=]\s?[\"']?[\w.@+\-]{{1,128}}[\"']?[\s,;/|&]{{1,8}}(?:and )?"
        r"[\"']?(?:pass|pw)[\"']?\s?[:=]\s?[\"']?(?P<value>[^\s\"',;]{3,256})",
        hint=rf"{_USER}[\"']? ?[:=] ?[^:=\n]+(?:pass|pw)[\"']? ?[:=]",
    ),
    phrase(
        "user-and-password-in-one-word",
        "cred|login|basic auth|basic-auth|ing as |ed as |in as |ftp as ",
        r"(?i)\b(?:cred(?:ential)?s?|logins?|basic[ \-]auth"
        r"|(?:connect|log|authenticat)\w{0,4}(?: in)?(?: to \S{1,80})? as)"
        r"(?: (?:are|were|is|was|of|for|with|as))?[ :=]{1,3}[\"'`]?"
        r"(?!https?:|file:|s3:|gs:)[A-Za-z][\w.@+\-]{1,64}:(?!//)(?P<value>[^\s\"'`]{4,256})",
        Name.LIKELY_PASSWORD,
        hint=r"(?:cred|login|basic.auth| as)[a-z]*(?: [a-z]+)?[ :=]+[\"'`]?[a-z][\w.@+\-]*:[^ \n/]",
    ),
    phrase(  # `Retrieved secret "db-prod": ...`, alone at the end of its line
        "named-in-quotes",
        "secret |password |credential |token |api key |passphrase ",
        rf"(?i)\b{_SECRET}s?(?: (?:for|of|named|at|from|in))?(?: user| account| host)? "
        r"(?:[\"'`][^\"'`\n]{1,80}[\"'`]|[\w@][\w.@/\-]{1,80})(?: (?:is|are|was|now))?\s?[:=]?\s{1,4}"
        r"(?<=[:=s] )[\"'`]?(?P<value>(?![a-z_]{2,24}=[^=])[^\s\"'`]{6,512})[\"'`}\])]{0,4}\.?[ \t]{0,4}$",
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
    # A constructor that is given the id of an account and, next, its token: Twilio, Plivo, Alibaba,
    # Tencent, Google, AWS.
    phrase(
        "token-beside-account",
        "client(|auth(|credential(|credentials(|session(|api(|minio(|connect(|provider(",
        r"\w\(\s{0,8}(?:[\"'][^\"'\n]{1,128}[\"']\s{0,4},\s{0,8})?"
        r"[\"']?(?:(?:AC|SK)[0-9a-f]{32}|M[AI][A-Z0-9]{18}|LTAI\w{12,24}|AKID\w{13,40}|GOOG1\w{10,60}"
        r"|A[KS]IA[A-Z2-7]{16})[\"']?\s{0,4},\s{0,8}b?[\"']?(?P<value>[^\"'\s,)]{16,128})[\"']?\s{0,4}[,)]",
        Name.SECRET,
        hint=r"[\"'( ](?:ac|sk|ma|mi|ltai|akid|goog1|akia|asia)[a-z0-9]{10,}[\"']? *, *b?"
        r"[\"']?[^ \"',)]{16,}[\"']? *[,)]",
    ),
    phrase(  # https://web.mit.edu/kerberos/krb5-latest/doc/user/user_commands/klist.html: `klist -K`
        "key-of-keytab",
        "(0x",
        r"\S@\S{1,128}\s{1,4}(?:\([^()\n]{1,60}\)\s{0,8})?\(0x(?P<value>[0-9a-fA-F]{16,128})\)",
        Name.SECRET,
        hint=r"@[^ \n]+ +(?:\([^()\n]*\) *)?\(0x[0-9a-f]{16}",
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
    phrase(
        "user-slash-password",
        "log in with|login with|credentials|creds |creds:|logins for",
        r"(?i)(?:log ?in with|(?:credentials|creds|logins)"
        r"(?: are| (?:for|of|to|on)(?: [^\s:/]{1,40}){1,4}| (?:for|of|to|on)(?: \S{1,80}){1,8}?:)?:?) "
        r"[\"'`]?[\w.@\-]{1,64}[\"'`]? / [\"'`]?"
        r"(?P<value>[^\s\"'`]{4,256})",
        Name.LIKELY_PASSWORD,
        hint=r"(?:log ?in with|credentials|creds|logins)[^\n]* / ",
    ),
    phrase(  # `login: ada / ...`
        "user-slash-password-behind-label",
        "login: |logins: |log-in: |account: |accounts: |login is |logins are |account is |credentials are ",
        r"(?i)(?<![\w\-])(?:log-?ins?|accounts?|credentials)(?:: | (?:is|are) )"
        r"[\"'`]?[\w.@\-]{1,64}[\"'`]? / [\"'`]?(?P<value>[^\s\"'`/]{6,256})",
        Name.CHOSEN,
        hint=r"(?:log-?ins?|accounts?|credentials)(?:: | is | are )[^ \n]+ / ",
    ),
    phrase(
        "use-user-slash-password",
        "use |using |try |trying |tried | as ",
        r"(?i)\b(?:use|using|try|trying|tried|as(?: user)?) [\"'`]?[a-z][\w.@\-]{1,64}[\"'`]? / [\"'`]?"
        r"(?=[^\s]{0,128}[!#$%&*+?@^~])(?P<value>[^\s\"'`/]{6,256})",
        Name.CHOSEN,
        hint=r"(?:use|using|try|trying|tried|as|as user) [^ \n]+ / [^ \n]*[0-9!#$%&*+?@^~]",
    ),
    phrase(  # `logging in as ada/...`, `connected as ada (...)`; `/job#12` is the number of something
        "login-as-user-and-password",
        " as | with | using ",
        r"(?i)\b(?:connect|log|sign|authenticat)\w{0,6}(?: ?in)?(?: to \S{1,80})? (?:as|with|using)"
        r"(?: user)? [\"'`]?[a-z][\w.@\-]{1,64}[\"'`]?(?:/|:| \(| (?:with|and|using) (?:pass|pw) )[\"'`]?"
        r"(?!(?-i:[a-z]+#\d+\b))(?=[^\s]{0,128}[!#$%&*+?^~])(?P<value>[^\s\"'`/()]{6,256})",
        Name.CHOSEN,
        hint=r"(?:connect|log|sign|authenticat)[a-z]* ?(?:in )?(?:to [^ \n]+ )?(?:as|with|using) "
        r"(?:user )?[^ \n]+(?:/|:| \(| (?:with|and|using) (?:pass|pw) )[^ \n]*[!#$%&*+?^~]",
    ),
    phrase(  # `the key you asked for: ...`, `it's ...`: a random string, and no hash
        "random-string-of-a-key",
        _KEY_GOES_ON,
        rf"(?i)(?<![\w\-])(?:{_OWNER} (?:(?!{_OTHER_KEYS})[\w'’\-]{{1,24}} ){{0,2}}?(?:key|token|secret)"
        r"|(?:api|access|deploy|signing|licen[sc]e|bot|auth|app|admin|bearer|service)[ _\-]"
        r"(?:key|token|secret)"
        r"|(?:^|(?<=[.:!] ))(?:token|secret))s?"
        r"(?:['’]s |\b[^\n:=]{0,60}?(?:: |, |[:,]? it['’]s |[:,]? it is | [—–\-] ))[\"'`]?"
        r"(?P<value>(?=[^\s]{0,200}[g-zG-Z])[A-Za-z0-9+/_\-]{20,200}={0,2})(?=[\"'`]?(?:[\s,;.)]|$))",
        Name.POSSIBLE,
        hint=r"(?:key|token|secret)[^\n]* [\"'`]?[a-z0-9+/_\-]{20}",
    ),
    phrase(
        "decrypted-value",
        "decrypted ",
        r"(?i)\bdecrypted (?:value|secret|text|plaintext|payload|string)\b[^\n]{0,80}?"
        r"(?: -> | → |: | = | is )[\"'`]?(?P<value>[^\s\"'`]{6,256})",
        Name.CHOSEN,
    ),
    phrase(  # `send("...")  # the password`: a remark says what the last string of the line is
        "named-by-remark",
        "# |// ",
        r"(?i)[\"'](?P<value>[^\"'\n\\]{6,128})(?:\\+[nr]){0,2}[\"'][\s),;\]}]{1,16}(?:#|//) "
        r"(?:[\w'’\-]{1,24} ){0,4}?(?:password|passphrase|passwd|secret|token|api[ _\-]?key)[ \t]*(?:\n|$)",
        Name.CHOSEN,
        hint=r"[\"'][^\"'\n]+[\"'][ ),;\]}]+(?:#|//) [^\n]*(?:passw|passphrase|secret|token|key)",
    ),
    phrase(  # `admin / ... are the default credentials`
        "password-before-its-name",
        "credentials",
        r"(?<![\w/])[\w.@\-]{1,64} / (?P<value>[^\s/]{4,256}) are the [\w ]{0,20}credentials",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # `key ... rejected`: what a key is, and what happened to it
        "key-in-a-sentence",
        " rejected| revoked| replaced| rotated| leaked| is invalid| not valid| is valid| disabled"
        "| deactivated| accepted| denied|unauthori| exposed| compromised| refused| retired",
        r"(?i)(?<![\w\-])(?P<name>(?:[\w\-]{1,24} )?key) [\"'`]?(?P<value>[A-Za-z0-9_\-+/=.]{16,512})[\"'`]? "
        r"(?:(?:is|was|has been|got|will be) (?:not |no longer |now )?)?"
        r"(?:rejected|revoked|replaced|rotated|leaked|invalid|valid|disabled|deactivated|accepted|denied|unauthori[sz]ed|exposed|compromised|refused|expired|retired)\b",
        hint=r"key [\"'`]?[^ \n]+[\"'`]? (?:[a-z]+ )*(?:rej|rev|repl|rot|leak|inv|val|dis|deact|acc|den"
        r"|unau|exp|comp|ref|ret)",
    ),
    phrase(  # `encrypting ... with ... as key`
        "used-as-key",
        " as key| as the key| as passphrase| as encryption key",
        r"(?i)\b(?:encrypt|decrypt|sign|seal|unlock|unseal)\w{0,6}\b[^\n]{0,80}? (?:with|using) [\"'`]?"
        r"(?P<value>[^\s\"'`]{6,256})[\"'`]? as (?:the )?(?:encryption )?(?:key|passphrase)\b",
        Name.CHOSEN,
    ),
    phrase(  # who signs with HMAC has the key itself, and not the name of a pair
        "key-of-hmac",
        "hmac|signature",
        r"(?i)(?:hmac|(?:x-|webhook |sha256 )[\w\-]{0,40}signature)[^\n]{0,60}? (?:with|using) (?:the )?"
        r"(?:shared |webhook |signing )?(?:key|secret)[:=]? [\"'`]?(?P<value>[^\s\"'`]{6,256})",
        Name.LIKELY_PASSWORD,
        hint=r"(?:hmac|signature)[^\n]* (?:with|using) [^\n]*(?:key|secret)",
    ),
    phrase(  # `key ... (len=21)`: nobody counts the letters of a key's name
        "value-with-its-length",
        "(len|(length|chars)|characters)|(size",
        r"(?i)\b(?:key|secret|token|password|passphrase|pass|pw|pin)s?(?: is| was)?[:=]? ?[\"'`]?"
        r"(?P<value>[^\s\"'`]{6,256})[\"'`]? \("
        r"(?:(?:len|length|size)[=: ]{1,2}\d{1,3}|\d{1,3} char(?:acter)?s)\)",
        Name.LIKELY_PASSWORD,
        hint=r"(?:key|secret|token|pass|pw|pin)[^\n]* \((?:(?:len|length|size)[=: ]+[0-9]|[0-9]+ char)",
    ),
    phrase(  # `created user 'ada' with temporary password ... on store-2`: any word
        "given-to-a-new-user",
        "with temporary password |with initial password |with one-time password |with default password ",
        r"(?i)\b(?:created|added|provisioned|registered|reset|seeded)\b[^\n]{0,120}?"
        r" with (?:temporary|initial|one-time|default) password (?:of |: ?)?[\"'`]?"
        r"(?!(?:is|was|set|stored|from|hash|policy|and|or|in|on|for|at|to|that)\b)(?P<value>[^\s\"'`,;]{4,128})"
        r"(?=[\"'`]?(?:[,;.]|$| (?:on|for|at|in|to)\b))",
    ),
    phrase(  # `use "..." as the password`
        "used-as-password",
        _AS,
        r"(?i)\b(?:use|using|with|take|set|enter|type|try|put|given?|add) [\"'`“‘«]"
        rf"(?P<value>[^\"'`”’»\n]{{4,128}})[\"'`”’»] {_AS_PASSWORD}{_END_OF_NOUN}",
        hint=_AS_HINT,
    ),
    phrase(
        "used-as-password-bare",
        _AS,
        r"(?i)\b(?:use|using|with|take|set|enter|type|try|put) (?P<value>[^\s\"'`“‘«]{6,128}) "
        rf"{_AS_PASSWORD}{_END_OF_NOUN}",
        Name.LIKELY_PASSWORD,
        hint=_AS_HINT,
    ),
    phrase(  # words that a sign joins, the first with a capital
        "joined-words-used-as-password",
        _AS,
        r"\b(?i:use|using|with|take|set|enter|type|try|put) "
        r"(?P<value>[A-Z][a-z]{2,16}(?:[\-_.][A-Za-z][a-z]{2,16}){1,5}) "
        rf"{_AS_PASSWORD}{_END_OF_NOUN}",
        hint=_AS_HINT,
    ),
    phrase(  # `log in as ada with ...`
        "login-with",
        "log in as |login as |logged in as |sign in as |ssh as ",
        r"(?i)\b(?:log(?:ged)? ?in|sign in|ssh) as [\"'`]?[\w.@\-]{1,64}[\"'`]? (?:with|using) "
        r"[\"'`]?(?P<value>[^\s\"'`]{6,128})",
        Name.CHOSEN,
    ),
    phrase(  # `rotating the signing key, new value ...`
        "value-after-rotation",
        "new value|new one|new key|new secret|new token|new password|new credential",
        r"(?i)\b(?:rotat|renew|regenerat|replac|chang|reset|re-?issu|revok|roll)\w{0,6}\b[^\n]{0,120}?"
        r"\b(?:keys?|secrets?|tokens?|password|passphrase|credentials?)\b[^\n]{0,60}?"
        r"\bnew (?:value|one|key|secret|token|password|credential)(?: (?:is|was|reads)|\s?[:=]| ->| →)?"
        r" ?[\"'`]?(?=[^\s]{0,256}[A-Za-z])(?=[^\s]{0,256}\d)(?P<value>[^\s\"'`,;()]{8,512})",
        Name.PROBABLE,
        hint=r"(?:rotat|renew|regenerat|replac|chang|reset|issu|revok|roll)[^\n]*new "
        r"(?:value|one|key|secret|token|password|credential)[^\n]*[0-9]",
    ),
    phrase(  # `... <- that's the admin password`
        "value-before-arrow",
        "<-|<=|← |⟵ ",
        r"(?:^|(?<=[\s\"'`]))(?=[^\s]{0,128}[A-Za-z])(?=[^\s]{0,128}\d)(?P<value>[^\s\"'`]{6,256})[\"'`]?"
        r"\s?(?:<[\-=]{1,3}|[←⟵])\s?(?i:(?:that|this|it|here)(?:['’]s| is| was)\s)?(?:[\w'’\-]{1,24} ){0,5}"
        rf"(?i:{_SECRET}|pw|pass|api[_\-]key)s?{_END_OF_NOUN}",
        Name.LIKELY_PASSWORD,
        hint=r"[0-9][^ \n]*[\"'`]? ?(?:<[\-=]|\?) ?[^:=\n]*(?:secret|pass|credential|token|key|pw)",
    ),
    phrase(  # `... is the new root password`: of letters and digits with a sign or of both cases
        "value-before-is",
        " is the | is my | is our | is your | is a | was the | are the |'s the |'s my |'s our ",
        r"(?:^|(?<=[\s\"'`:]))(?=[^\s]{0,128}\d)(?=[^\s]{0,128}[!#$%&*+?^~]"
        r"|(?=[^\s]{0,128}[a-z])[^\s]{0,128}[A-Z])"
        r"(?=[^\s]{0,128}[A-Za-z])(?P<value>[^\s\"'`]{8,256})[\"'`]?,? \(?"
        r"(?:(?:(?:it|that|this|which) )?(?:is|was)|(?:it|that)['’]s) (?:the|my|our|your|a) "
        r"(?:[\w'’\-]{1,24} ){0,3}(?i:password|passphrase|passcode|api[ _\-]key|secret key|access key"
        rf"|access token|api token|pw){_END_OF_NOUN}",
        Name.PROBABLE,
        hint=r"[0-9][^ \n]*[\"'`]?,? [^0-9:=\n]*(?:is|was|'s) (?:the|my|our|your|a) [^:=\n]*"
        r"(?:pass|key|token|pw)",
    ),
    phrase(
        "header-in-a-sentence",
        "auth header|authorization header",
        r"(?i)\b(?:basic auth|auth|authorization) header(?: is| was| value)?[:=]? {0,2}[\"'`]?"
        r"(?:basic |bearer )?(?P<value>[A-Za-z0-9+/_.\-]{12,4000}={0,2})",
        Name.PROBABLE,
    ),
    phrase(
        "prompt-without-its-first-letter",
        "assword:",
        r"(?<!\w)assword: ?(?P<value>[^\s\"'\\]{3,256})",
        Name.LIKELY_PASSWORD,
        hint=r"[^a-z]assword: ?[^ \"']",
    ),
    phrase(  # what a command line prints: the secret alone on the next line
        "printed-secret",
        "get-secret-value|get-parameter|versions access|secret show|item get|.data.",
        r"(?m)(?:secretsmanager get-secret-value|ssm get-parameters?\b|secrets versions access"
        r"|keyvault secret show|\bop item get|kubectl[^\n]{0,80} secrets?[^\n]{0,120}\.data\.)"
        r"[^\n|>]{0,240}\n(?P<value>[^\s:{}\[\]\"'<]{6,4096})[ \t]*$",
        Name.LIKELY_PASSWORD,
        after=1,
    ),
    phrase(
        "redis-auth",
        "auth ",
        r"(?:> ?|(?i:redis)[^\n]{0,60}[: ])AUTH (?:\S{1,64} )?(?P<value>[^\s\"']{3,256})(?=[\"'}]{0,3}$)",
        Name.LIKELY_PASSWORD,
        hint=r"(?:>|redis)[^\n]*auth [^ \n]",
    ),
    phrase(  # https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password
        "random-password",
        "random_password.|random_string.",
        r"random_(?:password|string)\.[\w.\[\]\"]{1,80}\.result\"?\s?[:=]\s?\"(?P<value>[^\"\n]{4,256})\"",
    ),
    phrase(  # a word alone that also means that a test is good: letters, a digit and a sign
        "pass-alone",
        'pass:|pass=|pass"|pass\\"|pass\'',
        r"(?i)(?<![\w.\-])pass\\*[\"']?\s?[:=]\s?\\*[\"']?(?=[^\s\"'\\]{0,128}[A-Za-z])(?=[^\s\"'\\]{0,128}\d)"
        r"(?=[^\s\"'\\]{0,128}[!#$%&*+?@^~])(?P<value>[^\s\"',;\\]{8,128})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(
        "credentials-in-parentheses",
        "credentials (|login (",
        r"(?i)(?:credentials|login) \([\"']?[\w.@\-]{1,64}[\"']?, [\"']?(?P<value>[^\s\"')]{4,256})[\"']?\)",
        Name.LIKELY_PASSWORD,
    ),
)
