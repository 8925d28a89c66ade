"""Workers of other jobs that a raylet killed for memory: every driver is told of them."""

import pytest

from babysitter.backends.ray.log_files.memory_kill_lines import without_others
from babysitter.model.ids import TaskId
from babysitter.model.log import LogBatch, LogLine

NODE = "e7" * 28
KILLED = (
    "\x1b[33m(raylet)\x1b[0m 1 worker(s) were killed due to the node running low on memory. "
    f"Memory on the node (IP: 10.0.0.2, ID: {NODE}) was 5.16GB used / 23.54GB limit (0.219301)",
    "OOM kill reason: Memory usage 5543174144B exceeded threshold of 5510280192B",
    "(Trainer pid=77) step=4 loss=0.5",
    "Selected to kill: (Actor(f3e8): job ID=06000000, task name=eater:Eater.__init__, pid=19966)",
    "step 5",
)
ONE_LINE = (" ".join((KILLED[0], KILLED[1], KILLED[3])), "step 5")
TOLD = f"(raylet) 1 Workers (tasks / actors) killed due to memory pressure (OOM) at node (ID: {NODE})"


@pytest.mark.parametrize(
    ("lines", "job_hex", "kept"),
    [
        (KILLED, "06000000", [0, 1, 2, 3, 4]),  # its own
        (KILLED, "07000000", [2, 4]),
        (KILLED, None, [0, 1, 2, 3, 4]),  # nobody knows its id
        (KILLED[:2], "07000000", [0, 1]),  # it does not say whose
        (ONE_LINE, "06000000", [0, 1]),
        (ONE_LINE, "07000000", [1]),
        ((TOLD, "step 5"), "07000000", [0, 1]),
        (("ray.exceptions.OutOfMemoryError: Task was killed", "x"), "07000000", [0, 1]),
    ],
)
def test_only_the_deaths_of_its_own_workers_are_kept(lines, job_hex, kept):
    batch = LogBatch(tuple(LogLine(text, task=TaskId("train/0")) for text in lines), None)
    found = without_others(batch, job_hex)
    assert [line.text for line in found.lines] == [lines[place] for place in kept]
