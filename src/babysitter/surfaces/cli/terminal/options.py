"""Options that many commands share, and the way from them to settings and a cluster."""

import os
import pwd
import shlex
import socket
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from babysitter.errors import UserError
from babysitter.model.ids import Person

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.cluster_pool import ClusterSpec

Cluster = Annotated[
    str, typer.Option(help="Name of a cluster: from the settings, or as in `iris --cluster NAME`.")
]
OfCluster = Annotated[
    str, typer.Option("--cluster", help="Name of its cluster, if several have a job of this id.")
]
Url = Annotated[
    str, typer.Option("--controller-url", help="Address of an Iris controller, http://HOST:PORT.")
]
Ray = Annotated[
    str,
    typer.Option("--ray", help="Address of a Ray dashboard, http://HOST:8265."),
]
RaySession = Annotated[
    list[Path] | None,
    typer.Option(
        "--ray-session",
        readable=False,  # typer's own refusal has no next step
        help="Session folder of a Ray run that nobody submitted; repeat for other nodes: HOST:/PATH.",
    ),
]
Ssh = Annotated[
    str,
    typer.Option(
        "--ssh",
        metavar="TEMPLATE",
        help="Command that reads folders HOST:/PATH, e.g. 'ssh -o BatchMode=yes {host}'.",
    ),
]
DriverLog = Annotated[
    Path | None,
    typer.Option(
        "--log",
        readable=False,
        help="Log of the run's driver, or a folder of such logs (the newest is read); with --ray-session.",
    ),
]
ClusterFile = Annotated[str, typer.Option("--config", help="Path of an Iris cluster file.")]
Iris = Annotated[str, typer.Option("--iris-command", help="How to call iris, e.g. 'uv run iris'.")]
IrisOfWatch = Annotated[
    str,
    typer.Option(
        "--iris-command",
        help="How to call iris, e.g. 'uv run iris'. Restarts of these jobs use it; may be given later too.",
    ),
]
Transport = Annotated[
    Literal["rpc", "cli"],
    typer.Option(help="How to read the cluster: rpc over HTTP, or cli through the iris command."),
]
SettingsFile = Annotated[
    Path | None, typer.Option("--settings", help="Settings file; default: ~/.config/babysit/config.yaml.")
]
StateDir = Annotated[
    Path | None, typer.Option("--state-dir", help="Folder of the database; default: ~/.local/state/babysit.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Against = Annotated[
    list[Path] | None,
    typer.Option("--against", help="Log of an earlier run that ended well, to compare with; repeatable."),
]
Playbooks = Annotated[
    list[Path] | None,
    typer.Option("--playbooks", help="Folder with rules of your own; repeatable, later ones win."),
]
Advise = Annotated[bool, typer.Option("--advise", help="Ask the configured advisor for a second opinion.")]


def exchange_folder(value: str) -> Path:
    """The folder that a value of --advisor-exchange names. Raises UserError for an empty one.

    An empty path means the current folder, which nobody wants by an unset variable of a script.
    """
    if not value.strip():
        raise UserError("--advisor-exchange is empty.", next_step="Name a folder for questions and answers.")
    return Path(value)


Exchange = Annotated[
    Path | None,
    typer.Option(
        "--advisor-exchange",
        parser=exchange_folder,
        metavar="DIR",
        help="Write the question into this folder and read its answer there; implies --advise.",
    ),
]


def settings_from(file: Path | None, state_dir: Path | None) -> "Settings":
    """The settings in force, flags on top."""
    from babysitter.config import load_settings
    from babysitter.config.checked import remember_state_dir

    settings = load_settings(file, flags={"state_dir": str(state_dir) if state_dir else None})
    if settings.database_url is None:
        remember_state_dir(file, state_dir, os.environ, settings.state_dir)
    return settings


def quick_state_folder(file: Path | None, state_dir: Path | None) -> Path | None:
    """The folder with the state, where no settings need to be read to tell; else None."""
    from babysitter.config.checked import checked_state_dir
    from babysitter.usecases.state_folder import state_folder

    is_known, folder = checked_state_dir(file, state_dir, os.environ)
    return state_folder(folder) if is_known else None


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """The options that name a cluster and the way to it, as they were given; "" = not given."""

    cluster: str = ""
    url: str = ""
    config: str = ""
    iris: str = ""
    transport: str = "rpc"
    ray: str = ""

    @property
    def is_given(self) -> bool:
        """Whether one of them names a cluster."""
        return bool(self.cluster or self.url or self.config or self.ray)


def cluster_from(settings: "Settings", given: ClusterOptions) -> "ClusterSpec":
    """The cluster that these options mean; the settings' default when none is given."""
    from babysitter.engine.cluster_pool import configured_clusters, spec_from_options

    is_addressed = bool(given.url or given.config)
    if given.ray:
        if given.cluster or is_addressed:
            raise UserError(
                "--ray names a cluster already.",
                next_step="Leave --cluster, --controller-url and --config out.",
            )
        return _ray_spec(given.ray)
    name = given.cluster or ("" if is_addressed else settings.default_cluster)
    if not (name or is_addressed):
        if address := os.environ.get("RAY_API_SERVER_ADDRESS"):
            return _ray_spec(address)
        raise UserError(
            "Which cluster?",
            next_step="Give --cluster NAME, --controller-url URL, --config FILE or --ray URL.",
        )
    known = configured_clusters(settings).get(name)
    try:
        command = tuple(shlex.split(given.iris))
    except ValueError as fault:
        raise UserError(
            f"--iris-command cannot be read: {fault}.", next_step="Write it as in a shell: 'uv run iris'."
        ) from fault
    if known is not None and not is_addressed:
        if command:
            known = replace(known, iris_command=command)
        return replace(known, transport=given.transport) if given.transport == "cli" else known
    return spec_from_options(
        controller_url=given.url,
        config=given.config,
        cluster=name,
        iris_command=given.iris,
        transport=given.transport,
    )


def cluster_if_named(settings: "Settings", given: ClusterOptions) -> "ClusterSpec | None":
    """The same; None where no option names one, nor the settings, nor the environment."""
    return cluster_from(settings, given) if is_cluster_named(settings, given) else None


def is_cluster_named(settings: "Settings", given: ClusterOptions) -> bool:
    """Whether one of these options, the settings or the environment names a cluster."""
    return given.is_given or bool(settings.default_cluster or os.environ.get("RAY_API_SERVER_ADDRESS"))


def session_from(
    folders: list[Path] | None,
    log: Path | None,
    jobs: list[str] | None,
    *,
    must_run: bool,
    ssh: str = "",
) -> "tuple[ClusterSpec, str] | None":
    """The run whose session folder or log was named; None for neither. Raises UserError."""
    if not folders and log is None:
        if not jobs:
            raise UserError(
                "Which job?",
                next_step="Name its full id, such as /user/name, or a Ray session with --ray-session.",
            )
        return None
    if jobs:
        raise UserError("--ray-session and --log name the run already.", next_step="Leave the job id out.")
    from babysitter.engine.cluster_pool import folder_run

    return folder_run(folders or (), log, environ=os.environ, must_run=must_run, ssh=ssh)


def _ray_spec(address: str) -> "ClusterSpec":
    from babysitter.engine.cluster_pool import ray_spec

    spec, note = ray_spec(address)
    if note:
        typer.echo(note, err=True)
    return spec


def advice_settings(settings: Path | None, exchange: Path | None) -> "Settings":
    """The settings of the second opinion. An exchange folder on the command line needs none."""
    from babysitter.config import Settings, load_settings

    return Settings() if exchange is not None else load_settings(settings)


def is_at_terminal() -> bool:
    """Whether a person can type and read here; a program that calls us usually has no terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def me() -> Person:
    """Who runs this process: user@host, by the real user id.

    The environment (LOGNAME, USER) is not asked: every program can set it.
    """
    uid = os.getuid()
    try:
        user = pwd.getpwuid(uid).pw_name
    except KeyError:  # a container without this user
        user = f"uid{uid}"
    return Person(f"{user}@{socket.gethostname()}")
