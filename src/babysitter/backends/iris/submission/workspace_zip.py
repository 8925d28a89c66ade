"""The archive of a folder that is sent with a launch request. It blocks."""

from collections.abc import Sequence
from pathlib import Path

from babysitter.backends.folder_zip import zip_files
from babysitter.errors import UserError
from babysitter.preflight.client.client_tables import limits


def pack_workspace(folder: Path, files: Sequence[Path]) -> bytes:
    """The files as `zip_files` packs them. Raises UserError as it does, and for what clusters refuse."""
    packed, most = zip_files(folder, files), limits().max_bundle_bytes
    if len(packed) > most:
        raise UserError(
            f"The bundle of {folder} has {len(packed) / 2**20:.1f} MB; clusters take {most / 2**20:.0f} MB.",
            next_step="List large files in .gitignore, or submit from a smaller folder.",
        )
    return packed
