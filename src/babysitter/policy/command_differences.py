"""How a command that a person gave differs from what the cluster stored of the job. Pure.

Values of variables are never told.

Compared are resources, retries, devices, names of environment variables, the options of the submitter and
the job's own program; the job's name, `--no-wait` and the options for the cluster are set by every restart.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from babysitter.model.incident import Ledger
from babysitter.model.launch_request import GIB, LaunchRequest
from babysitter.model.proposal import ProposalStatus
from babysitter.model.submission import FolderState, RequestSummary, Submission
from babysitter.model.watch import Watch
from babysitter.preflight.client.client_tables import option_table
from babysitter.preflight.command_line import parse_run, split_command
from babysitter.preflight.resources.sizes import Units, parse_size

# The client of every generation sets these by itself.
_SET_BY_CLIENT = frozenset(
    {
        "HF_DATASETS_TRUST_REMOTE_CODE",
        "HF_HOME",
        "HF_HUB_ENABLE_HF_TRANSFER",
        "PYTHONPATH",
        "PYTHONUNBUFFERED",
        "TOKENIZERS_PARALLELISM",
    }
)
_NOT_COMPARED = frozenset({"--job-name", "--no-wait", "--wait", "--user", "--enable-extra-resources"})
_COMPARED_BY_REQUEST = frozenset({"--memory", "--disk", "--cpu", "--max-retries", "--tpu", "--gpu"})
_VARIABLE_OPTION = "--env-vars"
_GIVEN, _UNSET = "given", "(not given)"
_DEFAULT_BYTES = {"--memory": GIB, "--disk": 5 * GIB}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one `iris job run`: values by option, variables by name, and the job's own program."""

    values: Mapping[str, str]
    variables: frozenset[str]
    program: tuple[str, ...]


def differences(given: Submission, stored: Submission | None) -> tuple[str, ...]:
    """One line for each difference between the command and the stored submission, "before → after"."""
    if stored is None or stored.request is None:
        return ()
    if given.summary is not None or stored.summary is not None:
        return _of_summaries(given.summary, stored.summary)
    ours, request = read_options(given.argv), LaunchRequest(stored.request)
    theirs = read_options(stored.argv) if stored.argv else None
    return (
        *_resources(ours, request),
        *(_options(ours, theirs) if theirs else ()),
        *_variables(ours, request),
        *_program(ours, request),
    )


def _of_summaries(given: RequestSummary | None, stored: RequestSummary | None) -> tuple[str, ...]:
    """Of two requests: program and names of variables; resources only where both are known."""
    if given is None or stored is None:
        return ()
    found = []
    if given.program != stored.program:
        found.append(f"program: {' '.join(stored.program)} → {' '.join(given.program)}")
    if added := sorted(set(given.variables) - set(stored.variables)):
        found.append(f"environment, only in the command: {', '.join(added)}")
    if dropped := sorted(set(stored.variables) - set(given.variables)):
        found.append(f"environment, not in the command: {', '.join(dropped)}")
    if given.resources != stored.resources and not stored.unknown:
        before, after = (", ".join(words) or "none" for words in (stored.resources, given.resources))
        found.append(f"resources: {before} → {after}")
    return tuple(found)


def folder_change(before: FolderState | None, now: FolderState | None) -> str:
    """What changed in a folder since it was recorded, in a sentence without its end; "" when nothing did."""
    if before is None or now is None or before.digest == now.digest:
        return ""
    if before.commit != now.commit:
        return f"commit {before.commit[:10] or 'none'} became {now.commit[:10] or 'none'}"
    if before.file_count != now.file_count:
        return f"it held {before.file_count:,} files and holds {now.file_count:,}"
    return "files in it were changed"


def last_folder(watch: Watch, ledger: Ledger) -> FolderState | None:
    """What the folder held when the present job was submitted, as far as it is known; else at the start."""
    for proposal in reversed(ledger.proposals):
        if proposal.status is ProposalStatus.APPROVED and proposal.submission.folder is not None:
            return proposal.submission.folder
    given = watch.resubmit
    return given.folder if given is not None and given.workdir else watch.submit_context.folder


def read_options(argv: tuple[str, ...]) -> RunOptions:
    """The options of `job run` and the job's own program, as the client of any generation reads them."""
    run = parse_run(argv, option_table().run_options(""))
    if run is None:
        return RunOptions({}, frozenset(), split_command(argv)[1][1:])
    values, variables = dict[str, list[str]](), set[str]()
    for use in run.uses:
        if _VARIABLE_OPTION in use.option.names:
            variables.add(use.values[0])
        else:
            values.setdefault(use.name, []).append(" ".join(use.values) or _GIVEN)
    return RunOptions(
        {option: ", ".join(value) for option, value in values.items()}, frozenset(variables), run.program
    )


def _resources(ours: RunOptions, request: LaunchRequest) -> Iterator[str]:
    for option, resource in (("--memory", "memoryBytes"), ("--disk", "diskBytes")):
        value = ours.values.get(option, "")
        wanted = _binary_bytes(value) if value else _DEFAULT_BYTES[option]
        had = request.resource(resource)
        if had is not None and wanted != had:
            default = f"{_DEFAULT_BYTES[option] / GIB:.3g}GB (default)"
            yield f"{option}: {had / GIB:.3g}GB → {value or default}"
    had_cpu = request.resource("cpuMillicores")
    cpu = ours.values.get("--cpu", "")
    if had_cpu is not None and cpu and _millicores(cpu) != had_cpu:
        yield f"--cpu: {had_cpu / 1000:g} → {cpu}"
    retries = ours.values.get("--max-retries", "0")
    had_retries = request.number("maxRetriesFailure")
    if had_retries is not None and retries != str(had_retries):
        yield f"--max-retries: {had_retries} → {retries}"
    device = f"{kind} {ours.values[f'--{kind}']}" if (kind := _device_kind(ours)) else ""
    if device != request.devices:
        yield f"accelerator: {request.devices or 'none'} → {device or 'none'}"


def _options(ours: RunOptions, theirs: RunOptions) -> Iterator[str]:
    names = set(ours.values) | set(theirs.values)
    for name in sorted(names - _NOT_COMPARED - _COMPARED_BY_REQUEST):
        before, after = theirs.values.get(name, _UNSET), ours.values.get(name, _UNSET)
        if before != after:
            yield f"{name}: {before} → {after}"


def _variables(ours: RunOptions, request: LaunchRequest) -> Iterator[str]:
    had = frozenset(request.variables) - _SET_BY_CLIENT
    if added := sorted(ours.variables - had - _SET_BY_CLIENT):
        yield f"environment, only in the command: {', '.join(added)}"
    if dropped := sorted(had - ours.variables):
        yield f"environment, not in the command: {', '.join(dropped)}"


def _program(ours: RunOptions, request: LaunchRequest) -> Iterator[str]:
    if request.command and ours.program != request.command:
        yield f"program: {' '.join(request.command)} → {' '.join(ours.program)}"


def _device_kind(options: RunOptions) -> str:
    return next((kind for kind in ("tpu", "gpu") if f"--{kind}" in options.values), "")


def _binary_bytes(text: str) -> int | None:
    """Sizes as the client reads them: 5GB is 5 * 2**30."""
    return parse_size(text, Units.BINARY)


def _millicores(text: str) -> int | None:
    try:
        return round(float(text) * 1000)
    except ValueError:
        return None
