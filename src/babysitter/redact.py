"""What may leave the machine: `redact` takes secrets out of a text, `neutral` what would deceive the eye.

Everything that is posted, shown, sent to a model or written into a recording goes through `redact`. It errs
on the side of taking too much out of a value and nothing out of its surroundings. Time is linear: no
expression rescans what another start of it has scanned (runs are bounded, or begin only at a boundary).
"""

import re
from collections.abc import Callable
from functools import partial

REDACTED = "[redacted]"
_PASSES = 4  # taking one secret out can bring two halves of a line together; the fixed point comes at once

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])?"
    r"|\\(?:u001b|x1b|033|e)\[[0-9;]*[A-Za-z]"  # the same, written out by a JSON or repr
)
# Controls but tab and newline, invisible characters, and those that turn the direction of text.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def neutral(text: str) -> str:
    """The text without colours, control characters, and characters that hide or reorder others."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def redact(text: str) -> str:
    """The text (made neutral) with every secret replaced by `[redacted]`; idempotent, and linear in time."""
    text = neutral(text)
    for _ in range(_PASSES):
        before = text
        for take_out in _STEPS:
            text = take_out(text)
        if text == before:
            break
    return text


# Tokens that say themselves what they are.
_DASH, _SCORE = r"(?:-|%2[dD])", r"(?:_|%5[fF])"
_START = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\[nrt]))"
_TOKENS = re.compile(
    "|".join(
        (
            r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[0-9A-Z]{12,}",
            r"AIza[0-9A-Za-z_-]{20,}",
            rf"{_START}ya29\.[\w.-]{{8,}}",
            rf"{_START}1//0[\w-]{{16,}}",
            rf"GOCSPX{_DASH}[\w-]{{8,}}",
            rf"hf{_SCORE}[A-Za-z0-9]{{8,}}",
            rf"api{_SCORE}org{_SCORE}[A-Za-z0-9]{{8,}}",
            rf"{_START}wandb{_SCORE}v\d{_SCORE}\w{{8,}}",
            rf"local{_DASH}[0-9a-f]{{40,}}",
            rf"gh[pousr]{_SCORE}[A-Za-z0-9]{{8,}}",
            rf"github{_SCORE}pat{_SCORE}\w{{8,}}",
            rf"gl(?:pat|rt|ptt|soat|cbt){_DASH}[\w-]{{8,}}",
            rf"xox[a-z](?:\.xox[a-z])?{_DASH}[\w-]{{6,}}",
            rf"xapp{_DASH}[\w-]{{6,}}",
            rf"{_START}sk(?:{_DASH}|_)(?!learn|image|build)[A-Za-z0-9](?:[\w-]|%2[dD]|%5[fF]){{10,}}",
            r"(?:rk|pk|whsec|sk)_(?:live|test)_[A-Za-z0-9]{8,}",
            rf"{_START}(?:nvapi|pplx|xai|gsk|r8|tgp_v1|dckr_pat|figd|lin_api|npm|dop_v1|shpat|hvs|hvb|glsa|tskey|"
            r"lsv2_pt|lsv2_sk|fw|csk|ntn|secret_|PMAK|key)[-_.](?=[\w-]*\d)[\w-]{20,}",
            rf"{_START}SG\.[\w-]{{10,}}\.[\w-]{{10,}}",
            rf"{_START}pypi-AgE[\w-]{{16,}}",
            rf"{_START}dapi[0-9a-f]{{32,}}",
            r"AGE-SECRET-KEY-1[0-9A-Z]{20,}",
            r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]+",
            r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]+",
            r"api\.telegram\.org/bot\d+:[\w-]+",
            rf"{_START}eyJ[\w-]{{6,}}(?:\.|%2[eE])[\w-]{{4,}}(?:(?:\.|%2[eE])[\w-]*){{0,3}}",
            # JSON in base64 (a whole service account in one word) and the bodies of keys in base64.
            rf"{_START}(?:ewog|ewoJ|eyJ|eyAi|MII[A-Z]|b3BlbnNzaC1r|LS0tLS1CRUdJTi)[A-Za-z0-9+/_-]{{32,}}={{0,2}}",
        )
    )
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN(?:[ +]|%20)(?:[A-Z0-9]+(?:[ +]|%20)){0,4}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?-----"
)
_KEY_END = re.compile(
    r"-----END(?:[ +]|%20)(?:[A-Z0-9]+(?:[ +]|%20)){0,4}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?-----"
)
_KEY_BODY = re.compile(r"(?:\\+[nr]|%0[aAdD]|(?!-----)[A-Za-z0-9+/=\s:,-])*")
_KEY_LINE = re.compile(
    r"(?m)(?<![\w+/=])(?=[A-Z0-9+/]{0,75}[a-z])(?=[a-z0-9+/]{0,75}[A-Z])(?=[A-Za-z+/]{0,75}\d)"
    r"[A-Za-z0-9+/]{60,76}={0,2}$"
)
_AFTER_KEY_ID = re.compile(r"(\[redacted\][\s:,;|\"'/]{1,6})([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])")

# Credentials inside addresses.
_URL_USER = re.compile(r"(://)([^\s/@:\"'<>]*)(:)([^\s/\"'<>]+)(@)")
_URL_TOKEN = re.compile(r"(https?://)([^\s/@:\"'<>]{8,})(@)")
_URL_ENCODED = re.compile(r"(?i)(%3A%2F%2F[^\s%/:@]{0,80}%3A)((?:(?!%40)\S){1,200})(%40)")
_DSN = re.compile(
    r"(?<![\w.:/-])([\w.-]{1,64}:)([^\s@:/\"',()]{3,128})(@(?:tcp|unix|udp)\(|@[\w-]{1,64}\.[\w.-]{1,200})"
)

# Headers, and schemes of authorisation wherever they stand.
_HEADER = re.compile(
    r"(?i)((?:proxy-)?authorization[\"'\\]{0,4}[ \t]{0,4}(?::|=>?|,|%3A)(?:[ \t]|%20|\+){0,4}"
    r"(?:b(?=[\"']))?[\"'\\]{0,4}"
    r"(?:(?:bearer|basic|token|apikey|api-key|key|negotiate|digest|aws4-hmac-sha256|goog4-rsa-sha256)"
    r"(?:[ \t]|%20|\+){1,3})?)"
)
_LISTED = re.compile(r"(?i)(?:digest|sha256)(?:[ \t]|%20|\+){1,3}$")
_SCHEME = re.compile(r"(?i)(?<![A-Za-z0-9])((?:bearer|basic)(?:[ \t:]|%20|\+){1,4}[\"']?)([\w.~+/=%-]{6,})")
_COOKIE = re.compile(
    r"(?i)(?<![\w-])((?:set-)?cookie[\"'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}[\"'\\]{0,4})([^\r\n\"']{4,})"
)

# NAME=value, name: value, "name": "value", --name value, <name>value</name>
_NAME = re.compile(
    r"(?i)passw(?:or)?d|passphrase|passwd|pwd|secret|credentials?|token|signature|jwt|cookie"
    r"|(?<![a-z0-9])(?:sig|auth|pass|pat|sas)(?![a-z0-9])"
    r"|(?:api|access|secret|private|account|auth|encryption|signing|session|master|service|storage|deploy|client"
    r"|subscription|shared|ssh|hmac|license|wandb|hf|openai|anthropic|sas)[_-]?key(?:[_-]?id)?"
    r"|(?<![a-z0-9_.-])key(?=[\"'\\]{0,4}\s{0,2}[=:])"
)
_NAME_REST = re.compile(r"[A-Za-z0-9_.-]{0,64}")
_SEPARATOR = re.compile(
    r"[\"'\\\]`]{0,6}[ \t]{0,4}(?:=>|:=|==?|:(?!//)|%3[dDaA]|\\u003[dD]|&#61;)(?:[ \t]|%20){0,4}"
    r"|[\"'\\]{1,4}[ \t]{0,3},[ \t]{0,3}(?=b?[\"'\\])"
    r"|>(?=[^<\s])"
)
_ARGUMENT = re.compile(r"[\"'\\]{0,3},?[ \t]{1,4}(?=\S)")
_QUOTED = re.compile(r"b?(\\*[\"'])")
_PLAIN_VALUE = re.compile(r"(?:(?!%26|%3[bB]|\\u0026|\\[nrt\"'])[^\s,;&\"'<>|)}`])+")
_ENV_VALUE = re.compile(r"(?:(?!%26|\\[nrt\"'])[^\s&\"'<>`])+")
_LEFT = re.compile(r"[A-Za-z0-9_.%-]{0,64}$")
_INNOCENT_NAME = re.compile(
    r"(?i)tokens|tokeniz|secretar|passwordless|signature_?def|pass_?(?:rate|through|count|at)|token_?(?:count|ids?|len|length|type|"
    r"budget|limit|per|s_|embed|idx|index|level|class|size|shape|dim|prob|drop|mask|bucket|pos|rate|throughput|file|path|url|uri)"
    r"|(?:eos|bos|pad|unk|mask|sep|cls|image|special|max|num|stop|first|per|next|last|new|prompt|output|input|"
    r"start|end|time|decoder|audio|video|total|ms|s)_token$"
    r"|(?:path|file|dir|name|url|uri|type|status|expiry|expires?|expires_in|ttl|scope|age|endpoint|mode|provider)$"
    r"|^google\.auth\."
)
_EXCEPTION_NAME = re.compile(
    r"(?:^|\.)[A-Z]\w*(?:Error|Exception|Warning|Denied|Expired|Required|NotFound|Revoked)$"
)
_INNOCENT_VALUE = re.compile(
    r"(?i)(?:none|null|nil|true|false|unset|empty|missing|required|optional|invalid|expired|undefined|unknown|default|"
    r"yes|no|not|is|was|has|and|or|the|a|an|to|for|in|of|str|string|bytes|int|\*+|x{3,}|\.{2,}|<[^>]*>?|\[redacted\].*|\[|\{|"
    r"\$\{?\w+\}?|%\w+%|-?\d{1,5}|\d*\.\d+)[.,:;!?)\]}]{0,3}$"
)
_KEY_LIKE = re.compile(r"[\"'\\]{0,4}(?=\S{0,64}\d)[\w+=.-]{16}")
_USER_FLAG = re.compile(r"(?<!\S)((?:-u|--user|--proxy-user)[ =][\"']?[\w.@-]{1,64}:)([^\s\"']+)")
_PASSWORD_FLAG = re.compile(
    r"(?<![\w-])((?:sshpass\s{1,4}-p\s{0,4}"
    r"|(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc)\s{1,4}(?:(?:registry|acr|auth)\s{1,4})?login\b"
    r"[^\n]{0,160}?\s-p(?:\s{1,4}|=)?|mysql\w{0,8}\b[^\n]{0,160}?\s-p(?=[^\s-])|redis-cli\b[^\n]{0,160}?\s-a\s{1,4})"
    r"[\"']?)([^\s\"']{3,})"
)
_NETRC = re.compile(
    r"(?i)(\blogin\s{1,4}\S{1,128}\s{1,4}(?:account\s{1,4}\S{1,64}\s{1,4})?password\s{1,4})(\S+)"
)
_LOGIN = re.compile(
    r"(?i)(\b(?:wandb(?:\.exe)?|weave)[\"']?,?[ \t]{1,4}[\"']?login"
    r"(?:[\"']?,?[ \t]{1,4}[\"']?--?[\w=:/.-]{1,64}){0,6}[\"']?,?[ \t]{1,4}[\"']?)"
    r"([A-Za-z0-9_-]{20,})"
)
_FORTY_HEX = re.compile(r"(?i)(?<![0-9a-z/@])[0-9a-f]{40}(?![0-9a-z])")
_NOT_A_KEY = re.compile(
    r"(?i)(?:commit|sha1?|rev(?:ision)?|digest|hash|checkpoint|artifact|run)[\s:=\"'@#(]{0,4}$"
)


def _tokens(text: str) -> str:
    text = _TOKENS.sub(REDACTED, text)
    text = _KEY_LINE.sub(REDACTED, text)
    return _AFTER_KEY_ID.sub(rf"\g<1>{REDACTED}", text)


def _key_blocks(text: str) -> str:
    """A private key from its BEGIN to its END, or as far as its body goes when it is cut off."""
    found = _KEY_BLOCK.search(text)
    if found is None:
        return text
    parts, at = [], 0
    while found is not None:
        parts += [text[at : found.start()], REDACTED]
        body = _KEY_BODY.match(text, found.end())
        at = body.end() if body else found.end()
        end = _KEY_END.match(text, at)
        at = end.end() if end else _back_to_line(text, found.end(), at)
        found = _KEY_BLOCK.search(text, at)
    return "".join([*parts, text[at:]])


def _back_to_line(text: str, start: int, end: int) -> int:
    """A body that was cut off ends with its last long word; what follows may be ordinary log text again."""
    last = start
    for word in re.finditer(r"[A-Za-z0-9+/=\\]{16,}", text[start:end]):
        last = start + word.end()
    return last


def _addresses(text: str) -> str:
    if "@" in text:
        text = _URL_USER.sub(rf"\1\2\3{REDACTED}\5", text)
        text = _URL_TOKEN.sub(lambda m: m[0] if _is_plain(m[2]) else f"{m[1]}{REDACTED}{m[3]}", text)
        text = _DSN.sub(_dsn, text)
    return _URL_ENCODED.sub(rf"\1{REDACTED}\3", text) if "%40" in text else text


def _dsn(found: re.Match[str]) -> str:
    innocent = found[1].lower() in ("mailto:", "acct:", "git:", "ssh:") or found[2].startswith("[redacted")
    return found[0] if innocent or found[3].startswith("@sha256") else f"{found[1]}{REDACTED}{found[3]}"


def _headers(text: str) -> str:
    parts, at = [], 0
    for found in _HEADER.finditer(text):
        if found.start() < at:
            continue
        value = _header_value(text, found)
        parts += [text[at : found.end()], REDACTED if value > found.end() else ""]
        at = value
    text = "".join([*parts, text[at:]])
    text = _COOKIE.sub(rf"\1{REDACTED}", text)
    return _SCHEME.sub(lambda m: m[0] if _is_plain(m[2]) else m[1] + REDACTED, text)


def _header_value(text: str, found: re.Match[str]) -> int:
    """Where the header's value ends: one word, or for schemes with a list the whole list."""
    if text.startswith(REDACTED, found.end()):
        return found.end()
    quote = text[found.end() - 1]
    is_list = _LISTED.search(found[1])
    pattern = r"[^\r\n\"']*" if is_list else r"[^\s\"'\\,;}\])]*"
    if quote in "\"'" and not is_list:
        pattern = r"[^\r\n\"'\\]*"
    value = re.compile(pattern).match(text, found.end())
    return value.end() if value else found.end()


def _named(text: str) -> str:
    """Values of secret-looking names, in every way of writing them."""
    parts, at = [], 0
    found = _NAME.search(text)
    while found is not None:
        after = _NAME_REST.match(text, found.end())
        name_end = after.end() if after else found.end()
        span = None
        if found.start() >= at:
            left = _LEFT.search(text[max(0, found.start() - 64) : found.start()])
            name = (left[0] if left else "") + text[found.start() : name_end]
            span = _value_span(text, name.rstrip("."), found.start() - len(left[0] if left else ""), name_end)
        if span is not None:
            parts += [text[at : span[0]], REDACTED]
            at = span[1]
        found = _NAME.search(text, max(at, found.end()))
    return "".join([*parts, text[at:]])


def _value_span(text: str, name: str, name_start: int, name_end: int) -> tuple[int, int] | None:
    """Where the value of a name stands; None when there is none, or nothing secret about it."""
    if _INNOCENT_NAME.search(name):
        return None
    separator = _SEPARATOR.match(text, name_end)
    is_argument = separator is None
    if separator is None:
        separator = _ARGUMENT.match(text, name_end)
        is_flag = text[name_start : name_start + 1] == "-"
        if separator is None or not (is_flag or (name.isupper() and len(name) > 4)):
            return None
    if name.lower() == "key" and not _KEY_LIKE.match(text, separator.end()):
        return None
    value = _value(
        text, separator.end(), env=name.isupper() and "?" not in text[max(0, name_start - 200) : name_start]
    )
    if value is None:
        return None
    body = text[value[0] : value[1]]
    if _INNOCENT_VALUE.match(body) or body.startswith((REDACTED, "-")):
        return None
    if _EXCEPTION_NAME.search(name) and (body.isalpha() or len(body) < 6):
        return None  # the first word of what the exception says
    if is_argument and not name.startswith("-") and _is_plain(body):
        return None
    if name.lower() in ("pass", "auth", "sig", "pat") and _is_plain(body) and len(body) < 8:
        return None
    if (
        ":" in separator[0]
        and '"' not in separator[0]
        and " " in separator[0]
        and _is_prose(text, value[1], body)
    ):
        return None
    return value


def _value(text: str, start: int, *, env: bool) -> tuple[int, int] | None:
    quote = _QUOTED.match(text, start)
    if quote:
        end = text.find(quote[1], quote.end())
        line_end = text.find("\n", quote.end())
        if end >= 0 and (line_end < 0 or end < line_end) and end > quote.end():
            return quote.end(), end
        start = quote.end()
    found = (_ENV_VALUE if env else _PLAIN_VALUE).match(text, start)
    return (start, found.end()) if found else None


def _is_prose(text: str, end: int, body: str) -> bool:
    """`Invalid token: expected a number` is a sentence, `token: abc123` is not."""
    return (
        body.isalpha() and body.islower() and text[end : end + 1] == " " and text[end + 1 : end + 2].isalpha()
    )


def _is_plain(word: str) -> bool:
    """Whether it reads like a word rather than like a key."""
    letters = re.sub(r"[^A-Za-z0-9]", "", word)
    return (
        letters.isalpha()
        and (letters.islower() or letters.istitle() or letters.isupper())
        and len(letters) < 24
    )


def _commands(text: str) -> str:
    text = _USER_FLAG.sub(rf"\1{REDACTED}", text)
    text = _PASSWORD_FLAG.sub(rf"\1{REDACTED}", text)
    text = _NETRC.sub(rf"\1{REDACTED}", text)
    if "andb" not in text.lower():
        return text
    text = _LOGIN.sub(rf"\1{REDACTED}", text)
    return "\n".join(
        _FORTY_HEX.sub(partial(_unless_commit, line), line) if "andb" in line.lower() else line
        for line in text.split("\n")
    )


def _unless_commit(line: str, found: re.Match[str]) -> str:
    return found[0] if _NOT_A_KEY.search(line[max(0, found.start() - 24) : found.start()]) else REDACTED


_STEPS: tuple[Callable[[str], str], ...] = (_key_blocks, _tokens, _headers, _addresses, _named, _commands)
