"""How large the bundle is that the client would pack from a folder. It blocks."""

import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from babysitter.preflight.facts import BundleSize, Fact, Known, NotKnown

PACK_LIMIT_S = 10.0  # packs some 300 MB
LARGEST_SHOWN = 3
_CHUNK_BYTES = 1024 * 1024
# An archive holds a file's name twice, with 30 and 46 bytes of header, and 22 bytes at its end.
_PER_FILE_BYTES, _AT_END_BYTES = 76, 22


def bundle_size(
    folder: Path, files: Sequence[Path], *, limit_bytes: int, monotonic: Callable[[], float] = time.monotonic
) -> Fact[BundleSize]:
    """The size of the archive of these files; they are packed only if their sum is over the limit.

    NotKnown if packing takes longer than PACK_LIMIT_S, or if a file cannot be read.
    """
    try:
        sizes = {path: path.stat().st_size for path in files}
        headers = sum(_header_bytes(path, folder) for path in files) + _AT_END_BYTES
        total = headers + sum(_stored_bytes(size) for size in sizes.values())
        if total <= limit_bytes:
            return Known(BundleSize(total, is_exact=False))
        largest = sorted(files, key=lambda path: -sizes[path])[:LARGEST_SHOWN]
        names = tuple(f"{path.relative_to(folder)} ({sizes[path] / 2**20:.1f} MB)" for path in largest)
        return _packed(files, headers, limit_bytes, names, monotonic)
    except OSError as fault:
        return NotKnown(f"The folder {folder} cannot be read: {fault.strerror or fault}.")


def _packed(
    files: Sequence[Path], headers: int, limit_bytes: int, names: tuple[str, ...], now: Callable[[], float]
) -> Fact[BundleSize]:
    packed, deadline = headers, now() + PACK_LIMIT_S
    for path in files:
        packer = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                packed += len(packer.compress(chunk))
                if packed > limit_bytes:
                    return Known(BundleSize(packed, is_exact=False, largest=names))
                if now() > deadline:
                    return NotKnown(f"Packing the folder takes more than {PACK_LIMIT_S:g} s.", may_pass=True)
        packed += len(packer.flush())
    return Known(BundleSize(packed, largest=names))


def _header_bytes(path: Path, folder: Path) -> int:
    return _PER_FILE_BYTES + 2 * len(str(path.relative_to(folder)).encode())


def _stored_bytes(size: int) -> int:
    """The most that packing makes of so many bytes."""
    return size + 5 * (size // 16_383 + 1)
