"""Labels in other languages than English."""

import pytest

from babysitter.redact import REDACTED, redact, redact_value

WORD = "Quartz_maple830"
LABELS = ["Passwort", "Kennwort für ada", "wachtwoord", "mot de passe ", "MOT_DE_PASSE", "contraseña"]
LABELS += [
    "Mot de passe de l'utilisateur ada",
    "senha do banco",
    "parola",
    "şifre",
    "hasło",
    "heslo",
    "jelszó",
]
LABELS += ["lösenord", "salasana", "пароль", "Пароль пользователя ada", "密码", "数据库密码", "パスワード"]
LABELS += ["비밀번호", "mật khẩu", "סיסמה", "haslo", "sifre", "jelszo", "losenord", "passord", "kodeord"]
LABELS += [
    "parool",
    "geslo",
    "lozinka",
    "zaporka",
    "slaptažodis",
    "kata sandi",
    "парола",
    "Losung",
    "mdp",
    "clave",
]


@pytest.mark.parametrize("label", LABELS)
def test_password_behind_a_label_is_redacted(label: str):
    for text in (
        f"{label}: {WORD}",
        f"{label}={WORD} db",
        f'{{"{label}": "{WORD}"}}',
        f"INFO {label}：{WORD}",
    ):
        assert WORD not in redact(text)
    assert redact_value({label: WORD}) == {label: REDACTED}


@pytest.mark.parametrize(
    "sentence",
    [
        "Das Kennwort für den Speicher lautet {}, bitte löschen",
        "Le mot de passe du serveur est « {} »",
        "La contraseña del clúster es {}.",
        "A senha do banco agora é {} e o host é b-2",
        "password dell'utente ada: {} / nota",
        "Lösenordet till databasen är {}",
        "Das Passwort wurde von {} auf {}2 geändert",
        "数据库的密码是{}",
        "クラスタのパスワードは「{}」です。",
        "パスワード「{}」を使う",
        "管理员密码是【{}】。",
        "सर्वर का पासवर्ड {} है",
        "비밀번호는 {} 입니다",
        "пароль — {}, не забудь",
        "Kennwort {} eingeben",
        "la clave del almacén es {}",
        "a chave do cofre agora é {}",
        "lozinka za bazu je {}",
        "Passordet til noden er {}",
        "kata sandi basis data adalah {}",
        'Anmeldung: Benutzer "ada", Losung "{}"',
    ],
)
@pytest.mark.parametrize("word", [WORD, "!Maple830", "Quartz2031#"])
def test_password_that_a_sentence_says_is_redacted(sentence: str, word: str):
    shown = redact(sentence.format(word, word))
    assert word[:8] not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("Das Kennwort der Station lautet Wiesengrund41 bis Montag", "Wiesengrund41"),
        ("mot de passe « Granit-2041 » expiré", "Granit-2041"),
        ("login=ada mdp=7KwtrBnQz base=x", "7KwtrBnQz"),
        ("La contraseña de mlflow será Granito283 desde el lunes", "Granito283"),
        ("błąd: hasło Granit055 nie pasuje", "Granit055"),
        ("ошибка: пароль Granit242 узел gpu-12", "Granit242"),
        ("비밀번호는 Granit097 입니다", "Granit097"),
        ("heslo k úložišti je Granit193", "Granit193"),
        ("Das Kennwort wird Granit2041 lauten", "Granit2041"),
    ],
)
def test_word_with_digits_that_nothing_else_can_be_is_redacted(text: str, password: str):
    assert password not in redact(text)


@pytest.mark.parametrize(
    "table",
    [
        "Benutzer | Kennwort | Seit\nada | {} | heute",
        "usuario  contraseña       notas\nada      {}  ninguna",
        "| ユーザー | パスワード |\n|---|---|\n| ada | {} |",
        "логин | пароль\nada   | {}",
        "Benutzer;Passwort;Ort\nada;{};B",
    ],
)
def test_cell_below_a_label_is_redacted(table: str):
    assert WORD not in redact(table.format(WORD))


@pytest.mark.parametrize("sign", ["->", " -> ", " => ", " → ", " | "])
def test_password_behind_an_arrow_is_redacted(sign: str):
    assert WORD not in redact(f"şifre{sign}{WORD} (2/5)")
    assert WORD not in redact(f"Kennwort für ada{sign}{WORD}")


@pytest.mark.parametrize(
    "line",
    ["contraseña del nodo: manzanilla", "Kennwort: regenschirm", "heslo = lokomotiva.", "hasło: parasol"],
)
def test_plain_word_alone_behind_a_label_is_redacted(line: str):
    assert redact(line).startswith(line.split(" ")[0])
    assert redact(line).rstrip(".").endswith(REDACTED)


MORE_KEYS = ["Clé d'API ", "clé d’accès", "clé de l'API", "Zugangsschlüssel", "ключ доступа"]


@pytest.mark.parametrize(
    "label", ["токен", "令牌", "clave de acceso", "clave_secreta", "chave secreta", *MORE_KEYS]
)
def test_key_behind_a_label_is_redacted(label: str):
    assert WORD not in redact(f"{label}: {WORD}")


@pytest.mark.parametrize(
    "text",
    [
        "Passwort vergessen? Hier klicken",
        "Das Passwort muss mindestens 8 Zeichen lang sein",
        "Das Passwort ist seit 2026-10-01 abgelaufen",
        "Le mot de passe est valable 90-jours sur gpu-17",
        "mot de passe : ********",
        "contraseña incorrecta",
        "contraseña: incorrecta",
        "hasło: nieprawidłowe",
        "heslo: neplatné",
        "mot de passe : requis",
        "mot de passe : voir le manuel",
        "clave: valor",
        "пароль неверный",
        "पासवर्ड में 8 अक्षर",
        "パスワードは12文字以上です",
        "Passwort für ada wurde vor 12 Tagen geändert",
        "密码错误",
        "das Passwort lautet anders als auf node-12",
        "clave primaria: user_12ab",
        "mdp: GridWorld-v0",
        "MDP with 12 states and gamma=0.99",
        "Losung gefunden in 12 Schritten",
        "Lösung: x12=3.5",
        "パスワードが違います",
        "100%|██████████| 12/12 [00:01<00:00]",
    ],
)
def test_sentence_about_a_password_stays(text: str):
    assert redact(text) == text
