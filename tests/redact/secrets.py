"""Two tables: kinds of secrets, made up by a seed, and ways in which a job or a person writes them down.

The kinds here are written from the vendors' documentation, and not from the product's table, so that the two
check each other. Nothing is stored that looks like a real secret: every value is made by a seeded generator.
"""

import base64
import json
import random
import string
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
HEX, URL, B64, LOW = DIGITS + "abcdef", ALNUM + "-_", ALNUM + "+/", LOWER + DIGITS
SIGNS = "!#%*+?@^~-_=."


@dataclass(frozen=True)
class Secret:
    """A made-up secret. `says_itself`: known by its look, under any name; else only by the name's words."""

    kind: str
    name: str  # as an environment variable
    value: str
    says_itself: bool
    is_word: bool = True  # no white space, quotes or line breaks in it

    @property
    def snake(self) -> str:
        return self.name.lower()

    @property
    def flag(self) -> str:
        return "--" + self.snake.replace("_", "-")

    @property
    def camel(self) -> str:
        first, *rest = self.snake.split("_")
        return first + "".join(word.capitalize() for word in rest)

    @property
    def header(self) -> str:
        return "X-" + "-".join(word.capitalize() for word in self.snake.split("_"))


def text(dice: random.Random, alphabet: str, length: int) -> str:
    """Random, and never by chance a plain word or a number."""
    made = [dice.choice(alphabet) for _ in range(length)]
    if length >= 8:
        for place, wanted in ((2, DIGITS), (5, LOWER)):
            choices = [letter for letter in alphabet if letter in wanted]
            if choices:
                made[place] = dice.choice(choices)
    return "".join(made)


Make = Callable[[random.Random], str]


def shape(*parts: str | tuple[str, int]) -> Make:
    """Literal pieces, and (alphabet, length) for random ones."""
    return lambda dice: "".join(part if isinstance(part, str) else text(dice, *part) for part in parts)


def uuid(dice: random.Random) -> str:
    return "-".join(text(dice, HEX, length) for length in (8, 4, 4, 4, 12))


def jwt(dice: random.Random) -> str:
    def part(content: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")

    header, body = {"alg": "HS256", "typ": "JWT"}, {"sub": text(dice, LOW, 12), "exp": dice.randint(1, 9**9)}
    return f"{part(header)}.{part(body)}.{text(dice, URL, 43)}"


def with_signs(dice: random.Random) -> str:
    """A password as a generator of passwords makes it; begins and ends with a letter."""
    return text(dice, ALNUM, 4) + text(dice, ALNUM + SIGNS, 12) + text(dice, ALNUM, 3)


def storage_key(dice: random.Random) -> str:
    return base64.b64encode(dice.randbytes(64)).decode()


# kind, usual names, how it is made, whether it says itself what it is
KINDS: tuple[tuple[str, tuple[str, ...], Make, bool], ...] = (
    ("huggingface", ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"), shape("hf_", (LOWER + UPPER, 34)), True),
    ("wandb-40", ("WANDB_API_KEY",), shape((HEX, 40)), False),
    ("wandb-new", ("WANDB_API_KEY",), shape("wandb_v1_", (URL, 77)), True),
    ("openai", ("OPENAI_API_KEY",), shape("sk-", (ALNUM, 48)), True),
    ("openai-project", ("OPENAI_API_KEY",), shape("sk-proj-", (URL, 120)), True),
    ("anthropic", ("ANTHROPIC_API_KEY",), shape("sk-", "ant-api03-", (URL, 93), "AA"), True),
    ("google-api", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), shape("AI", "za", (URL, 35)), True),
    ("google-oauth", ("GCP_ACCESS_TOKEN",), shape("ya29.", (URL, 120)), True),
    ("google-refresh", ("GOOGLE_REFRESH_TOKEN",), shape("1//0", (URL, 50)), True),
    ("groq", ("GROQ_API_KEY",), shape("gsk_", (ALNUM, 52)), True),
    ("replicate", ("REPLICATE_API_TOKEN",), shape("r8_", (ALNUM, 37)), True),
    ("nvidia", ("NVIDIA_API_KEY", "NGC_API_KEY"), shape("nvapi-", (URL, 64)), True),
    ("langsmith", ("LANGSMITH_API_KEY",), shape("lsv2_pt_", (HEX, 32), "_", (HEX, 10)), True),
    ("openrouter", ("OPENROUTER_API_KEY",), shape("sk-or-v1-", (HEX, 64)), True),
    ("perplexity", ("PPLX_API_KEY",), shape("pplx-", (ALNUM, 48)), True),
    ("mistral", ("MISTRAL_API_KEY",), shape((ALNUM, 32)), False),
    ("cohere", ("COHERE_API_KEY",), shape((ALNUM, 40)), False),
    ("pinecone", ("PINECONE_API_KEY",), shape("pcsk_", (ALNUM, 6), "_", (ALNUM, 60)), True),
    ("kaggle", ("KAGGLE_API_KEY",), shape((HEX, 32)), False),
    ("modal", ("MODAL_TOKEN_SECRET",), shape("as-", (ALNUM, 22)), True),
    ("databricks", ("DATABRICKS_TOKEN",), shape("dapi", (HEX, 32)), True),
    ("aws-id", ("AWS_ACCESS_KEY_ID",), shape("AKI", "A", (UPPER + "234567", 16)), True),
    ("aws-secret", ("AWS_SECRET_ACCESS_KEY",), shape((B64, 40)), False),
    ("aws-session", ("AWS_SESSION_TOKEN",), shape("IQoJb3JpZ2luX2Vj", (B64, 200), "=="), True),
    ("azure-storage", ("AZURE_STORAGE_KEY", "STORAGE_ACCOUNT_KEY"), storage_key, True),
    ("azure-client", ("AZURE_CLIENT_SECRET",), shape((ALNUM, 3), "8Q~", (ALNUM, 34)), True),
    (
        "azure-sas",
        ("AZURE_SAS_TOKEN", "SAS_TOKEN"),
        shape("sv=2024-11-04&sp=r&sig=", (ALNUM, 43), "%3D"),
        True,
    ),
    ("digitalocean", ("DIGITALOCEAN_TOKEN",), shape("dop_v1_", (HEX, 64)), True),
    ("cloudflare", ("CLOUDFLARE_API_TOKEN",), shape("cfut_", (ALNUM, 48)), True),
    ("vault", ("VAULT_TOKEN",), shape("hvs.", (URL, 90)), True),
    ("terraform", ("TFC_TOKEN",), shape((ALNUM, 14), ".atlasv1.", (ALNUM, 67)), True),
    ("pulumi", ("PULUMI_ACCESS_TOKEN",), shape("pul-", (HEX, 40)), True),
    ("doppler", ("DOPPLER_TOKEN",), shape("dp.st.prd.", (ALNUM, 43)), True),
    ("tailscale", ("TS_AUTHKEY",), shape("tskey-auth-", (ALNUM, 12), "CNTRL-", (ALNUM, 32)), True),
    ("github", ("GITHUB_TOKEN", "GH_TOKEN"), shape("gh", "p_", (ALNUM, 36)), True),
    ("github-fine", ("GITHUB_PAT",), shape("github_", "pat_", (ALNUM, 22), "_", (ALNUM, 59)), True),
    ("gitlab", ("GITLAB_TOKEN", "CI_DEPLOY_TOKEN"), shape("gl", "pat-", (URL, 20)), True),
    ("npm", ("NPM_TOKEN", "NODE_AUTH_TOKEN"), shape("np", "m_", (ALNUM, 36)), True),
    ("pypi", ("PYPI_TOKEN", "TWINE_PASSWORD"), shape("pypi-AgEIcHlwaS5vcmc", (URL, 130)), True),
    ("docker", ("DOCKER_PASSWORD",), shape("dckr_", "pat_", (URL, 27)), True),
    ("sentry", ("SENTRY_AUTH_TOKEN",), shape("sntryu_", (HEX, 64)), True),
    ("grafana", ("GRAFANA_API_TOKEN",), shape("glsa_", (ALNUM, 32), "_", (HEX, 8)), True),
    ("datadog-api", ("DD_API_KEY", "DATADOG_API_KEY"), shape((HEX, 32)), False),
    ("datadog-app", ("DD_APP_KEY",), shape((HEX, 40)), False),
    ("newrelic", ("NEW_RELIC_API_KEY",), shape("NRAK-", (UPPER + DIGITS, 27)), True),
    (
        "slack-bot",
        ("SLACK_BOT_TOKEN",),
        shape("xo", "xb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (ALNUM, 24)),
        True,
    ),
    (
        "slack-app",
        ("SLACK_APP_TOKEN",),
        shape("xa", "pp-1-A", (UPPER, 10), "-", (DIGITS, 13), "-", (HEX, 64)),
        True,
    ),
    ("slack-signing", ("SLACK_SIGNING_SECRET",), shape((HEX, 32)), False),
    ("telegram", ("TELEGRAM_BOT_TOKEN",), shape((DIGITS, 10), ":AA", (URL, 33)), True),
    ("discord", ("DISCORD_BOT_TOKEN",), shape("M", (ALNUM, 23), ".", (URL, 6), ".", (URL, 38)), True),
    ("stripe", ("STRIPE_SECRET_KEY", "STRIPE_API_KEY"), shape("sk", "_live_", (ALNUM, 48)), True),
    ("twilio", ("TWILIO_AUTH_TOKEN",), shape((HEX, 32)), False),
    ("sendgrid", ("SENDGRID_API_KEY",), shape("S", "G.", (URL, 22), ".", (URL, 43)), True),
    ("mailgun", ("MAILGUN_API_KEY",), shape("key-", (HEX, 32)), True),
    ("shopify", ("SHOPIFY_ACCESS_TOKEN",), shape("shp", "at_", (HEX, 32)), True),
    ("figma", ("FIGMA_TOKEN",), shape("figd_", (URL, 40)), True),
    ("linear", ("LINEAR_API_KEY",), shape("lin_api_", (ALNUM, 40)), True),
    ("notion", ("NOTION_TOKEN",), shape("ntn_", (ALNUM, 46)), True),
    ("atlassian", ("JIRA_API_TOKEN",), shape("ATATT3xFfGF0", (ALNUM, 160), "=", (UPPER, 8)), True),
    ("jwt", ("ID_TOKEN", "BACKEND_TOKEN", "RUNTIME_TOKEN"), jwt, True),
    ("age", ("AGE_SECRET_KEY",), shape("AGE-SECRET-KEY-1", (UPPER + DIGITS, 58)), True),
    ("unknown-prefix", ("ACME_TOKEN",), shape("acme_live_", (ALNUM, 40)), True),
    ("access-token", ("ACCESS_TOKEN", "ACME_ACCESS_TOKEN"), shape((ALNUM, 28)), False),
    ("backend-token", ("BACKEND_TOKEN", "RUNTIME_TOKEN"), shape((LOW, 24)), False),
    ("refresh-token", ("REFRESH_TOKEN",), shape((URL, 40)), False),
    ("uuid-key", ("POSTMARK_SERVER_TOKEN", "HEROKU_API_KEY"), uuid, False),
    ("password", ("DB_PASSWORD", "PGPASSWORD", "SMTP_PASS"), with_signs, False),
    ("short-password", ("ADMIN_PASSWORD",), shape((LOWER, 5), (DIGITS, 3)), False),
    ("pin", ("KEYSTORE_PASSWORD",), shape((DIGITS, 8)), False),
    ("client-secret", ("OAUTH_CLIENT_SECRET",), shape((URL, 32)), False),
    (
        "encryption-key",
        ("ENCRYPTION_KEY", "FERNET_KEY"),
        lambda dice: base64.b64encode(dice.randbytes(32)).decode(),
        False,
    ),
    (
        "django",
        ("DJANGO_SECRET_KEY", "SECRET_KEY"),
        shape((ALNUM, 3), (ALNUM + "!@#%^*-_=+", 44), (ALNUM, 3)),
        False,
    ),
    ("license", ("ACME_LICENSE_KEY",), shape((UPPER + DIGITS, 25)), False),
    ("session", ("SESSION_TOKEN",), shape((HEX, 64)), False),
    ("credentials", ("ACME_CREDENTIALS",), shape((ALNUM, 30)), False),
)


def log(line: str) -> str:
    """A line of a job's log, between two others."""
    return f"I20261120 19:45:20 x.y loading\nI20261120 19:45:21 z.y {line}\nI20261120 19:45:22 x.y done"


def wrapped(line: str, secret: Secret) -> str:
    """The line broken inside the secret, as a narrow terminal breaks it."""
    at = line.index(secret.value) + len(secret.value) // 2
    return f"{line[:at]}\n{line[at:]}"


def boxed(name: str, value: str) -> str:
    """Local variables as rich prints them."""
    row = f"│ {name} = '{value}' │"
    return f"╭{'─' * (len(row) - 2)}╮\n{row}\n╰{'─' * (len(row) - 2)}╯"


def basic(secret: Secret) -> str:
    return base64.b64encode(f"ada:{secret.value}".encode()).decode()


# Wrappings that name the secret: it must go whatever it looks like.
NAMED: dict[str, Callable[[Secret], str]] = {
    "env": lambda s: f"{s.name}={s.value}",
    "export": lambda s: f"export {s.name}='{s.value}'; python train.py",
    "env-in-log": lambda s: log(f"starting with {s.name}={s.value} and 8 workers"),
    "yaml": lambda s: f"training:\n  {s.snake}: {s.value}\n  steps: 100",
    "toml": lambda s: f'[service]\n{s.snake} = "{s.value}"\nretries = 3',
    "ini": lambda s: f"[service]\n{s.snake} = {s.value}\nretries = 3",
    "json": lambda s: json.dumps({"steps": 100, s.snake: s.value, "name": "dedup"}),
    "json-camel": lambda s: json.dumps({"config": {s.camel: s.value}}, indent=2),
    "json-nested": lambda s: json.dumps({s.snake: {"value": s.value, "type": "static"}, "n": 1}),
    "json-list": lambda s: json.dumps(
        {f"{s.snake}s" if s.snake.endswith("token") else s.snake: [s.value], "n": 1}
    ),
    "json-in-line": lambda s: log(f"config {json.dumps({s.snake: s.value, 'lr': 0.1})} accepted"),
    "json-escaped": lambda s: json.dumps({"message": json.dumps({s.snake: s.value, "n": 1})}),
    "json-escaped-twice": lambda s: json.dumps(json.dumps({"m": json.dumps({s.snake: s.value, "n": 1})})),
    "json-name-value": lambda s: json.dumps({"env": [{"name": s.name, "value": s.value}]}),
    "json-value-name": lambda s: json.dumps([{"value": s.value, "name": s.name}]),
    "yaml-name-value": lambda s: f"env:\n- name: {s.name}\n  value: {s.value}\n- name: STEPS\n  value: '10'",
    "yaml-block": lambda s: f"secrets:\n  first: {s.value}\nsteps: 10",
    "yaml-kubernetes": lambda s: f"kind: Secret\nmetadata:\n  name: x\nstringData:\n  {s.snake}: {s.value}\n",
    "proto": lambda s: f'env_vars {{ key: "{s.name}" value: "{s.value}" }}',
    "dict": lambda s: f"{{'steps': 100, '{s.name}': {s.value!r}, 'HOME': '/home/ada'}}",
    "environ": lambda s: f"environ({{'PATH': '/usr/bin', '{s.name}': {s.value!r}, 'HOME': '/home/ada'}})",
    "environ-set": lambda s: f'os.environ["{s.name}"] = "{s.value}"',
    "bytes": lambda s: f"{{b'{s.snake}': b'{s.value}'}}",
    "tuple": lambda s: f"[('PATH', '/usr/bin'), ('{s.name}', '{s.value}')]",
    "kwargs": lambda s: f"Client(host='h', {s.snake}='{s.value}', timeout=30)",
    "dataclass": lambda s: f"Settings(host=h, {s.snake}={s.value}, timeout=30)",
    "local": lambda s: f'  File "x.py", line 3, in run\n    {s.snake} = "{s.value}"\nKeyError: 3',
    "local-in-box": lambda s: boxed(s.snake, s.value),
    "py-spy-local": lambda s: f'    run (x.py:3)\n        Locals:\n            {s.snake}: "{s.value}"',
    "flag": lambda s: f"python train.py {s.flag} {s.value} --steps 10",
    "flag-equals": lambda s: f"python train.py {s.flag}={s.value} --steps 10",
    "flag-quoted": lambda s: f'python train.py {s.flag} "{s.value}" --steps 10',
    "flag-on-next-line": lambda s: f"python train.py {s.flag} \\\n    {s.value} \\\n    --steps 10",
    "argv": lambda s: json.dumps(["iris", "job", "run", s.flag, s.value, "--", "python"]),
    "argv-pretty": lambda s: json.dumps(["run", s.flag, s.value, "--", "python"], indent=1),
    "iris-e": lambda s: f"iris job run --no-wait -e {s.name} {s.value} -- python train.py",
    "docker-e": lambda s: f"docker run -e {s.name}={s.value} image:1",
    "dockerfile": lambda s: f"ENV {s.name} {s.value}",
    "header": lambda s: f"> {s.header}: {s.value}\n> Accept: */*",
    "curl-header": lambda s: f"curl -H '{s.header}: {s.value}' https://api.example/v1",
    "headers-dict": lambda s: f"{{'Accept': '*/*', '{s.header}': '{s.value}'}}",
    "query": lambda s: f"GET https://api.example/v1?{s.snake}={quote(s.value, safe='')}&page=2",
    "query-encoded": lambda s: (
        f"redirect_to=https%3A%2F%2Fx.example%2F%3F{s.snake}%3D{quote(s.value, safe='')}%26n%3D1"
    ),
    "connection": lambda s: f"Server=db;User Id=sa;{s.snake}={s.value};Encrypt=true",
    "xml": lambda s: f"<server><{s.snake}>{s.value}</{s.snake}></server>",
    "xml-attribute": lambda s: f'<server id="1" {s.snake}="{s.value}"/>',
    "properties": lambda s: f"spark.acme.{s.snake.replace('_', '.')}={s.value}",
    "table": lambda s: f"| {s.name} | {s.value} |\n| STEPS | 10 |",
    "box-table": lambda s: f"┏━━━━━━┓\n┃ name ┃\n│ {s.snake}   │ {s.value} │\n└──────┘",
    "aligned": lambda s: f"steps                 100\n{s.snake:40}    {s.value}\nname                  dedup",
    "tabs": lambda s: f"{s.name}\t{s.value}",
    "leaders": lambda s: f"{s.snake} ........ {s.value}",
    "arrow": lambda s: f"{s.snake} -> {s.value}",
    "column": lambda s: f"NAME      {s.name}\nfirst     {s.value}\n",
    "csv": lambda s: f"user,{s.snake},host\nada,{s.value},db",
    "colours": lambda s: f"\x1b[36m{s.snake}\x1b[0m=\x1b[35m{s.value}\x1b[0m ok",
    "colours-written-out": lambda s: f"\\u001b[36m{s.snake}\\u001b[0m=\\u001b[35m{s.value}\\u001b[0m ok",
    "cut": lambda s: f'{{"steps": 100, "{s.snake}": "{s.value}',
    "cut-escaped": lambda s: f'{{"message": "{{\\"{s.snake}\\": \\"{s.value}',
    "prose": lambda s: f"the {s.snake.replace('_', ' ')} is '{s.value}', please rotate",
    "said-again": lambda s: f"{s.name}={s.value}\nValueError: cannot decode {s.value!r} as a number",
    "set-x": lambda s: f"+ export {s.name}={s.value}\n+ {s.name}={s.value}\n+ python train.py",
    "escaped-newline": lambda s: f"b'PATH=/usr/bin\\n{s.name}={s.value}\\nHOME=/home/ada\\n'",
    "structlog": lambda s: f"2026-11-20 19:45:21 [info     ] connected    {s.snake}={s.value} attempt=3",
}

# Where the place says what it is, whatever its name.
PLACED: dict[str, Callable[[Secret], str]] = {
    "bearer": lambda s: f"curl -H 'Authorization: Bearer {s.value}' https://api.example/v1",
    "bearer-dict": lambda s: json.dumps({"headers": {"Authorization": f"Bearer {s.value}", "Accept": "*/*"}}),
    "authorization": lambda s: f"> Authorization: token {s.value}\n> Accept: */*",
    "basic": lambda s: f"Authorization: Basic {basic(s)}",
    "docker-config": lambda s: json.dumps({"auths": {"ghcr.io": {"auth": basic(s)}}}),
    "cookie": lambda s: f"> Cookie: theme=dark; session={s.value}\n> Accept: */*",
    "set-cookie": lambda s: f"< Set-Cookie: sid={s.value}; Path=/; HttpOnly",
    "netrc": lambda s: f"machine api.example login ada password {s.value}",
    "netrc-lines": lambda s: f"machine api.example\n  login ada\n  password {s.value}\n",
    "userinfo": lambda s: f"postgresql://ada:{quote(s.value, safe='')}@db.example:5432/runs",
    "curl-user": lambda s: f"curl -u ada:{s.value} https://api.example",
    "sshpass": lambda s: f"sshpass -p '{s.value}' ssh host-3",
}

# Only for what says itself what it is.
BARE: dict[str, Callable[[Secret], str]] = {
    "sentence": lambda s: f"authenticating with {s.value} failed",
    "key-error": lambda s: f"KeyError: '{s.value}'",
    "quoted": lambda s: f'["{s.value}", "b"]',
    "innocent-name": lambda s: f"SETTING_7={s.value}",
    "positional": lambda s: f"iris job run -- python train.py {s.value} 10",
    "broken-in-two": lambda s: wrapped(log(f"using {s.value} for it"), s),
    "broken-and-alone": lambda s: wrapped(f"using {s.value}", s),
    "indented": lambda s: textwrap.indent(wrapped(f"using {s.value}", s), "    "),
}


def made(seed: int) -> Iterator[Secret]:
    """One secret of every kind, under one of its names."""
    for kind, names, make, says_itself in KINDS:
        dice = random.Random(f"{kind} {seed}")
        yield Secret(kind, dice.choice(names), make(dice), says_itself)


def trace_of(secret: str, shown: str, *, length: int = 8) -> str:
    """A part of the secret, `length` characters long, that is still to be seen; "" when there is none."""
    length = min(length, len(secret))
    parts = (secret[at : at + length] for at in range(_fixed(secret), max(1, len(secret) - length + 1)))
    return next((part for part in parts if part in shown), "")


def _fixed(secret: str) -> int:
    """Characters at the beginning that every secret of the kind shares."""
    for prefix in (
        "sv=2024-11-04&sp=r&sig=",
        "pypi-AgEIcHlwaS5vcmc",
        "AGE-SECRET-KEY-1",
        "IQoJb3JpZ2luX2Vj",
        "github_pat_",
        "sk-ant-api03-",
    ):
        if secret.startswith(prefix):
            return len(prefix)
    return max(0, secret[:12].find("_") + 1, secret[:12].find("-") + 1) if len(secret) > 24 else 0
