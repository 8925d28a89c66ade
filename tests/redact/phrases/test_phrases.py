"""Secrets that only the words around them give away: device settings, sentences, calls, two lines."""

import pytest

from babysitter.redact import redact
from babysitter.redact.phrases.phrase_table import PHRASES
from babysitter.redact.text_spans import Text

KEY = "y1EpGSkiE3wtKB0ekMtC" + "XU05SCp8BTmq94GvBG79"
WORD = "Quartz_maple830"


def test_every_hint_is_a_pattern_of_the_linear_scanner():
    """A counter over 1,000 is refused, and only when the first text is scanned."""
    assert [phrase.id for phrase in PHRASES if phrase.hint and phrase.hint.found_in(Text("a"))] == []


def test_phrases_have_different_ids():
    assert len({phrase.id for phrase in PHRASES}) == len(PHRASES)


@pytest.mark.parametrize(
    "text",
    [
        f"bindpw {WORD}",
        f"rootpw --plaintext {WORD}",
        f'1) "requirepass"\n2) "{WORD}"\n3) "maxmemory"',
        "331 Password required\nPASS Quartz_maple\n230 Logged in",
        "> PASS Quartz_maple\n< 530 Login incorrect",
        f"wallet seed: 0x{'0f1e2d3c4b5a6978' * 4}",
        f'echo "{WORD}" > .vault_pass',
        f"Loading configuration property: s3.secret-key, {KEY}",
        f'credentials += Credentials("Nexus", "nexus.example.org", "ada", "{WORD}")',
        f"echo AKIA0ADAADAADAADAADA:{KEY} > /etc/passwd-s3fs",
        f"please use ada / {WORD}# on the bastion",
        f'child.sendline("{WORD}")  # send the password',
        f'tn.write(b"{WORD}\\n") // password',
        f'set $relay_key "{"0f1e2d3c4b5a6978" * 2}";',
        f"<match **>\n  store_sec_key {KEY}\n</match>",
        f"SCRAM-SHA-256$4096:bWFkZS11cA==${KEY}abc=:{KEY}abd=",
        f'"ada" "md5{"0f1e2d3c4b5a6978" * 2}"',
        f"password_hash = pbkdf2:sha256:600000$made$up{KEY}",
        f"'$A$005${KEY}{KEY}'",
        f'page.fill("#password", "{WORD}")',
        f'driver.find_element(By.ID, "password").send_keys("{WORD}")',
        f"E..4.USER ada..PASS {WORD}..",
        f"encrypting the backup with {WORD}! as key",
        f"trino.auth.BasicAuthentication('ada', '{WORD}')",
        f"HttpNtlmAuth('LAB\\ada', '{WORD}')",
        f"sops: decrypted value for db_admin -> {WORD}",
        f"der Schlüssel für die API lautet {KEY}",
        f"il token di accesso è: {KEY}",
        f"le jeton d'accès est {KEY}",
        f"токен доступа {KEY}",
        f"mqtt: connecting as node9 / {WORD}# to broker:1883",
        f"logging in as ada/{WORD}#",
        f"authenticated as ada ({WORD}#)",
        f"Connecting as user ada with pass {WORD}#",
        f"trying ada / {WORD}# ... failed",
        f"here: the key you asked for, {KEY}",
        f"take this key: it's {KEY} (internal)",
        f"my old key's {KEY} ok?",
        f"new token for the deploy bot: {KEY}",
        f"paste {KEY} (it is the api key)",
        f"the password used to be {WORD}",
        f"Client(AC{'0' * 32}, {'0f1e2d3c4b5a6978' * 2})",
        f"AUTH LOGIN YWRhQGxhYi5vcmc= {KEY[:24]}",
        f"a1 AUTHENTICATE PLAIN {KEY}",
        f"X-Hub-Signature-256: sha256={'0f1e2d3c4b5a6978' * 4}",
        f"Relay-Signature: t=1799999999,v1={'0f1e2d3c4b5a6978' * 4}",
        "set Quartz_maple_granite as the password for ada",
        f"connecting with ('db.lab.example', 5432, 'ada', '{WORD}')",
        f"DBI->connect('dbi:mysql:runs;host=db1', 'ada', '{WORD}', {{}})",
        f'argc=3 a0="curl" a1="-u" a2="ada:{WORD}"',
        f"X-Relay-Auth-Key 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0:{WORD}",
        f"rootpw  {WORD}",
        f"snmp-server community {WORD} RO",
        f"rocommunity {WORD}",
        f"enable secret 9 {WORD}",
        f"username ada privilege 15 secret 5 {WORD}",
        f"radius-server key 7 {WORD}",
        f"    stats auth admin:{WORD}",
        f"snmpget -v2c -c {WORD} switch-3 sysDescr.0",
        f"snmpwalk -v3 -u ada -A {WORD} -x AES -X {WORD}2 switch-3",
        f"username: ada / pass: {WORD}",
        f"user=ada pass={WORD} rc=530",
        f"creds ada:{WORD} rejected by host",
        f'Retrieved secret "db-prod": {WORD}',
        f"pass phrase for id_rsa: {WORD}",
        f"oci: pass_phrase={WORD}",
        f"Generated random password for user admin: {WORD}",
        f"reply: b'334 UGFzc3dvcmQ6'\nsend: '{WORD.replace('_', '9')}\\r\\n'",
        f"GET /cb?code={WORD}abc&state=8dbe1a55c2922bc0",
        f"GET /cb?state=8dbe1a55c2922bc0&code={WORD}abc",
        f"key material (hex): {'0f1e2d3c4b5a6978' * 2}",
        f'client = cohere.Client("{KEY}")',
        f"fernet = Fernet(b'{KEY}abc=')",
        f"WIFI:S:lab;T:WPA;P:{WORD};;",
        f"x-honeycomb-team: {KEY[:22]}",
        f"TOKEN=\n{KEY}",
        f"API key:\n    {KEY}",
        f"‘api_key’: ‘{KEY}’",
        f"olcRootPW: {{SSHA}}{KEY[:32]}",
        f"127.0.0.1:6379> AUTH default {WORD}",
        f'{{"user":"ada","pass":"{WORD}"}}',
        f"PASS={WORD}!",
        f"[ERROR] Bad credentials (ada, {WORD})",
        f"export HOOK=https://hooks.slack.com/services/T0/B0/{KEY[:24]}\nposting to .../{KEY[:24]}",
        f"redis auth failed: AUTH {WORD}",
        f"#0 /app/db.php(12): PDO->__construct('mysql:host=db', 'app', '{WORD}')",
        f"mysqli_connect('db', 'root', '{WORD}', 'x')",
        f'db.auth("ada", "{WORD}")',
        f"Property spring.datasource.password resolved to '{WORD}' from application.yml",
        f'Password: (string) (len=15) "{WORD}",',
        f'random_password.db.result: "{WORD}"',
        f"chpasswd:\n  list: |\n    root:{WORD}\n    ubuntu:{WORD}2",
        f"$ gcloud secrets versions access latest --secret=db-pass\n{WORD}",
        f"$ kubectl get secret db -o jsonpath='{{.data.password}}'\n{WORD}",
        f"argocd admin initial password\n{KEY}",
        f"PASSWORD elastic = {KEY}",
        f"Please log in with ada / {WORD}",
        f"admin / {WORD} are the default credentials",
        f"Connecting to ftp as anonymous:{WORD}",
        f"jira basic auth ada:{WORD}",
        f'authorization header was "{KEY}=="',
        f"[smtp.example.org]:587 ada@example.org:{WORD}",
        f'before (last 100 chars): "assword: {WORD}"',
        f"ipmitool -I lanplus -H bmc -U ADMIN -P {WORD} power status",
        f"vault operator unseal {KEY}abc=",
        f'encrypt = "{KEY}abc="',
        f"nats://{KEY}@nats:4222",
        f"the password of the scratch volume is {WORD}, ask ada",
        f'The passphrase for the backup is still "{WORD}".',
        f"log in as ada with pw {WORD} until friday",
        f"root password was rotated from {WORD} to {WORD}2 on every node",
        f"creds for the wiki: ada / {WORD}",
        f"access key (staging): {KEY}",
        f"credentials = (ada:{WORD}, bob:{WORD}2)",
        f"<tr><th>Access key</th><td><code class='x'>{KEY}</code></td></tr>",
        f"<dt>API key</dt><dd>{KEY}</dd>",
        f"&lt;passphrase&gt;{WORD}&lt;/passphrase&gt;",
        f"\\u003cpassword\\u003e{WORD}\\u003c/password\\u003e",
        f"   4 host/node9@LAB (aes128-cts-hmac-sha1-96)  (0x{'0f1e2d3c4b5a6978' * 2})",
        f"Client('AC{'0' * 32}', '{'0f1e2d3c4b5a6978' * 2}')",
        f"oss.Auth('LTAI{'5tA' * 6}', '{KEY}')",
        f"CREATE USER ada IDENTIFIED BY {WORD};",
        f"ATTACH 'dbname=x' AS pg (TYPE postgres, PASSWORD '{WORD}')",
        f"CREATE LOGIN ada WITH PASSWORD = N'{WORD}'",
        f"CREATE OR REPLACE SECRET lab (\n  TYPE s3,\n  KEY_ID '{KEY[:20]}',\n  SECRET '{KEY}'\n)",
        f"SELECT 1 FROM s3Cluster('main', 'https://x/y.csv', 'made-up', '{KEY}', 'CSV')",
        f"SELECT 1 FROM gcs('https://x/y.csv', 'made-up', '{KEY}')",
        f"INSERT INTO FUNCTION postgresql('db:5432', 'runs', 't', 'ada', '{WORD}')",
        f"Driver=SQLite;Server=db;Uid=sa;Pwd={{{WORD};x}}}}=8}};Port=1",
        f"GET /data?q=Bonn&app_id={'0f1e2d3c4b5a6978' * 2}&x=1",
        f"rotated the signing key of the hook, new value {KEY}, valid now",
        f"Renewed the API token; new token: {WORD}",
        f"{WORD} <-- this is the root password for node-3",
        f"`{WORD}` is the new admin password, ask ada",
        f"it has an access key [{KEY}] set",
        f"root's password ({WORD}) works",
        f"the pw's now {WORD} – ask ada",
        f"The node asks for its passphrase:\n{WORD}\nnode-3 is up",
        f"Please type the password of the vault?\n  {WORD}",
        f"| service | user | pass |\n|---|---|---|\n| wiki | ada | {WORD} |",
        f"DATA_SOURCE_NAME=ada:{WORD}@(db:3306)/runs",
        f"ingest: key {KEY} was revoked by ada",
        f"old signing key {KEY} is not valid any more",
        f"please use '{WORD}' as the root password",
        f"set {WORD} as the pw for ada",
        f"sign in as ada using {WORD} please",
        f"creds for the tool at https://x.example/y: ada / {WORD}",
        f"login: ada / {WORD}",
        f"redirect=%2Flogin%3Fuser%3Da%26passwd%3D{WORD}%26x%3D1",
        f"r=%252Fa%253Fpasswd%253D{WORD}%2526x%253D1",
        f"odbc=Server%3Ddb%3BPassword%3D{WORD}%3BPort%3D1",
        f"jdbc:sqlserver://db;databaseName=x;user=ada;password={{{WORD};z}};encrypt=true",
        f"GET /webhdfs/v1/a?delegation={KEY}&op=OPEN",
        f"code={KEY}&grant_type=authorization_code&client_id=x",
        f"POST /token code_verifier={KEY}",
        f"https://x.example/password-reset/{KEY}/",
        f"https://x.example/invite/{KEY}?a=1",
        f"https://x.example/accounts/reset/MQ/c5x2ab-{'0f1e2d3c4b5a6978' * 2}/",
        '{"p\\u0061ssword": "' + WORD + '"}',
        f"230 USER ada / 331 / PASS {WORD} 530 Login incorrect.",
        f"C: PASS {WORD}",
        f"*cmd* > PASS {WORD}",
        f'write(7, "AUTH {WORD}\\r\\n", 19) = -1',
        f"send: b'AUTH default {WORD}\\r\\n'",
        f'C: a1 LOGIN "ada@lab.example" "{WORD}"',
        f'cx_Oracle.connect("ada", "{WORD}", "db-1/RUNS")',
        f"FTP('ftp.lab.example', 'ada', '{WORD}')",
        f'SMBConnection("nas.lab.example", 445, "ada", "{WORD}")',
        f'new NetworkCredential("ada", "{WORD}")',
        f'$c = ConvertTo-SecureString "{WORD}" -AsPlainText -Force',
        f"ConvertTo-SecureString -AsPlainText -Force -String {WORD}",
        f"'{WORD}' | ConvertTo-SecureString -AsPlainText -Force",
        f"::add-mask::{WORD}",
        f"##vso[task.setvariable variable=x;issecret=true]{WORD}",
        f"(Pdb) p self._pw\n'{WORD}'",
        f"ipdb> cfg.password\n'{WORD}'",
        f'(gdb) print cfg->password\n$1 = 0x55d0c0a1 "{WORD}"',
        f"In [3]: token\nOut[3]: '{WORD}'",
        f"CLIENT_RANDOM {'0a1b' * 16} {'0f1e2d3c4b5a6978' * 6}",
        f"SERVER_HANDSHAKE_TRAFFIC_SECRET {'0a1b' * 16} {'0f1e2d3c4b5a6978' * 4}",
        f"ada:1103:aad3b435b51404eeaad3b435b51404ee:{'0f1e2d3c4b5a6978' * 2}:::",
        f"ada::LAB:{'0a1b' * 4}:{'0f1e2d3c4b5a6978' * 2}:0101000000000000{'0f1e2d' * 8}",
        f"LAB/ada:$DCC2$10240#ada#{'0f1e2d3c4b5a6978' * 2}",
        f"secretsdump.py -hashes :{'0f1e2d3c4b5a6978' * 2} LAB/ada@dc-1",
        f'importprivkey L{KEY.replace("0", "a")}bcdefghjkmn "cold"',
        f"algolia app=MADEUP01 admin={'0f1e2d3c4b5a6978' * 2}",
        f"MDAyMWxvY2F0aW9u{KEY}",
        f"x=0.0d5f8a52-0000-4000-8000-0c1d2e3f4a5b.{KEY}:{KEY[:22]}==",
        f"The password for the store will be {WORD} from Monday",
        f"Default login is ada / {WORD} on port 9001",
        f"read -rs DB_PW <<< {WORD}",
        f"read -r -p 'name: ' API_KEY <<< \"{KEY}\"",
        f'10.8.2.14:51220] "CONFIG" "SET" "requirepass" "{WORD}"',
        f"computed X-Lab-Signature-256 with key {WORD}",
        f"hmac-sha256 of the body using the shared secret '{WORD}'",
        f"loaded key {WORD} (len=15)",
        f"using token {WORD} (15 chars)",
        f"mc alias set lab https://s3.example {KEY[:20]} {WORD}",
        f"mcli config host add lab https://s3.example {KEY[:20]} {WORD}",
        "master_key = b'" + r"\x8f\x12\xa0\x9b\xcc\x01\x77\xe2\x13\x98" + "'",
    ],
)
def test_phrase_gives_the_secret_away(text: str):
    shown = redact(text)
    assert not any(part in shown for part in (WORD[:12], KEY[:20], "0f1e2d", r"\xa0\x9b", "Quartz9maple"))
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Your verification code is 984150",
        "OTP for ada: 984150",
        "MFA code=984150",
        "PIN: 984150",
        "recovery PIN of the portal for ada: 984150",
        "the pin is 984150",
        "Passcode of the door to the lab is 984150",
        "LOGIN     PIN\nada       984150",
    ],
)
def test_one_time_code_is_redacted(text: str):
    assert "984150" not in redact(text)


@pytest.mark.parametrize(
    "text", ["seal_pin: '984150'", '{"hsmPin":"984150"}', "BUNKER_PIN=984150", "x.fancy_pin = 984150"]
)
def test_pin_of_many_digits_is_redacted_under_any_name(text: str):
    assert "984150" not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "The passphrase for the vault is “otter maple granite velvet” since May",
        "Das Passwort lautet 'otter maple granite velvet'",
        "LOGIN     PASSPHRASE                    SINCE\nada       otter maple granite velvet    2026-01-01",
    ],
)
def test_pass_phrase_of_words_is_redacted(text: str):
    shown = redact(text)
    assert "maple" not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Recovery codes (print them):\n  kq4rp-6nmix\n  aaqrt-bbwzx\n  9pb5m-aj4ev\nstored for ada",
        "1. backup codes\n1. kq4rp-6nmix\n2. aaqrt-bbwzx\n\nstored for ada",
        "2FA recovery codes: kq4rp-6nmix, 9pb5m-aj4ev stored for ada",
        "MFA backup codes\n- 4938 7712\n- 9938 1123\n\nstored for ada",
        "two-factor backup list\n kq4rp-6nmix\n 9pb5m-aj4ev\n\nstored for ada",
        "códigos de recuperación: kq4rp-6nmix, 9pb5m-aj4ev stored for ada",
        "Ersatzcodes\n4938 7712\n9938 1123\n\nstored for ada",
    ],
)
def test_list_of_recovery_codes_is_redacted(text: str):
    shown = redact(text)
    assert not any(part in shown for part in ("4rp", "qrt", "aj4ev", "7712", "9938"))
    assert shown.endswith("stored for ada")
    assert shown.count("\n") == text.count("\n")
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "master key: " + "0f 1e 2d 3c " * 4 + "\nslot 1",
        "uint8_t aes_key[16] = {" + ", ".join(["0x0f", "0x1e", "0x2d", "0x3c"] * 4) + "};\nslot 1",
        "MK dump:\t" + "0f 1e 2d 3c " * 4 + "\n       \t" + "0f 1e 2d 3c " * 4 + "\nslot 1",
        "recovery: 0f1e2-d3c4b 5a697-80f1e\nslot 1",
    ],
)
def test_bytes_and_groups_of_a_key_are_redacted(text: str):
    shown = redact(text)
    assert not any(part in shown for part in ("1e 2d", "0x1e", "0f1e2", "80f1e"))
    assert shown.count("\n") == text.count("\n")
    assert "slot 1" in shown
    assert redact(shown) == shown


def test_key_pair_in_numbers_is_redacted():
    numbers = ",".join(str(at) for at in range(100, 164))
    assert "123,124" not in redact(f"keypair: [{numbers}]")
    assert redact(f"pixels: [{numbers}]") == f"pixels: [{numbers}]"


NUMBERS = "7 201 33 94 120 8 255 61 17 40 99 182 13 77 240 5"


@pytest.mark.parametrize(
    "text",
    [
        f"cfg={{SigningKey:[{NUMBERS}] Debug:true}}",
        f"{{User:ada Password:[{NUMBERS}]}}",
        f"hmac_secret = bytearray([{NUMBERS.replace(' ', ', ')}])",
        f"privateKey: Uint8Array(16) [ {NUMBERS.replace(' ', ', ')} ]",
        f"private_key: []byte{{{NUMBERS.replace(' ', ', ')}}}",
        "clientSecret: <Buffer 07 c9 21 5e 78 08 ff 3d 11 28 63 b6 0d 4d f0 05>",
    ],
)
def test_numbers_of_a_key_are_redacted(text: str):
    shown = redact(text)
    assert not any(part in shown for part in ("201", "c9 21"))
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        f"token_ids=[{NUMBERS}]",
        f"key: [{NUMBERS.replace(' ', ', ')}]",
        f"attention_key = [{NUMBERS}]",
        f"public_key: <Buffer {'0f 1e ' * 6}00>",
    ],
)
def test_other_numbers_stay(text: str):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "PASS tests/unit/a12.test.js",
        "PASS tests/unit/a12.test.js\nTests: 230 Passed",
        '1) "token_count"\n2) "1200"\n3) "key"\n4) "shard-12"',
        "env seed: 12345678",
        "use shard-12 / shard-13 of the set",
        'open("words-2024.txt")  # one line for each token',
        "set $upstream_host gpu-12",
        "relay_key shard-00012-of-01024\nstep 12",
        'echo "epoch 12 done" > passed.log',
        "Loading configuration property: jobmanager.rpc.port, 6123",
        'page.fill("#username", "ada")',
        'df.fill("password_hash", 0)',
        "loading.. pass 3 of 8",
        "signing wheel with cosign v2.4.1 as key",
        "Schlüssel: model.layers.31.mlp.down_proj.weight",
        "la clave primaria es run_id_and_step_of_the_run",
        "decrypted value for db_admin -> ok",
        "connecting as ada/job#12 on gpu-3",
        "connected as ada (pid 412) to the hub",
        "authenticated as ada/node-3.lab@REALM",
        "the cache key for step: AbCdEfGhIjKlMnOpQrSt1234",
        "next page token for the list: CAEQAx8mZ1kPq9sT2uVw",
        "new key - transformer.h.0.attn.q_proj_weight_scale",
        "this key: /runs/llama-8b-tootsie-0.001-19ad63/step99000",
        "use Base-Encoding as the password encoding",
        "AUTH LOGIN PLAIN XOAUTH2",
        "dedup-signature-128: sha256 over 12 fields",
        "shapes ('conv.w', 3072, 'f32', 'replicated')",
        "> PASS",
        "AUTH CRAM-MD5 offered",
        "send: b'AUTH CRAM-MD5\\r\\n'",
        'connect("a.example", "runs", 12)',
        'connect("lab-7a", "gpu-12b", "c")',
        'Table("a.csv", "b", "c12")',
        "ConvertTo-SecureString $env:LAB_PW -AsPlainText -Force",
        "::group::Run step 12",
        "(Pdb) p step\n'a1B2c3D4e5F6g7H8'",
        ">>> token\nTraceback (most recent call last):",
        "CLIENT_RANDOM is not logged",
        "at::native::cat12:::",
        "public key: " + "0f 1e 2d 3c " * 4,
        "pixel key: 12 34 56 78",
        "sense key: 05 24 00 00 00 00 00 00 00 00 00 00 00",
        "recovery: shard-0001 shard-0002",
        "recovery: step-12 of 20",
        "importprivkey failed for wallet 12",
        "Default login is ada / see page 12",
        "NameError: algolia 12",
        "The password will be v2-based in release12",
        "Das Passwort ist Version12 der Richtlinie",
        "NoMethodError: undefined method `password=' for #<User:0x00007f8a1234abcd>",
        "gpg: Signature made Tue using RSA key 97AE9DC31B9FF61D5E241049AA3C9280DCC13187",
        'Client("http://localhost:8786")',
        'connect("db-prod-replica-2.internal")',
        'assert name in self.rules, f"Unknown token name: {name!r}"',
        "status code: 200 in 123456 us",
        "the password prompt is shown in step 12",
        "suite | pass | fail\nunit  | 1234 | 5678",
        "user | pass | fail\nada  | 1234 | 5678",
        "name   pin   user\nled    17    ada",
        "Enter the password for ada:\nConnected.",
        "Enter password:\nada@node-3:~$ ls",
        "Recovery codes:\nstep 12 of 20",
        "backup codes are not generated yet\nloaded 12 shards",
        "backup of the bucket is: 12345678",
        "s3('https://x/y.csv', 'CSVWithNames', 'name String, n UInt8')",
        "s3('https://x/y', 'JSONEachRow', 'auto')",
        "jobs are identified by run-12ab and grouped by 'user-1'",
        'f"Driver=x;Uid={uid};Pwd={pwd};Port=1"',
        "GET /data?appid=730&x=1",
        'The passphrase prompt is "enter your new passphrase here"',
        "API key (optional), see page 12",
        "access key (AWS_ACCESS_KEY_ID2) is unset",
        "the password – if any – is in vault-2 since 2026",
        "node17 <- the password server",
        "if tries3 <= password_limit: pass",
        "step-12 is the last password check",
        "rotating the key, new key version follows on node-17",
        'export A_TOKEN="${A_TOKEN:?must be set}"',
        ": ${DB_PASSWORD?missing in line 12}",
        "Authorization: Bearer [REDACTED]",
        "Authorization: Basic [MASKED]",
        "The password for ada on node-17 is stored in vault-2",
        "The password hash is sha256-based, the salt is 16-byte",
        "your password was changed 12 minutes ago from 10.0.0.5 to 10.0.0.6",
        "secret rotated from v12 to v13",
        "using secret train-secrets-2 with credentials file-3.json",
        "the api key limit is 100k/day",
        "password (8-20 characters): required",
        "net user growth was 12% in q3",
        "htpasswd: 3 users loaded from 2 files",
        'echo "done 12/12" | tee log',
        "const secret = await fetchSecret('db'); run(secret);",
        "checksum/secret: 3f2a91c04d3f2a91c04d3f2a91c04d3f2a91c04d3f2a91c04d3f2a91c04d3f2a",
        "checksum/db-credentials: 3f2a91c04d3f2a91c04d3f2a91c04d3f",
        "GPG_KEY=0F1E2D3C4B5A69780F1E2D3C4B5A69780F1E2D3C",
        "'GPG_KEY': '0F1E2D3C4B5A69780F1E2D3C4B5A69780F1E2D3C', 'x': 1",
        "LoadCredential=db:/etc/credstore/db",
        "ftjob-A5lkVbrBum7rZ1ltaUs9x2Qw",
        "-----BEGIN CERTIFICATE-----\nMIIDAzCCAeugAwIBAgIUA5lkVbrBum7rZ1ltaUs9A5lkVbrBum7rZ1ltaUs9A5lk\n"
        "-----END CERTIFICATE-----",
        "pass: tests/test_a1.py::test_b2 PASS=12 pass=0.98",
        "tokens 984150 per second",
        "using recovery code path",
        "PWD=/home/ada/train",
        "OLDPWD=/home/ada",
        "POSTGRES_PASSWORD_FILE=/run/secrets/db",
        "KMSKeyId: 966bcf6e-a9d0-74c1-1b8c-df64c382f4fb",
        "fetch(url, {credentials: include})",
        "usage: train.py [--token TOKEN] [--password PASSWORD] [--api-key KEY]",
        "x-amz-id-2: Gbf7V5uTn0H6gQNohFWZ0xrAoZ0lXgw5R/snzD4B3DdsRZzcHOM51pCpEPNVlNqzyQmQJ46jYj5q",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tVyXuNDUtaoJsiRYuF18533NT9fa+pe2Y",
        "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA5AlkVbrBum7rZ1ltaUs9",
        "-----BEGIN CERTIFICATE-----\nA5lkVbrBum7rZ1ltaUs9A5lkVbrBum7rZ1ltaUs9A5lkVbrBum7rZ1ltaUs9A5lk\n"
        "-----END CERTIFICATE-----",
        'Error: secret "train-secrets": not found',
        "failed to load secret train-model: timeout",
        "community guidelines 2024",
        "login: ada succeeded",
        "credentials file:/home/ada/creds.json",
        "user: ada pass: 12 fail: 0",
        "cache key 3f2a91c04d3f2a91c04d3f2a91c04d3f rejected",
        "partition key aB3dE5fG7hJ9kL1mN0pQ rejected",
        "key step_12 is invalid",
        "use 'ada' as login",
        "log in as ada with ssh",
        "signed in as ada with 2 roles",
        "creds for a/b: see docs / wiki",
        "GET /x?ticket=12&op=OPEN",
        "https://x.example/verify/email",
        "https://x.example/confirm/run-20261120",
        "gpio_pin = 17",
        "cpu_pin=0-15",
        "read line <<< hello12",
        "signed with key id kms-prod-3",
        "HMAC computed with key from env",
        "loaded key cache (len=12)",
        "two-factor list of items\n1. item\n2. item",
        "wandb: API key is not valid for host http://wandb.example:8080",
        '{"msg": "cache key: linux-py3.11-aa0e5c3fdc91acbb33ae04c3eb47a835cb61ce9e4cac7c71f97df615c5d2cb4a"}',
    ],
)
def test_phrase_spares_what_is_no_secret(text: str):
    assert redact(text) == text
