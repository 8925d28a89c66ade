"""Judges the name of a setting as a whole: is its value a secret?

A name is split into words (`accessToken`, `access-token`, `ACCESS_TOKEN`, `access.token`), and its last noun
decides: `access_token` is a token, `token_count` is a count. Words are compared whole, so that the end of
`backend_token` is not taken for `end_token`, which a tokenizer has.
"""

from enum import Enum
from functools import lru_cache

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import word_set


class Name(Enum):
    """How secret the value of a name is."""

    PASSWORD = "password"  # any value, numbers and plain words too
    SECRET = "secret"  # any value but a placeholder, a number, a path or code
    LIKELY_PASSWORD = "likely password"  # a value that is not a plain word, numbers too
    CHOSEN = "chosen"  # a value that mixes letters, digits and signs as a password does, or looks random
    PROBABLE = "probable"  # a value that is not a plain word
    POSSIBLE = "possible"  # a value that looks random
    INNOCENT = "innocent"


_PASSWORDS = word_set(
    "password passwords passwd passwds passphrase passphrases passcode pwd passwort kennwort contrasena "
    "senha motdepasse passord mnemonic sshpass userpass storepass keypass psk presharedkey bindpw rootpw "
    "requirepass masterauth "
    "pasword passwrd paswd passwor passowrd passwrod"  # misspelt
)
_SECRETS = word_set(
    "secret secrets credential credentials cred creds jwt apikey apikeys accesskey secretkey authkey "
    "privatekey authtoken  accesstoken refreshtoken idtoken apitoken sessiontoken bearertoken csrftoken "
    "xsrftoken clientsecret token sessionkey  signingkey encryptionkey masterkey dbpass mypass rootpass "
    "adminpass mysqlpass smtppass ftppass loginpass sas accountkey sharedaccesskey sharedaccesssignature "
    "licensekey csrf xsrf authtok"
)
_FUSED = tuple(
    sorted(
        (_PASSWORDS | _SECRETS) - word_set("sas cred creds jwt csrf xsrf userpass senha"),
        key=len,
        reverse=True,
    )
)
# Words that end like a secret and are none.
_NOT_FUSED = word_set(
    "tokens detoken subtoken pretoken untoken bostoken eostoken padtoken unktoken masktoken septoken "
    "clstoken multitoken  maxtoken pertoken nexttoken lasttoken newtoken firsttoken stoptoken "
    "specialtoken nonsecret imagetoken bypass compass"
)
_TOKENS_OF_PEOPLE = word_set(
    "access refresh auth api bearer session oauth personal deploy hf github gitlab slack bot user admin "
    "service sas secret  account login csrf jwt id push device app client wandb runner registration "
    "trigger job ci server runtime backend"
)
# A token of a tokenizer, a page, a count: what stands before the word says so.
_TOKENS_OF_TEXT = word_set(
    "pad bos eos sos eot eom unk mask sep cls image img audio video vision speech special max min num n "
    "stop first last next  new prev previous prompt completion output input start end begin decoder "
    "encoder target source total per each time ms s  mean avg average median text word sub added control "
    "reserved draft accepted generated cached forced suppress blank  newline space whitespace "
    "continuation pagination page cursor sync resume single multi every current top k vocab valid "
    "invalid unexpected expected missing unknown wrong bad nth ith loss query patch latent register "
    "visual content role  message tool assistant system think thinking answer sample batch padding "
    "truncation sequence document doc position  hidden embedding placeholder boundary separator language "
    "lang fim prefix suffix middle"
)
_TOKENS_OF_PAGES = word_set("next prev previous page continuation pagination cursor sync resume nextpage")
# The last noun when it is not the secret itself.
_ABOUT = word_set(
    "count counts counter len length lengths id ids idx index indices type types kind file files filename "
    "path paths url urls  uri uris endpoint endpoints name names class classes size sizes shape shapes "
    "dim dims level levels limit limits budget  usage cost price rate rates throughput speed time times "
    "at age ttl expiry expiration expires expired expire duration  timeout created updated issued "
    "modified refreshed rotated rotation version versions status state scope scopes provider  mode issuer "
    "audience format length policy policies prob probs probability logprob logprobs rank ranks score "
    "scores loss  losses mask masks drop dropout embedding embeddings embed bucket buckets position "
    "positions pos offset offsets range  error errors exception exceptions warning warnings denied "
    "required notfound revoked invalid missing found set unset  manager store stores storage backend "
    "provider resolver handler helper factory reader writer parser callback method  strategy function "
    "func fn cls env var variable arn alg algorithm hint hints prompt field fields header headers param "
    "label labels title description desc help length chars bytes enabled disabled present is has needed "
    "needs use used uses  verify verification validator validation check checks reset strength min max "
    "per second seconds s sec ms hour hours day  days minute minutes budgeted total left remaining "
    "consumed processed seen trained generated map mapping list group  groups owner user users username "
    "email account accounts project region host port namespace role roles ref refs number  parallelism "
    "tokenizer vocab merges dataset data_dir dir directory folder prefix suffix sep separator accessor"
)
_ABOUT_SECRETS_TOO = word_set("manager store backend provider")
_AFTER = word_set(
    "value values val b64 base64 hex str string raw text plain plaintext plaintxt encoded decoded enc "
    "clear old new current  previous prod production staging stage dev test qa uat live sandbox backup "
    "primary secondary main default override base  json yaml bytes data content a b c v v1 v2 rw ro "
    "readonly write read public admin local remote master root eu us"
)
_BEFORE_KEY = word_set(
    "api access secret private account auth authentication encryption decryption signing sign session "
    "master service storage deploy deployment client subscription shared ssh hmac license licence wandb "
    "hf huggingface openai anthropic gemini groq mistral cohere replicate together fireworks perplexity "
    "deepseek openrouter langsmith langchain pinecone tavily serper sas app application admin consumer "
    "ingest ingestion integration webhook cipher crypto rsa ecdsa ed25519 dsa pgp gpg tls ssl jwt cookie "
    "flask django rails fernet kms aes symmetric vault unseal recovery seal user write server clickhouse "
    "instrumentation sendgrid mailgun twilio stripe datadog dd newrelic github gitlab aws azure gcp "
    "google cloudflare comet neptune clearml mlflow kaggle ngc nvidia modal runpod lambda weaviate qdrant "
    "elastic elasticsearch algolia sentry posthog segment linear notion airtable figma discord telegram "
    "slack shopify square paypal plaid instance functions host"
)
_INNOCENT_KEYS = word_set(
    "cache primary foreign sort partition public row object dict idempotency group hash map index "
    "shard s3 gcs  bucket file block sort order lookup dedup dedupe composite natural surrogate "
    "unique candidate registry hot any first last  next prev max min query value attention head "
    "dictionary column feature config json yaml arrow press enter tab escape  metric label event message "
    "tree trace state storage_object rng prng random jax param params example batch"
)
_BEFORE_PASS = word_set(
    "db database mysql mariadb postgres postgresql pg redis mongo mongodb rabbitmq amqp smtp mail email "
    "imap ftp sftp ssh sudo user admin root login http https proxy basic auth wifi ldap registry docker "
    "jenkins nexus grafana keystore truststore key become rclone vault bind crypt archive cert "
    "certificate pem pfx wallet account storage mlflow airflow prefect dagster superset metabase argilla "
    "trino presto hive impala clickhouse cassandra scylla neo couchdb couchbase snowflake redshift greenplum "
    "solr opensearch logstash splunk zabbix nagios sonar gitlab gitea harbor artifactory consul etcd nats "
    "zookeeper hdfs ceph lustre irods globus webdav console dashboard slurm slurmdbd accounting acct jupyter "
    "kafka broker mqtt elastic kibana influx influxdb prometheus minio mssql sql oracle oradb replication "
    "repl bmc ipmi idrac ilo nas smb cifs samba vpn wlan snmp switch router sasl kerberos krb svc sys service"
)
# Passes of an algorithm.
_ORDINARY_PASSES = word_set(
    "first second third last forward backward single multi num n all one two full test check render low "
    "high band compiler optimization optimizer lowering fusion inductor codegen lint ir"
)
_OWNERS_OF_PATS = word_set(
    "gh github gitlab azure ado devops azdo vsts databricks personal hf jira my user bot ci deploy repo"
)
# What a code, a PIN, a seed and a phrase must belong to, so that they are secret.
_BEFORE_CODE = word_set(
    "recovery backup verification otp totp mfa auth authorization device security enrollment enrolment "
    "activation pairing invite invitation claim redeem unlock access login join registration linking"
)
_BEFORE_PIN = word_set(
    "admin user card sim yubikey access unlock hsm piv so smartcard seal unseal slot login wallet "
    "ledger tpm fido pkcs key vault door safe voicemail bitlocker luks boot device pairing"
)
_BEFORE_SALT = word_set("cookie session encryption encrypted signing signed secret security password auth")
_BEFORE_SEED = word_set("otp totp mfa wallet recovery nkey mnemonic")
_BEFORE_PHRASE = word_set("seed recovery wallet pass backup")
# Secret key, access key, and `openai_api`, `minio_access` without their `key`.
_ABBREVIATIONS = word_set("sk ak api access")
_BEFORE_APP = word_set("datadog dd")  # whose application keys are often named without their `key`
_PAGERS = word_set("pagerduty pd opsgenie victorops")  # whose routing key lets anybody call somebody
_BEFORE_COOKIE = word_set("erlang rabbitmq beam release")  # with which nodes of Erlang log in to each other
_PROBABLE = word_set(
    "auth authorization bearer sig otp totp mfa cookie cookies setcookie pw pepper passkey appkey"
)
_POSSIBLE = word_set(
    "signature session sid sessionid jsessionid phpsessid dsn webhook salt nonce pin connection conn key "
    "keys pass hmac tokens kubeconfig ticket unlock unseal macaroon tkt"
)
_FUSED_PASS = lazy_regex(r"([a-z]{2,12})(pass|pwd?)$")  # `PGPW`, `dbpwd`
_WORD = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# systemd's settings that say where credentials are read from.
_PLACES_OF_SECRETS = frozenset(("LoadCredential", "LoadCredentialEncrypted", "ImportCredential"))
_EXCEPTION = lazy_regex(r"(?:Error|Exception|Warning|Denied|Expired|Required|NotFound|Revoked)$")


@lru_cache(maxsize=8192)
def judge_name(name: str) -> Name:
    """Say how secret the value of this name is."""
    words = split_name(name)
    if not words or name in _PLACES_OF_SECRETS:
        return Name.INNOCENT
    if _EXCEPTION.search(name) and len(words) > 1:
        return Name.POSSIBLE if any(is_secret_noun(word) for word in words) else Name.INNOCENT
    at = max((place for place, word in enumerate(words) if is_secret_noun(word)), default=-1)
    if at < 0:
        return _without_noun(words, name)
    judged = _judge_noun(words, at)
    return judged if judged is Name.INNOCENT else _after(judged, is_secret_noun(words[at]), words[at + 1 :])


def at_most_probable(judged: Name) -> Name:
    """The judgement where a value may only happen to stand behind the name: in a table, in a sentence."""
    if judged is Name.PASSWORD:
        return Name.LIKELY_PASSWORD
    return Name.PROBABLE if judged is Name.SECRET else judged


def split_name(name: str) -> tuple[str, ...]:
    """Split a name into its words, in lower case; numbers that only tell settings apart are left out."""
    words = [word.lower() for word in _WORD.findall(name.replace("OAuth", "Oauth"))]
    return tuple(word for word in words if not word.isdigit())


def is_secret_noun(word: str) -> str:
    """Return the secret that a word means, `dbpassword` included; "" when it means none."""
    if word in _PASSWORDS or word in _SECRETS:
        return word
    if len(word) < 6 or word in _NOT_FUSED:
        return ""
    return next((noun for noun in _FUSED if word.endswith(noun)), "")


def _judge_noun(words: tuple[str, ...], at: int) -> Name:
    noun, before = is_secret_noun(words[at]), words[at - 1] if at else ""
    if noun in _PASSWORDS:
        return Name.PASSWORD
    if noun != "token" or words[at] != "token":
        return Name.SECRET
    if before in _TOKENS_OF_PAGES:
        return Name.INNOCENT
    if before in _TOKENS_OF_TEXT and not _is_of_people(words[:at]):
        return Name.POSSIBLE  # whose value is a word or a number, unless it was a secret after all
    return Name.SECRET if before else Name.PROBABLE


def _is_of_people(words: tuple[str, ...]) -> bool:
    """`hf_read_token`, `github_new_token`: what stands further left tells whose token it is."""
    return any(word in _TOKENS_OF_PEOPLE for word in words)


def _after(judged: Name, noun: str, tail: tuple[str, ...]) -> Name:
    """What words after the noun make of it: the secret still, something about it, or who knows."""
    if not tail or all(word in _AFTER for word in tail):
        return judged
    if tail[-1] == "key" or tail[-1] == "keys":
        return judged  # secret_access_key
    if tail in (("key", "id"), ("access", "key", "id"), ("key", "base")):
        return judged
    if tail == ("id",) and judged is Name.SECRET and noun == "secret":
        return Name.PROBABLE  # of Vault's AppRole a secret; elsewhere the path of one
    return Name.INNOCENT if tail[-1] in _ABOUT else Name.POSSIBLE


def _without_noun(words: tuple[str, ...], name: str) -> Name:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    for at, word in enumerate(words[:-1]):
        if words[at + 1] in ("key", "keys") and word in _BEFORE_KEY:
            is_address = word == "kms" and words[at + 2 :] == ("id",)
            return Name.INNOCENT if is_address else _after_key(words[at + 2 :])
    if last == "tokens":
        return Name.SECRET if before in _TOKENS_OF_PEOPLE else Name.POSSIBLE
    if before in ("routing", "integration") and any(word in _PAGERS for word in words):
        return Name.SECRET
    if last in ("key", "keys"):
        return Name.INNOCENT if before in _INNOCENT_KEYS else Name.POSSIBLE
    if last == "pat":
        return Name.SECRET if any(word in _OWNERS_OF_PATS for word in words) else Name.POSSIBLE
    if last == "pass" and before:
        if _is_password(words, name):
            return Name.SECRET
        return Name.POSSIBLE if before in _ORDINARY_PASSES else Name.CHOSEN
    if (compound := _compound(last, before)) is not None:
        return compound
    if last in _PROBABLE:
        return Name.PROBABLE
    if last in _ABBREVIATIONS and (before or last != "api"):
        return Name.POSSIBLE
    if any(word in _POSSIBLE or word in _PROBABLE for word in words):
        is_about = last in _ABOUT and not (last == "id" and before in ("session", "sess", "connect"))
        return Name.INNOCENT if is_about else Name.POSSIBLE
    return Name.INNOCENT


def _is_password(words: tuple[str, ...], name: str) -> bool:
    """Whether `..._pass` is a password: `rabbitmq_default_pass`, and not `forward_pass`."""
    if words[-2] in _ORDINARY_PASSES:
        return False
    return name.isupper() or any(word in _BEFORE_PASS for word in words[:-1])


def _compound(last: str, before: str) -> Name | None:
    """How secret a word is that only the word before it makes a secret; None where it does not."""
    if last in ("code", "codes") and before in _BEFORE_CODE:
        return Name.PROBABLE
    if last == "pin" and before in _BEFORE_PIN:
        return Name.LIKELY_PASSWORD
    if last == "cookie" and before in _BEFORE_COOKIE:
        return Name.SECRET
    if last == "salt" and before in _BEFORE_SALT:  # from which Rails and Flask make the key of a cookie
        return Name.PROBABLE
    if last == "app" and before in _BEFORE_APP:
        return Name.POSSIBLE
    if last == "seed" and before in _BEFORE_SEED:
        return Name.SECRET
    if last == "string" and before == "authentication":  # the hash of a password in MySQL
        return Name.PROBABLE
    fused = _FUSED_PASS.match(last)
    if fused is not None and fused[1] in _BEFORE_PASS and last != "pgpass":  # a file
        return {"pass": Name.SECRET, "pwd": Name.PASSWORD}.get(fused[2], Name.PROBABLE)
    return Name.PASSWORD if last == "phrase" and before in _BEFORE_PHRASE else None


def _after_key(tail: tuple[str, ...]) -> Name:
    if tail == ("id",):
        return Name.SECRET  # of a pair: AWS_ACCESS_KEY_ID, private_key_id
    return _after(Name.SECRET, "key", tail)
