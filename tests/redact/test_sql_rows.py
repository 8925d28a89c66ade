"""Rows that a statement of SQL writes: the columns say which values are secret."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"
KEY = "y1EpGSkiE3wtKB0ekMtC" + "XU05SCp8BTmq94GvBG79"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"INSERT INTO a (login, passwd, n) VALUES ('ada', '{WORD}', 5), ('bob', '{WORD}2', 6);", "'bob'"),
        (f"REPLACE INTO `cfg` (`k`,`api_token`) VALUES (1,'{KEY}')", "(1,"),
        (f'insert into "u" ("id", "pin", "hash_password") values (1, NULL, \'it\'\'s {WORD}\')', "NULL"),
        (f"INSERT INTO u (user, пароль) VALUES ('ada', '{WORD}')", "'ada'"),
        (f"COPY users (id, secret_key) FROM stdin;\n1\t{KEY}\n2\t\\N\n\\.", "2\t\\N"),
        (f"INSERT INTO users (name, password) VALUES (?, ?)]\n[parameters: ('ada', '{WORD}')]", "'ada'"),
    ],
)
def test_value_of_a_secret_column_is_redacted(text: str, kept: str):
    shown = redact(text)
    assert WORD not in shown
    assert KEY not in shown
    assert kept in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO runs (id, name) VALUES (7, 'x')",
        "INSERT INTO toks (token_count, name) VALUES (712345, 'abc')",
        "INSERT INTO users (name, password) VALUES (%s, %s)",
        "COPY x (id, name) FROM stdin;\n1\tada\n\\.",
        "insert into the queue (job, token count) values are logged",
    ],
)
def test_other_columns_stay(text: str):
    assert redact(text) == text
