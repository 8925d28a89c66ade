"""Failures in any words are found; names, settings, statistics and data are not taken for failures."""

import pytest

from babysitter.diagnosis.frame.failure_words import find_failure_words, reports_failure
from babysitter.diagnosis.frame.line import read_frame

FAILURES = [
    "failed to open the shard",
    "upload of part 7 failed",
    "job failure: node lost",
    "Error: tile server is away",
    "2 errors in stage merge",
    "error reading footer of part-7.parquet",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied",
    "app.store.TileMissingError: 12/7",
    "requests.exceptions.ReadTimeout: no answer",
    "gzip.BadGzipFile: Not a gzipped file",
    "ledger.errors.RowVanished: 12/7",
    "port 1 changed ACTIVE -> DOWN",
    "objects degraded on disk 3",
    "panic: index out of range",
    "worker crashed at shard 7",
    "Killed",
    "Killed process 4411 (python3) total-vm:123kB, anon-rss:99kB, file-rss:0kB",
    "the tile actor died",
    "rank 3 is dead",
    "connection refused by 192.0.2.7",
    "permission denied on /scratch",
    "request timed out after 30 s",
    "timeout waiting for peers",
    "store unavailable",
    "host worker-7 unreachable",
    "unable to bind port 8080",
    "cannot map the region",
    "couldn't parse the header",
    "tile 7 not found",
    "No such file or directory",
    "invalid checksum in block 7",
    "corrupt footer",
    "connection reset by peer",
    "pod was evicted",
    "slice preempted",
    "memory limit exceeded",
    "out of memory",
    "No space left on device",
    "not enough room for 3 more tiles and no free slots",
    "loader hangs in recv",
    "deadlock between ring 3 and ring 4",
    "Segmentation fault (core dumped)",
    "process exited with code 137",
    "exit status 1",
    "received SIGKILL",
    "rpc error: code = Unavailable desc = StatusCode.UNAVAILABLE: socket closed",
    'POST /tiles HTTP/1.1" 503',
    "server returned 502 Bad Gateway",
    "giving up after 5 tries",
    "shape mismatch in layer 7",
    "unexpected end of file",
    "peer never answered",
    "the mirror does not respond",
    "the tile was not written",
    "quota reached: 7 of 7 chips",
    "certificate expired",
    'err="stream closed" peer=7',
    "state=FAILED job=7",
    "sampler blew up at step 7",
    "no heartbeat from node-3",
    "no matching distribution",
]
CALM = [
    "step 120 of 900 done",
    "errors: 0",
    "0 errors, 7 warnings",
    "no errors found",
    "finished without error",
    "0 failed, 12 passed",
    "failed: 0",
    "on_error=raise workers=7",
    "retry_on_timeout=True fail_fast=False",
    "timeout=30s backoff=2s",
    "timeout: 30s",
    "timeout set to 30 s",
    "watchdog started, timeout 1800s",
    "reading /data/crash_dumps/part-7.csv",
    "wrote error_analysis.json",
    "opened failures.parquet",
    "installed the error handler",
    "error rate 0.3 over the last hour",
    "word error rate: 12.1",
    "mean squared error function",
    "failed=0 killed=3 lost=1 alive=70",
    "dead: 2, alive: 30, queued: 7",
    "pages: 54000, gone: 1350, refused: 60",
    'sample: "the server crashed, he wrote"',
    '{"text": "connection refused and nobody knew why", "id": 7}',
    "prompt='why was my process killed?'",
    "document 12 = 'Segmentation fault is a band'",
    "<|user|> my disk is full and the build failed",
    "module app.errors loaded",
    "loaded TimeoutPolicy and ErrorBudget",
    "\x00\x01 OOM \x02ERR\ufffd\ufffd",
    "saved checkpoint to /ckpt/7",
    "connected to 7 peers",
    "endpoint /serve/7 not registered yet (120s of 1800s)",
    "Recent failures:",
    "everything is fine",
    "",
]


@pytest.mark.parametrize("message", FAILURES)
def test_failure_words_are_found(message):
    assert find_failure_words(message) is not None


@pytest.mark.parametrize("message", CALM)
def test_failure_words_are_absent(message):
    span = find_failure_words(message)
    assert span is None, message[slice(*span)]


@pytest.mark.parametrize(
    ("line", "is_report"),
    [
        ("2026-01-02 10:11:12 ERROR tile 7 and its ring", True),
        ("2026-01-02 10:11:12 WARNING tile 7 and its ring", False),
        ("E0102 10:11:12.123456 1 ring.cc:7] tile 7 and its ring", True),
        ("E0102 10:11:12.123456 1 ring.cc:7] 7", False),
        ("2026-01-02 10:11:12 INFO tile 7 failed", True),
    ],
)
def test_reports_failure_knows_the_level(line, is_report):
    assert reports_failure(read_frame(line)) is is_report
