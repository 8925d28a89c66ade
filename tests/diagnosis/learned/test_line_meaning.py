"""What lines of programs mean that no rule knows. The lines are made up; none stands in the corpus."""

import pytest

from babysitter.diagnosis.learned.line_meaning import CLEAR, LEAST, meaning_of, scores_of_line

NAMED = [
    ("slow-startup", "still compiling the training graph, this may take several minutes"),
    ("disk-full", "the scratch disk of this box is used up, nothing more can be written"),
    ("device-oom", "GPU 3 ran out of memory while the KV cache was growing"),
    ("host-oom", "the parser was killed by the kernel because the container ran out of memory"),
    ("auth-error", "the login was refused: the token of the service account has expired"),
    ("numerical-divergence", "the reward became NaN at update 311"),
    ("preemption", "this spot instance will be reclaimed in 30 seconds"),
    ("missing-dependency", "cannot import frobnicate: the module is not installed"),
    ("bad-accelerator", "chip 2 reports an uncorrectable ECC event and was taken off the bus"),
    ("build-or-bundle-failure", "pulling the image of the worker failed: manifest unknown"),
    ("collective-timeout", "rank 4 never reached the barrier within 1800 s"),
    ("unschedulable", "no node satisfies the selector of this pod, and none ever will"),
    ("capacity-wait", "waiting for capacity: no machine of this type is available in the zone"),
    ("controller-unreachable", "the scheduler's API server does not respond, lost leader"),
    ("compile-error", "lowering of the kernel failed: unsupported operand in MLIR"),
    ("storage-error", "cannot write to the bucket: 503 slow down, the object store is busy"),
    ("data-error", "record 17 is truncated and cannot be decoded"),
    ("config-error", "unknown option --colour in the settings file"),
    ("network-timeout", "the socket was closed by the peer: connection reset"),
    ("code-error", "AttributeError: 'Plan' object has no attribute 'walk'"),
    ("stage-stuck", "the pipeline has made no progress for 40 minutes"),
    ("user-cancel", "cancelled by alice with ctrl-c"),
]
SILENT = [
    "",
    "hello",
    "step 400 of 1000 done, 3.1 it/s",
    "all 64 workers are ready",
    "saved checkpoint 12 in 3.1 s",
    "the frobnicator misbehaved",
    "Traceback (most recent call last):",
]


@pytest.mark.parametrize(("cause", "line"), NAMED, ids=[row[0] for row in NAMED])
def test_a_line_means_its_cause(cause, line):
    meaning = meaning_of(line)
    assert meaning is not None
    assert meaning.cause == cause


@pytest.mark.parametrize("line", SILENT)
def test_a_calm_line_means_no_cause(line):
    assert meaning_of(line) is None


@pytest.mark.parametrize("form", ["was refused", "refuses", "refusing", "had been refused"])
def test_the_tense_does_not_matter(form):
    meaning = meaning_of(f"the login {form}")
    assert meaning is not None
    assert meaning.cause == "auth-error"


def test_numbers_and_names_of_files_say_nothing():
    assert scores_of_line("wrote /data/a/17.json") == scores_of_line("wrote /data/b/4711.json")


def test_a_vague_line_is_said_to_be_one():
    clear, vague = meaning_of("no space left on device"), meaning_of("an error occurred")
    assert clear is not None
    assert clear.score >= CLEAR
    assert not clear.is_vague
    assert vague is None or (vague.is_vague and vague.score >= LEAST)
