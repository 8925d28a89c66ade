"""What stands around a secret stays: the next line, the scope of a signature, a prompt, a name."""

import pytest

from babysitter.redact import redact

KEY = "y1EpGSkiE3wtKB0ekMtC" + "XU05SCp8BTmq94GvBG79"
TOKEN = "ghp_" + KEY[:36]
ID = "AKIA" + "7QK2M9XW4T1ZP8RB"


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        (f"ACME__DB__SECRET_KEY={KEY}=\nACME__CORE__WORKERS=64", "ACME__CORE__WORKERS=64"),
        (f"acme.props.key={KEY}\nacme.security.storeType=PKCS12", "acme.security.storeType=PKCS12"),
        (f'  12  export GH_TOKEN="{TOKEN}"\n  13  python a.py', "  13  python"),
        ("Password: hollyhock9\nsw-leaf-3# show mlag", "sw-leaf-3# show mlag"),
        ("Password: hollyhock9\nrack-2> exit", "rack-2> exit"),
        (
            f"Authorization: AWS4-HMAC-SHA256 Credential={ID}/20310228/eu-west-1/s3/aws4_request, "
            "SignedHeaders=host",
            "/20310228/eu-west-1/s3/aws4_request, SignedHeaders=host",
        ),
        (f"credential={ID}/20310228/eu-west-1/s3/aws4_request", "/20310228/eu-west-1/s3/aws4_request"),
        (f'connectionString="Server=db-1;Uid=ada;Pwd={KEY};"', "Server=db-1;Uid=ada;Pwd="),
        (f"TOKEN: {KEY}\nKEY: <set to the key 'a' in secret 's3-creds-2'>", "in secret 's3-creds-2'"),
        (
            "$ kubectl get secret r -o jsonpath='{.data.x}' | base64 -d\n"
            f'{{"auths":{{"cr.example.io":{{"username":"ada","password":"{KEY}"}}}}}}',
            '"cr.example.io":{"username":"ada"',
        ),
        (f"fetch(a) X-Acme-Token {TOKEN} file=Qk29", "file=Qk29"),
    ],
)
def test_what_stands_beside_a_secret_stays(text: str, stays: str):
    shown = redact(text)
    assert stays in shown
    assert not any(part in shown for part in (KEY[:20], ID, TOKEN[:20], "hollyhock"))
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    ["tiktoken==0.8.0 --hash=sha256:0f1e2d", "acme_token==1.12.3.post1", "secret-service: 2.3.1rc2"],
)
def test_version_is_no_secret(text: str):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "access denied for ada",
        "access=read-only random_access=true last_access = 1700000000",
        "TICKET-20931 opened, ticket: OPS-1234",
        "mutex unlock took 3ms in pthread_mutex_unlock+0x1f",
        "activation_code: relu, exit_code=13790",
        "compiler_pass='fuse-conv' my_pass=2 opt_pass: constant-fold",
    ],
)
def test_words_that_may_name_a_secret_stay(text: str):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "access = '{}'",
        "S3Config(access='{}', shards=2)",
        '{{"access": "{}"}}',
        "<access>{}</access>",
        "minio_access: {}",
        "x-acme-ticket: {}",
        "lens.unlock={}",
        "relay_pass={}",
        "session_salt: {}",
        "macaroon={}",
    ],
)
def test_random_string_under_such_a_name_is_redacted(text: str):
    assert KEY[:20] not in redact(text.format(KEY[:20]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("reset user 'kim' with initial password marigold on db-2", "initial password [redacted] on db-2"),
        ("created it with default password: marigold, done", "password: [redacted], done"),
        ("created a user with temporary password policy applied", "temporary password policy applied"),
        (f"ACME_TKT={KEY[:24]}", "ACME_TKT=[redacted]"),
        (f"GET /v1?appkey={KEY[:24]}&units=si", "?appkey=[redacted]&units=si"),
        (f"store passkey: {KEY[:24]}", "passkey: [redacted]"),
        (f"curl -u 'bot$ci:{KEY[:24]}' https://x.example", "'bot$ci:[redacted]' https://x.example"),
        ("curl -u $USER:$PASS https://x.example", "-u $USER:$PASS https"),
        (f'Cookie: lang=en; login="2|1:0|44:{KEY}"; theme=dark', "lang=en; [redacted]; theme=dark"),
    ],
)
def test_words_and_marks_around_a_secret(text: str, shown: str):
    assert shown in redact(text)
