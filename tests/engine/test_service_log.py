"""Our own log holds no secret and no local variable, whoever writes it and however it is set up."""

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog

from babysitter.engine.service_log import INFO, configure_log, configure_log_unless_done

SECRET = "hf_" + "madeUp7" * 5
PASSWORD = "plainword"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    hooks, handlers, level = (sys.excepthook, threading.excepthook), list(root.handlers), root.level
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()
    logging.captureWarnings(False)
    sys.excepthook, threading.excepthook = hooks
    root.handlers[:] = handlers
    root.setLevel(level)


def fail_with(local: str) -> None:
    token_here = local
    raise ValueError(f"refused by the server after {len(token_here)} characters")


def logged(*, as_json: bool) -> str:
    stream = io.StringIO()
    configure_log(stream, as_json=as_json, least_level=INFO)
    log = structlog.get_logger()
    log.info("connecting", token=SECRET, password=PASSWORD, note=f"with {SECRET}", watch="w-1", tries=3)
    try:
        fail_with(PASSWORD)
    except ValueError:
        log.exception("check_failed", watch="w-1")
    try:
        raise RuntimeError(f"401 for HF_TOKEN={SECRET}")
    except RuntimeError as fault:
        log.error("tool_failed", exc_info=fault, because=fault)
    logging.getLogger("aiohttp.client").error("GET https://x.example/?access_token=%s", SECRET)
    try:
        fail_with(SECRET)
    except ValueError:
        logging.getLogger("asyncio").exception("Task exception was never retrieved: %r", {"secret": SECRET})
    return stream.getvalue()


@pytest.mark.parametrize("as_json", [True, False])
def test_log_holds_no_secret_and_no_local_variable(*, as_json: bool) -> None:
    text = logged(as_json=as_json)
    assert SECRET not in text
    assert PASSWORD not in text
    assert "madeUp7" not in text
    for word in (
        "connecting",
        "w-1",
        "check_failed",
        "ValueError",
        "refused by the server",
        "fail_with",
        "RuntimeError",
    ):
        assert word in text


def test_json_log_has_one_object_a_line() -> None:
    lines = [json.loads(line) for line in logged(as_json=True).splitlines()]
    assert [line["event"] for line in lines[:3]] == ["connecting", "check_failed", "tool_failed"]
    assert lines[0]["tries"] == 3
    frames = lines[1]["exception"][0]["frames"]
    assert frames
    assert not any(frame.get("locals") for frame in frames)


def test_command_without_a_log_of_its_own_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    configure_log_unless_done()
    log = structlog.get_logger()
    log.info("not_shown")
    try:
        fail_with(SECRET)
    except ValueError:
        log.exception("check_failed", api_key=PASSWORD)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "check_failed" in shown.err
    assert "not_shown" not in shown.err
    assert SECRET not in shown.err
    assert PASSWORD not in shown.err


def test_chosen_log_is_kept() -> None:
    stream = io.StringIO()
    configure_log(stream, as_json=True, least_level=INFO)
    configure_log_unless_done()
    structlog.get_logger().info("kept")
    assert json.loads(stream.getvalue())["event"] == "kept"


def test_uncaught_exceptions_are_redacted(capsys: pytest.CaptureFixture[str]) -> None:
    configure_log(io.StringIO(), as_json=True)

    def run() -> None:
        raise RuntimeError(f"HF_TOKEN={SECRET}")

    thread = threading.Thread(target=run, name="t")
    thread.start()
    thread.join()
    try:
        run()
    except RuntimeError as fault:
        sys.excepthook(type(fault), fault, fault.__traceback__)
    shown = capsys.readouterr().err
    assert shown.count("RuntimeError: HF_TOKEN=[redacted]") == 2
    assert SECRET not in shown
