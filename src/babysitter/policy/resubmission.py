"""How a job would be submitted again: the ways in their order, each open, or closed with its reason.

1. A command that a person gave, in the folder that they named. Who gave one gets it and nothing else.
2. What the cluster stored, with its own bundle, over HTTP.
3. The command line that the cluster stored, in the folder that was named; where the cluster stored a request
   that takes a folder, that request with the folder's files.

A value that the cluster blanked is filled in from a known source only; every other blank closes a way. A
change that the stored request cannot express closes the second way for that restart (see `closed_by`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from babysitter.model.submission import (
    FolderState,
    Submission,
    SubmissionOrigin,
    SubmitContext,
    ValueSource,
)
from babysitter.model.verdict import Change
from babysitter.policy.written_change import why_not_written

GIVE_A_COMMAND = "give its command and folder with --resubmit and --workdir"


@dataclass(frozen=True, slots=True)
class KnownSubmission:
    """What is known about submitting a job again, as of one check.

    `folder`: what the folder of the command holds now; None where no folder was named, or where it cannot be
    read, and then `folder_fault` says why. `set_variables`: those of `env_from` that have a value where the
    service runs. `client_constants`: variables to which every client of the generation gives the same value.
    `is_child`: another job submitted it; the client's command starts root jobs only.
    """

    context: SubmitContext
    given: Submission | None = None
    folder: FolderState | None = None
    folder_fault: str = ""
    env_from: tuple[str, ...] = ()
    set_variables: frozenset[str] = frozenset()
    client_constants: frozenset[str] = frozenset()
    is_child: bool = False

    @property
    def stored(self) -> Submission | None:
        """What the cluster keeps about the job."""
        return self.context.stored

    @property
    def workdir(self) -> str:
        """The folder of the command, whoever gave it; "" when nobody named one."""
        return (self.given.workdir if self.given else "") or self.context.workdir


@dataclass(frozen=True, slots=True)
class Way:
    """One way to submit a job again. `submission` None: closed, and `closed` says why and how to open it."""

    title: str
    submission: Submission | None = None
    closed: str = ""


def ways(known: KnownSubmission) -> tuple[Way, ...]:
    """Every way, the best first."""
    if known.given is not None:
        return (_given(known.given, known),)
    if known.stored is None:
        return (Way("the cluster's record", closed=f"it has no submission of this job; {GIVE_A_COMMAND}"),)
    if known.stored.summary is not None:
        with_folder = (_stored_with_folder(known),) if known.stored.summary.takes_folder else ()
        return (_stored_request(known), *with_folder)
    return (_stored_request(known), _stored_command(known))


def closed_by(change: Change | None, way: Way) -> Way:
    """The way, closed if it cannot express the change that a restart needs."""
    if change is None or way.submission is None:
        return way
    because = why_not_written(change, way.submission)
    return replace(way, submission=None, closed=because) if because else way


def missing(closed: Iterable[Way]) -> tuple[str, ...]:
    """Why nothing can be submitted and how to open a way, one sentence for each reason."""
    ways_of: dict[str, list[str]] = {}
    for way in closed:
        ways_of.setdefault(way.closed.rstrip("."), []).append(way.title)
    return tuple(f"Not by {', nor by '.join(titles)}: {reason}." for reason, titles in ways_of.items())


def _given(given: Submission, known: KnownSubmission) -> Way:
    """What a person gave: a command in its folder, or a request, which needs one only for its files."""
    title = "the command given with --resubmit"
    given = replace(given, incarnation=known.stored.incarnation if known.stored else given.incarnation)
    if given.summary is not None and not given.summary.takes_folder:
        return Way(title, replace(given, workdir="", folder=None))
    return _in_folder(title, given, known)


def _stored_with_folder(known: KnownSubmission) -> Way:
    """What the cluster stored, with the files of the folder that was named in place of its package."""
    title = "what the cluster stored, with the files of a folder"
    if not known.workdir:
        return Way(title, closed="nobody named the folder; name it with --workdir")
    assert known.stored is not None
    return _in_folder(title, known.stored, known)


def _stored_request(known: KnownSubmission) -> Way:
    title = "what the cluster stored, over HTTP"
    if known.stored is None or known.stored.request is None:
        return Way(title, closed="the cluster keeps no request of this job")
    stored = known.stored
    if "workdirFiles" in stored.request_blanks:
        return Way(
            title, closed="the cluster does not give back the files of a program submitted from Python"
        )
    fills, faults = _fill(stored.request_blanks, known, _set_by_hand(stored))
    if faults:
        return Way(title, closed="; ".join(faults))
    fills = {**stored.fills, **fills}
    http = replace(stored, argv=(), redacted=(), workdir="", folder=None, fills=fills)
    return Way(title, replace(http, origin=SubmissionOrigin.CONTROLLER))


def _stored_command(known: KnownSubmission) -> Way:
    title = "the command that the cluster stored"
    if known.stored is None or not known.stored.argv:
        return Way(title, closed=f"the cluster keeps no command of this job; {GIVE_A_COMMAND}")
    fills, faults = _fill(known.stored.redacted, known, frozenset(known.stored.redacted))
    if faults:
        return Way(title, closed="; ".join(faults))
    return _in_folder(title, replace(known.stored, fills=fills), known)


def _in_folder(title: str, command: Submission, known: KnownSubmission) -> Way:
    """A command in the folder that was named for it: elsewhere it would ship other files."""
    if known.is_child:
        return Way(title, closed="another job submitted this one, and a command starts root jobs only")
    if not known.workdir:
        said = "nobody named the folder to submit from, and its files are what is shipped; "
        return Way(title, closed=said + GIVE_A_COMMAND)
    if known.folder is None:
        return Way(title, closed=known.folder_fault or f"the folder {known.workdir} cannot be read")
    return Way(title, replace(command, workdir=known.workdir, folder=known.folder))


def _fill(
    blanks: Iterable[str], known: KnownSubmission, set_by_hand: frozenset[str]
) -> tuple[Mapping[str, ValueSource], list[str]]:
    """The source of each blanked value, and a sentence for each that has none."""
    fills: dict[str, ValueSource] = {}
    faults = []
    for name in blanks:
        if name in known.env_from and name in known.set_variables:
            fills[name] = ValueSource.ENVIRONMENT
        elif name in known.env_from:
            faults.append(f"the cluster blanked {name}, and it is not set where the service runs")
        elif name in known.client_constants and name not in set_by_hand:
            fills[name] = ValueSource.CLIENT_CONSTANT
        else:
            faults.append(f"the cluster blanked {name}; let it be taken along with --env-from {name}")
    return fills, faults


def _set_by_hand(stored: Submission) -> frozenset[str]:
    """Variables that the command line itself set: their values are not the client's constants."""
    names = set()
    for option, name in zip(stored.argv, stored.argv[1:], strict=False):
        if option in ("-e", "--env-vars"):
            names.add(name)
    names.update(word.partition("=")[2] for word in stored.argv if word.startswith("--env-vars="))
    names.update(word[2:] for word in stored.argv if word.startswith("-e") and not word.startswith("-e="))
    return frozenset(names)
