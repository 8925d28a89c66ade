"""Ladder files: what they say, and every fault with its line."""

from pathlib import Path

import pytest

from babysitter.launch.ladder_files.ladder_file import BadLadder, parse_ladder, read_ladder, shipped_ladders
from babysitter.launch.ladder_files.ladder_steps import CheckKind, SuccessCheck

FILE = Path("tiny.yaml")
GOOD = """\
ladder: tiny
about: Two steps.
values: {prefix: , n: 4, bound: 11}
steps:
  - name: smoke
    on: local
    command: python -c "print('smoke')"
    success: [{line: smoke, means: it is lost, required: false}]
  - name: cpu
    command: [python, -m, train, "${n}"]
    env: {OUT: "${prefix}/x", A: 1, B: }
    resources: {extra: cpu, memory: 2GB, tpu: [v4-8, v5e-4], constraint: pool=large, timeout: 1h}
    watch: {owner: U0ADA, limits: {smoke_allowance_s: 5m}}
    time_limit: 30m
    retries: 2
    success:
      - {steps: 100}
      - {metric: eval loss, at_most: "${bound}"}
      - {file: "${prefix}/config.json", contains: llama, fresh: false}
"""
STEP = "ladder: a\nsteps:\n  - name: x\n    command: b\n"
BAD = [
    ("", 1, "a ladder file holds names with values"),
    ("- a\n", 1, "a ladder file holds names with values"),
    ("ladder: [", 2, "not YAML"),
    ("ladder: a\nladder: b\n", 2, "'ladder' stands twice"),
    ("ladder: a\n", 1, "steps is needed here"),
    ("ladder: a\nsteps: 3\n", 2, "steps must be a list"),
    ("ladder: a\nsteps: []\n", 2, "steps needs at least one"),
    (STEP.replace("ladder: a", "ladder: A b"), 1, "ladder: lower case letters, digits and '-'"),
    (STEP + "  - name: x\n    command: c\n", 5, "two steps are called 'x'"),
    (STEP + "    comand: c\n", 5, "there is no field steps.comand"),
    (STEP.replace("command: b", 'command: "a \'b"'), 4, "cannot be split as a shell does"),
    (STEP + "    time_limit: soon\n", 5, "must be a duration such as 30m or 2h"),
    (STEP + "    retries: 11\n", 5, "must be less than or equal to 10"),
    (STEP + "    on: moon\n", 5, "must be 'cluster' or 'local'"),
    (STEP + "    resources: {memory: yes}\n", 5, "must be text, not True; put it in quotes"),
    (STEP + "    resources: {memry: 1GB}\n", 5, "there is no field steps.resources.memry"),
    (STEP + "    watch: {limits: {pulse: 3}}\n", 5, "there are no such limits: pulse"),
    (STEP + "    success:\n      - {line: a, steps: 3}\n", 6, "check 1 of step 1: must have exactly one of"),
    (STEP + "    success:\n      - {means: a}\n", 6, "not none"),
    (STEP + "    success: [{metric: loss}]\n", 5, "a metric needs at_least or at_most"),
    (STEP + "    success: [{line: a, at_most: 3}]\n", 5, "only a metric can have at_least or at_most"),
    (STEP + "    success: [{line: a, contains: b}]\n", 5, "only a file can have contains or fresh"),
    (STEP + "    success: [{state: done}]\n", 5, "must be 'succeeded', 'failed' or 'killed'"),
    (STEP.replace("command: b", 'command: "${q}"'), 4, "${q} stands for nothing: add q below `values`"),
    ("ladder: a\nvalues:\n  p:\n" + STEP.partition("\n")[2], 3, "p is to be given: --set p=VALUE"),
    (
        "ladder: a\nvalues:\n  p: [1]\n" + STEP.partition("\n")[2],
        3,
        "the value of p must be text or a number",
    ),
]


def test_ladder_file_says_what_is_run():
    ladder = parse_ladder(GOOD.encode(), FILE, {"prefix": "gs://b/o"})
    smoke, cpu = ladder.steps
    assert (ladder.name, smoke.place, cpu.place) == ("tiny", "local", "cluster")
    assert smoke.options.command == ("python", "-c", "print('smoke')")
    assert smoke.checks[1] == SuccessCheck(CheckKind.LINE, "smoke", is_required=False, meaning="it is lost")
    assert cpu.options.command == ("python", "-m", "train", "4")
    assert cpu.options.variables == (("OUT", "gs://b/o/x"), ("A", "1"), ("B", ""))
    assert (cpu.options.extra, cpu.options.tpu) == (("cpu",), ("v4-8", "v5e-4"))
    assert (cpu.options.constraints, cpu.options.timeout_s) == (("pool=large",), 3600)
    assert (cpu.owner, cpu.limits) == ("U0ADA", {"smoke_allowance_s": 300})
    assert (cpu.time_limit_s, cpu.retries) == (1800, 2)
    assert [check.name for check in cpu.checks] == [
        "the job ends as succeeded",
        "100 steps are reached",
        "eval loss is at most 11",
        "gs://b/o/config.json exists and contains 'llama'",
    ]


@pytest.mark.parametrize(("text", "line", "words"), BAD, ids=[row[2][:30] for row in BAD])
def test_ladder_file_fault_names_its_line(text: str, line: int, words: str):
    with pytest.raises(BadLadder) as caught:
        parse_ladder(text.encode(), FILE, {})
    assert f"tiny.yaml:{line}: " in caught.value.sentence
    assert words in caught.value.sentence
    assert caught.value.next_step
    assert caught.value.exit_code == 2


def test_ladder_file_that_is_not_text():
    with pytest.raises(BadLadder, match=r"tiny.yaml:1: not text in UTF-8 \(byte 2\)\."):
        parse_ladder(b"a:\xff", FILE, {})


def test_ladder_file_tells_all_faults_at_once():
    text = STEP + "    on: moon\n    retries: -1\n    success: [{line: }]\n"
    with pytest.raises(BadLadder) as caught:
        parse_ladder(text.encode(), FILE, {})
    assert [line.split(":")[1] for line in caught.value.sentence.splitlines()] == ["5", "6", "7"]


BOMB = "".join(
    f"{name}: &{name} [{', '.join([f'*{below}'] * 30)}]\n" for below, name in zip("abcd", "bcde", strict=True)
)


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff",
        b"a: &a [*a]\n",
        b"? [1]\n: 2\n",
        b"ladder: a\nsteps:\n - *x\n",
        f"a: &a [x]\n{BOMB}".encode(),
    ],
)
def test_ladder_file_of_odd_bytes_is_refused(raw: bytes):
    with pytest.raises(BadLadder):
        parse_ladder(raw, FILE, {})


def test_ladder_file_unknown_value_is_refused():
    with pytest.raises(BadLadder, match="--set nn: the file has no such value"):
        parse_ladder(GOOD.encode(), FILE, {"nn": "1", "prefix": "x"})


def test_ladder_file_missing(tmp_path: Path):
    with pytest.raises(BadLadder, match="cannot be read: no such file"):
        read_ladder(tmp_path / "none.yaml")


@pytest.mark.parametrize("name", shipped_ladders())
def test_shipped_ladder_is_well_formed(name: str):
    ladder = read_ladder(shipped_ladders()[name], is_checked=True)
    assert ladder.name == name
    assert [step.name for step in ladder.steps] == ["smoke", "cpu", "tpu"]
    scripts = {name for name in ladder.values if name.endswith("_script")}
    assert scripts == {"cpu_script", "tpu_script"}
