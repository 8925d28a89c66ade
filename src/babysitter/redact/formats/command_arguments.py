"""Finds passwords among the arguments of programs: behind an option of a single letter, or by their position.

The table says for each program which options are followed by a secret and which of its other words is one.
Options that say so themselves (`--password`) are read by `named.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.formats.command_lines import find_in_words
from babysitter.redact.settings.names import Name
from babysitter.redact.settings.secret_verdict import is_secret
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

MAX_WORDS = 24  # of one command
SHORTEST = 3  # characters
SHORTEST_BEHIND_LETTER = 4


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its subcommands, as a regex of RE2 in lower case.

    `options`: letters whose word is a secret; `takes`: letters of other options that are followed by a word.
    `position`: which word behind the program and its options is secret, from 1; 0 for none. `needs`: a letter
    without which the program does not read a secret there.
    """

    words: str
    options: str = ""
    takes: str = ""
    position: int = 0
    needs: str = ""
    judged: Name = Name.LIKELY_PASSWORD


PROGRAMS = (
    # Files of passwords: https://httpd.apache.org/docs/2.4/programs/htpasswd.html, mosquitto_passwd(1)
    Program("htpasswd", takes="Cr", position=3, needs="b", judged=Name.PASSWORD),
    Program("mosquitto_passwd", position=3, needs="b", judged=Name.PASSWORD),
    Program("doveadm pw", options="p"),
    Program("doveadm auth (?:test|login)", position=2),
    Program("(?:ejabberdctl|prosodyctl) register", position=3),
    Program("wpa_passphrase", position=2),
    # Accounts of a machine or of a domain
    Program("net user", position=2),
    Program(r"net use (?:[a-z*]:? )?\\\\\S+", position=1),
    Program("samba-tool user (?:create|add)", position=2),
    Program("(?:useradd|usermod|adduser)", options="p", takes="cdeGgksuLl"),
    Program("dscl \\S+ -passwd", position=2),
    Program("security unlock-keychain", options="p"),
    Program("security set-key-partition-list", options="k", takes="Ss"),
    Program("security add-(?:generic|internet)-password", options="w", takes="aslDjr"),
    Program("ipmitool(?: \\S+){0,10} user set password", position=2),
    Program("fence_[a-z0-9]+", options="p", takes="alionz"),
    Program("(?:ilorest login|ncftp(?:put|get|ls)?|rdesktop|evil-winrm|psexec(?:64)?)", options="p"),
    Program("(?:nxc|netexec|crackmapexec)", options="p", takes="udH"),
    # Databases
    Program("influx", options="tp", takes="bofunr"),
    Program("(?:mariadb[a-z-]*|cypher-shell|rabbitmqadmin|beeline|arangosh)", options="p"),
    Program("(?:couchbase-cli|asadm|aql)", options="p"),
    Program("(?:isql|osql|tsql|bcp|sqlcmd)", options="P", takes="USDHpd"),
    Program("mysqladmin(?: -\\S+(?: [a-z]+)?){0,4} password", position=1),
    Program("vsql", options="w", takes="UdhpcC"),
    Program("elasticsearch-users (?:useradd|passwd)", options="p", takes="r"),
    Program("kadmin(?:\\.local)?", options="w", takes="pqrsck"),
    Program("ldap(?:passwd|search|add|modify|whoami|delete)", options="wsa", takes="DHbhp"),
    Program("smbclient", takes="UcpWI", position=2),
    Program("radtest", takes="dPt", position=2),
    Program("radtest", takes="dPt", position=5),
    Program("radclient", takes="cdfnprtS", position=3),
    # Clusters, registries and services
    Program("pulumi config set --secret", position=2, judged=Name.PASSWORD),
    Program("pulumi config set", position=2, judged=Name.CHOSEN),
    Program("cf login", options="p", takes="uaos"),
    Program("cf auth", position=2),
    Program("rancher login", options="t"),
    Program("conan (?:user|remote login)", options="p", takes="r"),
    Program("cloudflared(?: tunnel)? service install", position=1, judged=Name.PROBABLE),
    Program("composer config(?: --[a-z]+){0,2} http-basic\\.\\S+", position=2),
    Program("poetry config http-basic\\.\\S+", position=2),
    Program("nuget(?:\\.exe)? setapikey", position=1, judged=Name.PROBABLE),
    Program("(?:dotnet )?nuget push", options="k", takes="s", judged=Name.PROBABLE),
    Program("rclone obscure", position=1),
    Program("bw unlock", position=1),
    Program("bw login", position=2),
    Program("ansible-vault encrypt_string", takes="n", position=1),
    Program("drush (?:upwd|user:password|user-password)", position=2),
    Program("grafana[ -]cli(?: \\S+){0,4} reset-admin-password", position=1),
    Program("airflow users (?:create|reset-password)", options="p", takes="uferl"),
    # Object stores: the id of a key and the key
    Program("(?:ossutil(?:64|mac64)?|obsutil)", options="kt", takes="iecL"),
    Program("(?:mc|mcli) (?:alias set|config host add)", position=3, judged=Name.CHOSEN),
    Program("coscmd config", options="s", takes="abremp"),
    Program("qshell account", position=2, judged=Name.PROBABLE),
    Program("b2 (?:authorize-account|account authorize)", position=2, judged=Name.PROBABLE),
    # Services whose client takes a token behind a letter
    Program("codecov(?:cli)?", options="t", takes="fFrcns"),
    Program("(?:flyctl|vercel|k6 login cloud|glab auth login)", options="t"),
    Program("(?:vsce|ovsx) publish", options="p"),
    # Licences, and the seed of one-time codes: https://oath-toolkit.codeberg.page/oathtool.1.html
    Program("slmgr(?:\\.vbs)? [/-]ipk", position=1, judged=Name.PROBABLE),
    Program("oathtool", takes="dcsSwN", position=1),
    # Archives
    Program("(?:rar|unrar) [a-z]+", options="hp"),
)
SIGNS = "|".join(sorted({program.words.replace(" ", " +") for program in PROGRAMS}))
_SIGNS = LinearPattern(SIGNS, ignore_case=True)
_PROGRAMS = tuple(
    (program, lazy_regex(rf"(?i)(?<![\w.\-]){program.words.replace(' ', ' {1,4}')}(?:\.exe)?(?=[ \t])"))
    for program in PROGRAMS
)
_WORD = lazy_regex(
    r"[ \t]{1,40}(?:\"(?P<double>[^\"\n]{0,512})\"|'(?P<single>[^'\n]{0,512})'"
    r"|(?P<bare>(?![|;<>&])[^\s\"']{1,512}))"
)
_LONG_OPTION = lazy_regex(r"[a-z\-]{3,}(?:=|$)")


def find_in_arguments(text: Text) -> Iterator[Span]:
    """Spans of the passwords among the arguments of the programs of the table."""
    for start, end in _SIGNS.lines(text):
        yield from find_in_words(text.text, start, end, _in_line)


def _in_line(text: str, start: int, end: int) -> Iterator[Span]:
    for program, pattern in _PROGRAMS:
        for found in pattern.finditer(text, start, end):
            yield from _secrets(program, text, found.end(), end)


def _secrets(program: Program, text: str, at: int, end: int) -> Iterator[Span]:
    letters, place, option = "", 0, ""
    for _ in range(MAX_WORDS):
        found = _WORD.match(text, at, end)
        if found is None:
            return
        at = found.end()
        span = found.span(found.lastgroup or 0)
        word = text[span[0] : span[1]]
        if option:
            if option in program.options:
                yield from _unless_innocent(text, span, Name.PASSWORD)
            option = ""
        elif word[:1] == "-" or (word[:1] == "/" and program.words.startswith("net ")):
            if word[1:2].isalpha():
                letters += word[1:]
                yield from _behind_letter(program, text, span)
                option = word[-1] if word[-1] in program.options + program.takes else ""
        else:
            place += 1
            is_read = not program.needs or program.needs in letters
            # Without a file (`htpasswd -n`) the words move up.
            if is_read and place == program.position - (program.needs != "" and "n" in letters):
                yield from _unless_innocent(text, span, program.judged)


def _behind_letter(program: Program, text: str, span: Span) -> Iterator[Span]:
    """`-pSECRET`, `-p=SECRET`: the word goes on behind the letter."""
    start, end = span[0] + 2, span[1]
    if text[start - 1] in program.options and text[start : start + 1] == "=":
        yield from _unless_innocent(text, (start + 1, end), Name.PASSWORD)
        return
    is_long = _LONG_OPTION.match(text, start, end) is not None
    if text[start - 1] in program.options and end - start >= SHORTEST_BEHIND_LETTER and not is_long:
        yield from _unless_innocent(text, (start, end), Name.LIKELY_PASSWORD)


def _unless_innocent(text: str, span: Span, judged: Name) -> Iterator[Span]:
    value = text[span[0] : span[1]]
    if len(value) < SHORTEST or value[0] in "-/$" or REDACTED in value:
        return
    if is_secret(value, judged):
        yield span
