"""Names are judged whole, word by word."""

import pytest

from babysitter.redact.settings.names import Name, judge_name


def words(text: str) -> list[str]:
    return text.split()


SECRET = words(
    "access_token sas_token backend_token runtime_token accessToken ACCESS_TOKEN access-token "
    "access.token HF_TOKEN X-Auth-Token hf_read_token GITHUB_NEW_TOKEN IMAGE_PULL_TOKEN API_KEY apiKey "
    "APIKey x-api-key Ocp-Apim-Subscription-Key private_key_id AWS_SECRET_ACCESS_KEY secret_key_base "
    "client-key-data authtoken _authToken SLACK_SIGNING_SECRET client_secret GH_PAT HF_TOKEN_PROD "
    "OPENAI_API_KEY_2 spark.acme.secret.key AccountKey SharedAccessKey X-Amz-Credential DB_PASS "
    "access_tokens accessTokens credentials jwt csrf_token MYSQL_ROOT_PASS AZURE_STORAGE_KEY WANDB_KEY "
    "OAuthToken RABBITMQ_DEFAULT_PASS ansible_become_pass RCLONE_CONFIG_PASS ERLANG_COOKIE OTP_SEED "
    "StoragePass slurm_pass REDISPASS SLURMDBD_STORAGEPASS "
    "mlflow_pass TRINO_PASS irods-pass "
    "wallet_seed PAGERDUTY_ROUTING_KEY PD_INTEGRATION_KEY InstrumentationKey CLICKHOUSE_KEY"
)
PASSWORD = words(
    "password DB_PASSWORD PGPASSWORD dbpassword Passwort passphrase pwd my.password password2 userPassword "
    "seed_phrase recovery_phrase requirepass pasword db_passwrd KAFKAPWD"
)
INNOCENT = words(
    "token_count max_tokens_total tokenizer TOKENIZERS_PARALLELISM pad_token_id eos_token_id token_type "
    "token_url tokenFile token_budget token_len tokens_per_second token_ids secret_name secret_version "
    "password_policy password_file key_size cache_key sort_key primary_key partition_key public_key "
    "next_page_token next_token secretary author monkey keyboard compass bypass tokenize detokenize "
    "passwordless google.auth.exceptions.RefreshError api_key_file secret_manager token_embedding "
    "hidden_size accessTokenExpiry authors session_timeout cookie_name path spatial mypackage cats "
    "LoadCredential error_code exit_code random_seed seed_everything phrase"
)
UNCERTAIN = words(
    "bos_token eos_token pad_token unk_token image_token end_token text_token special_tokens num_tokens "
    "tokens key routing_key forward_pass db_first_pass join_key S3_SK volc_ak openai_api sk "
    "access s3_access DATADOG_APP x-acme-ticket doors.unlock compiler_pass salt"
)
PROBABLE = words("pairingCode INVITE_CODE activation-code cookie_salt encryption.salt pepper")
OF_DIGITS = words("seal_pin walletPin TPM_PIN")


@pytest.mark.parametrize("name", SECRET)
def test_name_of_a_secret(name: str) -> None:
    assert judge_name(name) is Name.SECRET


@pytest.mark.parametrize("name", PASSWORD)
def test_name_of_a_password(name: str) -> None:
    assert judge_name(name) is Name.PASSWORD


@pytest.mark.parametrize("name", INNOCENT)
def test_name_of_something_else(name: str) -> None:
    assert judge_name(name) is Name.INNOCENT


@pytest.mark.parametrize("name", UNCERTAIN)
def test_name_whose_value_must_look_random(name: str) -> None:
    """A tokenizer's tokens are words; a random string under such a name is a secret after all."""
    assert judge_name(name) is Name.POSSIBLE


@pytest.mark.parametrize("name", ["", "_", "---", "123", "...", "é", "a" * 10_000])
def test_strange_names_are_innocent(name: str) -> None:
    assert judge_name(name) is Name.INNOCENT


@pytest.mark.parametrize("name", words("PGPW MYSQLPW authentication_string"))
def test_name_whose_value_is_no_plain_word(name: str) -> None:
    assert judge_name(name) is Name.PROBABLE


@pytest.mark.parametrize("name", words("api pgpass sky"))
def test_word_that_only_ends_like_a_secret(name: str) -> None:
    assert judge_name(name) is Name.INNOCENT


@pytest.mark.parametrize("name", PROBABLE)
def test_name_whose_value_must_not_be_a_word(name: str) -> None:
    assert judge_name(name) is Name.PROBABLE


@pytest.mark.parametrize("name", OF_DIGITS)
def test_name_whose_value_may_be_digits(name: str) -> None:
    assert judge_name(name) is Name.LIKELY_PASSWORD


@pytest.mark.parametrize("name", words("mesh_pass X-Relay-Pass"))
def test_pass_of_nobody_known_must_look_chosen(name: str) -> None:
    assert judge_name(name) is Name.CHOSEN


@pytest.mark.parametrize("name", words("access_log ticket_id last_access_time exit_code unlock_count"))
def test_name_about_such_a_thing_is_innocent(name: str) -> None:
    assert judge_name(name) is not Name.SECRET
    assert judge_name(name) is not Name.PROBABLE
