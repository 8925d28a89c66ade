"""Commands that start a job again: taken from what the controller kept, renamed, checked, understood."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from babysitter.backends.iris.answers.json_fields import JsonNode, snake
from babysitter.backends.iris.connection.transport import refusal
from babysitter.backends.run_process import Finished
from babysitter.errors import (
    BabysitError,
    InvalidResponse,
    MissingSubmission,
    SubmissionRefused,
)
from babysitter.model.ids import JobId
from babysitter.model.launch_request import LaunchRequest, node
from babysitter.model.submission import Submission, SubmissionOrigin

_NEVER_REPLACE = "EXISTING_JOB_POLICY_ERROR"
_CLIENT_REFUSALS = (  # of the client itself, before it asks the controller
    "ValueError: Bundle size",
    "ValueError: Failed to parse size",
    "ValueError: Unknown GPU spec",
    "ValueError: Key cannot contain",
    "ValueError: Job name cannot contain",
    "ValueError: Job user must not be empty",
)
_CALLABLE = "_callable_runner.py"  # how the client starts a program that was submitted from Python
_BLANKS = ("[REDACTED]", "**REDACTED**", "<redacted>", "***")  # May, April, and others' habits


def kept_submission(request: JsonNode, job: JobId, *, iris: Sequence[str]) -> Submission:
    """The submission that the controller remembers. Never guesses what was blanked: it is named instead.

    May and later keep the client's own command line: it is run with `iris` (the command and its options
    for this cluster) in place of the one it was sent with. April keeps the request only: `argv` is empty.
    """
    sent = request.texts("submitArgv")
    options = _command_of(sent)
    argv = (*iris, *options) if options else ()
    return Submission(
        argv=argv,
        origin=SubmissionOrigin.CONTROLLER,
        job=job,
        request=request.raw,
        redacted=_blanked_words(argv),
        request_blanks=tuple(dict.fromkeys(_request_blanks(request))),
    )


def ready_to_run(submission: Submission, values: Mapping[str, str]) -> Submission:
    """The submission with its deterministic job name and `--no-wait` in the command.

    `values`: of what was blanked. Raises MissingSubmission when the command is not an `iris job run`, or when
    blanked values were not supplied: starting a job without its own name could start it twice.
    """
    if submission.job is None:
        raise MissingSubmission("The submission has no job name of its own; nothing was started.")
    if missing := [name for name in submission.redacted if name not in values]:
        raise MissingSubmission(
            f"The cluster blanked values of the command of {submission.job}: {', '.join(missing)}.",
            next_step="Give the whole command with --resubmit, or name variables with --env-from.",
        )
    supplied = _with_values(submission.argv, submission.redacted, values)
    return replace(submission, argv=named(supplied, submission.job))


def named(argv: Sequence[str], job: JobId) -> tuple[str, ...]:
    """The command with `--no-wait` and the job's name, whatever name it had."""
    at = _run_index(argv)
    end = argv.index("--") if "--" in argv else len(argv)
    if at is None or at >= end:
        raise MissingSubmission(
            f"`{' '.join(argv)[:120]}` is not an `iris job run` command.",
            next_step="Give one with --resubmit 'iris ... job run ... -- command'.",
        )
    name = _root_name(job)
    options = _without(argv[at + 1 : end], valued=("--job-name",), plain=("--no-wait", "--wait"))
    if _is_named(argv[at + 1 : end], name):
        return tuple(argv)
    return (*argv[: at + 1], "--no-wait", "--job-name", name, *options, *argv[end:])


def _root_name(job: JobId) -> str:
    parts = job.split("/")
    if len(parts) != 3 or parts[0] or not all(parts[1:]):
        raise MissingSubmission(f"{job} is not the id of a root job; only root jobs can be submitted.")
    return parts[2]


def _is_named(options: Sequence[str], name: str) -> bool:
    """Whether these are already the options of exactly this job, not waited for."""
    named = [i for i, word in enumerate(options) if word.partition("=")[0] == "--job-name"]
    if len(named) != 1 or "--no-wait" not in options or "--wait" in options:
        return False
    return options[named[0]] == f"--job-name={name}" or list(options[named[0] :][:2]) == ["--job-name", name]


def outcome(done: Finished, submission: Submission) -> JobId:
    """What a finished `iris job run --no-wait` says: the job's id, or why not.

    Exactly one line of stdout is an id. Raises Refused for a clear no, Unreachable when the job may exist.
    """
    ids = [line.strip() for line in done.stdout.splitlines() if line.startswith("/")]
    if done.exit_code == 0 and len(ids) == 1:
        return JobId(ids[0])
    if done.exit_code == 0:
        raise InvalidResponse(
            f"`iris job run` ended well but printed {len(ids)} job ids; look for {submission.job} by name."
        )
    if done.exit_code == 2:
        raise SubmissionRefused(f"`iris job run` did not accept its options: {_usage_error(done)}.")
    if done.last_error_line.startswith(_CLIENT_REFUSALS):
        raise SubmissionRefused(
            f"`iris job run` gave up: {done.last_error_line.removeprefix('ValueError: ')}"
        )
    raise command_failure("iris job run", "LaunchJob", done)


def _usage_error(done: Finished) -> str:
    """The line that names the fault; a hint of several words may follow it."""
    lines = (line.strip() for line in done.stderr.splitlines())
    named = next((line for line in lines if line.startswith("Error: ")), done.last_error_line)
    return named.removeprefix("Error: ").rstrip(".")


def command_failure(place: str, method: str, done: Finished) -> BabysitError:
    """The error behind a failed call of the `iris` command, read from its last words."""
    message = done.last_error_line
    _, is_connect_error, said = message.partition("ConnectError: ")
    said = said if is_connect_error else message
    return refusal(place, method, _code_of(said), said)


def launch_request(
    submission: Submission, values: Mapping[str, str], *, client_revision_date: str
) -> Mapping[str, object]:
    """The body of a LaunchJob that repeats a kept request under the submission's own name.

    `values`: of variables that the cluster blanked. `client_revision_date` "": the generation knows no such
    field. A job of this name that exists, even one that has ended, is never replaced.
    """
    if submission.job is None or submission.request is None:
        raise MissingSubmission("The submission has no name or no kept request; nothing was started.")
    if not LaunchRequest(submission.request).command:
        raise MissingSubmission(f"The cluster stored no program of {submission.job}; nothing was started.")
    request = _with_variables(submission.request, values)
    if missing := tuple(dict.fromkeys(_request_blanks(JsonNode(request)))):
        raise MissingSubmission(
            f"The cluster blanked values of {submission.job}: {', '.join(missing)}.",
            next_step="Give the whole command with --resubmit, or name variables with --env-from.",
        )
    own: dict[str, object] = {
        "name": submission.job,
        "failIfExists": True,
        "existingJobPolicy": _NEVER_REPLACE,
    }
    if client_revision_date:
        own["clientRevisionDate"] = client_revision_date
    ours = {"client_revision_date", *map(snake, own)}  # the command line tool spells it this way
    return {name: value for name, value in request.items() if snake(name) not in ours} | own


def _command_of(sent: Sequence[str]) -> tuple[str, ...]:
    """From `job run` on: the program and the options for the cluster are ours to choose."""
    at = _run_index(sent)
    return tuple(sent[at - 1 :]) if at is not None else ()


def _run_index(argv: Sequence[str]) -> int | None:
    """Where the `run` of `job run` stands (`uv run iris job run` has two)."""
    end = argv.index("--") if "--" in argv else len(argv)
    return next((i for i in range(1, end) if argv[i] == "run" and argv[i - 1] == "job"), None)


def _without(options: Sequence[str], *, valued: Sequence[str], plain: Sequence[str]) -> tuple[str, ...]:
    """The options without those named, in both spellings (`--name value`, `--name=value`)."""
    kept: list[str] = []
    skip = False
    for word in options:
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif word not in plain and word.partition("=")[0] not in valued:
            kept.append(word)
    return tuple(kept)


def _blanked_words(argv: Sequence[str]) -> tuple[str, ...]:
    """Names whose values were blanked in a command: `-e NAME [REDACTED]`, `--flag=[REDACTED]`."""
    names: list[str] = []
    for index, word in enumerate(argv):
        if not any(blank in word for blank in _BLANKS):
            continue
        name, has_value, _ = word.partition("=")
        names.append(name if has_value else argv[index - 1])
    return tuple(names)


def _with_values(argv: Sequence[str], names: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """The command with the blanked values of these names filled in."""
    filled = list(argv)
    for index, word in enumerate(argv):
        name, has_value, _ = word.partition("=")
        if not any(blank in word for blank in _BLANKS):
            continue
        if has_value and name in names:
            filled[index] = f"{name}={values[name]}"
        elif not has_value and argv[index - 1] in names:
            filled[index] = values[argv[index - 1]]
    return tuple(filled)


def _request_blanks(request: JsonNode) -> Iterator[str]:
    """What of a kept request was blanked or left out: names of variables, else paths of fields.

    `workdirFiles` stands for the files of a program that was submitted from Python: the controller keeps
    them apart, and does not give them back.
    """
    entrypoint = request.node("entrypoint") or JsonNode({})
    run_command = entrypoint.node("runCommand") or JsonNode({})
    files = entrypoint.table("workdirFiles")
    if any(_CALLABLE in word for word in run_command.texts("argv")) or (files and not all(files.values())):
        yield "workdirFiles"
    for path, text in _texts(request.raw, ()):
        if path[:1] in (("submitArgv",), ("submit_argv",)) or not any(blank in text for blank in _BLANKS):
            continue
        is_variable = len(path) == 3 and snake(path[1]) == "env_vars"
        yield path[2] if is_variable else ".".join(path)


def _texts(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every string inside, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, (*path, str(name)))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, path)


def _with_variables(request: Mapping[str, object], values: Mapping[str, str]) -> Mapping[str, object]:
    """The request with the values of blanked variables filled in; others are left alone."""
    spelled = next((name for name in ("envVars", "env_vars") if name in node(request, "environment")), "")
    if not spelled:
        return request
    environment = node(request, "environment")
    filled = {
        name: values[name] if name in values and any(blank in str(value) for blank in _BLANKS) else value
        for name, value in node(environment, spelled).items()
    }
    return {**request, "environment": {**environment, spelled: filled}}


def _code_of(message: str) -> str:
    """The Connect code behind a message of the command line tool, which does not print it."""
    lowered = message.lower()
    if lowered.strip(" .") == "not found":
        return "unimplemented"  # "no such job" names the job; this is the answer to an unknown call
    for code, signs in _SIGNS.items():
        if any(sign in lowered for sign in signs):
            return code
    return "internal"


_SIGNS: Mapping[str, tuple[str, ...]] = {
    "unavailable": (
        "connection refused",
        "error sending request",
        "timed out",
        "retrying in",
        "connect error",
    ),
    "unauthenticated": ("missing authentication", "authentication failed", "identity verification failed"),
    "permission_denied": ("permission denied", "not allowed", "forbidden"),
    "already_exists": ("already exists", "jobalreadyexists"),
    "failed_precondition": ("too old", "unschedulable", "not yet assigned", "is not running"),
    "unimplemented": ("unimplemented", "no such command"),
    "invalid_argument": ("has no field named", "failed to parse", "failed to decode", "is required"),
    "resource_exhausted": ("resource exhausted", "too many requests", "overloaded"),
    "not_found": ("not found",),
}
