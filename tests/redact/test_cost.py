"""What redaction costs: hostile texts next to a text that is only long."""

import base64
import random
import string
import time
from collections.abc import Callable

import pytest

from babysitter.redact import redact
from babysitter.redact.kinds.tokens import find_tokens
from babysitter.redact.text_spans import Text
from tests.support.waiting import is_linear

TRIES = 8
SIZE = 60_000
BASE64 = base64.b64encode(random.Random(2).randbytes(SIZE)).decode()
LINES = "\n".join(BASE64[at : at + 76] for at in range(0, len(BASE64), 76))


WORDS = "api_key access_token password secret client_secret db_password hf_token auth private_key credentials"
NAMES = WORDS.split() * 300


def cost_s(work: Callable[[], object]) -> float:
    """CPU seconds of this thread, the best of some tries."""
    costs = []
    for _ in range(TRIES):
        began = time.thread_time()
        work()
        costs.append(time.thread_time() - began)
    return min(costs)


def test_tokens_in_lines_cost_what_one_line_costs():
    in_lines = cost_s(lambda: list(find_tokens(Text(LINES))))
    assert in_lines < 8 * cost_s(lambda: list(find_tokens(Text(BASE64)))) + 0.01


@pytest.mark.parametrize("between", [" ", "\n", "  ", "\t", ",", "=\n"])
def test_secret_names_alone_cost_little_more_than_words(between: str):
    names = between.join(NAMES)
    words = "\n".join(["step loss number words of a line that is only long"] * 1_000)[: len(names)]
    assert cost_s(lambda: redact(names)) < 12 * cost_s(lambda: redact(words))


@pytest.mark.parametrize("line", ["{}={}", "{:<28}  {}  594", '{{"{}": "{}", "n": 3}}', "export {}='{}'"])
def test_secrets_cost_little_more_than_words(line: str):
    values = [base64.b32encode(random.Random(at).randbytes(15)).decode() for at in range(1_000)]
    lines = [line.format(name, value) for name, value in zip(NAMES, values, strict=False)]
    secrets = "\n".join(lines)
    words = "\n".join(["step loss number words of a line that is only long"] * 2_000)[: len(secrets)]
    assert cost_s(lambda: redact(secrets)) < 12 * cost_s(lambda: redact(words))


def test_many_tokens_cost_little_from_the_first_text_on():
    dice = random.Random(1)
    letters = string.ascii_letters + string.digits
    tokens = ["".join(dice.choices(letters, k=34)) for _ in range(2_000)]
    text = Text("\n".join(f"hf_{token}" for token in tokens))
    began = time.thread_time()
    assert len(set(find_tokens(text))) == len(tokens)
    assert time.thread_time() - began < 40 * cost_s(lambda: list(find_tokens(text))) + 0.05


@pytest.mark.parametrize(
    "part",
    [
        *("a", "=", "user=a pass=", '"', "[", "\\", "token\n", "token\t", "--token ", 'pass: "a\\', "key={"),
        *(
            "aes_encrypt('a''",
            "select hmac('a',",
            "the key: it's ",
            "log in as a / ",
            "connect a/b@",
            'write(2, "password: "',
            "auth attempt a:",
            '"loc":["password"],"input":',
            "password got a expected ",
            "login args=('a',",
            "sed s/password/",
            '.fill("password',
            "host (pass is ",
            "<input type=password ",
            "--name password x --value ",
            'key = """\na\n',
            "command echo ",
            "a1B2c3d4 <- new ",
            "a1B2c3d4 is the ",
            "rotate key new key 1 ",
            "create secret password '",
            "s3('a','b',",
        ),
        *('"kind":"Secret","data":{', '"data":{}"kind":"Secret"', '"kind":"Secret"}', "+ echo a\n", "${a:-"),
        *(
            "insert into a (password) values (",
            "insert into a (password) values ('a'),",
            "(password) from stdin\n",
        ),
        *("clave ", "%25", "value 'a1' for field ", "+ [[ a1 != password ", "key a1B2c3 is ", "where 'a' = "),
        *(
            "echo a1B2c3d4e5f6g7h8 | base64 -d ",
            "as the password use 'a' ",
            "HF_TOKEN a1 ",
            "1. ab 2. cd phrase ",
        ),
        *("setuser a on >b ", "your code 1234 ", "/reset/a1/", "xxd key\n", "密码 12 ", "user: a / "),
        *(
            "0000: 6162 6364 6566 6768  abcdefgh\n",
            "key: 0f 1e ",
            "recovery: a1b2-c3d4 ",
            "CLIENT_RANDOM 0f ",
        ),
        *(
            'connect("a.b", "c", ',
            "PASS a1b2 ",
            "x:1:" + "0f" * 16 + ":::",
            '"a1b2c3d4" + ',
            "cache from key: ",
        ),
        *(
            "ada/b1c2d3@e ",
            "sqlplus ada/b1c2d3@e ",
            "Cookie: a=b; c=de; ",
            "wrong password : a.b ",
            "::add-mask::a",
        ),
        *("backup codes ", "backup codes\n", "password:\n", "pin for a: 123456 "),
    ],
)
def test_hostile_text_costs_linear_time(part: str):
    assert is_linear(lambda times: redact(part * times), 4_000)


def test_base64_lines_cost_linear_time():
    lines = LINES.split("\n")
    assert is_linear(lambda times: redact("\n".join(lines[:times])), len(lines) // 9)
