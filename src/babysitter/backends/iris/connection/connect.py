"""Puts an Iris client together: cluster file, endpoint, credentials, transport, reader, writer."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.iris.connection.auth import Credentials, EdgeIdentity, stored_token
from babysitter.backends.iris.connection.cli_transport import CliTransport
from babysitter.backends.iris.connection.cluster_file import (
    ClusterFile,
    ControllerAccess,
    find_cluster,
    read_cluster,
)
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, Endpoint, HttpTransport
from babysitter.backends.iris.connection.transport import Transport
from babysitter.backends.iris.connection.tunnel import Tunnel, gcloud_tunnel, kubectl_forward
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.backends.iris.submission.submission_facts import LocalMachine, SubmissionFactsReader
from babysitter.backends.iris.writer import IrisWriter
from babysitter.backends.shown_address import without_password
from babysitter.clock import Clock
from babysitter.errors import BadConfig

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec


def connect(
    spec: "ClusterSpec", *, clock: Clock, home: Path, working_dir: Path
) -> tuple[IrisReader, IrisWriter]:
    """Reader and writer over one transport. Raises BadConfig; contacts nobody."""
    iris = iris_command(spec, home=home, working_dir=working_dir)
    line = open_line(spec, clock=clock, home=home, working_dir=working_dir)
    reader = IrisReader(line, iris=iris, clock=clock)
    return reader, writer_over(line, reader, spec, clock=clock, home=home)


def writer_over(
    line: Transport, reader: IrisReader, spec: "ClusterSpec", *, clock: Clock, home: Path | None = None
) -> IrisWriter:
    """A writer over this transport, which reads with this reader before it acts."""
    machine = LocalMachine(environ=os.environ, home=home or Path.home())
    preparer = SubmissionPreparer(
        reader,
        iris=spec.iris_command,
        options=spec.options,
        client_revision_date=spec.client_revision_date,
        environ=machine.environ,
        clock=clock,
    )
    facts = SubmissionFactsReader(line, reader, preparer=preparer, machine=machine, clock=clock)
    return IrisWriter(line, facts=facts, preparer=preparer)


@asynccontextmanager
async def facts_reader(
    spec: "ClusterSpec", *, clock: Clock, home: Path, working_dir: Path
) -> AsyncIterator[SubmissionFactsReader]:
    """Reads facts of submissions from the controller of this spec, and closes the connection at the end."""
    line = open_line(spec, clock=clock, home=home, working_dir=working_dir)
    reader = IrisReader(line, iris=iris_command(spec, home=home, working_dir=working_dir), clock=clock)
    machine = LocalMachine(environ=os.environ, home=home)
    preparer = SubmissionPreparer(
        reader, iris=spec.iris_command, options=spec.options, environ=machine.environ, clock=clock
    )
    try:
        yield SubmissionFactsReader(line, reader, preparer=preparer, machine=machine, clock=clock)
    finally:
        await reader.close()


def open_line(spec: "ClusterSpec", *, clock: Clock, home: Path, working_dir: Path) -> Transport:
    """The line of the transport that the spec asks for."""
    if spec.transport == "cli":
        iris = iris_command(spec, home=home, working_dir=working_dir)
        return CliTransport(iris, place=" ".join(iris), clock=clock)
    file = cluster_file(spec, home=home, working_dir=working_dir)
    url = spec.url or (file.url if file else "")
    token = spec.token or stored_token(file.name if file else spec.name, url, home=home)
    edge = None
    if file is not None and file.reach is ControllerAccess.PROXY:
        edge = EdgeIdentity(file.audience or file.url, spec.service_account)
    credentials = Credentials(token=token, edge=edge, clock=clock)
    place = without_password(url) or spec.name
    return HttpTransport(endpoint_of(spec, file, home, clock), place=place, credentials=credentials)


def iris_command(spec: "ClusterSpec", *, home: Path, working_dir: Path) -> tuple[str, ...]:
    """The user's command with its options for this cluster, which stand before any subcommand."""
    if not spec.url:
        cluster_file(spec, home=home, working_dir=working_dir)  # refuses local ones
    return (*spec.iris_command, *spec.options)


def cluster_file(spec: "ClusterSpec", *, home: Path, working_dir: Path) -> ClusterFile | None:
    """The cluster's file; None when only an address was given.

    Raises BadConfig for a *local* cluster: opening its file starts a new cluster instead of finding one.
    """
    if spec.url:
        return None
    path = Path(spec.config).expanduser() if spec.config else None
    file = read_cluster(path or find_cluster(spec.cluster, home=home, working_dir=working_dir))
    if file.reach is ControllerAccess.LOCAL:
        raise BadConfig(
            f"{file.path} describes a local cluster: opening it would start a new one, not find yours.",
            next_step="Give the running one's address with --controller-url http://127.0.0.1:PORT.",
        )
    return file


def endpoint_of(spec: "ClusterSpec", file: ClusterFile | None, home: Path, clock: Clock) -> Endpoint:
    if file is not None and file.reach is ControllerAccess.GCP:
        return Tunnel(gcloud_tunnel(file, home=home), name=file.name, clock=clock)
    if file is not None and file.reach is ControllerAccess.COREWEAVE:
        return Tunnel(kubectl_forward(file), name=file.name, clock=clock)
    return DirectEndpoint(spec.url or (file.url if file else ""))
