"""The archive of a folder that is sent with a launch request. It blocks."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from babysitter.errors import UserError
from babysitter.preflight.client_tables import limits

_NEVER_OLDER = (1980, 1, 1, 0, 0, 0)  # the format knows no earlier date


def pack_workspace(folder: Path, files: Sequence[Path]) -> bytes:
    """The files, named as below the folder. The same contents give the same bytes, whatever their dates.

    Raises UserError for a file that cannot be read, or an archive that clusters refuse.
    """
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _NEVER_OLDER)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = (path.stat().st_mode & 0xFFFF) << 16
                archive.writestr(entry, path.read_bytes())
    except OSError as fault:
        raise UserError(
            f"{fault.filename or folder} cannot be read: {(fault.strerror or str(fault)).lower()}.",
            next_step="Make it readable, or list it in .gitignore.",
        ) from fault
    packed, most = buffer.getvalue(), limits().max_bundle_bytes
    if len(packed) > most:
        raise UserError(
            f"The bundle of {folder} has {len(packed) / 2**20:.1f} MB; clusters take {most / 2**20:.0f} MB.",
            next_step="List large files in .gitignore, or submit from a smaller folder.",
        )
    return packed
