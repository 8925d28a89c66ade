"""Secrets in statements of databases, in strings that open a connection, and in queries of addresses."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

_STRING = r"[\"'][^\"'\n]{1,400}[\"']"
_OBJECT_STORES = r"(?:s3|gcs|oss|cosn|minio|deltalake|iceberg|hudi|paimon)"
_DATABASES = r"(?:mysql|postgresql|mongodb|mariadb|remotesecure|sqlserver)"
QUERIES = (
    phrase(
        "sql-identified-by",
        "identified by|identified with",
        r"(?i)identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?"
        r"(?:n(?='))?(?P<quote>['\"])(?P<value>(?:[^'\"\n]|(?P=quote){2}){1,256})(?P=quote)",
    ),
    phrase(  # https://docs.oracle.com: the password of `CREATE USER` needs no quotes
        "sql-identified-by-word",
        "identified by",
        r"(?i)\b(?:user|role|grant|link|connect to)\b[^\n]{0,200}?\bidentified\s{1,4}by\s{1,4}"
        r"(?!values\b|externally\b|globally\b|password\b)(?=[^\s;]{0,128}\d)(?P<value>[^\s;'\"<$:&{]{4,128})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(  # `ALTER USER ada PASSWORD '...'`, DuckDB's `ATTACH`
        "sql-password",
        "password '|password n'|password = n'|password to '|password as '|password e'",
        r"(?i)\b(?:create|alter|attach|user|role|login|type|set|with|encrypted)\b[^\n]{0,300}?"
        r"\bpassword\s{1,4}(?:to\s{1,4}|as\s{1,4}|=\s{1,4})?[ne]?'(?P<value>(?:[^'\n]|''){1,256})'",
    ),
    # https://duckdb.org/docs/stable/configuration/secrets_manager
    phrase(
        "sql-create-secret",
        "create secret|replace secret|persistent secret|temporary secret|secret if not",
        r"(?i)\b(?:key_id|secret|session_token|token|bearer_token|account_key|client_secret|connection_string"
        r"|password|hmac_key)\s{1,4}'(?P<value>[^'\n]{3,4000})'",
        after=12,
    ),
    # https://clickhouse.com/docs/sql-reference/table-functions/s3: address, id of the key, key.
    # What may stand there instead, a format and a structure, is shorter or has blanks.
    phrase(
        "sql-object-store",
        "s3(|s3cluster(|gcs(|oss(|cosn(|minio(|s3queue(|deltalake(|iceberg|hudi(|paimon",
        rf"(?i)\b{_OBJECT_STORES}\w{{0,12}}\(\s{{0,8}}(?:'?\w{{1,40}}'?\s{{0,4}},\s{{0,8}})?"
        rf"{_STRING}\s{{0,4}},\s{{0,8}}[\"'][^\"'\s]{{1,128}}[\"']\s{{0,4}},\s{{0,8}}"
        r"[\"'](?P<value>(?!\w{1,12}(?:EachRow|WithNames|WithNamesAndTypes)[\"'])[^\"'\s]{8,256})[\"']",
        Name.PROBABLE,
    ),
    phrase(  # address, database, table, user, password
        "sql-remote-table",
        "mysql(|postgresql(|mongodb(|mariadb(|remotesecure(|sqlserver(",
        rf"(?i)\b{_DATABASES}\(\s{{0,8}}(?:[\"'][^\"'\n]{{1,200}}[\"']\s{{0,4}},\s{{0,8}}){{4}}"
        r"[\"'](?P<value>[^\"'\n]{1,256})[\"']",
    ),
    # In braces a value of a connection string may hold `;`; an identifier in braces is a template's.
    phrase(
        "odbc-braces",
        "pwd={|password={|pwd = {|password = {",
        r"(?i)(?:;\s?|[\"'\s]|^)(?:pwd|password)\s?=\s?\{(?P<value>(?![a-z_]+(?:\.[a-z_]+)*(?:[\[(][^}\n]*)?\})"
        r"(?:[^}\n]|\}\}){1,256})\}(?=[;\"'\s]|$)",
        hint=r"(?:driver|server(?:name)?|uid|user(?:name| id)?|database(?:name)?|dsn|data source) ?=[^\n]*"
        r"(?:pwd|password) ?= ?\{",
    ),
    phrase(  # Hadoop's WebHDFS; OAuth 2.0 (RFC 6749, 7523, 7636, 8628), SAML 2.0, CAS
        "parameter-of-protocol",
        "delegation=|verifier=|assertion=|samlresponse=|device_code=|&ticket=|?ticket=|login_hint_token=",
        r"(?i)(?:[?&\s\"']|^)(?:delegation|code_verifier|oauth_verifier|(?:client_)?assertion|samlresponse|device_code|ticket)="
        r"(?P<value>[\w.~%/+\-=]{16,8000})",
        Name.POSSIBLE,
    ),
    phrase(  # OAuth 2.0, RFC 6749 section 4.1.3: the request for a token holds the code
        "code-in-request",
        "grant_type=authorization_code",
        r"(?i)(?:[?&\s\"']|^)code=(?P<value>[\w.~%/+\-]{8,2000})",
        Name.PROBABLE,
    ),
    phrase(  # Django's `reset/<user>/<token>/`, confirmations, invitations
        "link-of-account",
        "/reset|reset/|password/|/confirm|/verify|verify/|/activat|/invit|/magic|/unlock|_reset/|-reset/",
        r"(?i)/(?:(?:password[_\-]?)?reset(?:[_\-]password)?|confirm(?:ation)?(?:[_\-]email)?|verify(?:[_\-]email)?"
        r"|activat(?:e|ion)|invit(?:e|ation)s?|magic(?:[_\-]link)?|set[_\-]password|unlock)/"
        r"(?:[A-Za-z0-9_\-]{1,24}/)?(?P<value>[A-Za-z0-9_\-.]{20,512})(?=[/\s\"'?&>)]|$)",
        Name.POSSIBLE,
        hint=r"/[a-z_\-]*(?:reset|confirm|verif|activat|invit|magic|password|unlock)[a-z_\-]*/",
    ),
    phrase(  # the key of OpenWeatherMap and its like is called an id
        "id-that-is-a-key",
        "appid=|app_id=|app-id=|api_id=|apiid=|app_code=|appcode=",
        r"(?i)[?&](?:app[_\-]?id|api_?id|app_?code)=(?P<value>[0-9a-f]{32,64})(?![0-9a-z])",
        Name.SECRET,
    ),
)
