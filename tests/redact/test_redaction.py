"""Secrets of every kind go, whatever is around them stays, and no input takes long."""

import base64
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.redact import REDACTED, redact, redact_lines, strip_control_characters
from babysitter.redact.settings.names import judge_name
from babysitter.redact.settings.value_shapes import looks_random

HEX40 = "0123456789abcdef" * 2 + "01234567"
AWS_ID = "AKIA" + "MADEUP0123456789"
SLACK = "xo" + "xb-123456789012-made-up-token"
ANTHROPIC = "sk-" + "ant-api03-" + "madeup" * 6
SERVICE_ACCOUNT = base64.b64encode(
    json.dumps({"type": "service_account", "private_key": "made up " * 6}).encode()
).decode()

# (text, what must not be in the result, what must stay in it)
SECRETS = [
    (f"export WANDB_API_KEY={HEX40}", HEX40, "export WANDB_API_KEY="),
    (f"wandb login --relogin {HEX40}", HEX40, "wandb login"),
    (f"wandb.login(key='{HEX40}')", HEX40, "wandb.login"),
    (f"python train.py --wandb-api-key={HEX40} --steps 10", HEX40, "--steps 10"),
    (f"machine api.wandb.ai login user password {HEX40}", HEX40, "machine api.wandb.ai login user"),
    ("machine files.example login bob password hunter2", "hunter2", "login bob"),
    ("docker login -u bob -p hunter22 registry.example", "hunter22", "registry.example"),
    ("sshpass -p 'hunter22' ssh host-3", "hunter22", "ssh host-3"),
    ("mysql -u root -phunter22 runs", "hunter22", "runs"),
    ("redis-cli -h cache -a hunter22 ping", "hunter22", "ping"),
    ("acme.InvalidTokenError: made1up2key3", "made1up2key3", "acme.InvalidTokenError"),
    ("db postgresql://trainer:s3cretPw@db.example:5432/runs", "s3cretPw", "@db.example:5432"),
    ("mongodb+srv://u:p%40ss@h/db", "p%40ss", "@h/db"),
    ("redis://:p@ss:word@cache:6379/0", "p@ss:word", "@cache:6379/0"),
    ("https://madeuptoken123@github.com/x.git", "madeuptoken123", "@github.com/x.git"),
    ("trainer:s3cret@db.internal:5432", "s3cret", "trainer:"),
    ("user:s3cret@tcp(10.0.0.1:3306)/db", "s3cret", "@tcp(10.0.0.1:3306)/db"),
    ("redirect=https%3A%2F%2Fu%3Apa55word%40host%2Fx", "pa55word", "%40host%2Fx"),
    (
        "curl -H 'Authorization: Bearer abc.DEF-123_x' https://api.example/y",
        "abc.DEF-123_x",
        "https://api.example/y",
    ),
    ("{'Authorization': 'Basic dXNlcjpwYXNz', 'x': 1}", "dXNlcjpwYXNz", "'x': 1"),
    ("('authorization', b'Bearer abc12345')", "abc12345", "authorization"),
    ("Authorization%3A%20Bearer%20abc12345", "abc12345", "Authorization"),
    ("Authorization: AWS4-HMAC-SHA256 Credential=X/s3, Signature=fe5f80", "fe5f80", "AWS4-HMAC-SHA256"),
    ("sent bearer abcdef123456 and got 401", "abcdef123456", "and got 401"),
    ("X-Api-Key: abcd-1234-z", "abcd-1234-z", "X-Api-Key"),
    ("Set-Cookie: session=abc123; Path=/", "abc123", "Set-Cookie"),
    ("GET https://b/k?X-Amz-Credential=ID%2F2026&X-Amz-Signature=deadbeef99&x=1", "deadbeef99", "x=1"),
    ("GET https://b/k?X-Amz-Security-Token=FwoGZ%2Fab&part=2", "FwoGZ%2Fab", "part=2"),
    ("https://gcs/b/o?X-Goog-Signature=abcd1234ef&X-Goog-Expires=900", "abcd1234ef", "Expires=900"),
    ("https://acct.blob.example/c?sv=2020&sig=a%2Fb%3D&se=1", "a%2Fb%3D", "se=1"),
    ("https://x.example/cb?token=abc123&state=ok", "abc123", "state=ok"),
    ("token%3Dabc123%26x%3D1", "abc123", "%26x%3D1"),
    ('{"auths":{"ghcr.io":{"auth":"dXNlcjpwYXNzd29yZA=="}}}', "dXNlcjpwYXNzd29yZA==", "ghcr.io"),
    ("Server=db;User Id=sa;Password=Str0ng!pw;Encrypt=true", "Str0ng!pw", "Encrypt=true"),
    ("AccountName=x;AccountKey=abcd/ef+12==;EndpointSuffix=core", "abcd/ef+12==", "EndpointSuffix=core"),
    ("password: hunter2", "hunter2", "password: "),
    ("password = 'my secret phrase' retries=3", "my secret phrase", "retries=3"),
    ("MY_SECRET=p,a)ss;w other", "p,a)ss;w", "other"),
    ("--password hunter2 --steps 3", "hunter2", "--steps 3"),
    ("['iris', '--token', 'abc123def', '--x']", "abc123def", "'--x'"),
    ("-e HF_TOKEN made1up2value3 -- python", "made1up2value3", "-- python"),
    ("curl -u bob:hunter2 http://x.example", "hunter2", "-u bob:"),
    ('{"hf_token": "abcdef", "max_tokens": 512}', "abcdef", '"max_tokens": 512'),
    ('\\"token\\": \\"abc1\\", \\"n\\": 2', "abc1", '\\"n\\": 2'),
    ("<password>abc9</password>", "abc9", "</password>"),
    ("hf_\x1b[0mabcDEF123456789 done", "abcDEF123456789", "done"),
    ("\x1b[31mtoken\x1b[0m=\x1b[32msup3rs3cret\x1b[0m ok", "sup3rs3cret", "ok"),
    ("hf_\u200babcDEF123456789 done", "abcDEF123456789", "done"),
    ("HF_TOKEN hf%5FabcdefGHIJ12", "abcdefGHIJ12", "HF_TOKEN"),
    ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln ok", "eyJzdWIiOiIxIn0", "ok"),
    ("aws_secret_access_key = wJalrMadeUp/K7MDENG/bPxRfiCYMADEUPKEY", "wJalrMadeUp", "aws_secret_access_key"),
    (f"using {AWS_ID} in us-east-1", AWS_ID, "in us-east-1"),
    (f"posting with {SLACK} failed", SLACK, "failed"),
    (f"key {ANTHROPIC} refused", ANTHROPIC, "refused"),
    ("env {'OPENAI_API_KEY': 'sk-proj-made_up-key123456'}", "made_up-key123456", "OPENAI_API_KEY"),
    ("ghp_madeup0123456789 and github_pat_madeup_0123456789012345", "madeup", "and"),
    ("hook https://hooks.slack.com/services/T00/B00/madeup", "B00/madeup", "hook"),
    (f"GOOGLE_CREDENTIALS_B64 {SERVICE_ACCOUNT} end", SERVICE_ACCOUNT, "end"),
    ("psql postgres://ada:s3cret@/runs?host=/run/pg", "s3cret", "@/runs?host=/run/pg"),
    ("git fetch https://x-access-token:made1up2@git.example/x.git", "made1up2", "@git.example/x.git"),
    (
        "init(dsn='https://0123456789abcdef0123@errors.example/7', rate=1)",
        "0123456789abcdef0123",
        "errors.example/7",
    ),
    ("fetch --password=!Quartz830 -q https://x.example", "Quartz830", "-q https://x.example"),
    ("ArchivePass=x\nJobStoragePass=qu@rtz_830\nJobStorageLoc=x", "qu@rtz_830", "JobStorageLoc=x"),
    ("htpasswd -b -B -C 12 /etc/web.users ada hunter22", "hunter22", "/etc/web.users ada"),
    ("htpasswd -nb ada hunter22", "hunter22", "-nb ada"),
    ("['htpasswd', '-b', 'f', 'ada', 'hunter22', 'x']", "hunter22", "'ada'"),
    ("net user ada hunter22 /add", "hunter22", "/add"),
    (r"net use z: \\nas\runs hunter22 /persistent:no", "hunter22", "/persistent:no"),
    (r"rpcclient -U LAB\ada%hunter22 dc-1", "hunter22", "dc-1"),
    ("influx query -o lab -t hunter22hunter22 -f q.flux", "hunter22", "-f q.flux"),
    ("mariadb -h db -phunter22 runs", "hunter22", "runs"),
    ("sqlcmd -S db -U sa -P hunter22 -Q x", "hunter22", "-Q x"),
    ("cf auth ada hunter22", "hunter22", "cf auth ada"),
    ("mosquitto_passwd -b /etc/users ada hunter22", "hunter22", "/etc/users ada"),
    ("ipmitool -I lanplus user set password 2 hunter22", "hunter22", "password 2"),
    ("printf 'ada:hunter22\\n' | sudo chpasswd -e", "hunter22", "chpasswd -e"),
    ("sudo -S systemctl restart x <<< hunter22", "hunter22", "restart x"),
    ("< Set-Cookie: sid=abc123; Path=/; Max-Age=60; HttpOnly", "abc123", "; Path=/; Max-Age=60; HttpOnly"),
    ("Set-Cookie: a=abc123; Secure, b=abc1234; SameSite=Strict", "abc123", "; SameSite=Strict"),
    (
        'Authorization: Digest realm="lab", username="ada", response="abc123def", qop=auth',
        "abc123def",
        'realm="lab"',
    ),
    ("Authorization: AWS4-HMAC-SHA256 SignedHeaders=host;x-y, Signature=fe5f80", "fe5f80", "=host;x-y"),
    ('Authorization: Hawk id="a", ts="1353832234", mac="6R4rV5iE+NP"', "6R4rV5iE", 'ts="1353832234"'),
    ("hook https://hooks.slack.com/services/T01/B01/madeup", "B01/madeup", "https://hooks.slack.com/"),
    ("ACME_TOKEN|a1B2c3D4e5F6g7H8|made 2026-11-20", "a1B2c3D4", "|made 2026-11-20"),
    ("the password for x is Quartz830!\\nthen the next", "Quartz830", "\\nthen the next"),
    (
        "db.url=jdbc:x://db/app\ndb.password=3fcQuartz\\=8maple\npool.max.size=20",
        "Quartz",
        "pool.max.size=20",
    ),
    ("密钥:a1B2c3D4e5F6g7H8(测试)", "a1B2c3D4", "(测试)"),
    ("token：a1B2c3D4e5F6，地区：eu-1", "a1B2c3D4", "，地区：eu-1"),
    (f"X-Vault-Token: hvs.{'aB3dE5fG7h' * 5}\nX-Vault-Namespace: lab/", "aB3dE5", "X-Vault-Namespace: lab/"),
    (
        "ossutil64 ls oss://lab/ -e oss.example -i LTAImade -k hunter22",
        "hunter22",
        "ls oss://lab/ -e oss.example",
    ),
    ("obsutil config -i=MADEUP1 -k=hunter22 -e=obs.example", "hunter22", "-e=obs.example"),
    ("coscmd config -a AKIDmade -s hunter22 -b lab-1 -r eu", "hunter22", "-b lab-1 -r eu"),
    ("b2 account authorize 00made hunter22x x", "hunter22x", "authorize 00made"),
    ("codecov -t 0d5f8a52-0000-4000-8000-0c1d2e3f4a5b -f a.xml", "0d5f8a52", "-f a.xml"),
    ("vsce publish -p hunter22 --pre-release", "hunter22", "--pre-release"),
    ("sqlplus -L ada/hunter22@db-1.example:1521/RUNS @x.sql", "hunter22", "@db-1.example:1521/RUNS @x.sql"),
    ("expdp ada/hunter22@RUNS directory=d", "hunter22", "@RUNS directory=d"),
    (
        'beeline -u "jdbc:hive2://hive:10000/lab;trustStorePassword=hunter22x" -n ada',
        "hunter22x",
        '-u "jdbc:hive2://hive:10000/lab;',
    ),
    ("Cookie: view=compact; sid=abc123def; lang=fr; page=3", "abc123def", "; lang=fr; page=3"),
    ("Cookie: theme=light; sid=abc123def; pin=123", "123", "theme=light; "),
    (
        'Authorization: Digest username="ada", uri="/a/b.tar", response="abc123def"',
        "abc123def",
        'uri="/a/b.tar"',
    ),
    ("opsgenie GenieKey 0d5f8a52-0000-4000-8000-0c1d2e3f4a5b 422", "0d5f8a52", "opsgenie GenieKey"),
    ("okta: SSWS 00madeUP9xZq4 403", "00madeUP9xZq4", "403"),
    ("environ: LANG=C^@LAB_TOKEN=hunter22abc^@RANK=3^@", "hunter22", "^@RANK=3"),
    ("LANG=C\x00DB_PASS=hunter22\x00RANK=3", "hunter22", "LANG=C DB_PASS=[redacted] RANK=3"),
    ("db_password: &dbpw hunter22; port: 1", "hunter22", "; port: 1"),
    ('declare -a A=([0]="--password" [1]="hunter22" [2]="-v")', "hunter22", '[2]="-v"'),
    ("[0] => --password\n    [1] => hunter22\n    [2] => x", "hunter22", "[2] => x"),
    ("argv[3]: --api-token\nargv[4]: hunter22x", "hunter22x", "argv[4]: "),
    ("connect pwd=<u!hunter22> rc=-13", "hunter22", "rc=-13"),
    ("ldap_default_authtok = hunter22", "hunter22", "authtok = "),
    (
        "-----BEGIN OpenVPN Static key V1-----\n0f1e2d3c4b5a69780f1e2d3c4b5a6978\n"
        "-----END OpenVPN Static key V1-----\nup",
        "0f1e2d",
        "\nup",
    ),
    (
        "-----BEGIN OpenVPN Static key V1-----\n0f1e2d3c4b5a69780f1e2d3c4b5a6978\nTLS Error: no link",
        "0f1e2d",
        "TLS Error: no link",
    ),
    (
        "kubectl create secret generic lab-1 --from-literal=token=a1B2c3D4e5F6g7H8\nsecret/lab-1 created",
        "a1B2c3D4",
        "\nsecret/lab-1 created",
    ),
    (
        '"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEmadeup\\n-----END PRIVATE KEY-----\\n", "a": 1',
        "MIIEmadeup",
        '"a": 1',
    ),
    ("-----BEGIN PRIVATE KEY-----\nMIImade\nupZZ==\n-----END PRIVATE KEY-----\nafter", "upZZ==", "after"),
]

INNOCENT = [
    'Thread 7 (idle): "pool-7"',
    "max_tokens=4096 tokens/s: 1234",
    "tokenizer=gpt2 eos_token='</s>' pad_token_id=0",
    "KeyError: 'text'",
    "Invalid token: expected a number",
    "I20261120 19:45:21 zephyr.execution [20261120-194436-86827518] [stage0-Map → Scatter] 5/18 complete",
    f"git commit {HEX40}",
    "Basic authentication failed; bearer token expired",
    f"image ghcr.io/x/y:tag@sha256:{HEX40}{HEX40[:24]}",
    "HF_TOKEN not set; WANDB_API_KEY missing",
    "mail alice@example.com",
    "gs://bucket/tokenized/key=3/part-0",
    "author: bob",
    "docker run -p 8080:80 image",
    "google.auth.exceptions.RefreshError: ('invalid_grant: Bad Request', {})",
    "google.auth.exceptions.DefaultCredentialsError: File /keys/a.json was not found.",
    "acme.errors.LocalTokenNotFoundError: No token was found",
    "https://host:8080/path@v1",
    'password authentication failed for user "bob"',
    "cache_key=abc123 primary_key=id",
    "tokens per second: 8123.4, token: 17",
    "secret manager: access denied",
    "cache hit for key: linux-pip-" + "a3f90b5d7c1e" * 5 + "b7d2",
    'MountVolume.SetUp failed for volume "x": secret "lab-creds-2" not found',
    'secrets "train/lab-creds-2" already exists',
    'open("/run/secrets/db_password"): ENOENT',
    "ERROR: Wrong password : cohort/b.csv",
    "ipsec.secrets: 10.0.0.1 10.0.0.2",
    "token_accessor  5Jk26de0YpsTJm2SgwTV",
    "pam: use_authtok nullok try_first_pass",
    "token=<api_key_2> password=<user@host.example>",
    "codecov -f coverage12.xml -n unit12",
    "ossutil64 cp /data/a12.lmdb oss://lab/b12",
    "curl -u https://x.example:8080/y",
    "OpenVPN Static key V1 loaded from ta12.key",
    "secret/lab-1 created",
    "Basic geniekey ssws step",
]


@pytest.mark.parametrize(("text", "secret", "stays"), SECRETS, ids=range(len(SECRETS)))
def test_secrets_go_and_the_rest_stays(text: str, secret: str, stays: str) -> None:
    shown = redact(text)
    assert secret not in shown
    assert REDACTED in shown
    assert stays in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent_lines_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(("text", "secret", "stays"), SECRETS, ids=range(len(SECRETS)))
def test_secrets_go_in_the_middle_of_a_log(text: str, secret: str, stays: str) -> None:
    shown = redact(f"I20261120 19:45:21 x.y {text}\nE20261120 19:45:22 next line")
    assert secret not in shown
    assert shown.endswith("next line")
    assert stays in shown


PIECES = st.sampled_from(
    [
        "token=",
        "password",
        "Bearer ",
        "://",
        "@",
        ":",
        "eyJ",
        "hf_",
        "[redacted]",
        "-----BEGIN PRIVATE KEY-----",
        "'",
        '"',
        "\\",
        " ",
        "\n",
        "=",
        "key",
        "abc123DEF",
        "%3D",
        "\x1b[0m",
        "\x1b",
        "sig=",
        ",",
        "{",
        "}",
        "wandb ",
        HEX40,
        "Authorization: ",
        "Basic ",
        "&",
        "login ",
        "--api-key",
        "→",
        "A" * 40,
    ]
)


def test_rule_and_other_cells_of_a_table_stay() -> None:
    rule = "+------+--------------+"
    rows = ["| host | password     |", rule, "| a-b1 | Qu4rtzMaple8 |", "| a-b2 | Gr4niteOtter |", rule]
    shown = redact_lines([rule, *rows])
    assert shown == [rule, *rows[:2], "| a-b1 | [redacted] |", "| a-b2 | [redacted] |", rule]


@pytest.mark.parametrize("name", ["KeyError: 3", "X-Team: lab/", "LINEAR 7"])
def test_name_on_the_line_after_a_token_stays(name: str) -> None:
    shown = redact(f"key sk_live_{'aB3dE5fG7h' * 4}\n{name}")
    assert shown == f"key [redacted]\n{name}"


def test_token_on_its_own_line_takes_nothing_before_it() -> None:
    token = "hf_" + "x9Y8" * 6
    cleaned = redact(f'Thread 7 (idle): "pool-7"\n    step_{token} (run.py:7)\n')
    assert cleaned.startswith('Thread 7 (idle): "pool-7"\n')
    assert token not in cleaned


@given(st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join))
def test_redaction_is_idempotent(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=200))
def test_neutral_text_has_nothing_hidden(text: str) -> None:
    shown = strip_control_characters(text)
    assert strip_control_characters(shown) == shown
    assert not set(shown) & set("\x1b\x00\x07\x08\x7f\u200b\u202e\u2066\ufeff")


HOSTILE = [
    "eyJ",
    "token=",
    "://",
    "-----BEGIN PRIVATE KEY-----",
    "a",
    "password ",
    "Authorization: ",
    "Bearer ",
    "x@",
    "hf_",
    "%3A%2F%2F",
    "\x1b[",
    "\"'\\",
    "wandb login ",
    "docker login ",
    "mysql -",
    "a:b@c",
    "A1+/",
    "login x ",
    "ab:",
    "sk-",
    "\x1b]",
    "key=",
    "-----BEGIN PRIVATE KEY-----MII\n",
    "Cookie: ",
    "token\\",
    "htpasswd -b ",
    "with password x1 is ",
    "|token|a1B2c3D4e5F6g7|",
    "creds=(a:b1c2d,",
    "Set-Cookie: a=b; Path=/; ",
    "密码是1",
    "backup codes: a1b2c3 ",
    "recovery codes\na1b2c3\n",
    "rotate key, new key ",
]


def calls_of(text: str) -> int:
    """How many Python functions `redact` calls: the same in every run, on every machine."""
    for cached in (judge_name, looks_random):
        cached.cache_clear()
    count = 0

    def note(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_grows_with_length_only(piece: str) -> None:
    small = calls_of(piece * (4_000 // len(piece)))
    large = calls_of(piece * (32_000 // len(piece)))
    assert large <= 8 * 1.5 * small + 500  # quadratic would be 64 times as much


@pytest.mark.parametrize("lines", [["a", "b\nc", ""], ["token=abc1def2\nb", "c"], ["x\r\ny", "\x1b[0m"]])
def test_lines_redacted_together_stay_apart(lines: list[str]) -> None:
    shown = redact_lines(lines)
    assert len(shown) == len(lines)
    assert [line.count("\n") for line in shown] == [
        strip_control_characters(line).count("\n") for line in lines
    ]


def test_key_over_several_lines_goes() -> None:
    body = "abcdEFGH12345678" * 4
    lines = [
        "I x -----BEGIN PRIVATE KEY-----",
        f"I x {body}",
        "I x zZ9=",
        "I x -----END PRIVATE KEY-----",
        "I x on",
    ]
    shown = redact_lines(lines)
    assert shown == ["I x [redacted]", "I x [redacted]", "I x [redacted]", "I x [redacted]", "I x on"]


@pytest.mark.parametrize("between", [" ", "\\n", "\\\\n", "  "])
def test_key_on_one_line_without_its_beginning(between: str) -> None:
    body = between.join(["q7Xb" * 16, "Zr2K" * 16, "mV9t" * 5])
    text = f"tail of it: {body}{between}-----END PRIVATE KEY----- and 3 more"
    assert redact(text) == "tail of it: [redacted] and 3 more"


@pytest.mark.parametrize(
    "answer", ["Authenticating...", "the passphrase was wrong", "BAD PASSWORD: too short"]
)
def test_an_answer_behind_a_prompt_stays(answer: str) -> None:
    text = f"Enter your new password:\n{answer}"
    assert redact(text) == text


@pytest.mark.parametrize("cut", range(34, 44))
def test_key_block_cut_anywhere(cut: int) -> None:
    body = "".join(f"abcdEFGH1234567{number % 10}" * 4 + "\n" for number in range(3))
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}zZ9a=\n-----END RSA PRIVATE KEY-----"
    shown = redact(text[: len(text) - cut] + "\nI20261120 loading the model now")
    assert "abcdEFGH" not in shown
    assert shown.endswith("loading the model now")


def test_key_blocks_of_every_kind_of_line() -> None:
    body = ["abcdEFGH12345678" * 4] * 3 + ["zZ9a="]
    begin, end = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
    whole = [begin, *body, end]
    written = [
        "\n".join(whole),
        "\\n".join(whole),
        "\\\\n".join(whole),
        " ".join(whole),
        "\n".join(f"I20261120 19:45:21 x.y {line}" for line in whole),
        "\n".join(f"    {line}" for line in whole),
        "\n".join(f'    "{line}\\n"' for line in whole),
        "\n".join(f"│ {line} │" for line in whole),
        '{"private_key": "' + "\\n".join(whole) + '\\n", "n": 1}',
        "PEM: " + "%0A".join(whole).replace(" ", "%20"),
    ]
    for text in written:
        shown = redact(text)
        assert "abcdEFGH" not in shown, text
        assert "zZ9a" not in shown, text


@given(st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join))
def test_redaction_keeps_the_number_of_lines(text: str) -> None:
    assert redact(text).count("\n") == strip_control_characters(text).count("\n")
