"""Log files and standard input as text: unpacked, decoded, and refused where they hold no log."""

import gzip
import io
import re
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from babysitter.errors import UserError

MAX_BYTES = 2 << 30  # of one log after unpacking; more is a mistake or a bomb
SAMPLE_BYTES = 64 << 10
# A log keeps some odd bytes (a cut character, a block of zeros). Of an executable, an image or a compressed
# stream a tenth and more is control characters. The limits are guesses between the two.
MAX_CONTROL_SHARE = 0.05
MAX_UNDECODABLE_SHARE = 0.3  # a log in an older encoding is mostly undecodable words, but not mostly bytes
MAX_ZERO_BLOCKS = 8
_CONTROLS = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_ZEROS = re.compile(rb"\x00+")


def read_text(paths: Sequence[Path]) -> str:
    """The text of these logs, one after another. Raises UserError where no line is in any of them."""
    text = "\n".join(_text(_read(path), str(path)) for path in paths)
    if not text or text.isspace():
        names = ", ".join(map(str, paths))
        raise UserError(
            f"{names}: empty, so nothing can be said about the job.",
            next_step="Name the log of the job; an empty one may mean that it never started.",
        )
    return text


def read_standard_input(*, may_be_empty: bool) -> str:
    """The text that was piped in. Raises UserError where it holds no line, unless it `may_be_empty`.

    A person at a terminal is asked for it; where it may be empty nobody is.
    """
    if sys.stdin.isatty():
        if may_be_empty:
            return ""
        print("Paste the log here and end it with Ctrl+D.", file=sys.stderr)  # noqa: T201
    text = _text(sys.stdin.buffer.read(MAX_BYTES), "standard input")
    if (not text or text.isspace()) and not may_be_empty:
        raise UserError(
            "Standard input is empty, so nothing can be said about the job.",
            next_step="Pipe a log in, or name a file: `babysit classify run.log`.",
        )
    return text


def not_a_log(name: str, kind: str) -> UserError:
    """Return the error of a document that was given as a log. `kind`: what it reads like."""
    return UserError(
        f"{name} does not look like a log: it reads like {kind}, so nothing is said about a job.",
        next_step="Name the log of the job. If this is it, add the job's state, such as --state failed.",
    )


def _read(path: Path) -> bytes:
    try:
        return _unpacked(path)
    except FileNotFoundError:
        raise UserError(
            f"{path} does not exist.", next_step="Check the path, or give - for standard input."
        ) from None
    except IsADirectoryError:
        raise UserError(
            f"{path} is a folder.", next_step="Name the log files in it; several are read as one."
        ) from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise UserError(f"{path} cannot be read: {why}.", next_step="Check the file.") from None


def _unpacked(path: Path) -> bytes:
    with path.open("rb") as raw:
        head = raw.read(4)
        raw.seek(0)
        if head[:2] == b"\x1f\x8b":
            content = gzip.GzipFile(fileobj=raw).read(MAX_BYTES + 1)
        elif head == b"\x28\xb5\x2f\xfd":
            content = _from_zstd(raw)
        else:
            content = raw.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 30} GB; give a part of it")
    return content


def _from_zstd(raw: io.BufferedReader) -> bytes:
    import zstandard  # only for such files

    try:
        return zstandard.ZstdDecompressor().stream_reader(raw).read(MAX_BYTES + 1)
    except zstandard.ZstdError as fault:
        raise ValueError(str(fault)) from fault


def _text(content: bytes, name: str) -> str:
    """The characters of a log. Raises UserError for anything that is not text."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):  # what a Windows shell redirects
        return content.decode("utf-16", "replace")
    content = content.lstrip(b"\x00") or content[:1]  # a log that was cut while it was written begins so
    if is_binary(content[:SAMPLE_BYTES]):
        raise UserError(
            f"{name} holds binary data, not text, so it is not a log.",
            next_step="Name the log of the job; logs packed with gzip or zstd are unpacked by themselves.",
        )
    return content.decode("utf-8", "replace")


def is_binary(sample: bytes) -> bool:
    """Return True if the beginning of a file cannot be a log's."""
    if len(_ZEROS.findall(sample)) > MAX_ZERO_BLOCKS:
        return True
    text = _ZEROS.sub(b"", sample).decode("utf-8", "replace")
    if not text:
        return bool(sample)
    controls = len(_CONTROLS.findall(text))
    return controls > MAX_CONTROL_SHARE * len(text) or text.count("�") > MAX_UNDECODABLE_SHARE * len(text)
