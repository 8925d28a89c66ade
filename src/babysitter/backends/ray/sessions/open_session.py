"""Puts the client of a session folder together."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.ray.sessions.driver_runs import DriverRuns
from babysitter.backends.ray.sessions.node_mirrors import open_mirrors
from babysitter.backends.ray.sessions.session_choice import read_choice
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.backends.ray.sessions.session_writer import SessionWriter
from babysitter.clock import Clock

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec


def connect_session(spec: "ClusterSpec", *, clock: Clock, home: Path) -> tuple[SessionReader, SessionWriter]:
    """Reader and writer of a run that is known by its files."""
    choice = read_choice(spec)
    mirrors = open_mirrors(choice.remotes, spec.ssh, clock)
    reader = SessionReader(choice, clock, DriverRuns(runs_folder(home) / spec.name), mirrors)
    return reader, SessionWriter(reader, clock)


def runs_folder(home: Path) -> Path:
    """Where runs that are started here keep their output: the same for every state folder of this user."""
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if base.startswith("/") else home / ".local" / "state") / "babysit-runs"
