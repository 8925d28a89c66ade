"""Writes the changes of a restart into its submission: into the command, or into the stored request. Pure.

A change that a submission cannot carry exactly is refused with its reason; nothing is written roughly.
"""

from dataclasses import replace

from babysitter.model.launch_request import GIB, LaunchRequest
from babysitter.model.submission import RequestSummary, Submission
from babysitter.model.verdict import Change
from babysitter.preflight.client.client_tables import Option, limits, option_table, tpu_types
from babysitter.preflight.command_line import (
    flag_value,
    flag_values,
    parse_run,
    split_command,
    with_flag,
    with_switch,
    without_word,
)
from babysitter.preflight.resources.extra_resources import with_extra_resources

VARIABLE, FLAG = "env.", "flag."  # prefixes of `Change.what`
ON = "on"  # the value of an option that takes none
EXCLUDE_HOST = "exclude-host"
NOT_KEPT = "a value that is not kept"
CODE = "code"  # the program was corrected in the folder that is shipped
FLAG_OF = {
    "memory": "--memory",
    "disk": "--disk",
    "max-retries": "--max-retries",
    "region": "--region",
    "extra": "--extra",
    "tpu": "--tpu",
}
_SIZES = ("memory", "disk")
_RESOURCE_OF = {"memory": "memoryBytes", "disk": "diskBytes"}
_VARIABLE_OPTION = "--env-vars"
_DEVICE_EXTRAS = ("cpu", "gpu", "tpu")  # one of them at a time: they exclude each other


def why_not_written(change: Change, submission: Submission) -> str:
    """Why this submission cannot carry the change exactly, in half a sentence; "" if it can."""
    if change.what == EXCLUDE_HOST:
        return _not_excluded(change, submission)
    if change.what == CODE:
        return "" if submission.folder else "it ships a stored bundle; name the fixed folder with --workdir"
    if not submission.is_http:
        return _not_in_command(change, submission.argv)
    in_request = f"a change of {change.what} cannot be written into the stored request"
    if submission.summary is not None:  # a request of another shape
        is_taken = submission.summary.takes_variables and bool(variable_of(change))
        return "" if is_taken else f"{in_request}; it takes {_taken_by(submission.summary)}"
    changed = _in_request(change, LaunchRequest(submission.request or {}))
    return "" if changed is not None else in_request


def is_expressible(change: Change, submission: Submission) -> bool:
    """Whether this submission can carry the change exactly: a command nearly always, a request less often."""
    return not why_not_written(change, submission)


def apply(change: Change, submission: Submission) -> Submission:
    """The same submission with exactly this one thing set, and with the flag that it needs.

    Unchanged where the submission cannot carry it.
    """
    if change.what == CODE or not is_expressible(change, submission):
        return submission
    if submission.summary is not None:
        written = _with_changed_variable(submission, submission.summary, variable_of(change), change.after)
    elif submission.is_http:
        changed = _in_request(change, LaunchRequest(submission.request or {}))
        assert changed is not None, "it is expressible"
        written = replace(submission, request=changed.raw)
    else:
        written = replace(submission, argv=_in_command(change, submission.argv))
    return _known_value(written, variable_of(change))


def with_before(change: Change, submission: Submission) -> Change:
    """The change with the value that this submission has now; "" stays where none is set."""
    if change.before or change.what == CODE:
        return change
    if submission.summary is not None:
        is_set = variable_of(change) in submission.summary.variables
        return replace(change, before=NOT_KEPT if is_set else "")
    if submission.is_http:
        return replace(change, before=_in_stored(change, LaunchRequest(submission.request or {})))
    return replace(change, before=_in_words(change, submission.argv))


def _taken_by(summary: RequestSummary) -> str:
    given = "other variables (env.NAME=VALUE)" if summary.takes_variables else ""
    files = "the files of a folder (code, with --workdir)" if summary.takes_folder else ""
    return " and ".join(part for part in (given, files) if part) or "no change"


def _with_changed_variable(
    submission: Submission, summary: RequestSummary, name: str, value: str
) -> Submission:
    return replace(
        submission,
        changed_variables={**submission.changed_variables, name: value},
        summary=replace(summary, variables=tuple(sorted({*summary.variables, name}))),
    )


def variable_of(change: Change) -> str:
    """The environment variable that a change sets; "" for another change."""
    return change.what.removeprefix(VARIABLE) if change.what.startswith(VARIABLE) else ""


def variables_of_command(argv: tuple[str, ...]) -> dict[str, str]:
    """The environment variables that a command sets, with their values."""
    run = parse_run(argv, option_table().run_options(""))
    return {values[0]: values[1] for values in run.values(_VARIABLE_OPTION)} if run else {}


def option_of(change: Change) -> Option | None:
    """The option of `job run` that a `flag.` change sets, of any generation."""
    if not change.what.startswith(FLAG):
        return None
    spelled = f"--{change.what.removeprefix(FLAG)}"
    return next((option for option in option_table().run_options("") if spelled in option.names), None)


def _not_excluded(change: Change, submission: Submission) -> str:
    """Only the slices of TPUs have a name that the scheduler compares, and no command has an option for it.

    A machine without the attribute does not fit a constraint on it, whatever the operator: without a TPU in
    the request the job would wait for ever.
    """
    instead = "ask for another region, or have the host drained"
    if not submission.is_http:
        return f"the command has no option for a host to avoid; {instead}"
    request = LaunchRequest(submission.request or {})
    if submission.summary is not None or not request.devices.startswith("tpu "):
        return f"only a job on TPUs can name a host (a slice) to avoid; {instead}"
    return "" if _in_request(change, request) else f"{change.after} is not the name of a slice of TPUs"


def _not_in_command(change: Change, argv: tuple[str, ...]) -> str:
    if option := option_of(change):
        return "" if option.takes == (change.after != ON) else f"{change.what} does not take that value"
    if change.what == "tpu":
        return _not_this_tpu(change.after, argv)
    if change.what in FLAG_OF or variable_of(change):
        return ""
    return f"a change of {change.what} cannot be written into a command"


def _not_this_tpu(name: str, argv: tuple[str, ...]) -> str:
    """Other kinds of machines, and numbers of tasks that were made for the old type, are a person's work."""
    if flag_value(argv, "--gpu"):
        return "the command asks for a GPU, and --tpu excludes it; give the whole command with --resubmit"
    replicas = flag_value(argv, "--replicas")
    if replicas and _machines(name) != _machines(flag_value(argv, "--tpu")):
        return (
            f"{name} has another number of machines, and the command sets --replicas {replicas}; "
            "give the whole command with --resubmit"
        )
    return ""


def _machines(names: str) -> int:
    """Of one slice of the first type named; 0 = not known."""
    tpu = tpu_types().get(names.partition(",")[0])
    return tpu.machines if tpu else 0


def _in_command(change: Change, argv: tuple[str, ...]) -> tuple[str, ...]:
    if name := variable_of(change):
        return _with_variable(argv, name, change.after)
    if option := option_of(change):
        return _with_option(argv, option, change)
    if change.what == "extra":
        return _with_extra(argv, change.after)
    argv = with_flag(argv, FLAG_OF[change.what], change.after)
    if change.what == "tpu":
        return with_switch(argv, limits().extra_resources.flag)
    return with_extra_resources(argv) if change.what in _SIZES else argv


def _with_option(argv: tuple[str, ...], option: Option, change: Change) -> tuple[str, ...]:
    spelled = f"--{change.what.removeprefix(FLAG)}"
    if option.takes:
        return with_flag(argv, spelled, change.after)
    for opposite in option.names:
        if opposite != spelled:
            argv = without_word(argv, opposite)
    return with_switch(argv, spelled)


def _with_variable(argv: tuple[str, ...], name: str, value: str) -> tuple[str, ...]:
    """`-e NAME VALUE`, in place wherever the variable is set already, else right after `run`."""
    run = parse_run(argv, option_table().run_options(""))
    changed = list(argv)
    is_set = False
    for use in run.uses if run else ():
        if _VARIABLE_OPTION in use.option.names and use.values[0] == name:
            is_attached = name in argv[use.at] and argv[use.at] != use.name
            changed[use.at + (1 if is_attached else 2)] = value
            is_set = True
    if is_set:
        return tuple(changed)
    head, tail = split_command(argv)
    at = next((i + 1 for i in range(1, len(head)) if head[i] == "run" and head[i - 1] == "job"), len(head))
    return (*head[:at], "-e", name, value, *head[at:], *tail)


def _with_extra(argv: tuple[str, ...], extra: str) -> tuple[str, ...]:
    """The extra added; one for another device makes room for it."""
    given = flag_values(argv, "--extra")
    if extra in given:
        return argv
    others = [text for text in given if _is_device(text) and _is_device(extra)]
    if not others:
        head, tail = split_command(argv)
        at = next(
            (i + 1 for i in range(1, len(head)) if head[i] == "run" and head[i - 1] == "job"), len(head)
        )
        return (*head[:at], "--extra", extra, *head[at:], *tail)
    head, tail = split_command(argv)
    prefix = "--extra="
    changed = [
        extra
        if word in others and index and head[index - 1] == "--extra"
        else f"{prefix}{extra}"
        if word.startswith(prefix) and word.removeprefix(prefix) in others
        else word
        for index, word in enumerate(head)
    ]
    return (*changed, *tail)


def _is_device(extra: str) -> bool:
    """`tpu` and `marin:tpu` alike."""
    return extra.rpartition(":")[2] in _DEVICE_EXTRAS


def _in_request(change: Change, request: LaunchRequest) -> LaunchRequest | None:
    if name := variable_of(change):
        return request.with_variable(name, change.after)
    if change.what == "tpu":
        return _tpu_in_request(change.after, request)
    if change.what == f"{FLAG}priority":
        return request.with_priority(change.after)
    return request.changed(change.what, change.after)


def _tpu_in_request(name: str, request: LaunchRequest) -> LaunchRequest | None:
    """Another TPU type in place of the one that the request has, with as many slices as before."""
    before = tpu_types().get(request.devices.removeprefix("tpu ")) if request.devices else None
    after = tpu_types().get(name)
    tasks = request.number("replicas") or 1
    if before is None or after is None or tasks % before.machines:
        return None
    return request.with_tpu(
        name,
        chips=after.chips,
        replicas=tasks // before.machines * after.machines,
        is_gang=after.machines > 1,
    )


def _in_words(change: Change, argv: tuple[str, ...]) -> str:
    """What the command sets now."""
    if name := variable_of(change):
        run = parse_run(argv, option_table().run_options(""))
        given = run.values(_VARIABLE_OPTION) if run else ()
        return next((values[1] for values in reversed(given) if values[0] == name), "")
    if option := option_of(change):
        if option.takes:
            return flag_value(argv, f"--{change.what.removeprefix(FLAG)}")
        head, _ = split_command(argv)
        return next((word for word in option.names if word in head), "")
    if change.what == "extra":
        return ", ".join(flag_values(argv, "--extra"))
    return flag_value(argv, FLAG_OF[change.what]) if change.what in FLAG_OF else ""


def _in_stored(change: Change, request: LaunchRequest) -> str:
    """What the stored request sets now, where it is one word."""
    if name := variable_of(change):
        return request.variables.get(name, "")
    if resource := _RESOURCE_OF.get(change.what):
        size = request.resource(resource)
        return f"{size / GIB:.3g}GB" if size is not None else ""
    match change.what:
        case "tpu":
            return request.devices.removeprefix("tpu ")
        case "region":
            return request.region
        case "exclude-host":
            return ", ".join(request.excluded_slices)
        case "max-retries":
            retries = request.number("maxRetriesFailure")
            return str(retries) if retries is not None else ""
    return ""


def _known_value(submission: Submission, name: str) -> Submission:
    """A variable that is set now need not be filled in from elsewhere any more."""
    if not name:
        return submission
    return replace(
        submission,
        redacted=tuple(text for text in submission.redacted if text != name),
        request_blanks=tuple(blank for blank in submission.request_blanks if blank != name),
        fills={text: source for text, source in submission.fills.items() if text != name},
    )
