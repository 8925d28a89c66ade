"""Dumps of bytes whose letters hold a secret: it goes from both columns."""

from collections.abc import Callable

import pytest

from babysitter.redact import redact

SETTINGS = b"PASSWORD=Quartz_maple830\nMODE=prod step 12\n"


def hexdump(data: bytes) -> str:
    return "\n".join(
        f"{at:08x}  {data[at : at + 16].hex(' '):<48} |{letters(data[at : at + 16])}|"
        for at in range(0, len(data), 16)
    )


def xxd(data: bytes) -> str:
    return "\n".join(
        f"{at:08x}: {data[at : at + 16].hex(' ', -2):<40} {letters(data[at : at + 16])}"
        for at in range(0, len(data), 16)
    )


def tcpdump(data: bytes) -> str:
    return "\n".join(f"\t0x{line[4:]}" for line in xxd(data).replace(": ", ":  ").split("\n"))


def letters(data: bytes) -> str:
    return "".join(chr(code) if 32 <= code < 127 else "." for code in data)


@pytest.mark.parametrize("dump", [hexdump, xxd, tcpdump])
def test_secret_goes_from_both_columns(dump: Callable[[bytes], str]):
    text = f"{dump(SETTINGS)}\n2 packets dropped"
    shown = redact(text)
    for part in ("Quartz", "tz_m", "maple", "7274", "72 74", "83 0", "70 6c", "706c"):
        assert part not in shown
    assert "MODE" in shown
    assert shown.count("\n") == text.count("\n")
    assert shown.endswith("2 packets dropped")
    assert redact(shown) == shown


@pytest.mark.parametrize("dump", [hexdump, xxd, tcpdump])
def test_dump_without_a_secret_stays(dump: Callable[[bytes], str]):
    text = dump(b"GET /runs/12 HTTP/1.1\r\nHost: lab.example\r\n")
    assert redact(text) == text
