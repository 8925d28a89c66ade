"""Finds credentials in command lines whose options do not say so: `curl -u`, `mysql -p`, `wandb login`."""

import re
from collections.abc import Callable, Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_placeholder
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

_FLAGS = lazy_regex(
    r"(?<![\w-])(?:"
    # user:password behind one flag
    r"(?:-u|--user|--proxy-user|-U|--auth|-a|-auth|--http-user)[ =]{0,8}[\"']?(?!jdbc:|\w{2,16}://)"
    r"(?:[\w.\-]{1,64}(?:\\{1,4}|/(?=[\w.@+\-]{1,64}%)))?[\w.@%+$-]{1,64}[:%]"
    r"|(?:['\"](?:-u|--user)['\"], ['\"])[\w.@%+-]{1,64}:"
    r"|curl\s{1,4}-[a-zA-Z]{1,8}u[\w.@%+-]{1,64}:"
    r"|lftp\s[^\n]{0,80}?-u\s{1,4}[\"']?[\w.@%+-]{1,64},"
    r"|openssl\s{1,4}enc\b[^\n]{0,80}?\s-(?:k|pass)\s{1,4}(?!pass:|env:|file:)[\"']?"
    r"|(?:un)?zip\s[^\n]{0,80}?-\w{0,4}P\s{1,4}[\"']?|7z[ar]?\s{1,4}[a-z]\s[^\n]{0,80}?-p(?=[^\s-])"
    r"|mosquitto_\w{3,4}\s[^\n]{0,120}?\s-P\s{1,4}[\"']?"
    r"|(?:twine|flit)\s[^\n]{0,80}?\s-p\s{1,4}[\"']?|doctl\s[^\n]{0,40}?\s-t\s{1,4}[\"']?"
    r"|ssh-keygen\s[^\n]{0,80}?\s-[NP]\s{1,4}[\"']?|(?:xfreerdp|wlfreerdp|mstsc)\s[^\n]{0,80}?\s/p:[\"']?"
    r"|rabbitmqctl\s[^\n]{0,40}?(?:add_user|change_password)\s{1,4}\S{1,64}\s{1,4}[\"']?"
    r"|mc(?:li)?\s{1,4}(?:alias\s{1,4}set|config\s{1,4}host\s{1,4}add)\s{1,4}(?:\S{1,256}\s{1,4}){3}[\"']?"
    r"|poetry\s{1,4}config\s{1,4}pypi-token\.[\w\-]{1,64}\s{1,4}[\"']?"
    r"|ngrok\s{1,4}(?:config\s{1,4}add-)?authtoken\s{1,4}[\"']?|redis-cli\s[^\n]{0,80}?--pass\s{1,4}[\"']?"
    r"|gh\s{1,4}secret\s{1,4}set\s{1,4}\w{1,64}\s[^\n]{0,60}?(?:--body|-b)[ =]{0,4}[\"']?"
    r"|addauth\s{1,4}digest\s{1,4}[\w.\-]{1,64}:"
    r"|sshpass\s{1,4}-p\s{0,4}[\"']?"
    r"|(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc)\s{1,4}(?:(?:registry|acr|auth)\s{1,4})?login\b"
    r"[^\n]{0,160}?\s-p(?:\s{1,4}|=)?[\"']?"
    r"|mysql\w{0,8}\b[^\n]{0,160}?\s-p(?=[^\s-])[\"']?|redis-cli\b[^\n]{0,160}?\s-a\s{1,4}[\"']?"
    r"|(?:mongo\w{0,8}|clickhouse-client|cqlsh|influx|sqlcmd|snowsql)\b[^\n]{0,160}?\s-[pP]\s{1,4}[\"']?"
    r"|ldap\w{3,8}\b[^\n]{0,160}?\s-w\s{1,4}[\"']?"
    r"|htpasswd\s[^\n]{0,20}-\w{0,4}b\w{0,4}\s{1,4}(?:\S{1,128}\s{1,4}){2}[\"']?"
    r"|snmp\w{3,10}\s[^\n]{0,160}?\s-[cAXaxk]\s{1,4}[\"']?(?!(?:MD5|SHA|AES|DES)\b|\[redacted)"
    r"|ipmitool\s[^\n]{0,160}?\s-P\s{1,4}[\"']?|racadm\s[^\n]{0,160}?\s-p\s{1,4}[\"']?"
    r"|vault\s{1,4}operator\s{1,4}(?:unseal|rekey)\s[^\n]{0,60}?(?=[A-Za-z0-9+/]{40})"
    r"|curl\s[^\n]{0,200}?(?:--(?:proxy-)?cert|-E)\s{1,4}[\"']?"
    r"[\w./~\-]{1,200}\.(?:pem|crt|cer|p12|pfx|key):"
    r"|(?:-passin|-passout|-pass)\s{1,4}pass:|net\s{1,4}use\s[^\n]{0,80}?/user:\S{1,64}\s{1,4}"
    r")((?:[^\s\"'\\]|\\(?!\\*[\"'])){3,512})"
)
SIGNS = (
    r"[\s'\"]-(?:[ua]|auth)\b|--user|--proxy-user|--http-user|--auth|sshpass|login|mysql|redis-cli|mongo|clickhouse|"
    r"cqlsh|influx|sqlcmd|snowsql|ldap|htpasswd|-pass|net +use|\becho\b|\byes |printf|<<<|curl|lftp|sqlplus|"
    r"sqlcl|sqlldr|expdp|impdp|\brman\b|"
    r"openssl|zip\b|\b7z|mosquitto|twine|flit|doctl|ssh-keygen|freerdp|mstsc|rabbitmqctl|"
    r"mc(?:li)? +(?:alias|config)|poetry +config|ngrok|gh +secret|addauth|\bsnmp|ipmitool|racadm|unseal|rekey"
)
_SIGNS = LinearPattern(SIGNS, ignore_case=True)
_ACCOUNT = lazy_regex(
    r"[ =\"'](\d{1,10}:\d{1,10}|(\w{1,32}):\2)$"
)  # `docker run -u 1000:1000`, and no password
# What stands between the words of a command that is written as a list.
_IN_LIST = lazy_regex(
    r"(?<=[\w.%+:/@=\-!?*#~^])(?:\\*[\"']\\*[\"']?,[ ]?\\*[\"']\\*[\"']?|\" a\d{1,3}=\")(?=\S)"  # auditd
)
_OPEN_QUOTE = lazy_regex(r"(?<![^\s=,(])([\"'])[^\"'\n]{0,79}$")
MAX_QUOTED = 120  # further characters of an argument in quotes
_NETRC = lazy_regex(
    r"(?i)\blogin\s{1,16}\S{1,128}\s{1,16}(?:account\s{1,4}\S{1,64}\s{1,4})?password\s{1,16}(\S{1,512})"
)
# Programs of Oracle: `user/password@address`, of which the address stays.
_ORACLE = lazy_regex(
    r"(?i)\b(?:sqlplus|sqlcl|sqlldr|expdp|impdp|rman)\s[^\n]{0,80}?(?<=[\s\"'=])[\w$#]{1,64}/"
    r"\"?([^\s\"'/]{3,256})\"?(?=@(?://)?[\w.\-]{1,253}(?::\d{1,5})?(?:/[\w.\-]{1,128})?(?:[\s\"']|$))"
)
_LOGIN = lazy_regex(
    r"(?i)\b(?:wandb(?:\.exe)?|weave|hf\s{1,2}auth|huggingface-cli|vault|hcp|gh\s{1,2}auth|kaggle|comet|neptune|"
    r"prefect\s{1,2}cloud|modal\s{1,2}token|databricks|cargo|doctl\s{1,2}auth|flyctl\s{1,2}auth|pulumi|op|sentry-cli|wrangler)"
    r"[\"']?,?[ \t]{1,4}[\"']?login"
    r"(?:[\"']?,?[ \t]{1,4}[\"']?--?[\w=:/.-]{1,64}){0,6}[\"']?,?[ \t]{1,4}[\"']?([A-Za-z0-9_.-]{20,})"
)
# Programs that read a password or a token from their standard input.
READS_INPUT = (
    r"(?:sudo\s{1,4}-\w{0,6}S|(?:sudo\s{1,4}(?:-\w{1,8}\s{1,4}){0,3})?"
    r"(?:chpasswd|kinit|passwd|smbpasswd|saslpasswd2|vncpasswd|cryptsetup|ssh-add|mkpasswd|keepassxc-cli|secret-tool)\b|"
    r"(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|gh|glab|helm|cosign|op|az|vault|gpg2?|argocd)"
    r"\b[^\n|]{0,120}?(?:stdin|with-token|passphrase-fd 0)|"
    r"kubectl\s{1,4}create\s{1,4}secret\b[^\n|]{0,160}?/dev/stdin|"
    r"gcloud\s{1,4}secrets\b[^\n|]{0,120}?data-file[ =]-|htpasswd\s{1,4}-\w{0,4}i)"
)
_PIPED = lazy_regex(
    r"\b(?:echo|printf|yes)\s{1,4}(?:-\w{1,2}\s{1,4})?(?:[\"']?%s\S{0,6}\s{1,4})?[\"']?"
    rf"((?<=[\"'])[^\"'|\n]{{3,256}}?|[^\s\"'|]{{3,256}}?)(?:\\n)?[\"']?\s{{0,4}}\|\s{{0,4}}{READS_INPUT}"
)
# What a shell gives to a program in a string: `sudo -S id <<< '...'`.
_HERE_STRING = lazy_regex(rf"{READS_INPUT}[^\n|]{{0,160}}?<<<\s{{0,4}}(?:\\*\$?[\"'])?([^\s\"'\\]{{3,512}})")


FindInLine = Callable[[str, int, int], Iterator[Span]]  # the text, start and end of the line


def find_in_commands(text: Text) -> Iterator[Span]:
    """Spans of passwords and keys that a command line carries."""
    for start, end in _SIGNS.lines(text):
        yield from find_in_words(text.text, start, end, _in_line)
        for found in _NETRC.finditer(text.text, start, min(len(text.text), end + 1_000)):
            yield from _unless_placeholder(found)


def find_in_words(text: str, start: int, end: int, find: FindInLine) -> Iterator[Span]:
    """What `find` finds in a command line, also in one that is written as a list of words."""
    yield from find(text, start, end)
    if _IN_LIST.search(text, start, end) is not None:
        words = _IN_LIST.sub(lambda sign: " " * len(sign[0]), text[start:end])
        yield from ((start + begin, start + stop) for begin, stop in find(words, 0, len(words)))


def _in_line(text: str, start: int, end: int) -> Iterator[Span]:
    patterns = [_FLAGS, _LOGIN]
    if text.find("@", start, end) >= 0:
        patterns.append(_ORACLE)
    if text.find("|", start, end) >= 0:
        patterns.append(_PIPED)
    if text.find("<<<", start, end) >= 0:
        patterns.append(_HERE_STRING)
    for pattern in patterns:
        for found in pattern.finditer(text, start, end):
            for span in _unless_placeholder(found):
                yield _to_closing_quote(text, found.start(), span, end)


def _to_closing_quote(text: str, start: int, span: Span, end: int) -> Span:
    """The span with the words behind it, when an argument in quotes goes on: `-N 'two words'`."""
    opened = _OPEN_QUOTE.search(text, max(start, span[0] - 80), span[0])
    if opened is None or text[span[1] : span[1] + 1] != " ":
        return span
    closing = text.find(opened[1], span[1], min(end, span[1] + MAX_QUOTED))
    is_argument = closing >= 0 and text[closing + 1 : closing + 2] in (
        "",
        " ",
        "\n",
        ";",
        ")",
        ",",
        "|",
        opened[1],
    )
    return (span[0], closing) if is_argument else span


def _unless_placeholder(found: re.Match[str]) -> Iterator[Span]:
    if _ACCOUNT.search(found[0]) is not None:
        return
    if not is_placeholder(found[1]) and REDACTED not in found[1]:
        yield found.span(1)
