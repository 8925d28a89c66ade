"""Keys among the arguments of functions and statements of databases."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT pgp_sym_encrypt('hello', '{WORD}')",
        f"SELECT pgp_sym_decrypt(t.body::bytea, '{WORD}', 'cipher-algo=aes256') FROM t",
        f"SELECT AES_DECRYPT(body, SHA2('{WORD}', 512)) FROM t",
        f'SELECT aes_encrypt("a, b", "{WORD}")',
        f"SELECT AES_ENCRYPT(CONCAT(a, '-', b), '{WORD}')",
        f"SELECT encrypt(body, '{WORD}', 'aes') FROM t",
        f"SELECT decrypt('aes-256-gcm', body, '{WORD}', 'made-up')",
        f"SELECT encode(hmac(body, '{WORD}', 'sha256'), 'hex') FROM t",
        f"SELECT crypt('{WORD}', gen_salt('bf'))",
        f"SELECT DecryptByPassPhrase(N'{WORD}', body) FROM t",
        f"PRAGMA key = '{WORD}';",
        f"PRAGMA main.rekey='{WORD}'",
        f"ATTACH DATABASE 'runs.db' AS runs KEY '{WORD}'",
    ],
)
def test_key_of_a_function_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "SELECT encrypt(body, 'aes-256') FROM t",
        "decrypt(blob, 'utf-8')",
        "cipher.encrypt(data, 'base64')",
        "SELECT crypt(body, gen_salt('bf')) FROM t",
        "SELECT encode(digest(body, 'sha256'), 'hex') FROM t",
        "PRAGMA journal_mode = 'wal'",
        "PRAGMA key_store = 'x'",
        "ATTACH DATABASE 'runs.db' AS runs",
    ],
)
def test_other_arguments_of_functions_stay(text: str):
    assert redact(text) == text
