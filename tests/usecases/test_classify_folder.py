"""A diagnosis of a session folder names node, file and process."""

from babysitter.model.finding import Cause
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.classify_folder import examine_folder
from tests.support.recordings import rules
from tests.support.session_folder import session_in

CRASH = """\
[2026-11-20 11:10:00] sgl_engine.py:197 INFO SglEngine rank 1: BEFORE init - base_gpu_id=0
Traceback (most recent call last):
  File "/app/engine.py", line 9, in load
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB
"""


def test_classify_folder_names_node_file_and_pid(tmp_path):
    session = session_in(tmp_path)
    path = session.worker("SglEngine", 514428, CRASH)
    log = tmp_path / "kimi25_3node_train_20261120_110000.log"
    log.write_text(
        "[2026-11-20 11:10:05] x.py:1 ERROR ray.exceptions.RayActorError: The actor died unexpectedly before "
        "finishing this task. pid: 514428 ip: 10.0.0.2\n"
    )
    found = examine_folder([session.root, log], rules(), JobFacts())
    assert found.examined.diagnosis.cause is Cause.DEVICE_OOM
    evidence = found.examined.diagnosis.evidence[0]
    assert evidence.source == f"10.0.0.2 {path.name}"
    assert evidence.line_number in (6, 7)
    assert "(SglEngine pid=514428, ip=10.0.0.2)" in evidence.text
    assert any(path.name in each.place for each in found.quoted)
