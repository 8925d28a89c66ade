"""Is the folder, whose files the client packs, still the recorded one?"""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "folder-missing"


def check_folder(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The folder of the command exists."""
    if facts.command is None:
        return
    match facts.command.folder:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=folder) if not folder.exists:
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                f"The folder {folder.path}, in which the command is to run, is not there.",
                "Restore it, or start the watch again with --workdir and the folder of the code.",
            )
