"""Does the setup of the task find a project? Before the program, the task runs `uv sync` in its folder.

Measured with uv 0.10.3, which the images of all generations have; the setup script ends at the first failure.
"""

from collections.abc import Iterator

from babysitter.preflight.client.environment import job_environment
from babysitter.preflight.command_line import RunCommand
from babysitter.preflight.facts import ProjectFile, SubmissionFacts, Workspace
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command

ID = "no-project"
DEV_GROUP = "no-dev-group"

_GROUP = "dev"
_OTHER_PROJECT = ("UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY", "UV_NO_PROJECT", "UV_NO_SYNC")
_FIXES = {
    ProjectFile.MISSING: "Submit from the folder of the project, or add a pyproject.toml.",
    ProjectFile.ABOVE: "Submit from the folder that holds the pyproject.toml.",
    ProjectFile.IGNORED: "Take it out of .gitignore.",
    ProjectFile.UNREADABLE: "Correct the file; `uv lock` tells whether it can be read.",
}


def check_project(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A pyproject.toml is shipped and can be read: the task runs `uv sync` before the program.

    Blocks where a project is here and does not reach a cluster that is known to run that setup. A folder
    without any project is a warning.
    """
    command, workspace = run_command(facts), _workspace(facts)
    if command is None or workspace is None or workspace.project is ProjectFile.SHIPPED:
        return
    if _has_no_setup(facts, command):
        return
    is_certain = workspace.project is not ProjectFile.MISSING and facts.offer is not None
    replaced = command.has("--task-image") or set(_OTHER_PROJECT) & set(job_environment(facts, command))
    blocks = is_certain and not replaced
    fix = _FIXES[workspace.project]
    if generation_of(facts) == "august":
        fix = f"{fix} A program that needs no packages may be submitted with --no-sync."
    yield PreflightFinding(
        ID, PreflightSeverity.BLOCK if blocks else PreflightSeverity.WARN, _reason(workspace), fix
    )


def check_dev_group(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """April and May run `uv sync --no-group dev`: some pyproject.toml declares the group dev."""
    command, workspace = run_command(facts), _workspace(facts)
    if command is None or workspace is None or workspace.groups is None or _has_no_setup(facts, command):
        return
    if generation_of(facts) in ("april", "may") and _GROUP not in workspace.groups:
        yield PreflightFinding(
            DEV_GROUP,
            PreflightSeverity.WARN,
            "The task runs `uv sync --no-group dev`, which uv refuses where no project declares that group.",
            "Add to pyproject.toml: [dependency-groups] with the line dev = [].",
        )


def _workspace(facts: SubmissionFacts) -> Workspace | None:
    return facts.command.workspace if facts.command else None


def _has_no_setup(facts: SubmissionFacts, command: RunCommand) -> bool:
    """Whether the program runs without `uv sync`: local clusters have none, and August may leave it out."""
    return command.has("--no-sync") or bool(facts.offer and facts.offer.is_local)


def _reason(workspace: Workspace) -> str:
    end = "the task runs `uv sync` before the program, and fails there"
    match workspace.project:
        case ProjectFile.ABOVE:
            return (
                f"The pyproject.toml is in a folder above this one, and only this folder is shipped: {end}."
            )
        case ProjectFile.IGNORED:
            return f"The pyproject.toml is not shipped, because git ignores it: {end}."
        case ProjectFile.UNREADABLE:
            return f"The pyproject.toml cannot be used ({workspace.project_fault}): {end}."
        case _:
            return f"This folder has no pyproject.toml: {end}."
