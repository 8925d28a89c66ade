"""Asking over HTTP: servers that refuse, hang, drip or lie become errors of ours within the time limit."""

import asyncio
import gzip
import json
import socket
import zlib
from contextlib import asynccontextmanager

import pytest

from babysitter.backends.iris.connection.http_transport import (
    BODY_LIMIT_BYTES,
    DirectEndpoint,
    HttpTransport,
)
from babysitter.backends.iris.connection.transport import BadRequest, NoSuchMethod
from babysitter.errors import (
    InvalidResponse,
    NoSuchJob,
    NotAuthorised,
    Overloaded,
    SubmissionRefused,
    Unreachable,
)
from tests.backends.recorded import exchange
from tests.support.controller import connect_error, controller, http, liar, read_request, saying
from tests.support.waiting import HANG_S

LIMIT_S = 0.5  # for servers that never answer


@asynccontextmanager
async def line_to(url, limit_s=HANG_S):
    line = HttpTransport(DirectEndpoint(url), place=url, ask_limit_s=limit_s)
    try:
        yield line
    finally:
        await line.close()


async def hang(reader, _writer):
    await reader.read(1)
    await asyncio.Event().wait()


async def never_read(_reader, _writer):
    await asyncio.Event().wait()


async def drip(reader, writer):
    await read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def endless(reader, writer):
    await read_request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while True:
        writer.write(b" " * (1 << 20))
        await writer.drain()


async def hang_up(reader, _writer):
    await read_request(reader)


def gzipped(body, cut=None):
    packed = gzip.compress(body)[:cut]
    return http(packed, head="content-type: application/json\r\ncontent-encoding: gzip")


def bomb():
    """A few kilobytes that unpack to twice the limit."""
    packer = zlib.compressobj(9, wbits=31)
    mebibyte = b"\0" * (1 << 20)
    packed = b"".join(packer.compress(mebibyte) for _ in range(2 * BODY_LIMIT_BYTES >> 20)) + packer.flush()
    return http(packed, head="content-type: application/json\r\ncontent-encoding: gzip")


@pytest.mark.parametrize(
    ("speak", "expected", "says"),
    [
        (hang, Unreachable, "within 0.5 s"),
        (never_read, Unreachable, "within 0.5 s"),
        (drip, Unreachable, "within 0.5 s"),
        (hang_up, Unreachable, "it hung up before it answered"),
        (saying(b"220 smtp.example.org ESMTP\r\n"), InvalidResponse, "does not speak proper HTTP"),
        (saying(b"HTTP/1.1 two hundred\r\n\r\n"), InvalidResponse, "does not speak proper HTTP"),
        (saying(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n"), InvalidResponse, "proper HTTP"),
        (saying(b"HTTP/1.1 200 OK\r\nx: " + b"z" * 100_000), InvalidResponse, "proper HTTP"),
        (
            saying(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}"),
            InvalidResponse,
            "proper HTTP",
        ),
        (
            saying(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"),
            Unreachable,
            "broke off before its end",
        ),
        (
            saying(http(b"<html><title>Log in</title>", head="content-type: text/html")),
            InvalidResponse,
            "an HTML page",
        ),
        (saying(http(b'{"jobs": [{"jobId": "/u')), InvalidResponse, "cut off"),
        (saying(http(b"")), InvalidResponse, "not JSON"),
        (saying(http(b"[" * 500_000)), InvalidResponse, "not JSON"),
        (saying(http(b'{"jobs": "\xff\xfe"}')), InvalidResponse, "not JSON"),
        (saying(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"), Unreachable, "broke off before its end"),
        (saying(gzipped(b'{"jobs": []}' * 50, cut=20)), InvalidResponse, "cut off"),
        (saying(http(b"plain", head="content-encoding: gzip")), InvalidResponse, "unpacked"),
        (saying(bomb()), InvalidResponse, "larger than 32 MB"),
        (
            saying(
                http(
                    b"", status="302 Found", head="location: https://accounts.example.org/login?state=made-up"
                )
            ),
            InvalidResponse,
            "redirects",
        ),
        (saying(http(b"", status="404 Not Found")), NoSuchMethod, "another generation"),
        (saying(http(b"Not Found", status="404 Not Found")), NoSuchMethod, "another generation"),
        (saying(http(b"bad gateway", status="502 Bad Gateway")), Unreachable, "502"),
        (saying(http(b"who?", status="401 Unauthorized")), NotAuthorised, "401"),
        (saying(http(b"no", status="403 Forbidden")), NotAuthorised, "not on its list"),
        (saying(http(b"", status="405 Method Not Allowed")), InvalidResponse, "405"),
    ],
)
async def test_a_lying_or_dead_server_is_an_error_in_time(speak, expected, says):
    limit_s = LIMIT_S if speak in (hang, never_read, drip) else HANG_S
    async with liar(speak) as url, line_to(url, limit_s) as line:
        with pytest.raises(expected, match=says) as caught:
            await line.ask("ListJobs", {})
        assert caught.value.sentence.endswith(".")
        assert "message=" not in str(caught.value)  # words of a library, which nobody understands


async def test_an_endless_answer_is_cut_off_at_the_size_limit():
    async with liar(endless) as url, line_to(url) as line:
        with pytest.raises(InvalidResponse, match="larger than"):
            await line.ask("ListJobs", {})
        assert line.traffic.received_bytes < BODY_LIMIT_BYTES + (2 << 20)


async def test_a_closed_port_is_unreachable():
    with socket.socket() as taken:  # bound, so that nobody else listens there meanwhile
        taken.bind(("127.0.0.1", 0))
        async with line_to(f"http://127.0.0.1:{taken.getsockname()[1]}") as line:
            with pytest.raises(Unreachable, match="connection refused") as caught:
                await line.ask("ListJobs", {})
            assert caught.value.repeatable
            assert "doctor" in caught.value.next_step


@pytest.mark.parametrize(
    ("status", "code", "message", "expected", "repeatable"),
    [
        (404, "not_found", "Job /u/j not found", NoSuchJob, False),
        (401, "unauthenticated", "Missing authentication", NotAuthorised, False),
        (403, "permission_denied", "not yours", NotAuthorised, False),
        (429, "resource_exhausted", "slow down", Overloaded, True),
        (503, "unavailable", "", Unreachable, True),
        (504, "deadline_exceeded", "Request timed out", Unreachable, True),
        (
            400,
            "failed_precondition",
            "Job is unschedulable: no scaling group matches",
            SubmissionRefused,
            False,
        ),
        (409, "already_exists", "Job /u/j already exists and is still running", SubmissionRefused, False),
        (400, "invalid_argument", "job_id is required", BadRequest, False),
        (500, "internal", "RPC ListTasks: something broke", InvalidResponse, True),
        (500, "unknown", "disk I/O error", InvalidResponse, True),
        (500, "weather", "", InvalidResponse, True),
        (501, "unimplemented", "", NoSuchMethod, True),
    ],
)
async def test_what_a_refusal_means(status, code, message, expected, repeatable):
    async with (
        controller({"X": (status, connect_error(code, message))}) as server,
        line_to(server.url) as line,
    ):
        with pytest.raises(expected) as caught:
            await line.ask("X", {})
    assert caught.value.repeatable is repeatable
    assert message in caught.value.sentence


@pytest.mark.parametrize(
    ("generation", "name", "expected"),
    [
        ("april", "s01-ListJobs-unknown-field", BadRequest),
        ("may", "s01-ListJobs-unknown-field", BadRequest),  # a 500 that is our own fault
        ("april", "s01-GetJobStatus-wrong-type", BadRequest),
        ("may", "s01-GetJobStatus-wrong-type", BadRequest),
        ("may", "s01-FetchLogs-empty-source", BadRequest),
        ("may", "s01-ListJobs-offset-9999", BadRequest),
        ("may", "s01-GetTaskLogs-is-it-there", NoSuchMethod),
        ("april", "s01-FetchLogs-via-finelog-logging", NoSuchMethod),
        ("may", "s01-LaunchJob-client-too-old", SubmissionRefused),
        ("may", "s01-ListTasks-noncanonical", InvalidResponse),
    ],
)
async def test_recorded_refusals(generation, name, expected):
    recorded = exchange(generation, "19-protocol-errors", name)
    async with (
        controller({"X": (recorded.status, recorded.answer)}) as server,
        line_to(server.url) as line,
    ):
        with pytest.raises(expected) as caught:
            await line.ask("X", {})
    assert type(caught.value) is expected


async def test_what_the_service_asked_for_is_kept():
    said = json.dumps(connect_error("resource_exhausted", "slow down")).encode()
    answer = http(said, status="429 Too Many Requests", head="retry-after: 7")
    async with liar(saying(answer)) as url, line_to(url) as line:
        with pytest.raises(Overloaded) as caught:
            await line.ask("X", {})
    assert caught.value.retry_after_s == 7


async def test_answers_come_packed_and_their_bytes_are_counted():
    jobs = [{"jobId": f"/u/j{index}", "state": "JOB_STATE_RUNNING"} for index in range(200)]
    async with controller({"ListJobs": {"jobs": jobs}}) as server, line_to(server.url) as line:
        answer = await line.ask("ListJobs", {"query": {"limit": 500}})
        assert isinstance(answer, dict)
        assert len(answer["jobs"]) == 200
        assert line.traffic.requests == 1
        assert 0 < line.traffic.received_bytes < len(json.dumps(jobs)) / 4
        assert server.bodies("ListJobs") == [{"query": {"limit": 500}}]
        assert server.headers[0]["Content-Type"] == "application/json"


async def test_health_asks_the_page_that_needs_no_token():
    async with controller({"health": {"status": "ok"}}) as server, line_to(server.url) as line:
        assert await line.health() == "ok"
