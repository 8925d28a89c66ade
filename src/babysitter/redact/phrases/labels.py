"""Finds values behind labels in other languages than English: `Kennwort`, `mot de passe`, `пароль`, `密码`.

Such a label may be of several words, and of letters that names of settings do not have.
"""

import re
from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name
from babysitter.redact.settings.secret_verdict import is_secret
from babysitter.redact.settings.value_shapes import is_placeholder
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

_BLANK = r"[ _.\-]"
# German, Dutch, French, Spanish, Portuguese, Italian, Romanian, Turkish, Polish, Czech, Hungarian, Danish,
# Swedish, Norwegian, Finnish, Estonian, Lithuanian, Slovenian, Serbian, Indonesian, Russian, Ukrainian,
# Greek, Chinese, Japanese, Korean, Vietnamese, Thai, Hebrew, Arabic, Hindi, Bengali, Persian.
PASSWORDS = (
    rf"passwort|kennwort|zugangsdaten|wachtwoord|mots?{_BLANK}de{_BLANK}passe|contrase(?:ñ|n|ny)as?|senha"
    r"|palavra-passe|parol[aă]|şifre|\bsifre|\bhas[łl](?:o|a|em)\b|heslo|jelsz[óo]|adgangskode|kodeord|l[öo]senord"
    r"|passord|salasana|parool|slapta[žz]od|\bgeslo\b|lozink|zaporka|kata (?:sandi|laluan)|\blosung\b"
    r"|пароль|парол[ауіе]|лозинк"
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
# Words that also mean a key, a process or a rule: only a value that looks chosen as a password counts.
AMBIGUOUS = r"\b(?:claves?(?! (?:prim|for|púb|dupl))|chave|mdp|sandi)(?![a-z])"
# The same as the linear scanner sees it, in lower case and "?" for what is not ASCII.
SIGNS = (
    r"passwort|kennwort|zugangsdaten|wachtwoord|mots?[ _.\-]de[ _.\-]passe|contrase|senha|palavra-passe|parol"
    r"|[?s]ifre|\bhas[l?][oae]|heslo|jelsz|adgangskode|kodeord|l[o?]senord|passord|salasana|parool|slapta.od|\bgeslo"
    r"|lozink|zaporka|kata (?:sandi|laluan)|sandi\b|losung|\bmdp\b|\bclave|cl\?[ _.\-]|\bchave|schl\?ssel"
    r"|m\?t kh|\?\?"
)
_LINES = LinearPattern(SIGNS, ignore_case=True)
_LABEL = lazy_regex(
    rf"(?i)(?:(?P<password>{PASSWORDS})|(?P<key>{KEYS})|(?P<ambiguous>{AMBIGUOUS}))(?![a-z]{{0,12}}(?:_hash|_file|datei))"
)
_VALUE = lazy_regex(
    r"[\w\"'”»`]{0,24}(?: [^\s:=：＝]{1,40}){0,4}?\s{0,8}(?:[\-=]>|→|[:=：＝│|])\s{0,8}[\"'“«‘`]?"
    r"(?:[\w.@\-]{1,64} / )?(?P<value>(?:[^\s\"'”»’`,;(（]"
    r"|[(（](?![^\x00-\x7f])){3,512})"  # up to a remark in brackets
)
# A plain word alone behind a sign, but for what becomes of a password: `falsch`, `incorrecta`, `verkeerd`.
_ALONE = lazy_regex(r"[\"'”»`]?[.,;]?[ \t]*(?:\n|$)")
_PLAIN_WORD = lazy_regex(r"[a-z\u00df-\u017f]{5,20}(?:-[a-z\u00df-\u017f]{3,20}){0,3}")
_WHAT_BECOMES = lazy_regex(
    r"in[ck]or|[a-z]*(?:valid|gültig|ogiltig|vigtig)|falsc?[hok]|fals[aoe]|verkeer|fout|onjuist|abgelauf|verlop"
    r"|expir|scadut|caduc|venci|vypr|lejár|requ?i|erforder|verplicht|obligat|benötig|fehl|missing|manqu|falt|manca"
    r"|ontbreek|brak|chyb|leer|vide|vuot|vac[ií]|vazi|leeg|pust|prázd|geänder|gewijzig|chang|modif|cambi|alter|zmien"
    r"|změn|akzept|accept|ac?cett|aceit|verweig|refus|rejet|rechaz|rejeit|rifiut|geweiger|denied|niep|niewa|nepl|nespr|błęd|špat"
    r"|yanlış|hatal|geçersiz|hibás|väär|fel|feil|forkert|wrong|gesetz|défin|establec|defin|impost|ingesteld|ustaw"
    r"|nasta|ayarl|verborg|masqu|ocult|nascost|escond|ukry|skry|gizli|xxxx|unbek|inconn|desconoc|sconosc|onbek|niezn"
    r"|bitte|please|siehe|voir|véase|zie|olvid|oubli|esquec|dimentic|vergess|vergeten|correct|corrett|richtig|juist"
    r"|valor|wert|value|word"
)


def find_behind_labels(text: Text) -> Iterator[Span]:
    """Spans of values behind such a label."""
    for start, end in lines_with_labels(text):
        for label in _LABEL.finditer(text.text, start, end):
            found = _VALUE.match(text.text, label.end())
            if found is None or found["value"].startswith(REDACTED):
                continue
            if is_secret(found["value"], _judged(label)) or (
                label["password"] and _is_word_alone(text.text, found)
            ):
                yield found.span("value")


def _is_word_alone(text: str, found: re.Match[str]) -> bool:
    """Whether the value is a plain word that ends its line, and none that tells what became of a password."""
    value = found["value"].rstrip(".")
    is_word = _PLAIN_WORD.fullmatch(value) is not None and _WHAT_BECOMES.match(value) is None
    return is_word and not is_placeholder(value) and _ALONE.match(text, found.end()) is not None


def lines_with_labels(text: Text) -> tuple[Span, ...]:
    """The lines in which such a label stands, without their newlines; read once for each text."""
    return text.once(_labelled)


def _labelled(text: Text) -> tuple[Span, ...]:
    return tuple(line for line in _LINES.lines(text) if _LABEL.search(text.text, *line) is not None)


def judge_label(name: str) -> Name:
    """How secret the value of a field is whose name is such a label."""
    label = _LABEL.search(name)
    return Name.INNOCENT if label is None else _judged(label)


def _judged(label: re.Match[str]) -> Name:
    if label["ambiguous"]:
        return Name.CHOSEN
    return Name.LIKELY_PASSWORD if label["password"] else Name.PROBABLE
