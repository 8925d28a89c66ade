"""The archive of a folder's files, as clusters take it. It blocks."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from babysitter.errors import UserError

_NEVER_OLDER = (1980, 1, 1, 0, 0, 0)  # the format knows no earlier date


def zip_files(folder: Path, files: Sequence[Path], added: Mapping[str, bytes] | None = None) -> bytes:
    """The files, named as below the folder. The same contents give the same bytes, whatever their dates.

    `added`: further files by name. Raises UserError for a file that cannot be read.
    """
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _NEVER_OLDER)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (path.stat().st_mode & 0xFFFF) << 16
                archive.writestr(entry, path.read_bytes())
            for name, content in sorted((added or {}).items()):
                archive.writestr(zipfile.ZipInfo(name, _NEVER_OLDER), content)
    except OSError as fault:
        raise UserError(
            f"{fault.filename or folder} cannot be read: {(fault.strerror or str(fault)).lower()}.",
            next_step="Make it readable, or list it in .gitignore.",
        ) from fault
    return buffer.getvalue()
