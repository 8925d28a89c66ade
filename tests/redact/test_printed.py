"""Secrets in what programs print: generators of keys, traces of shells, plans, dumps, reports of failures."""

import pytest

from babysitter.redact import redact

KEY = "y1EpGSkiE3wtKB0ekMtC" + "XU05SCp8BTmq94GvBG79"
HEX = "0f1e2d3c4b5a6978" * 2
WORD = "Quartz_maple830"
SPOKEN = "otter maple granite velvet"


@pytest.mark.parametrize(
    "text",
    [
        f"$ openssl rand -base64 30\n{KEY}\n$ ls",
        f"$ head -c 32 /dev/urandom | base64\n{KEY}=",
        f"$ pwgen -s 20 1\n{KEY[:20]}",
        f">>> secrets.token_urlsafe(30)\n'{KEY}'",
        f">>> Fernet.generate_key().decode()\n'{KEY}abc='",
        f"$ rails secret\n{HEX}{HEX}",
        f"$ php artisan key:generate --show\nbase64:{KEY}",
        f"$ echo $VAULT_TOKEN\n{KEY}",
        f"$ printenv BACKUP_PASSPHRASE\n{SPOKEN}",
        f"Enter passphrase for /dev/sdb2: {SPOKEN[:19]}",
        f"Enter passphrase for key 'id_backup':\n{SPOKEN}",
        f"New password: \n{WORD}\nRetype new password:\n{WORD}",
        f"+ [[ {HEX} == changeit ]]",
        f"+ [[ {WORD} != \\s\\e\\c\\r\\e\\t ]]",
        f"+ test {WORD} = changeme",
        f"+ [[ -n {KEY} ]]",
        f"+ PGPW={WORD}",
        f"++ REDISPASS={WORD}",
        f"+ echo root:{WORD}\n+ sudo chpasswd",
        f"+ kinit ada\n+ echo {WORD}",
        f'expect: does "ada\'s password: " match "password:"? yes\nsend: sending "{WORD}\\r" to {{ exp4 }}',
        f'  + resource "random_password" "root" {{\n      + id = 1\n      + result = "{WORD}!"\n    }}',
        f"cc: Set the following 'random' passwords\nnode: ubuntu:{WORD}",
        f"redis: ACL SETUSER ada on nopass >{WORD} ~* +@all",
        f"ACL SETUSER bot resetpass >{WORD} on allkeys",
        f"user ada on >{WORD} ~cache:* +get",
        f'  ["pass"]=>\n  string(15) "{WORD}"',
        "{ name: 'x', owner: 'ada', pass: 'Quartz41' }",
        f"[imap]\nhost  = mail\npass  = {WORD}!",
        f"E   assert 'x' == '{WORD}'\nE    +  where 'x' = load(cfg).db_password",
        f"E    +  where '{WORD}' = <conf>.client_secret",
        f"ValueError: value '{WORD}' for parameter 'admin_password' is too short",
        f"Cannot convert '{WORD}' in column 'passwd'",
        f"<b>&quot;{WORD}&quot; for field &quot;passphrase&quot;</b>",
        f"Property: app.client-secret\n  Value: {WORD}",
        f"url: ${{DB_PASSWORD:-{WORD}}}",
        f"key: ${{sys:api.key:{KEY}}}",
        f"ak: ${{oc.env:AK,{KEY}}}",
        f" 77 pts/0 R 0:01 ./miner -o h:1 -u ada -p {WORD}",
        f"API key was successfully rotated: {KEY}",
        f"# service-account-token\n{KEY}",
        "oathtool --totp=sha1 --base32 -d 6 JBSWY3DPEHPK3PXPQuartz",
        f"cscript slmgr.vbs /ipk {KEY[:5]}-{KEY[5:10]}-{KEY[10:15]}",
        f"echo '{SPOKEN}' | cryptsetup luksOpen /dev/sdb x",
        "authentication_string: *" + HEX.upper() + "01234567",
        f"+{'Mm1tQEz7aB' * 6}XyEp\n+{'Kk1tQEz7aB' * 6}XyEp",
        f"env: A=1 GITLAB_TOKEN=g\nlpat-{KEY[:20]}",
    ],
)
def test_printed_secret_is_redacted(text: str):
    shown = redact(text)
    for part in (KEY[:9], HEX, HEX.upper(), WORD[:10], "maple", "Quartz", "JBSWY3", "1tQEz7"):
        assert part not in shown
    assert shown.count("\n") == text.count("\n")
    assert redact(shown) == shown


def test_bytes_of_a_dumped_key_are_redacted():
    dump = "00000000: 8f12 a09b cc01 77e2 1398 1122 3344 5566  ........"
    assert "a09b" not in redact(f"$ xxd secret.bin\n{dump}")
    assert redact(f"$ xxd model.bin\n{dump}") == f"$ xxd model.bin\n{dump}"


WORDS = "otter maple granite velvet harbor thunder pickle saffron lantern walrus comet marble".split()  # noqa: SIM905


@pytest.mark.parametrize(
    "text",
    [
        f"write down these 12 words: {' '.join(WORDS)}",
        f"mnemonic (12 words): {' '.join(WORDS)}",
        "Recovery phrase:\n" + "\n".join(f"{number}. {word}" for number, word in enumerate(WORDS, 1)),
        f"seed words: {', '.join(WORDS)}",
        f"note this mnemonic down: {' '.join(WORDS)}",
        f"Your recovery phrase for the wallet of ada: {' '.join(WORDS)}",
        f"keep these 12 words:\n{' '.join(WORDS)}",
        f"mnemonic: {' '.join(WORDS[:7])}\n  {' '.join(WORDS[7:])}",
        f"mnemonic={WORDS}",
        f"MNEMONIC: {' '.join(WORDS).upper()}",
    ],
)
def test_words_of_a_seed_are_redacted(text: str):
    shown = redact(text + "\nbalance: 12").lower()
    assert not any(word in shown for word in WORDS)
    assert shown.endswith("\nbalance: 12")


@pytest.mark.parametrize(
    "text",
    [
        "$ openssl rand -hex 4",
        "$ echo $HOME\n/root",
        "$ echo $CUDA_VISIBLE_DEVICES\n0,1,2,3",
        "$ printenv TOKENIZERS_PARALLELISM\nfalse",
        "Enter passphrase for key '/x': Permission denied",
        "Enter password: incorrect password given",
        "password for ada: no such user found",
        "+ [[ main == default ]]",
        "+ [[ release-12 != default ]]",
        "+ [[ -n /usr/local/cuda-12.4/lib64 ]]",
        'resource "random_password" "db" {\n  length = 20\n}',
        "user -> on >80% load ~ +12",
        "pass: 'step12'",
        '"pass": "tests/unit"',
        "pass  = 12",
        "E   assert 'a' == 'b'\nE    +  where 'a' = job.state",
        "E    +  where 'run-12ab' = job.name",
        "value '12ab34cd' for field 'run_id' is unknown",
        "path: ${HOME:-/root}/x ${STEP:-1200}",
        "mytool -u ada -p 8080",
        "Model was successfully created: resnet50-v2",
        "Run was created: run-20261120-ab12cd34",
        "# tokens\nabc",
        "parameter: key\nvalue: 12",
        'Property: server.port\n    Value: "8080"',
        "words: the quick brown fox jumps over the lazy dog and runs away now",
        "step 12. a 13. b",
        "mnemonic device: it helps to remember what the words below are all about in this one",
        "GET /a%3Fx%3D1%26y%3D2",
        '"msg": "\\u0041bc 12"',
        "auth: Ошибка подключения",
        "arn:aws:secretsmanager:us-east-1:000000000000:secret:dev/db-x1Y2z3",
        "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4NodeE 1us",
        "en-sk BLEU 23.1 sk: 0.12 ak=3",
        "rest_api: enabled",
    ],
)
def test_ordinary_output_stays(text: str):
    assert redact(text) == text
