"""Commands that print a password for another program, and connections at the prompt of a database."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f'restic --password-command "echo {WORD}" backup',
        f'{{"restic", "--password-command", "echo {WORD}", "backup"}}',
        f"BORG_PASSCOMMAND='printf %s {WORD}'",
        f'passwordeval "echo {WORD}"',
        f"GIT_ASKPASS='echo {WORD}'",
        f"ansible-playbook --vault-password-file <(echo {WORD}) site.yml",
        f"openssl --passphrase-file=<(printf '%s' '{WORD}')",
        f"gcloud secrets create lab --data-file=<(echo {WORD})",
        f"echo -n {WORD} | gcloud secrets versions add lab --data-file=-",
        f"echo -n {WORD} | kubectl create secret generic lab --from-file=p=/dev/stdin",
        f"yes {WORD} | passwd ada",
        f"curl --cert client.pem:{WORD} https://x.example",
        f"aws ssm put-parameter --name /lab/x --type SecureString --value {WORD}",
        f"aws ssm put-parameter --name /lab/db/password --value '{WORD}'",
        f"az appconfig kv set --key app:db_password --value {WORD} -y",
        f"hadoop credential create fs.s3a.secret.key -value {WORD} -provider jceks://hdfs/k",
        f"gh variable set HF_TOKEN -b {WORD}",
        f"pulumi config set --secret db {WORD}",
        f"radtest ada guess 10.0.0.9 0 {WORD}",
        f"radtest ada {WORD} 10.0.0.9 0 guess",
        f"sed -i 's/__DB_PASS__/{WORD}/' app.conf",
        f"sed s|API_TOKEN_PLACEHOLDER|{WORD}|g x.yaml",
        f"SQL> connect ada/{WORD}@runs",
        f"conn sys/{WORD} as sysdba",
        f"imp userid=ada/{WORD}@db-1:1521/RUNS",
        f"cx_Oracle.connect('ada/{WORD}@db-1/RUNS')",
    ],
)
def test_password_of_a_command_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        'restic --password-command "pass show restic" backup',
        "RESTIC_PASSWORD_COMMAND='echo $RESTIC_PW'",
        "GIT_ASKPASS=/usr/bin/ssh-askpass",
        "join <(echo shard-12) body.csv",
        "deploy --token-file <(echo $TOKEN)",
        "aws ssm put-parameter --name /lab/shards --type String --value 1024",
        "az appconfig kv set --key app:replicas --value 12",
        "gh variable set REGION -b us-central2",
        "pulumi config set aws:region us-central1",
        "echo replicas | kubectl apply -f /dev/stdin",
        "sed -i 's/__REGION__/us-central2/' app.conf",
        "sed s/tokenizer/llama3-tokenizer/g x",
        "sed -e 's/max_tokens/4096/' x",
        "yes | apt-get install zstd",
        "curl --cert /etc/ssl/client.pem --key /etc/ssl/client.key https://x.example",
        "connect lodash/fp@4.17.21",
        "connected to gpu-3/worker-12@lab",
    ],
)
def test_other_commands_stay(text: str):
    assert redact(text) == text
