"""Finds values behind labels in other languages than English: `Kennwort`, `mot de passe`, `пароль`, `密码`.

Such a label may be of several words, and of letters that names of settings do not have.
"""

import re
from collections.abc import Iterator

from babysitter.redact.names import Name
from babysitter.redact.secret_verdict import is_secret
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

_BLANK = r"[ _.\-]"
# German, Dutch, French, Spanish, Portuguese, Italian, Romanian, Turkish, Polish, Czech, Hungarian, Danish,
# Swedish, Finnish, Russian, Ukrainian, Greek, Chinese, Japanese, Korean, Vietnamese, Thai, Hebrew, Arabic,
# Hindi, Bengali, Persian.
PASSWORDS = (
    rf"passwort|kennwort|zugangsdaten|wachtwoord|mots?{_BLANK}de{_BLANK}passe|contrase(?:ñ|n|ny)as?|senha"
    r"|palavra-passe|parol[aă]|şifre|parola|hasło|heslo|jelszó|adgangskode|lösenord|salasana|пароль"
    r"|κωδικός|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|mật khẩu|รหัสผ่าน|סיסמה|كلمة المرور"
    r"|पासवर्ड|পাসওয়ার্ড|گذرواژه|رمز عبور"
)
KEYS = (
    rf"cl(?:ave|é){_BLANK}(?:secreta|secrète|de{_BLANK}acceso|d['’]accès|privada|privée"
    r"|(?:de l['’]|d['’])?api)"
    rf"|chave{_BLANK}(?:secreta|privada|de{_BLANK}acesso|api)"
    r"|(?:geheim|zugriffs|zugangs|sicherheits|api-)schlüssel"
    r"|ключ(?:а|ом|и|ей)? (?:доступа|api)|api-ключ|ключ(?:а|і|ем)? доступу"
    r"|токен|секретный ключ|令牌|密钥|金鑰|秘钥|アクセスキー|秘密鍵|토큰|비밀 키"
)
# The same as the linear scanner sees it, in lower case and "?" for what is not ASCII.
SIGNS = (
    r"passwort|kennwort|zugangsdaten|wachtwoord|mots?[ _.\-]de[ _.\-]passe|contrase|senha|palavra-passe|parol"
    r"|\?ifre|has\?o|heslo|jelsz|adgangskode|l\?senord|salasana|cl(?:ave|\?)[ _.\-]|chave[ _.\-]|schl\?ssel"
    r"|m\?t kh|\?\?"
)
_LINES = LinearPattern(SIGNS, ignore_case=True)
_LABEL = re.compile(
    rf"(?i)(?:(?P<password>{PASSWORDS})|(?P<key>{KEYS}))(?![a-z]{{0,12}}(?:_hash|_file|datei))"
)
_VALUE = re.compile(
    r"[\w\"'”»`]{0,24}(?: [^\s:=：＝]{1,40}){0,4}\s?[:=：＝]\s{0,4}[\"'“«‘`]?"
    r"(?:[\w.@\-]{1,64} / )?(?P<value>(?:[^\s\"'”»’`,;(（]"
    r"|[(（](?![^\x00-\x7f])){3,512})"  # up to a remark in brackets
)


def find_behind_labels(text: Text) -> Iterator[Span]:
    """Spans of values behind such a label."""
    for start, end in _LINES.lines(text):
        for label in _LABEL.finditer(text.text, start, end):
            found = _VALUE.match(text.text, label.end())
            if found is None or found["value"].startswith(REDACTED):
                continue
            if is_secret(found["value"], _judged(label)):
                yield found.span("value")


def judge_label(name: str) -> Name:
    """How secret the value of a field is whose name is such a label."""
    label = _LABEL.search(name)
    return Name.INNOCENT if label is None else _judged(label)


def _judged(label: re.Match[str]) -> Name:
    return Name.LIKELY_PASSWORD if label["password"] else Name.PROBABLE
