"""The machines of one run beside the head node, read together."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from babysitter.backends.ray.sessions.mirror_folder import MirrorFolder
from babysitter.backends.ray.sessions.node_mirror import NodeMirror
from babysitter.backends.ray.sessions.remote_folder import RemoteFolder
from babysitter.clock import Clock
from babysitter.errors import BadConfig
from babysitter.model.device_use import DeviceUse


class NodeMirrors:
    """Copies in a private folder of this process. After a kill the next process deletes it."""

    def __init__(self, mirrors: Sequence[NodeMirror], base: MirrorFolder | None = None) -> None:
        self._mirrors = mirrors
        self._base = base

    async def refresh(self) -> tuple[Path, ...]:
        """Copy what is new everywhere; the folders. Raises Unreachable for a machine never read so far."""
        await asyncio.gather(*(mirror.refresh() for mirror in self._mirrors))
        return tuple(folder for mirror in self._mirrors if (folder := mirror.folder) is not None)

    def faults(self) -> Mapping[Path, str]:
        """Why a machine cannot be read now, by the folder with what was read before."""
        return {
            mirror.folder: mirror.fault
            for mirror in self._mirrors
            if mirror.fault and mirror.folder is not None
        }

    async def gpus(self) -> Mapping[Path, tuple[DeviceUse, ...]]:
        """What the GPUs of each machine do, by its folder."""
        asked = [mirror for mirror in self._mirrors if mirror.folder is not None and not mirror.has_failed]
        found = await asyncio.gather(*(node.gpus() for node in asked))
        return {node.folder: gpus for node, gpus in zip(asked, found, strict=True) if node.folder is not None}

    def close(self) -> None:
        if self._base is not None:
            self._base.close()


def open_mirrors(remotes: Sequence[RemoteFolder], template: Sequence[str], clock: Clock) -> NodeMirrors:
    """Contacts nobody. Raises BadConfig where nobody said how the machines are reached."""
    if not remotes:
        return NodeMirrors(())
    if not template:
        raise BadConfig(
            f"Nobody said how {remotes[0].host} is reached.",
            next_step="Give --ssh 'ssh -o BatchMode=yes {host}', or `ssh` of the cluster in the settings.",
        )
    base = MirrorFolder()
    return NodeMirrors([NodeMirror(remote, template, base.path, clock) for remote in remotes], base)
