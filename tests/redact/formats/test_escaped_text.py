"""Texts inside JSON and inside a `repr` are read as the lines and quotes that they mean."""

import json

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"
TEXTS = {
    "table": f"name,username,password,role\nada,ada,{WORD},admin\n",
    "aligned": f"NAME      TOKEN               AGE\nci        {WORD}abc1  3d",
    "yaml": f"auth:\n  password:\n    {WORD}\n  user: ada",
    "secret": f"kind: Secret\nstringData:\n  anything: {WORD}\n",
    "property": f"<property>\n  <name>fs.s3a.secret.key</name>\n  <value>{WORD}</value>\n</property>",
    "command": f'echo "ada:{WORD}" | chpasswd\nmc alias set m http://minio:9000 admin {WORD}',
    "toml": f'[database]\nuser = "app"\npassword = """{WORD}"""',
    "php": f'["password"]=>\n  string(15) "{WORD}"',
    "pgpass": f"$ cat .pgpass\ndb.example.org:5432:runs:app:{WORD}\n",
}


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_text_in_json_keeps_no_secret_and_stays_json(text: str, depth: int):
    wrapped = text
    for _ in range(depth):
        wrapped = json.dumps({"level": "info", "msg": wrapped})
    shown = redact(wrapped)
    assert WORD not in shown
    for _ in range(depth):
        shown = json.loads(shown)["msg"]
    assert shown == redact(text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_text_in_a_repr_keeps_no_secret(text: str):
    assert WORD not in redact(f"INFO sent {text!r} to db")


@pytest.mark.parametrize(
    "text",
    [
        r'{"msg": "sorted by key\nstep 3 of 9\nkey=user_17"}',
        r"C:\new\tables\tokens.parquet has key user_id",
        '{"msg": "{\\"tokens\\": 1234567, \\"step\\": 3}"}',
    ],
)
def test_escaped_text_without_a_secret_stays(text: str):
    assert redact(text) == text
