"""Keys and passwords among the arguments of functions of databases that encrypt and decrypt."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

# An argument: a string, or an expression with brackets of one level (`t.body::bytea`, `decode(x, 'hex')`).
# `'it''s'` is read as two strings.
_ARGUMENT = r"(?:'[^'\n]{0,2000}'|\"[^\"\n]{0,2000}\"|\([^()\n]{0,400}\)|[^'\"(),\n]){1,160}?"
# The key itself, or in a function that decodes it: `UNHEX('...')`, `SHA2('...', 512)`, `X'...'`.
_KEY = (
    r"\s{0,8}(?:\w{1,24}\(\s{0,4}){0,2}(?:_?[A-Za-z]\w{0,8}(?='))?['\"](?P<value>(?:[^'\"\n]|''){4,512})['\"]"
)
FUNCTIONS = (
    # https://www.postgresql.org/docs/current/pgcrypto.html,
    # https://dev.mysql.com/doc/refman/8.4/en/encryption-functions.html,
    # https://docs.snowflake.com/en/sql-reference/functions/encrypt
    phrase(
        "key-behind-data",
        "pgp_sym_|aes_|des_",
        r"(?i)(?<![\w.])(?:pgp_sym_|(?:try_)?aes_|des_)(?:en|de)crypt(?:_bytea)?"
        rf"\({_ARGUMENT},{_KEY}",
        hint=r"(?:pgp_sym_|aes_|des_)(?:en|de)crypt(?:_[a-z]+)?\([^\n]*,",
    ),
    phrase(  # a call of a program may be named so too, and have another second argument
        "key-behind-data-of-any-call",
        "crypt(|crypt_raw(",
        rf"(?i)(?<![\w.])(?:try_)?(?:en|de)crypt(?:_raw|_iv)?\({_ARGUMENT},{_KEY}",
        Name.CHOSEN,
        hint=r"(?:en|de)crypt(?:_[a-z]+)?\([^\n]*,",
    ),
    phrase(  # https://clickhouse.com/docs/sql-reference/functions/encryption-functions: mode, data, key
        "key-behind-mode",
        "crypt('aes-|crypt_mysql('aes-|crypt('chacha|crypt(\"aes-",
        rf"(?i)\b(?:aes_)?(?:en|de)crypt(?:_mysql)?\(\s{{0,8}}['\"](?:aes|chacha)[\w\-]{{1,24}}['\"]\s{{0,4}},"
        rf"{_ARGUMENT},{_KEY}",
    ),
    phrase(  # the statement quotes what it signs; a call of Python has its key first
        "key-of-hmac-function",
        "hmac(",
        rf"(?i)\bselect\b[^\n]{{0,400}}?\bhmac\({_ARGUMENT},{_KEY}\s{{0,4}},\s{{0,4}}['\"](?:md5|sha\d{{1,3}})",
    ),
    phrase(  # https://learn.microsoft.com/sql/t-sql/functions/encryptbypassphrase-transact-sql
        "password-before-data",
        "bypassphrase(|pwdencrypt(|pwdcompare(|gen_salt(",
        r"(?i)\b(?:(?:en|de)cryptbypassphrase|pwdencrypt|pwdcompare|crypt(?=\([^\n]{0,300}gen_salt\())"
        r"\(\s{0,8}N?['\"](?P<value>(?:[^'\"\n]|''){3,512})['\"]",
    ),
    # https://www.zetetic.net/sqlcipher/sqlcipher-api, https://utelle.github.io/SQLite3MultipleCiphers
    phrase(
        "key-of-file",
        "pragma |attach ",
        r"(?i)\b(?:pragma\s{1,4}(?:\w{1,32}\.)?(?:hex|text)?(?:re)?key\s{0,4}[=(]|attach\b[^\n;]{1,400}?\sas\s{1,4}\w{1,64}\s{1,4}key)"
        r"\s{0,4}[\"']{1,2}(?:x')?(?P<value>[^'\"\n]{3,512})['\"]",
        hint=r"(?:pragma +[a-z0-9_.]*key *[=(]|attach [^\n]* key) *[\"']",
    ),
)
