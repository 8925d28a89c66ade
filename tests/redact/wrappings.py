"""More ways in which tools, languages and libraries write a setting down; each needed a rule of its own."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

from tests.redact.secrets import Secret


def encoded(secret: Secret) -> str:
    return base64.b64encode(secret.value.encode()).decode()


def basic_plain(secret: Secret) -> str:
    return base64.b64encode(f"\0ada\0{secret.value}".encode()).decode()


def plural(name: str) -> str:
    return f"{name}s" if name.endswith(("token", "key")) else name


def escaped(value: str) -> str:
    return quote(value, safe="")


# They name the secret.
MORE_NAMED: dict[str, Callable[[Secret], str]] = {
    "env-dump": lambda s: f"HOME=/home/ada\n{s.name}={s.value}\nPATH=/usr/bin",
    "declare": lambda s: f'declare -x HOME="/home/ada"\ndeclare -x {s.name}="{s.value}"',
    "fish": lambda s: f"set -gx {s.name} '{s.value}'",
    "setenv": lambda s: f"setenv {s.name} '{s.value}'",
    "powershell": lambda s: f'$env:{s.name} = "{s.value}"',
    "supervisord": lambda s: f'environment=HOME="/home/ada",{s.name}="{s.value}",N="1"',
    "systemd": lambda s: f'[Service]\nEnvironment="{s.name}={s.value}"\nExecStart=/bin/x',
    "compose": lambda s: f"services:\n  train:\n    environment:\n      - {s.name}={s.value}\n",
    "describe-pod": lambda s: f"    Environment:\n      HOME:    /home/ada\n      {s.name}:  {s.value}\n",
    "describe-configmap": lambda s: f"Data\n====\n{s.snake}:\n----\n{s.value}\nsteps:\n----\n10\n",
    "secret-before-kind": lambda s: (
        f"data:\n  {s.snake}: {encoded(s)}\n  x-url: {encoded(s)}\nkind: Secret\n"
    ),
    "from-literal": lambda s: f"kubectl create secret generic x --from-literal={s.snake}='{s.value}'",
    "yaml-tag": lambda s: f"service:\n  {s.snake}: !!str {s.value}\n",
    "yaml-arguments": lambda s: f"args:\n  - --lr\n  - '0.1'\n  - {s.flag}\n  - '{s.value}'\n",
    "yaml-list": lambda s: f"{plural(s.snake)}:\n  - {s.value}\nport: 80",
    "json-in-address": lambda s: "https://x.example/?state=" + escaped(json.dumps({s.snake: s.value})),
    "html-quotes": lambda s: f"{{&quot;{s.snake}&quot;: &quot;{s.value}&quot;}}",
    "html-cells": lambda s: f"<tr><td>{s.name}</td><td>{s.value}</td></tr>",
    "typed": lambda s: f'    {s.snake}: str = "{s.value}"',
    "default": lambda s: f'def run({s.snake}: str = "{s.value}", steps: int = 3):',
    "rust": lambda s: f'Config {{ host: "db", {s.snake}: Some("{s.value}"), port: 5 }}',
    "rust-lines": lambda s: f'Config {{\n    {s.snake}: Some(\n        "{s.value}",\n    ),\n}}',
    "secret-object": lambda s: f"Settings({s.snake}=SecretStr('{s.value}'), steps=10)",
    "php-dump": lambda s: f'  ["{s.snake}"]=>\n  string({len(s.value)}) "{s.value}"',
    "pydantic": lambda s: (
        f"1 validation error for Settings\n{s.snake}\n"
        f"  String should have at most 8 characters [type=string_too_long, input_value='{s.value}']"
    ),
    "loguru": lambda s: (
        f"    connect({s.snake})\n    │       └ '{s.value}'\n    └ <function connect at 0x7f>"
    ),
    "pytest-local": lambda s: f"{s.snake} = '{s.value}'\nsteps      = 10\n\nx.py:3: RuntimeError",
    "set-to": lambda s: f"{s.name} is set to {s.value}",
    "row": lambda s: f"name,value\nHOME,/home/ada\n{s.name},{s.value}",
    "property": lambda s: f"spark.acme.{s.snake.replace('_', '.')} {s.value}",
    "rejected": lambda s: f"ValueError: invalid {s.snake} '{s.value}'",
    "http2-header": lambda s: f"* [HTTP/2] [1] [{s.header.lower()}: {s.value}]",
    "hydra": lambda s: f"python train.py +service.{s.snake}='{s.value}' model=7b",
    "terraform": lambda s: f'      + {s.snake} = "{s.value}"\n      + name = "x"',
    "name-elements": lambda s: f"<property><name>fs.{s.snake}</name><value>{s.value}</value></property>",
    "joined-strings": lambda s: f"{s.name} = '{s.value[:9]}' '{s.value[9:]}'" if len(s.value) > 30 else "",
    "joined-on-lines": lambda s: (
        f"{s.name} = '{s.value[:9]}'\n    '{s.value[9:]}'" if len(s.value) > 30 else ""
    ),
    "quotes-written-out": lambda s: f"{{\\u0022{s.snake}\\u0022:\\u0022{s.value}\\u0022}}",
    "csv-in-quotes": lambda s: f'"user","{s.snake}","host"\n"ada","{s.value}","db"\n',
    "rust-object": lambda s: f'Config {{ host: "db", {s.snake}: SecretString("{s.value}") }}',
    "rust-objects": lambda s: f'{s.snake}: Some(auth::Token("{s.value}")), port: 5',
    "default-of-option": lambda s: f"  {s.flag} TEXT   [default: {s.value}]",
    "terraform-variable": lambda s: f'variable "{s.snake}" {{\n  type = string\n  default = "{s.value}"\n}}',
    "terraform-change": lambda s: f'      ~ {s.snake} = "before" -> "{s.value}"',
    "noted-type": lambda s: f"{s.snake} (str): {s.value}",
    "wide-colon": lambda s: f"{s.name}：{s.value}",
    "setter": lambda s: f'client.set_{s.snake}("{s.value}")',
    "set-to-quoted": lambda s: f"Set `{s.name}` to `{s.value}` and try again.",
    "option-set-to": lambda s: f"Setting option '{s.snake}' to '{s.value}'",
    "java-option": lambda s: f"java -Xmx4g -D{s.name}={s.value} -jar app.jar",
    "shell-continued": lambda s: f"export {s.name}={s.value[:4]}\\\n{s.value[4:]}",
    "numbered": lambda s: f"{s.snake.replace('_', ' ').title()} 1: {s.value}",
    "env-lower-case": lambda s: f"env -e {s.snake} {s.value} python train.py",
    "named-path": lambda s: (
        f'{{"Name": "/prod/{s.snake}", "Type": "SecureString", "Value": {json.dumps(s.value)}}}'
    ),
    "cdata": lambda s: f"<{s.snake}><![CDATA[{s.value}]]></{s.snake}>",
    "element-with-type": lambda s: f'<x:{s.snake} type="x">{s.value}</x:{s.snake}>',
    "erlang": lambda s: f'[{{host,"db"}},{{{s.snake},"{s.value}"}}]',
    "php-serialised": lambda s: f'a:1:{{s:9:"{s.snake}";s:20:"{s.value}";}}',
    "bold": lambda s: f"- **{s.snake}**: {s.value}",
    "bold-with-colon": lambda s: f"**{s.snake}:** `{s.value}`",
    "bold-html": lambda s: f"<b>{s.snake}</b>: {s.value}<br>",
    "two-colons": lambda s: f"{s.snake}:: {s.value}",
    "properties-continued": lambda s: f"{s.snake}=\\\n    {s.value}",
    "tab-written-out": lambda s: json.dumps({"out": f"{s.name}\t{s.value}\nHOME\t/home/ada\n"}),
    "form-data": lambda s: f'Content-Disposition: form-data; name="{s.snake}"\r\n\r\n{s.value}\r\n--x',
    "form-data-in-bytes": lambda s: f"b'form-data; name=\"{s.snake}\"\\r\\n\\r\\n{s.value}\\r\\n--x'",
}

# The place says what it is.
MORE_PLACED: dict[str, Callable[[Secret], str]] = {
    "sql-identified": lambda s: f"CREATE USER 'ada'@'%' IDENTIFIED BY '{s.value}';",
    "sql-password": lambda s: f"ALTER ROLE ada PASSWORD '{s.value}'",
    "redis-monitor": lambda s: f'1732131921.1 [0 10.0.0.3:5] "AUTH" "default" "{s.value}"',
    "redis-settings": lambda s: f"requirepass {s.value}\nmaxmemory 1gb",
    "expect": lambda s: f'expect "Password:" {{ send "{s.value}\\r" }}',
    "here-string": lambda s: f"gh auth login --with-token <<< '{s.value}'",
    "login-call": lambda s: f"server.login('ada@example.com', '{s.value}')",
    "unwrapped": lambda s: f"settings.key.get_secret_value() -> '{s.value}'",
    "printed": lambda s: f"$ gcloud auth print-access-token\n{s.value}",
    "cookie-file": lambda s: f"app.example\tFALSE\t/\tTRUE\t1999999999\tsessionid\t{s.value}",
    "curl-cookie": lambda s: f"curl -b 'sessionid={s.value}' https://app.example",
    "openssl": lambda s: f"openssl rsa -passin 'pass:{s.value}' -in k.pem",
    "keystore": lambda s: f"keytool -list -storepass '{s.value}' -keystore x.jks",
    "wifi": lambda s: f'psk="{s.value}"',
    "conda": lambda s: f"channels:\n  - https://conda.example/t/{escaped(s.value)}/main",
    "secret-payload": lambda s: json.dumps({"name": "secrets/x", "payload": {"data": encoded(s)}}),
    "dbt": lambda s: f"  prod:\n    type: postgres\n    user: ada\n    pass: {s.value}\n    port: 5432",
    "vault": lambda s: f"Key         Value\n---         -----\npassword    {s.value}\nuser        ada",
    "pgpass": lambda s: f"db.example:5432:runs:ada:{s.value}",
    "odbc": lambda s: f"DRIVER={{ODBC}};SERVER=db;UID=sa;PWD={s.value};",
    "npmrc": lambda s: f"//registry.example/:_authToken={s.value}",
    "header-list": lambda s: json.dumps({"headers": {"authorization": [f"Bearer {s.value}"], "a": ["b"]}}),
    "header-of-go": lambda s: (
        f'http.Header{{"Authorization":[]string{{"Bearer {s.value}"}}, "A":[]string{{"b"}}}}'
    ),
    "digest": lambda s: f'Authorization: Digest username="ada", realm="x", uri="/", response="{s.value}"',
    "oracle": lambda s: f"jdbc:oracle:thin:ada/{escaped(s.value)}@db:1521/runs",
    "zip": lambda s: f"zip -P '{s.value}' out.zip runs",
    "seven-zip": lambda s: f"7z x -p{s.value.lstrip('-')} runs.7z",
    "openssl-enc": lambda s: f"openssl enc -aes-256-cbc -k '{s.value}' -in runs",
    "mosquitto": lambda s: f"mosquitto_pub -u ada -P '{s.value}' -t runs",
    "lftp": lambda s: f"lftp -u ada,{s.value} ftp://files.example",
    "curl-options": lambda s: f"curl -sSuada:{s.value} https://api.example",
    "chpasswd": lambda s: f"echo 'ada:{s.value}' | chpasswd",
    "set-password": lambda s: f"SET PASSWORD FOR 'ada'@'%' = '{s.value}';",
    "generated": lambda s: f"A temporary password is generated for ada@db: {s.value}",
    "decoded": lambda s: f"$ kubectl get secret db -o jsonpath='{{.data.x}}' | base64 -d\n{s.value}",
    "ticket": lambda s: f"wss://chat.example/link/?ticket={escaped(s.value)}&app_id=x",
    "list-mysql": lambda s: json.dumps(["mysql", "-uroot", "-p" + s.value.lstrip("-"), "-hdb"]),
    "list-redis": lambda s: json.dumps(["redis-cli", "-h", "cache", "-a", s.value, "ping"]),
    "list-curl": lambda s: json.dumps(["curl", "-u", f"ada:{s.value}", "https://api.example"]),
    "list-mongo": lambda s: f"exec {['mongosh', '-u', 'ada', '-p', s.value, '--quiet']}",
    "twine": lambda s: f"twine upload -u ada -p '{s.value}' dist/x.whl",
    "doctl": lambda s: f"doctl auth init -t '{s.value}'",
    "ssh-keygen": lambda s: f"ssh-keygen -t rsa -N '{s.value}' -f key",
    "remote-desktop": lambda s: f"xfreerdp /u:ada /p:'{s.value}' /v:host",
    "rabbitmq": lambda s: f"rabbitmqctl change_password ada '{s.value}'",
    "mc-alias": lambda s: f"mc alias set runs https://files.example ada '{s.value}'",
    "basic-auth-call": lambda s: f"auth=HTTPBasicAuth('ada', '{s.value}')",
    "get-connection": lambda s: f'DriverManager.getConnection("jdbc:x", "ada", "{s.value}")',
    "auth-plain": lambda s: f"C: AUTH PLAIN {basic_plain(s)}",
    "pop": lambda s: f"C: USER ada\nS: +OK\nC: PASS {s.value}",
    "kinit": lambda s: f"echo '{s.value}' | kinit ada",
    "zookeeper": lambda s: f"addauth digest ada:{s.value}",
}
# Where a word, a number or a short value is no secret: a page's address, a cookie of a theme.
FOR_TOKENS = (
    "printed",
    "cookie-file",
    "curl-cookie",
    "conda",
    "decoded",
    "ticket",
    "list-mysql",
    "seven-zip",
)


def with_encoded(secret: Secret, shown: str) -> str:
    """What is shown, with the secret where its base64 is: a trace of the one is a trace of the other."""
    return shown.replace(encoded(secret), secret.value).replace(basic_plain(secret), secret.value)
