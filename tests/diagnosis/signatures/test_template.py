"""What templates match, capture and refuse."""

import pytest
import re2

from babysitter.diagnosis.signatures.template import MAX_CHARS, BadTemplate, to_regex

MATCHES = [
    ("CUDA out of memory", "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB"),
    ("cuda out of memory", "CUDA OUT OF  MEMORY"),
    ("worker # died", "worker 12 died of signal 9"),
    ("took # s", "took 1,204.5 s"),
    ("worker * (died|was lost)", "Worker w-3/a was lost at 10:00"),
    ("(worker|executor) [process] exited", "executor exited"),
    ("(worker|executor) [process] exited", "worker process exited"),
    ("exited [with code|with signal] #", "exited 9"),
    ("exited [with code|with signal] #", "exited with signal 9"),
    ("fail* to [re]start", "failed to restart"),
    ("fail* to [re]start", "fails to start"),
    ("*OutOfMemoryError", "torch.cuda.OutOfMemoryError: x"),
    ("*OutOfMemoryError", "MyOutOfMemoryError"),
    ("CUDA error ... out of memory", "CUDA error (2) in malloc: out of memory"),
    ("call to (connect|recv) ... failed", "call to recv from 192.0.2.3<4> failed: reset"),
    ("need {a:n}, [only] {b:n} free", "need 10 GB, 3GB free"),
    (r"\[rank#\] a \{b\} c|d".replace("|", r"\|"), "[rank3] a {b} c|d"),
    ("f(x) (a) and (b|c)", "f(x) (a) and c"),
    ("^Killed$", "Killed"),
    ("loss is (nan|[-]inf)", "loss is -inf"),
    ("time~out", "x timeout"),
    ("time~out", "time-out"),
    ("time~out", "Time out after 3 s"),
    ("no (such|[usable] (tpu|gpu)) found", "no usable gpu found"),
]

MISSES = [
    ("died", "studied"),
    ("worker died", "worker has died"),
    ("fail to start", "failed to start"),
    ("OutOfMemoryError", "MyOutOfMemoryErrors"),
    ("worker # died", "worker w3 died"),
    ("CUDA error ... out of memory", "CUDA error" + " x" * 50 + " out of memory"),
    ("(lost|gone) ... peer", "almost gone: speer"),
    ("^Killed$", "Killed by x"),
    ("f(x) (a) and (b|c)", "f(x) a and b"),
    ("code 1", "code 137"),
]

CAPTURES = [
    ("need {a:n}, [only] {b:n} free", "need 10 GB, only 3GB free", {"a": "10 GB", "b": "3GB"}),
    ("need {a:n}GB of", "need 10GB of", {"a": "10"}),
    ("No module named '{module:w}'", "No module named 'a.b'", {"module": "a.b"}),
    ("worker {worker:w} lost", "worker w-1 lost", {"worker": "w-1"}),
    ("error on shard {shard:n}: {error}", "error on shard 5: 'x' is y", {"shard": "5", "error": "'x' is y"}),
    ("{who} has (died|gone): {why}", "actor A has died: oom", {"who": "actor A", "why": "oom"}),
    ("job {state: failed | was killed} after", "job was killed after 3 s", {"state": "was killed"}),
    ("failed ... because {why}", "failed here because of x", {"why": "of x"}),
]

REFUSED = [
    ("", "empty"),
    ("a\nb", "two lines"),
    ("x" * (MAX_CHARS + 1), "at most 120"),
    ("caf\u00e9", "outside ASCII"),
    ("... died", "begins or ends with a gap"),
    ("died [of old age]", "optional words"),
    ("a {b c", "opens no hole"),
    ("a {b:z} c", "unknown kind"),
    ("{a} and {a}", "two holes"),
    ("a [b", "never closed"),
    ("a | b", "outside a choice"),
    ("(a|) b", "empty choice"),
    ("(a|(b|(c|(d|e)))) f", "more than 3 deep"),
]


def search(template: str, line: str):
    options = re2.Options()
    options.case_sensitive = False
    return re2.compile(to_regex(template), options=options).search(line)


@pytest.mark.parametrize(("template", "line"), MATCHES)
def test_template_matches(template, line):
    assert search(template, line)


@pytest.mark.parametrize(("template", "line"), MISSES)
def test_template_does_not_match(template, line):
    assert not search(template, line)


@pytest.mark.parametrize(("template", "line", "captured"), CAPTURES)
def test_template_captures(template, line, captured):
    found = search(template, line)
    assert found
    assert found.groupdict() == captured


@pytest.mark.parametrize(("template", "reason"), REFUSED)
def test_template_refused(template, reason):
    with pytest.raises(BadTemplate, match=reason):
        to_regex(template)


def test_template_gap_and_run_are_bounded():
    assert ".*" not in to_regex("a {b} c ... d")
    assert "{0,80}" in to_regex("a ... d")
