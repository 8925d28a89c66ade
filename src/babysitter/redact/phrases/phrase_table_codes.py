"""Secrets of digits: one-time codes, PINs, codes of doors, numbers of cards."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

# German, Dutch, Scandinavian, French, Spanish, Portuguese, Italian, Polish, Czech, Turkish, Finnish,
# Indonesian, Vietnamese, Russian, Chinese, Japanese, Korean.
_CODE_WORDS = (
    r"(?:bestätigungs|sicherheits|einmal|zugangs|anmelde|prüf)-?(?:code|kennwort|passwort)|einmalpin"
    r"|(?:verificatie|beveiligings|toegangs)code|(?:verifierings|bekreftelses|bekræftelses|engångs|engangs)ko[dd]e?n?"
    r"|code (?:de |d['’])(?:vérification|confirmation|sécurité|validation|accès|connexion)|code à"
    r" usage unique"
    r"|código de (?:verificación|confirmación|seguridad|acceso|verificação|confirmação|segurança)"
    r"|codice (?:di (?:verifica|conferma|sicurezza|accesso)|otp|monouso)|kod (?:weryfikacyjny|dostępu|sms)"
    r"|ověřovací kód|(?:doğrulama|onay) kodu|vahvistuskoodi|kode (?:verifikasi|otp)|mã (?:xác (?:nhận|thực"
    r"|minh)|otp)"
    r"|код (?:подтверждения|доступа|авторизации|безопасности|підтвердження)|одноразов\w{2,3} (?:код|пароль)"
    r"|动态(?:口令|密码)|動態密碼|(?:验证|驗證|校验|认证|授权)码|驗證碼|一次性(?:密码|口令)"
    r"|(?:認証|確認|検証)コード|ワンタイムパスワード|暗証番号|(?:인증|확인) ?(?:번호|코드)|일회용 ?비밀번호"
)
# The same as the linear scanner sees it, in lower case and "?" for what is not ASCII.
_CODE_HINT = (
    r"(?:(?:gs|ts|al|ie|fs|f-)-?(?:code|kennwort|passwort)|einmal|ko[dt][a-z]*|c.digo de [a-z?]+|codice"
    r" [a-z ]+|code d[a-z'? ]+|code . usage|m. [a-z?]+|koodi|kode [a-z]+|\?\?)[^\n0-9]*[0-9]{3}"
)
_DOORS = (
    r"(?:door|gate|entry|entrance|alarm|safe|lock-?box|padlock|garage|building|keypad|rack|cabinet|cage"
    r"|elevator)"
)
# A full stop or a colon ends a sentence; before a digit or a letter it makes a number or an address.
_END = r"(?![\w\-]|[.:]\w)"
_OF_CODES = (
    r"(?:verification|confirmation|security|access|log-?in|sign-?in|authentication|authorization"
    r"|one[- ]time|sms|2fa|mfa|otp|two-factor|recovery)"
)
CODES = (
    phrase(
        "one-time-code",
        "otp|mfa|2fa|code is|code=|code: |codes: |code for|code of|unlock code|pin |pin:|pin=|passcode",
        r"(?:(?:(?i:\b(?:otp|totp|mfa|2fa|verification|backup|recovery|unlock|one-time|sms|login|confirmation)"
        r"(?:[ _\-](?:backup|recovery))?(?:[ _\-](?:code|pin|passcode))?s?)|\bPIN)"
        r"(?: for \S{1,64})?(?:\s?(?:is|was|[:=])\s?|\s)"
        r"|\b(?i:pin|passcode|(?:verification|backup|recovery|unlock|one-time|security|access|door|sms) code)"
        r"(?: (?:for|of|to)(?: [^\s:=]{1,40}){1,6}?)?\s?(?:is|was|lautet|ist|[:=])\s?)"
        rf"(?P<value>\d{{6,10}}(?:[ ,]{{1,2}}\d{{6,10}}){{0,15}}){_END}",
        Name.LIKELY_PASSWORD,
        hint=r"(?:otp|mfa|2fa|code|pin)s?(?: (?:for|of|to)(?: [^ \n:=]+)+)?"
        r"(?: ?(?:is|was|lautet|ist|[:=]) ?| )[0-9]{6}",
    ),
    phrase(
        "one-time-code-in-another-language",
        "gscode|gs-code|tscode|fcode|anmelde|tiecode|code d|code ? usage|kod|codice |digo |m? |einmal|??",
        rf"(?i)(?:{_CODE_WORDS})\w{{0,3}}[^\d\n]{{0,24}}?(?<!\d)(?P<value>\d{{3}}[ \-]\d{{3}}|\d{{4,8}})"
        r"(?![\w\-]|[.:]\d)",
        Name.LIKELY_PASSWORD,
        hint=_CODE_HINT,
    ),
    phrase(  # `G-123456 is your ... code`
        "one-time-code-before-its-name",
        " is your | is my |ist ihr |ist dein |est votre |est ton | es tu | es su |"
        " ? o seu | ? a sua |il tuo ",
        r"(?<![\w.:\-])(?:[A-Z]{1,3}-)?(?P<value>\d{3}[ \-]\d{3}|\d{4,8}) (?:is|ist|est|es|é|è) "
        r"(?i:your|the|my|our|a|ihr|dein|votre|ton|tu|su|seu|sua|il tuo) (?:[\w'’.\-]{1,24} ){0,3}?"
        rf"(?i:(?:{_OF_CODES}) (?:pass)?code|otp|one[- ]time (?:code|pin|password|passcode)|passcode|pin"
        rf"|{_CODE_WORDS})\b",
        Name.LIKELY_PASSWORD,
        hint=r"[0-9]{3} (?:is|ist|est|es|.) [^\n]*(?:code|pin|otp|pass|kod|c.d)",
    ),
    phrase(  # `your login code is ...`, also of four digits
        "code-of-yours",
        "code is |code: |code for|code =|code=|code to",
        rf"(?i)\b(?:your|the) (?:[\w'’.\-]{{1,24}} ){{0,2}}?(?:{_OF_CODES}|launch|unlock|pairing|device"
        rf"|activation|sign-?up)"
        r" (?:pass)?code(?: (?:for|of|to)(?: [^\s:=]{1,40}){1,6}?)?(?: is|:|=) ?(?P<value>\d{4,10})"
        rf"{_END}",
        Name.LIKELY_PASSWORD,
        hint=r"(?:your|the) [^\n]*code[^\n]*(?:is|:|=) ?[0-9]{4}",
    ),
    phrase(  # RFC 8628: what somebody types on another machine, of capital letters and digits
        "code-to-enter",
        "the code |this code |code: |code is |enter code |your code |user_code|user code|following code",
        r"(?:(?i:\b(?:enter|typ(?:e|ing)|use|using|with|copy|confirm|input)\b[^\n]{0,60}?"
        r"(?<!exit )(?<!status )(?<!error )(?<!return )\bcode:? (?:is )?)(?=[\"'`\[*]{0,3}[A-Z\-]{0,16}\d)"
        r"|(?i:\b(?:user|device|pairing|confirmation|sign-?in|log-?in|auth\w{0,9}|one-time|your)[ _]"
        r"(?:pass)?code[\"']?(?: is|\s?[:=])\s?))[\"'`\[*]{0,3}"
        r"(?P<value>(?=\d{0,12}[A-Z])(?=[A-Z]{0,12}\d)[A-Z0-9]{6,12}"
        r"|(?=\d{0,5}[A-Z])[A-Z0-9]{4,5}-[A-Z0-9]{4,5})(?![\w\-])",
        hint=r"code[\"']?(?: is)?[:= ]+[\"'`\[*]*[a-z0-9\-]{6,12}(?:[^a-z0-9\-]|$)",
    ),
    phrase(
        "option-of-code",
        "-code|--otp|--totp|--passcode|-password",
        r"(?i)--(?:token|mfa|otp|totp|2fa|auth|verification|one-time)-?(?:code|password|pass)?"
        r"(?:[ =]|[\"'], ?)[\"']?(?P<value>\d{6,10})(?![\w.\-])",
        hint=r"--[a-z0-9\-]+(?:[ =]|[\"'], ?)[\"']?[0-9]{6}",
    ),
    phrase(  # what a program asks for, and what somebody has typed
        "prompt-for-code",
        "passcode|verification|one-time|one time|mfa|otp|2fa|duo |authenticator|two-factor|login code"
        "|access code|security code",
        r"(?i)\b(?:passcode|(?:mfa|otp|2fa|totp|duo|token|authenticator|two-factor)(?: app)? (?:code|pin)"
        rf"|(?:{_OF_CODES}) (?:pass)?code|one[- ]time (?:password|passcode)|verification)\b"
        r"[^\n:]{0,60}(?:arn:\S{1,160})?[^\n:]{0,20}: ?(?P<value>\d{6,10})[ \t]*$",
        hint=r"(?:code|password|pin|verification)\b[^\n]*: ?[0-9]{6}",
    ),
    phrase(  # four digits and more, or groups of three
        "pin-of-few-digits",
        'pin |pin:|pin=|pins |pin"',
        r"(?i)(?<![\w\-.])pins?(?: code| number)?(?: (?:for|of|to)(?: [^\s:=]{1,40}){1,4}?)?"
        r"(?: (?:is|was|are) | ?[:=] ?)(?P<value>\d{4,12}|\d{3}(?:-\d{3}){1,3})"
        rf"{_END}",
        Name.LIKELY_PASSWORD,
        hint=r"\bpins?\b[^\n]*[0-9]{3}",
    ),
    phrase(  # under any name; fewer digits are a pin of a chip
        "pin-of-a-setting",
        "pin",
        r"(?:_pin|[a-z]Pin|_PIN)\\*[\"']?\s?[:=]\s?\\*[\"']?(?P<value>\d{6,12})(?![\w.:\-])",
        Name.LIKELY_PASSWORD,
        hint=r"[a-z_]pin\\*[\"']? ?[:=] ?\\*[\"']?[0-9]{6}",
    ),
    phrase(
        "code-of-a-door",
        "door |gate c|gate p|entry c|entry p|entrance |alarm |safe c|keypad|padlock|garage|building c"
        "|rack c|cabinet c|cage c|lockbox|lock-box|elevator",
        rf"(?i)\b(?:{_DOORS} (?:code|pin|combination|combo)|alarm off)(?: (?:is|was)| ?[:=])? ?"
        rf"(?P<value>\d{{4,8}}[#*]?|\d{{2,4}}(?:-\d{{2,4}}){{1,3}}[#*]?){_END}",
        Name.LIKELY_PASSWORD,
        hint=rf"(?:{_DOORS} (?:code|pin|combination|combo)|alarm off)(?: is| was)? ?[:=]? ?[0-9]",
    ),
    phrase(  # ISO/IEC 7812: a card's number has 15 to 19 digits
        "card-number",
        'pan=|pan:|pan |pan"|card n|card:|card=|card #|card_n|card-n|cardn|ccn|cc_num|cc=|credit',
        r"(?i)(?<![\w\-])(?:pan|card(?:[ _\-]?(?:number|no|num|nr))?|ccn|cc(?:[_\-]?num(?:ber)?)?"
        r"|credit[ _\-]?card(?:[ _\-]?(?:number|no|num))?)[\"']?(?: (?:is|was))?\s?[:=#]?\s?[\"']?"
        r"(?P<value>\d{4}(?P<gap>[ \-]?)\d{4}(?P=gap)\d{4}(?P=gap)\d{3,7}"
        r"|3[47]\d{2}(?P<amex>[ \-]?)\d{6}(?P=amex)\d{5})(?![\w.\-])",
        hint=r"(?:pan|card|ccn|cc)[^\n0-9]*[0-9]{4}[ \-]?[0-9]{4,6}",
    ),
)
