"""A diagnosis of a session folder names node, file and process."""

import pytest

from babysitter.model.finding import Cause
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_folder import examine_folder
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
    assert any(path.name in quoted.place for quoted in found.quoted)


HEAD = "[2026-11-20 11:00:00] x.py:1 INFO "
ENGINES = f"{HEAD}Initializing 2 Sgl engines (tp=8)\n"
# Each row of the guide's failure table: driver's log, lines of an engine, quiet time, cause, first advice.
ROWS = {
    "placement": (
        f"{HEAD}Creating unified placement group with 24 GPUs (x)...\n",
        "",
        700,
        "capacity-wait",
        "ray status",
    ),
    "shards": (ENGINES, "Multi-thread loading shards:  40% 4/10\n", 900, "stage-stuck", "iostat"),
    "capture": (ENGINES, "Multi-thread loading shards: 100% 10/10\n", 700, "stage-stuck", "nvidia-smi"),
    "nccl": (
        ENGINES,
        f"{HEAD}torch.distributed.DistBackendError: [Rank 3] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=1, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600001 milliseconds "
        "before timing out.\n",
        0,
        "collective-timeout",
        "NCCL_SOCKET_IFNAME",
    ),
    "actor": (
        f"{ENGINES}ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
        "\tclass_name: SglEngine\n\tpid: 7\n\tip: 10.0.0.2\nThe actor is dead because its worker process has "
        "died. Worker exit type: SYSTEM_ERROR\n",
        "loading\n",
        0,
        "actor-died",
        "worker-",
    ),
    "nan": (
        f"{ENGINES}Training:  10%|x| 20/200 [00:10<09:00, loss=nan]\n"
        "Training:  11%|x| 22/200 [00:11<09:00, loss=nan]\n"
        "Training:  12%|x| 24/200 [00:12<09:00, loss=nan]\n",
        "",
        0,
        "numerical-divergence",
        "max_grad_norm",
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_classify_folder_first_advice(row, tmp_path):
    driver, engine, quiet_s, cause, advice = ROWS[row]
    session = session_in(tmp_path)
    session.write("raylet.out", "x\n")
    if engine:
        session.worker("SglEngine", 514428, engine)
    log = tmp_path / "kimi25_3node_train_20261120_110000.log"
    log.write_text(driver)
    found = examine_folder([session.root, log], rules(), JobFacts(last_line_age_s=quiet_s)).examined.diagnosis
    assert found.cause.value == cause
    assert advice in found.advice


def test_classify_folder_metrics_warning_is_harmless(tmp_path):
    session = session_in(tmp_path)
    session.worker("SglEngine", 1, "Failed to establish connection to the metrics exporter agent\n")
    found = examine_folder([session.root], rules(), JobFacts(last_line_age_s=5.0)).examined.diagnosis
    assert found.severity.value == "benign"
