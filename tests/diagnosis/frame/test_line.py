"""Headers of every kind are taken off, and what only looks like a header stays."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.frame.header_formats import HEADER_FORMATS
from babysitter.diagnosis.frame.line import Frame, read_frame, strip_headers
from babysitter.model.log import LogLevel

MORNING_S = datetime(2026, 1, 2, 10, 11, 12, tzinfo=UTC).timestamp()
CLOCK_S = 10 * 3600.0 + 11 * 60 + 12


@pytest.mark.parametrize("row", HEADER_FORMATS, ids=lambda row: row.name)
def test_header_format_specimen(row):
    assert read_frame(row.specimen).message == "hello"
    assert strip_headers(row.specimen) == "hello"


def test_header_format_names_are_unique():
    assert len({row.name for row in HEADER_FORMATS}) == len(HEADER_FORMATS)


@pytest.mark.parametrize(
    "line",
    [
        "(SglEngine pid=5144, ip=192.0.2.2) [2026-01-02 10:00:00 TP0 DP1] hello",
        "2026-01-02T10:11:12 - 0 - levanter.trainer - INFO :: hello",
        "INFO 01-02 10:00:00 [loggers.py:123] hello",
        "WARNING 01-02 10:00:00 scheduler.py:1754] hello",
        "\x1b[36m(TrainActor pid=9)\x1b[0m [rank3]: hello",
        "(EngineCore_DP0 pid=4) ERROR 01-02 10:00:00 [core.py:7] hello",
        "INFO:levanter.checkpoint:hello",
        "INFO:     hello",
        "WARNING huggingface_hub.utils._http: hello",
        "[pod/train-0/main] I20260102 10:00:00 app.loop hello",
        "[pod/train-0/main] 2026-01-02T10:11:12.123456789Z E0102 10:11:12.123456       1 a.go:1] hello",
        "Jan 02 10:11:12 host-3 python3[812]: INFO:levanter.checkpoint:hello",
        "> 2026-01-02 10:11:12,123 - INFO - hello",
        "2026-01-02T10:11:12.123456789Z stdout F INFO:levanter.checkpoint:hello",
        "2026-01-02 10:11:12.123 | WARNING  | app.store:read:12 - hello",
        "[2026-01-02 10:11:12,123][app.store][WARNING] - hello",
        "[2026-01-02 10:11:12 +0000] [71] [INFO] hello",
        "2026-01-02T10:11:12.123456Z  WARN request{id=7}: store::client: hello",
        "2026-01-02T10:11:12.123Z\tINFO\tcontroller/sync.go:12\thello",
        "2026/01/02 10:11:12 hello",
        "2026-01-02 10:11:12,123\tWARNING worker.py:1821 -- hello",
        "12: srun: error: hello",
        "[rank3]:[E102 10:11:12.1 ProcessGroupNCCL.cpp:616] [Rank 3] hello",
        "W0102 10:11:12.123000 1234 torch/distributed/run.py:766] hello",
        '{"level":"error","ts":1767348672.5,"logger":"sync","caller":"sync/run.go:71","msg":"hello',
        'ts=2026-01-02T10:11:12Z level=error caller=run.go:71 msg="hello',
        "downloading:   3%|2 | 1/40\rdownloading:  5%|2 | 2/40\rhello",
        "hello",
    ],
)
def test_stacked_headers_are_taken_off(line):
    assert read_frame(line).message == "hello"


@pytest.mark.parametrize(
    "line",
    [
        "Error: the file is missing",
        "RuntimeError: CUDA out of memory",
        "torch.cuda.OutOfMemoryError: CUDA out of memory",
        "ERRORS were found in 3 files",
        "INFORMATION about the run",
        "step 12: loss 3.1",
        "a | b",
        "{'loss': 2.3, 'epoch': 0.1}",
        '{"loss": 2.3, "step": 7}',
        "[1, 2, 3]",
        "(see the manual)",
        "12 of 40 shards are done",
        "rank 3 has died",
        "workers: 3 alive, 1 dead",
        "Fatal Python error: Segmentation fault",
        'File "/app/train.py", line 12, in main',
        "https://example.org: connection refused",
        "100%|##########| 10/10 [00:10<00:00,  1.0it/s]",
        "loading:  40%|####      | 14/35 [00:10<00:20,  1.1s/it]",
        "task failed: exit code 1",
        "time is up",
        "config.yaml: not found",
        "msg lost",
        "",
        "   ",
    ],
)
def test_message_that_resembles_a_header_stays(line):
    assert strip_headers(line) == line.strip()
    assert read_frame(line).message == line.strip()


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        (
            "I20260102 10:11:12 71 app.loop hello",
            {"at_s": MORNING_S, "has_date": True, "level": LogLevel.INFO},
        ),
        ("I20260102 10:11:12 71 app.loop hello", {"program": "app.loop"}),
        ("2026-01-02T12:11:12+02:00 hello", {"at_s": MORNING_S}),
        ("2026-01-02T05:11:12.5-0500 hello", {"at_s": MORNING_S + 0.5}),
        (
            "2026-01-02 10:11:12,250 - app.loop - WARNING - hello",
            {"at_s": MORNING_S + 0.25, "level": LogLevel.WARNING},
        ),
        ("E0102 10:11:12.500000       1 reflector.go:138] hello", {"at_s": CLOCK_S + 0.5, "has_date": False}),
        (
            "E0102 10:11:12.500000       1 reflector.go:138] hello",
            {"level": LogLevel.ERROR, "program": "reflector.go"},
        ),
        ("[10:11:12] hello", {"at_s": CLOCK_S, "has_date": False}),
        ("2026-13-45 10:11:12 hello", {"at_s": CLOCK_S, "has_date": False}),
        ("2026-01-02 10:11:12 [10:11:13] hello", {"at_s": MORNING_S, "has_date": True}),
        ("[10:11:13] 2026-01-02 10:11:12 hello", {"at_s": MORNING_S, "has_date": True}),
        ("INFO 01-02 10:11:12 [loggers.py:123] hello", {"at_s": CLOCK_S, "program": "loggers.py"}),
        (
            '{"level":"fatal","ts":1767348672.5,"msg":"hello"}',
            {"at_s": 1767348672.5, "level": LogLevel.CRITICAL},
        ),
        (
            '{"msg":"hello","level":"warn","time":"2026-01-02T10:11:12Z"}',
            {"at_s": MORNING_S, "level": LogLevel.WARNING},
        ),
        (
            "time=2026-01-02T10:11:12Z level=ERROR rank=3 msg=hello",
            {"level": LogLevel.ERROR, "rank": 3, "at_s": MORNING_S},
        ),
        ("[pod/train-0/main] [rank3]: hello", {"speaker": "pod/train-0/main rank3", "rank": 3}),
        (
            "(TrainActor pid=9, ip=192.0.2.1) hello",
            {"speaker": "TrainActor pid=9, ip=192.0.2.1", "rank": None},
        ),
        ("[1,3]<stderr>: hello", {"rank": 3}),
        ("7: hello", {"rank": 7, "speaker": "7"}),
        ("[2026-01-02 10:11:12 TP3 DP1] hello", {"speaker": "TP3 DP1"}),
        ("task=/ada/train/0 | [app] hello", {"speaker": "/ada/train/0", "program": "app"}),
        ("hello", {"at_s": None, "level": LogLevel.UNKNOWN, "program": "", "speaker": "", "rank": None}),
    ],
)
def test_header_fields(line, fields):
    frame = read_frame(line)
    assert {name: getattr(frame, name) for name in fields} == fields


def test_frame_keeps_no_terminal_escapes():
    assert read_frame("\x1b[31mERROR\x1b[0m hello \x1b]0;title\x07") == Frame(
        "ERROR hello", 6, None, False, LogLevel.ERROR
    )


def test_frame_of_an_endless_line():
    line = "[" + "a" * 100_000 + "] hello"
    assert read_frame(line).message == line


@pytest.mark.parametrize(
    ("message", "quoted"),
    [
        ('status "failed to connect" of peer', ["failed to connect"]),
        ("prompt 'Why does CUDA run out of memory?' took 3 s", ["Why does CUDA run out of memory?"]),
        ("it doesn't work and we don't know", []),
        ("use `ray status` to see it", ["ray status"]),
        ('{"text": "the worker\'s disk is full", "id": 7}', ["text", "the worker's disk is full", "id"]),
        ('sample: "loss is \\"nan\\"" kept', ['loss is \\"nan\\"']),
        ('text: "cut off here', ["cut off here"]),
        ("he wrote “it failed” twice", ["it failed"]),
        ("b'killed' and u'lost'", []),
        ("raw=b'no space left'", []),
        ("no quotes at all", []),
        ('""', []),
    ],
)
def test_quoted_spans(message, quoted):
    spans = Frame(message).quoted
    assert [message[first:end] for first, end in spans] == quoted


HEADERS = st.sampled_from([row.specimen.removesuffix("hello") for row in HEADER_FORMATS])


@given(st.lists(HEADERS, max_size=4), st.text(max_size=60))
def test_frame_of_any_text(headers, text):
    frame = read_frame("".join(headers) + text)
    assert 0 <= frame.start <= len(frame.text)
    assert frame.message == strip_headers("".join(headers) + text)
    assert all(0 <= first <= end <= len(frame.message) for first, end in frame.quoted)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[ERROR] connection refused - giving up", "connection refused - giving up"),
        ("[INFO] Step 1200 - loss: 2.31", "Step 1200 - loss: 2.31"),
        ("ERROR 404 --- [not found] page: see", "404 --- [not found] page: see"),
    ],
)
def test_messages_that_resemble_a_header(line: str, message: str):
    assert read_frame(line).message == message
