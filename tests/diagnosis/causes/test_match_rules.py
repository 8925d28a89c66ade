"""What the words of a playbook mean: a table of rules, facts, and whether the rule finds something."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.match_rules import classify, classify_text
from babysitter.diagnosis.causes.rule import AppliesTo, Rule
from babysitter.diagnosis.causes.rule_fields import PaceFields
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.model.finding import Findings, Severity
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Job, JobState, JobTree, Task, TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogLine, Role
from babysitter.model.observation import Observation
from babysitter.model.progress import Motion
from babysitter.model.seen import Seen
from babysitter.playbook.load import load

AT = datetime(2026, 11, 20, tzinfo=UTC)


def book(*rules: str) -> Playbook:
    """A playbook of rules given by what matters to the test; the rest is filled in."""
    made = []
    for number, text in enumerate(rules):
        given_keys = yaml.safe_load(text)
        made.append(
            {
                "id": f"t.r{number}",
                "cause": "code-error",
                "severity": "fatal",
                "explain": "It broke.",
                "action": "escalate",
                **given_keys,
            }
        )
    place = FilePosition(Path("t.yaml"), 1)
    return Playbook(tuple(LocatedRule(Rule.model_validate(rule), AppliesTo(), place) for rule in made))


def ids(findings: Findings) -> list[str]:
    return [str(finding.rule) for finding in findings.all]


LOG_10_00, LOG_10_05 = "I20261120 10:00:00 broke", "I20261120 10:05:00 broke"

LOGS = [
    ("{any: ['broke']}", "a\nit broke\n", True),
    ("{any: ['broke']}", "a\nit holds\n", False),
    ("{any: ['broke'], min_count: 2}", "broke", False),
    ("{any: ['broke'], min_count: 2}", "broke\nbroke", True),
    ("{any: ['/s(?P<s>\\d) broke/'], min_count: 2, same: s}", "s1 broke\ns2 broke", False),
    ("{any: ['/s(?P<s>\\d) broke/'], min_count: 2, same: s}", "s1 broke\ns2 broke\ns1 broke", True),
    ("{any: ['broke'], min_count: 2, within: 3 lines}", "broke\n\n\n\n\nbroke", False),
    ("{any: ['broke'], min_count: 2, within: 3 lines}", "broke\n\n\n\n\nbroke\nbroke", True),
    ("{any: ['broke'], min_count: 2, within: 1m}", f"{LOG_10_00}\n{LOG_10_05}", False),
    ("{any: ['broke'], min_count: 2, within: 1m}", f"{LOG_10_00}\n{LOG_10_00}", True),
    ("{all: ['first', 'second']}", "second\nfirst", True),
    ("{all: ['first', 'second']}", "first", False),
    ("{all: ['first', 'second'], within: 2 lines}", "first\n\n\n\nsecond", False),
    ("{sequence: ['first', 'second']}", "first\nx\nsecond", True),
    ("{sequence: ['first', 'second']}", "second\nfirst", False),
    ("{sequence: ['first', 'second'], within: 2 lines}", "first\n\n\n\nfirst\nsecond", True),
    ("{sequence: ['/a(?P<n>\\d)/', '/b(?P<n>\\d)/'], same: n}", "a1\nb2", False),
    ("{sequence: ['/a(?P<n>\\d)/', '/b(?P<n>\\d)/'], same: n}", "a1\nb2\nb1", True),
    ("{any: ['broke'], not_followed_by: ['recovered']}", "broke\nrecovered", False),
    ("{any: ['broke'], not_followed_by: ['recovered']}", "recovered\nbroke", True),
    ("{any: ['/(?P<a>\\d+) of (?P<b>\\d+)/'], where: a > b}", "3 of 4", False),
    ("{any: ['/(?P<a>\\d+) of (?P<b>\\d+)/'], where: a > b}", "3 of 4\n10 of 9", True),
    ("{any: ['/(?P<a>\\d+)/', 'broke'], where: a >= 30}", "3 broke", True),
    ("{any: ['/(?P<a>\\d+ GB)/'], where: a > 9000000000}", "10 GB", True),
    ("{any: ['broke'], near_end: 2}", "broke\n\n\n", False),
    ("{any: ['broke'], near_end: 2}", "x\nbroke\ny", True),
    ("{any: ['broke'], level: warning}", "I20261120 10:00:00 x broke", False),
    ("{any: ['broke'], level: warning}", "W20261120 10:00:00 x broke", True),
    ("{any: ['broke'], level: warning}", "it broke", True),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "log", "found"), LOGS)
def test_lines(matcher: str, log: str, found: bool) -> None:
    assert bool(classify_text(log, book(f"match: {{logs: {matcher}}}")).all) is found


FIELDS = [
    ("state: failed", JobFacts(state=JobState.FAILED), True),
    ("state: [failed, killed]", JobFacts(state=JobState.RUNNING), False),
    ("state: failed", JobFacts(), False),
    ("exit_code: [137, -9]", JobFacts(exit_code=-9), True),
    ("exit_code: '!= 0'", JobFacts(exit_code=0), False),
    ("exit_code: '> 128'", JobFacts(), False),
    ("error: ['/OOM/i']", JobFacts(error="Exit code 137: oom killed"), True),
    ("pending_reason: ['Insufficient']", JobFacts(pending_reason="Scheduler: Insufficient memory"), True),
    ("logs: ['oom killed']", JobFacts(error="Exit code 137: oom killed"), True),
    ("preemption_count: '>= 3'", JobFacts(preemption_count=3), True),
    ("memory_peak: '> 0.95'", JobFacts(memory_peak_bytes=99, memory_limit_bytes=100), True),
    ("memory_peak: '> 0.95'", JobFacts(memory_peak_bytes=99), False),
    ("last_log_age_s: '> 15m'", JobFacts(last_line_age_s=901), True),
    ("last_log_age_s: '> 15m'", JobFacts(last_line_age_s=899), False),
    ("{any: [{state: failed}, {exit_code: 3}]}", JobFacts(exit_code=3), True),
    ("{all: [{state: failed}, {exit_code: 3}]}", JobFacts(exit_code=3), False),
    ("{state: failed, unless: {exit_code: 3}}", JobFacts(state=JobState.FAILED, exit_code=3), False),
]


@pytest.mark.parametrize(("condition", "facts", "found"), FIELDS)
def test_fields(condition: str, facts: JobFacts, found: bool) -> None:
    text = condition if condition.startswith("{") else f"{{{condition}}}"
    assert bool(classify_text("", book(f"match: {text}"), facts).all) is found


@pytest.mark.parametrize(
    ("test", "measures", "found"),
    [
        ("stuck", PaceFields(Motion.STUCK), True),
        ("stuck", PaceFields(Motion.ADVANCING), False),
        ("stuck", PaceFields(), False),
        ("dead_ratio > 0.5", PaceFields(numbers={"dead_ratio": 0.6}), True),
        ("[stuck, queued == 0]", PaceFields(Motion.STUCK, {"queued": 3}), False),
    ],
)
def test_progress(test: str, measures: PaceFields, found: bool) -> None:
    assert bool(classify_text("", book(f"match: {{progress: {test}}}"), measures=measures).all) is found


DUMP = read_dump(
    'Process 7: python\n\nThread 7 (idle): "MainThread"\n    _shutdown (threading.py:1624)\n'
    'Thread 8 (idle): "pool_0"\n    _worker (concurrent/futures/thread.py:81)\n    run (threading.py:1010)\n'
)


@pytest.mark.parametrize(
    ("matcher", "found"),
    [
        ("{thread: MainThread, present: [_shutdown]}", True),
        ("{thread: MainThread, present: [_shut]}", False),
        ("{thread: MainThread, present: ['/^_shut/']}", True),
        ("{absent: [_wait_for_stage]}", True),
        ("{absent: [run]}", False),
        ("{thread: '/^pool/', all_in: [_worker, poll]}", True),
        ("{all_in: [_worker]}", False),
        ("{innermost: [_worker]}", True),
        ("{innermost: [run]}", False),
        ("{thread: nobody, absent: [x]}", False),
    ],
)
def test_dumps(matcher: str, found: bool) -> None:
    assert bool(classify_text("", book(f"match: {{dump: {matcher}}}"), dumps=(DUMP,)).all) is found


TRACEBACK = """\
E20261120 10:00:00 zephyr.worker shard 3 failed
Traceback (most recent call last):
  File "/app/job.py", line 12, in tokenize
    return x["text"]
KeyError: 'text'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/job.py", line 30, in main
    run()
mylib.errors.ShardError: bad shard
"""


@pytest.mark.parametrize(
    ("matcher", "found"),
    [
        ("{exception: KeyError}", True),
        ("{exception: Key}", False),
        ("{exception: ['/Shard.*/']}", True),
        ("{exception: KeyError, chain: first}", True),
        ("{exception: KeyError, chain: last}", False),
        ("{exception: KeyError, message: ['text']}", True),
        ("{exception: KeyError, message: ['bad shard']}", False),
        ("{frame: ['job.py:tokenize']}", True),
        ("{exception: KeyError, min_count: 2}", False),
        ("{exception: KeyError, near_end: 20}", True),
        ("{exception: KeyError, near_end: 3}", False),
    ],
)
def test_tracebacks(matcher: str, found: bool) -> None:
    findings = classify_text(TRACEBACK, book(f"match: {{traceback: {matcher}}}"))
    assert bool(findings.all) is found


def test_a_finding_says_what_where_and_how_often() -> None:
    rule = """
    match: {logs: ['/Shard (?P<shard>\\d+) failed/']}
    explain: "Shard {shard} failed, {count} lines; {exit_code} is not known."
    advice: "Look at shard {shard}."
    """
    (finding,) = classify_text("x\nShard 7 failed\n\nShard 8 failed", book(rule), source="run.log").all
    assert finding.explanation == "Shard 7 failed, 2 lines; ? is not known."
    assert finding.advice == "Look at shard 7."
    assert finding.captures == {"shard": "7"}
    assert (finding.position, finding.last_position, finding.count) == (1, 3, 2)
    assert [(e.text, e.line_number, e.source) for e in finding.evidence] == [
        ("Shard 7 failed", 2, "run.log"),
        ("Shard 8 failed", 4, "run.log"),
    ]


@pytest.mark.parametrize("log", ["", "\n", "fine", "fine\n", "fine\n\n"])
def test_the_words_of_a_field_stand_behind_the_log(log: str) -> None:
    facts = JobFacts(state=JobState.FAILED, error="it broke\nafter all")
    finding = classify_text(log, book("match: {logs: [broke]}"), facts).all[0]
    lines = len(log.removesuffix("\n").split("\n")) if log.strip("\n") or log.count("\n") > 1 else 0
    assert (finding.position, finding.evidence[0].text) == (lines, "it broke")


def line(text: str, task: str = "/me/job/0", at_ms: int = 0) -> LogLine:
    return LogLine(text, at_ms, TaskId(task), 0)


def look(*lines: LogLine, job: Job | None = None) -> Observation:
    root = job or Job(JobId("/me/job"), JobState.RUNNING)
    return Observation(root.id, AT, Seen(JobTree(root), AT), Seen(lines, AT))


def test_an_observation_is_judged_with_its_tree() -> None:
    task = Task(
        TaskId("/me/job/0"), TaskState.FAILED, exit_code=1, error="Exit code: 1. stderr: KeyError: 'a'"
    )
    job = Job(JobId("/me/job"), JobState.FAILED, tasks=(task,))
    rules = book("match: {exit_code: 1, state: failed}", "match: {error: ['KeyError']}")
    findings = classify(look(line("x"), job=job), rules)
    assert sorted(ids(findings)) == ["t.r0", "t.r1"]


def test_a_task_that_succeeded_later_speaks_of_no_error() -> None:
    task = Task(TaskId("/me/job/0"), TaskState.SUCCEEDED, exit_code=0, error="Exit code: 1. stderr: KeyError")
    job = Job(JobId("/me/job"), JobState.SUCCEEDED, tasks=(task,))
    assert not classify(look(job=job), book("match: {error: ['KeyError']}")).all


def test_sources_and_tasks_are_told_apart() -> None:
    def role(task: TaskId) -> Role:
        return Role.COORDINATOR if task.endswith("/0") else Role.WORKER

    rules = book("match: {logs: {any: [broke], source: coordinator}}")
    assert not classify(look(line("broke", "/me/job/1")), rules, role_of_task=role).all
    assert classify(look(line("broke", "/me/job/0")), rules, role_of_task=role).all


@pytest.mark.parametrize(("stream", "found"), [("build", True), ("stderr", False), ("", False)])
def test_a_stream_that_is_not_known_is_not_the_one_wanted(stream: str, found: bool) -> None:
    rules = book("match: {logs: {any: [broke], stream: build}}")
    seen = look(line("it broke")._replace(stream=stream))
    assert bool(ids(classify(seen, rules))) is found


def test_a_traceback_may_straddle_two_looks() -> None:
    lines = [line(text) for text in TRACEBACK.splitlines()]
    rules = book("match: {traceback: {exception: ShardError, frame: ['job.py:main']}}")
    for cut in range(9, len(lines)):
        findings = classify(look(*lines[cut:]), rules, carried=lines[:cut])
        assert ids(findings) == ["t.r0"], cut
        assert findings.all[0].position == len(lines) - 1 - cut


def test_carried_lines_alone_are_no_news() -> None:
    rules = book("match: {logs: [broke]}")
    assert not classify(look(line("fine")), rules, carried=[line("it broke")]).all


PIECES = [
    "Traceback (most recent call last):",
    '  File "x.py", line 1, in f',
    "KeyError: 'x'",
    "",
    "it broke",
    "\x1b[31mred\x1b[0m",
    "(Actor pid=1) Traceback (most recent call last):",
    "  | KeyError",
    "but fine",
    "During handling of the above exception, another exception occurred:",
    "a\rb",
    "x" * 20_000,
]
JUNK = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=30)), max_size=30)


@settings(max_examples=60, deadline=None)
@given(JUNK)
def test_no_text_crashes_the_shipped_rules(lines: list[str]) -> None:
    text = "\n".join(lines)
    findings = classify_text(text, load(), JobFacts(state=JobState.FAILED))
    last = text.encode().count(b"\n") + 1
    for finding in findings.all:
        assert -1 <= finding.position <= finding.last_position < last
        assert len(finding.evidence) <= 8


FLOODS = [
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: bad 3\n',
    "Traceback (most recent call last):\n",
    "W fetch failed: timed out, retrying (attempt 1)\nI connected, all is ready\n",
    "ERROR something failed: connection to worker lost\n",
    "I zephyr.execution [e] [s] 3/18 complete, 0 in-flight, 15 queued, 3/3 workers alive, 0 dead\n",
    "step: 3 loss: nan\n",
]


@pytest.mark.parametrize("flood", FLOODS)
def test_judging_takes_time_in_proportion_to_the_lines(flood: str) -> None:
    def seconds(repeats: int) -> float:
        started = time.process_time()
        classify_text(flood * repeats, load(), JobFacts(state=JobState.FAILED))
        return time.process_time() - started

    seconds(10)
    small = min(seconds(500) for _ in range(2))
    assert seconds(4_000) < 8 * 4 * small + 0.3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["it broke", "fine", "broke again", ""]), max_size=12), st.integers(0, 12))
def test_a_whole_contains_the_findings_of_its_parts(lines: list[str], cut: int) -> None:
    rules = book("match: {logs: [broke]}", "match: {logs: {any: [broke], min_count: 2}}")
    whole = set(ids(classify_text("\n".join(lines), rules)))
    for part in (lines[:cut], lines[cut:]):
        assert set(ids(classify_text("\n".join(part), rules))) <= whole


def test_severities_are_ordered_by_weight_not_by_letters() -> None:
    assert Severity.FATAL > Severity.INFO >= Severity.BENIGN
    assert max(Severity) is Severity.FATAL
