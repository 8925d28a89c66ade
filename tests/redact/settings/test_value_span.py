"""Where a value ends: doubled quotes, phrases without quotes, signs that XML writes out."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f"ALTER ROLE ada PASSWORD 'it''s {WORD}' VALID UNTIL '2031'",
        f"CREATE USER ada IDENTIFIED BY 'it''s {WORD}'; -- VALID UNTIL '2031'",
        f"password: 'it''s-{WORD}'  # until '2031'",
        f'"{{""user"": ""ada"", ""password"": ""it is {WORD}""}}",2031',
        f'"ada","the token: ""{WORD}"" ok",2031',
    ],
)
def test_doubled_quote_does_not_end_a_value(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert "2031" in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_value_stands_below_three_quotes(quotes: str):
    random = "y1EpGSkiE3wtKB0ekMtC" + "XU05SCp8BTmq94GvBG79"
    assert redact(f"key = {quotes}\n{random}\n{quotes}\nsteps = 4") == (
        f"key = {quotes}\n[redacted]\n{quotes}\nsteps = 4"
    )
    assert "river" not in redact(f"password = {quotes}\n  quiet-river\n{quotes}")
    docs = f"def load() -> PrivateKey:\n    {quotes}\n    Load a new private key.\n    {quotes}"
    assert redact(docs) == docs


@pytest.mark.parametrize("text", ["password='' user=ada", 'token: "" x', "f('password', '', 'ada')"])
def test_empty_string_has_no_value(text: str):
    assert redact(text) == text


@pytest.mark.parametrize(
    "setting",
    [
        "smtp_passwd   = three small otters at dawn",
        "  db.password = velvet wooden spoon",
        "passphrase: amber falcon copper willow",
        "passphrase=amber falcon copper willow",
        "bind_password = quiet river 4",
        "spring.mail.password=autumn leaf 12",
    ],
)
def test_phrase_without_quotes_goes_to_the_end_of_its_line(setting: str):
    name = setting.split("=" if "=" in setting else ":")[0]
    shown = redact(f"[x]\n{setting}\npool = 8")
    assert [line.strip() for line in shown.splitlines()[1:]][1] == "pool = 8"
    assert shown.splitlines()[1].startswith(name)
    assert shown.splitlines()[1].endswith("[redacted]")
    assert len(shown.splitlines()[1].split()) <= 3


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("  user: ada\n  password: quiet river 4\npool: 8", "user: ada"),
        ("DB_HOST=db1\nDB_PASSWORD=quiet river 4\nDB_PORT=5432", "DB_PORT=5432"),
        ('"HOME=/root", "DB_PASSWORD=quiet river 4", "STAGE=prod"', "STAGE=prod"),
        ("ssh-keygen -t ed25519 -N 'quiet river 4' -f /root/.ssh/deploy", "-f /root/.ssh/deploy"),
        ('curl -u "ada:quiet river 4" https://lab.example.org', "https://lab.example.org"),
        (r"HOME=/root\x00DB_PASS=quiet-river8\x00PATH=/usr/bin\x00", "PATH=/usr/bin"),
        ("Le mot de passe du noeud gpu-9 est Quietriver_88 depuis lundi", "depuis lundi"),
        ("grant_type=password&password=quiet%20river%204&scope=all", "&scope=all"),
    ],
)
def test_words_among_settings_go_as_a_whole(text: str, stays: str):
    shown = redact(text)
    assert "river" not in shown
    assert stays in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "line",
    [
        "user: ada\npassword: authentication failed 4 times",
        "password: must be set by the user",
        "password = None if offline else prompt",
        "password = required by the policy of ada",
        "the password: which one is it then",
    ],
)
def test_sentence_behind_a_name_stays(line: str):
    assert redact(line) == line


def test_ampersand_of_xml_is_part_of_a_value():
    shown = redact(f'<add value="Server=db-1;Pwd={WORD}&amp;x9Zt;" />')
    assert "x9Zt" not in shown
    assert "db-1" in shown
    assert redact("GET /?token=y1EpGSkiE3wtKB0ekMtC&amp;page=2").endswith("&amp;page=2")


@pytest.mark.parametrize("name", ["acme/v1:x-lab-token", "lab:x-relay-pass", "svc/db_password"])
def test_name_behind_its_namespace_is_read_in_a_tuple(name: str):
    shown = redact(f'[("{name}", "y1EpGSkiE3wtKB0ekMtC"), ("x-trace", "0182de80")]')
    assert "y1EpGS" not in shown
    assert "0182de80" in shown
