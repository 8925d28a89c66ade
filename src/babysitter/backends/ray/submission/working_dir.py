"""The files of a job on Ray: packed here, kept in the head's own storage under the name of their content.

Looking for a package pins it for ten minutes; without that, Ray deletes it seconds after its job has ended.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.folder_zip import zip_files
from babysitter.backends.iris.submission.bundle import bundle_files
from babysitter.backends.ray.dashboard.http_client import ZIP, RayActingTransport, RayTransport
from babysitter.errors import InvalidResponse, UserError

MAX_PACKAGE_BYTES = 100 * 2**20  # what a dashboard takes in one request (Ray 2.60)
UPLOAD_LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Package:
    """`name`: as Ray's own client would call it, so that equal contents are stored once."""

    name: str
    content: bytes


async def pack_folder(folder: Path, added: Mapping[str, bytes] | None = None) -> Package:
    """The files of the folder that git lists. Raises UserError for one that cannot be sent."""
    return await asyncio.to_thread(_packed, folder, added)


async def package_answers(line: RayTransport, name: str) -> bool:
    """Whether Ray still has the package; where it has, it is pinned for ten minutes."""
    path = f"/api/packages/gcs/{name}"
    answer = await line.get(path)
    if answer.status in (200, 404):
        return answer.status == 200
    raise InvalidResponse(f"Ray at {line.place} answered {path} with {answer.status}: {answer.last_line}.")


async def upload(line: RayActingTransport, package: Package) -> None:
    """Store the package, unless Ray has it; then pin it."""
    if await package_answers(line, package.name):
        return
    path = f"/api/packages/gcs/{package.name}"
    answer = await line.send("PUT", path, package.content, kind=ZIP, limit_s=UPLOAD_LIMIT_S)
    if answer.status != 200 or not await package_answers(line, package.name):
        raise InvalidResponse(f"Ray at {line.place} did not take the job's files: {answer.last_line}.")


def _packed(folder: Path, added: Mapping[str, bytes] | None) -> Package:
    content = zip_files(folder, bundle_files(folder), added)
    if len(content) > MAX_PACKAGE_BYTES:
        raise UserError(
            f"The files of {folder} have {len(content) / 2**20:.0f} MB packed; Ray takes 100 MB.",
            next_step="List large files in .gitignore, or name a smaller folder with --workdir.",
        )
    return Package(f"_ray_pkg_{hashlib.sha256(content).hexdigest()[:16]}.zip", content)
