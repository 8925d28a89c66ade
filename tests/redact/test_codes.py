"""Secrets of digits: one-time codes, PINs, codes of doors, numbers of cards."""

import pytest

from babysitter.redact import redact


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("您的验证码是 482913，请勿泄露", "482913"),
        ("短信验证码：739204，5分钟内有效", "739204"),
        ("認証コード: 482913", "482913"),
        ("인증번호 [482913] 입력", "482913"),
        ("Ihr Bestätigungscode lautet 482913.", "482913"),
        ("739204 ist Ihr Sicherheitscode", "739204"),
        ("votre code de vérification est 482913", "482913"),
        ("su código de seguridad: 4829", "4829"),
        ("Seu código de verificação: 739 204", "739 204"),
        ("Il tuo codice di verifica è 739204", "739204"),
        ("kod weryfikacyjny: 482913", "482913"),
        ("Doğrulama kodu: 739204", "739204"),
        ("Код подтверждения: 4829", "4829"),
        ("482913 is your one-time code for the portal", "482913"),
        ("X-482913 is your verification code", "482913"),
        ("Your login code is 7392", "7392"),
        ("Your lab launch code: 73920418", "73920418"),
        ("Your verification code is 482913. It ends in 10 minutes", "482913"),
        ("the pin for the locker is 482913: type it twice", "482913"),
        ("Open https://lab.example/device and enter the code F7QK2LM9X to sign in", "F7QK2LM9X"),
        ("! First copy your one-time code: QRKD-MVBT", "QRKD"),
        ('{"user_code": "WDJB-MJ7T", "interval": 5}', "MJ7T"),
        ("Passcode (press enter for push): 4829137", "4829137"),
        ("Enter MFA code for arn:aws:iam::000000000000:mfa/ada: 482913", "482913"),
        ("Authenticator code: 739204", "739204"),
        ("bastion --otp 482913 --user ada", "482913"),
        ("aws sts assume-role --token-code=739204", "739204"),
        ("pin for the locker is 4829", "4829"),
        ("SIM PIN = 7392", "7392"),
        ("Bluetooth PIN: 482-913", "482-913"),
        ("garage code 4829#", "4829"),
        ("the alarm code: 73-92", "73-92"),
        ("card number: 4000-0000-0000-1234 declined", "0000-1234"),
        ('"card_number": "4000 0000 0000 1234"', "0000 1234"),
    ],
)
def test_code_is_redacted(text: str, code: str):
    shown = redact(text)
    assert code not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "errcode 137 is the exit code",
        "404 is the status code for this",
        "2048 is the default code length",
        "the verification code was sent",
        "one-time code expired after 300 seconds",
        "pin_memory=True pin: 17",
        "pin memory: 2048MB",
        "pan: 0.12 zoom: 4",
        "card: NVIDIA A100 0000:07:00.0",
        "credit: 5000.0000",
        "door open at 10:00:01",
        "alarm 12345 raised",
        "building code 1.2.3",
        "entry count 48291",
        "步骤 1200/4829 完成",
        "训练损失 4829.13",
        "██████████| 4829/9999 [00:01<00:00]",
        "token_code is not set, exit code 482913",
        "your code is OUT-OF-DATE, use the code from main",
        "error code: E1234567 and status code: 404",
        "enter the code path of XLA",
        "process 0 ended with exit code 3221225477",
        "a request with an old start code 17064120, another is active",
    ],
)
def test_ordinary_numbers_stay(text: str):
    assert redact(text) == text
