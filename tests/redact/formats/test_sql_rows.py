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
    ("text", "kept"),
    [
        (
            f"INSERT INTO c (n, client_secret) VALUES (?, ?)\nEngine [generated in 0.1s] ('ada', '{KEY}')",
            "ada",
        ),
        (
            f"INSERT INTO c (n, passwd, at) VALUES (%s, %s, now())\n[cached since 2s ago] [('a', '{WORD}'), "
            f"('b', '{WORD}2')]",
            "'b'",
        ),
        (f"(0.001) INSERT INTO u (n, password) VALUES (%s, %s); args=('ada', '{WORD}'); alias=x", "alias=x"),
        (f"UPDATE u SET mail=?, password = ? WHERE id = ?\n[raw sql] ('ada', '{WORD}', 7)", "7)"),
        (f'UPDATE "u" SET "api_token" = $1 WHERE "id" = $2; params: [\'{KEY}\', 7]', "7]"),
        (
            f"INSERT INTO u (n, passwd) VALUES ($1, $2)\nDETAIL:  parameters: $1 = 'ada', $2 = '{WORD}'",
            "'ada'",
        ),
        (
            f"INSERT INTO u (n, passwd) VALUES (?, ?)\n==> Parameters: ada(String), {WORD}(String)",
            "ada(",
        ),
        (
            "insert into u (n, passwd) values (?, ?)\nbinding parameter [1] as [VARCHAR] - [ada]\n"
            f"binding parameter [2] as [VARCHAR] - [{WORD}]",
            "[ada]",
        ),
        (f"update u set passwd=? where id=?\nbinding parameter (1:VARCHAR) <- [{WORD}]", "(1:VARCHAR)"),
        (f"cursor.execute(\"INSERT INTO u (n, passwd) VALUES (%s, %s)\", ('ada', '{WORD}'))", "'ada'"),
    ],
)
def test_parameter_of_a_secret_column_is_redacted(text: str, kept: str):
    shown = redact(text)
    assert WORD not in shown
    assert KEY not in shown
    assert kept in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE runs SET state = ? WHERE id = ?\n[raw sql] ('ok', 7)",
        "INSERT INTO users (name, password) VALUES (?, ?)\nother list: [('ada', 'bob', 'eve')]",
        "INSERT INTO runs (id, name) VALUES (7, 'x')",
        "INSERT INTO toks (token_count, name) VALUES (712345, 'abc')",
        "INSERT INTO users (name, password) VALUES (%s, %s)",
        "COPY x (id, name) FROM stdin;\n1\tada\n\\.",
        "insert into the queue (job, token count) values are logged",
    ],
)
def test_other_columns_stay(text: str):
    assert redact(text) == text
