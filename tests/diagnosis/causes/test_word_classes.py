"""Which cause the words of a message name. The sentences are made up: no rule knows them."""

import pytest

from babysitter.diagnosis.causes.cause_words import ROWS
from babysitter.diagnosis.causes.word_classes import find_classes, name_cause, shown_word, stems_of
from babysitter.diagnosis.causes.words_alone import ALONE
from babysitter.diagnosis.causes.words_what import WHAT
from babysitter.diagnosis.causes.words_who import WHO

_NAMED = [
    ("slow-startup", "compiling the graph may take several minutes"),
    ("compile-error", "triton: the kernel exceeds what the core offers"),
    ("config-error", "not enough room in /dev/shm for the queue"),
    ("disk-full", "the scratch disk is used up"),
    ("disk-full", "could not append to the journal: ENOSPC"),
    ("device-oom", "the KV cache cannot fit beside the weights"),
    ("device-oom", "GPU 3: out of memory while growing the buffer"),
    ("host-oom", "the parent ran out of memory"),
    ("host-oom", "RSS is above limit, leaving"),
    ("auth-error", "credentials were revoked an hour ago"),
    ("auth-error", "the hub returned 401 for this token"),
    ("numerical-divergence", "the reward became NaN"),
    ("capacity-wait", "stockout in this zone"),
    ("config-error", "walltime reached, stopping the run"),
    ("preemption", "the spot instance was reclaimed"),
    ("missing-dependency", "library frobnicate is not installed"),
    ("worker-churn", "container keeps crashing"),
    ("bad-accelerator", "the chip reports an uncorrectable ECC event"),
    ("bad-accelerator", "NVLink is degraded on this board"),
    ("build-or-bundle-failure", "pulling the image failed"),
    ("collective-timeout", "rank 4 never reached the barrier"),
    ("capacity-wait", "the slice is pending until machines free up"),
    ("unschedulable", "no toleration: the selector is unsatisfiable"),
    ("controller-unreachable", "the control plane does not respond"),
    ("compile-error", "lowering to MLIR is unsupported for this op"),
    ("config-error", "there is no such bucket"),
    ("storage-error", "uploading the checkpoint was throttled"),
    ("data-error", "row 17 is garbled and cannot be decoded"),
    ("config-error", "option --colour is not valid"),
    ("network-timeout", "the socket was closed by the peer"),
    ("network-timeout", "Broken pipe"),
    ("worker-churn", "gpu-7 lost communication with the server"),  # a host name names no chip
    ("device-oom", "object allocation failure on GPU device 0"),
    ("stage-stuck", "deadlock suspected"),
    ("network-timeout", "lookup db: no such host"),
    ("storage-error", "a stale file handle"),
    ("storage-error", "Lock wait timeout"),
    ("data-error", "block 7 failed its CRC check"),
    ("data-error", "duplicate key violates the constraint"),
    ("config-error", "unknown flag: -colour"),
    ("auth-error", "access denied for the robot"),
    ("missing-dependency", "line 14: frobnicate: command not found"),
    ("build-or-bundle-failure", "npm ERR! code ERESOLVE"),
    ("worker-churn", "executor lost: 12 on n-4"),
    ("controller-unreachable", "master not discovered, this is not a quorum"),
    ("collective-timeout", "store based barrier: 3 of 4"),
    ("bad-accelerator", "GPU has fallen off the bus"),
    ("unschedulable", "nodes did not match node selector"),
    ("config-error", "cancelled by timeout of the queue"),
    ("numerical-divergence", "loss is NaN at step 12"),
    ("stragglers", "straggler detection: rank 7 has worse relative performance"),
    ("device-oom", "hipErrorOutOfMemory: HIP out of memory"),
    ("code-error", "AttributeError: 'Plan' object has no attribute 'walk'"),
    ("stage-stuck", "the pipeline makes no progress"),
    ("actor-died", "the engine crashed without a word"),
    ("network-timeout", "gave up: the deadline passed"),
    ("config-error", "ValueError: width must be even"),
    ("code-error", "an error occurred"),
]
_SILENT = ["wrote 12 lines", "the disk is fine", "token 17 of 4000", "hello", "", "disk", "all ranks joined"]


@pytest.mark.parametrize(("cause", "message"), _NAMED, ids=[row[1] for row in _NAMED])
def test_name_cause_by_who_and_what(cause: str, message: str) -> None:
    named = name_cause(message)
    assert named is not None
    assert named.cause == cause


@pytest.mark.parametrize("message", _SILENT)
def test_name_cause_without_both_is_none(message: str) -> None:
    assert name_cause(message) is None


def test_name_cause_every_row_has_a_sentence() -> None:
    named = [name_cause(message) for _, message in _NAMED]
    used = {(each.cause, each.is_vague) for each in named if each is not None}
    assert used >= {(row.cause, row.is_vague) for row in ROWS}


@pytest.mark.parametrize("form", ["was refused", "refuses", "refusing", "had been refused"])
def test_name_cause_in_other_tenses(form: str) -> None:
    named = name_cause(f"the login {form}")
    assert named is not None
    assert (named.cause, named.who, named.what) == ("auth-error", "login", "refuse")


def test_find_classes_phrase_needs_its_order() -> None:
    assert "disk" in find_classes(stems_of("space_left"))
    assert "disk" not in find_classes(stems_of("left_space"))


def test_vocabulary_classes_are_all_used() -> None:
    assert set(WHO | ALONE) == {row.who for row in ROWS}
    assert set(WHAT) == {row.what for row in ROWS if row.what}


@pytest.mark.parametrize("name", [*WHO, *ALONE, *WHAT])
def test_vocabulary_words_of_a_class_differ(name: str) -> None:
    phrases = [stems_of(word) for word in (WHO | ALONE | WHAT)[name].split()]
    assert all(phrases)
    assert len(phrases) == len(set(phrases))


@pytest.mark.parametrize(
    ("word", "shown"),
    [("out_of_memory", "out of memory"), ("httpauth", "401 or 403"), ("keyexc", "key"), ("disk", "disk")],
)
def test_shown_word_is_for_a_person(word: str, shown: str) -> None:
    assert shown_word(word) == shown
