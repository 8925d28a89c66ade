"""The item that fails each time is named; items that differ are not."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.members.failing_item import find_failing_item, fold_items, read_items

_ITEM = [
    (["Shard 1 failed on w-1", "Shard 1 failed on w-2", "Shard 2 done", "Shard 1 failed on w-9"], "shard 1"),
    (["failed to read gs://b/in/part-07.parquet"] * 3, "file gs://b/in/part-07.parquet"),
    (["worker w-7 died", "worker w-7 died", "worker w-7 died", "worker w-3 registered"], "worker w-7"),
    (["node=gpu-12 Xid error", "node=gpu-12 Xid error", "node=gpu-12 lost"], "host gpu-12"),
    (["rank 5 crashed", "rank 5 crashed", "rank 5 crashed"], "rank 5"),
    (
        ["child exited with code -9", "process exit code: -9", "subprocess killed, exit code -9"],
        "exit code -9",
    ),
]


@pytest.mark.parametrize(("texts", "label"), _ITEM)
def test_item_that_always_fails_is_named(texts, label):
    item = find_failing_item(fold_items((), read_entries(texts)))
    assert item is not None
    assert item.label == label


@pytest.mark.parametrize(
    "texts",
    [
        ["Shard 1 failed", "Shard 2 failed", "Shard 3 failed"],
        ["Shard 1 failed", "Shard 1 failed"],
        ["Shard 1 done", "Shard 1 read", "Shard 1 written"],
        [],
    ],
)
def test_items_that_differ_are_not_named(texts):
    assert find_failing_item(fold_items((), read_entries(texts))) is None


def test_items_of_a_message():
    assert read_items("Shard 3 failed on worker w-2 (exit code -9)") == [
        ("shard", "3"),
        ("worker", "w-2"),
        ("exit code", "-9"),
    ]


def test_items_add_up_from_look_to_look():
    entries = read_entries(["Shard 1 failed", "Shard 2 failed", "Shard 1 failed on w-3", "Shard 1 failed"])
    at_once = fold_items((), entries)
    assert fold_items(fold_items((), entries[:2]), entries[2:]) == at_once
