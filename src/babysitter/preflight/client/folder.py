"""Is the folder, whose files the client packs, still the recorded one?"""

from collections.abc import Iterator

from babysitter.model.submission import FolderState
from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

MISSING = "folder-missing"
CHANGED = "folder-changed"


def check_folder_exists(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The folder of the command exists."""
    if facts.command is None:
        return
    match facts.command.folder:
        case NotKnown() as unknown:
            yield not_checked(MISSING, unknown)
        case Known(value=folder) if folder.now is None:
            yield PreflightFinding(
                MISSING,
                PreflightSeverity.BLOCK,
                f"The folder {folder.path}, in which the command is to run, is not there.",
                "Restore it, or start the watch again with --workdir and the folder of the code.",
            )


def check_folder_unchanged(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The folder holds what it held when it was recorded or shown."""
    recorded = facts.submission.folder
    if facts.command is None or recorded is None or not isinstance(facts.command.folder, Known):
        return
    folder = facts.command.folder.value
    if folder.now is None or folder.now.digest == recorded.digest:
        return
    yield PreflightFinding(
        CHANGED,
        PreflightSeverity.BLOCK,
        f"The files in {folder.path} changed: recorded was {_described(recorded)}, "
        f"now it is {_described(folder.now)}.",
        "Restore the files, or start the watch again: it records what the folder holds then.",
    )


def _described(state: FolderState) -> str:
    """Commit and number of changed files, as far as they are known."""
    if not state.commit:
        return f"a folder of {state.file_count} files outside of git"
    changed = f" with {state.changed_files} changed files" if state.changed_files else ""
    return f"commit {state.commit[:9]}{changed}"
