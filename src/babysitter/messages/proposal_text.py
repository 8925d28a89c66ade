"""What an approval would run, in words: the same on every surface. Pure; redacted.

For a command its folder and what the folder holds; for a launch over HTTP the program, the bundle and the
resources that the cluster stored. Values of variables are never shown, only where each comes from.
"""

import shlex
from collections.abc import Iterator

from babysitter.messages.formatting import command_line, count, shortened
from babysitter.messages.restart_loss_text import loss_of
from babysitter.messages.subject import escape
from babysitter.model.launch_request import GIB, LaunchRequest
from babysitter.model.proposal import Proposal
from babysitter.model.submission import RequestSummary, Submission, SubmissionOrigin, ValueSource
from babysitter.model.verdict import Change
from babysitter.redact import redact

MAX_COMMAND_CHARS = 20_000
_SOURCES = {
    ValueSource.CLIENT_CONSTANT: "the value that every iris client sets",
    ValueSource.RECORD: "from the cluster's record of the old job, read at the act",
    ValueSource.ENVIRONMENT: "from the environment of the service, read at the act",
}
_ORIGINS = {
    SubmissionOrigin.RESUBMIT_FLAG: "the command given with --resubmit",
    SubmissionOrigin.STORED: "the command given with --resubmit",
    SubmissionOrigin.CONTROLLER: "the command that the cluster stored",
}


def commands_of(proposal: Proposal) -> tuple[str, ...]:
    """Exactly what approval would run, in order; a line over 20,000 characters is cut."""
    return tuple(shortened(line, MAX_COMMAND_CHARS) for line in whole_commands_of(proposal))


def whole_commands_of(proposal: Proposal) -> tuple[str, ...]:
    """Exactly what approval would run, in order, however long it is."""
    return (f"stop {redact(proposal.job)}   # exactly this job", *submission_lines(proposal))


def submission_lines(proposal: Proposal) -> tuple[str, ...]:
    """The submission, whole: how, from where, and every value that is filled in."""
    if not proposal.submits:
        return ("# nothing is submitted",)
    submission = proposal.submission
    if submission.summary is not None:
        lines = _summary_lines(proposal, submission.summary)
    else:
        lines = _request_lines(proposal) if submission.is_http else _command_lines(submission)
    return (*lines, *_fill_lines(submission))


def change_of(proposal: Proposal) -> str:
    """What differs from before, each with its reason; "" for nothing."""
    return "; ".join(map(_change_words, proposal.changes))


def _change_words(change: Change) -> str:
    before = f"{escape(change.before)} → " if change.before else "set to "
    return f"{change.what}: {before}{escape(change.after)} ({escape(change.why)})"


def notes_of(proposal: Proposal) -> tuple[tuple[str, str], ...]:
    """What a person should know before they answer, by name."""
    notes = []
    if proposal.earlier_try:
        notes.append(("First try", escape(proposal.earlier_try)))
    if loss := loss_of(proposal):
        notes.append(("What it loses", loss))
    summary = proposal.submission.summary
    if summary is not None and summary.unknown:
        notes.append(("Check before you approve", escape(" ".join(summary.unknown))))
    if proposal.differences:
        notes.append(("Differs from what the cluster stored", escape("; ".join(proposal.differences))))
    return tuple(notes)


def _command_lines(submission: Submission) -> Iterator[str]:
    yield f"# {_ORIGINS[submission.origin]}"
    if submission.workdir:
        yield f"cd {redact(shlex.quote(submission.workdir))}{_folder_words(submission)}"
    env = "".join(f"{name}=… " for name in sorted(submission.env))
    yield redact(env + command_line(submission.argv))


def _folder_words(submission: Submission) -> str:
    """Behind the folder: which code it holds."""
    folder = submission.folder
    if folder is None:
        return ""
    what = count(folder.file_count, "file")
    if not folder.commit:
        return f"   # {what}, not in git"
    changed = f"{count(folder.changed_files, 'uncommitted file')}, " if folder.changed_files else ""
    return f"   # commit {folder.commit[:10]}, {changed}{what}"


def _request_lines(proposal: Proposal) -> Iterator[str]:
    request = LaunchRequest(proposal.submission.request or {})
    program = redact(command_line(request.command))
    yield f"launch {escape(proposal.successor)} over HTTP, as the cluster stored {escape(proposal.job)}:"
    yield f"  program: {program}"
    if request.bundle_id:
        yield f"  code: its own bundle, {escape(request.bundle_id[:12])}"
    yield f"  resources: {', '.join(_resources(request))}"
    names = sorted(request.variables)
    if names:
        yield f"  environment: {redact(', '.join(names))}"


def _summary_lines(proposal: Proposal, summary: RequestSummary) -> Iterator[str]:
    submission = proposal.submission
    is_given = submission.origin is SubmissionOrigin.RESUBMIT_FLAG
    source = "as given with --resubmit" if is_given else f"as the cluster stored {escape(proposal.job)}"
    yield f"submit {escape(proposal.successor)} {escape(summary.how)}, {source}:"
    yield f"  program: {redact(command_line(summary.program))}"
    if submission.workdir:
        yield f"  code: the files of {redact(submission.workdir)}{_folder_words(submission)}"
    elif summary.code:
        yield f"  code: {escape(summary.code)}"
    yield f"  resources: {escape(', '.join(summary.resources)) or 'none asked for'}"
    if summary.variables:
        yield f"  environment: {redact(', '.join(sorted(summary.variables)))}"


def _resources(request: LaunchRequest) -> Iterator[str]:
    cpu, replicas = request.resource("cpuMillicores"), request.number("replicas")
    if cpu is not None:
        yield f"{cpu / 1000:g} CPU"
    for name, resource in (("memory", "memoryBytes"), ("disk", "diskBytes")):
        if (found := request.resource(resource)) is not None:
            yield f"{found / GIB:.3g}GB {name}"
    if request.devices:
        yield escape(request.devices)
    if replicas is not None and replicas > 1:
        yield f"{replicas} replicas"


def _fill_lines(submission: Submission) -> Iterator[str]:
    for name, source in sorted(submission.fills.items()):
        yield f"  {escape(name)}: {_SOURCES[source]}"
