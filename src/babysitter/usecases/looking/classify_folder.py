"""A diagnosis of the logs of a run as they lie in folders: their lines as one text, each with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from babysitter.backends.log_folder import LogFolder
from babysitter.backends.registry import read_log_folder
from babysitter.diagnosis.causes.demotion import NOTHING_DEMOTED
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.messages.first_screen import QuotedLine, quote_evidence
from babysitter.model.finding import Evidence
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import Examined, examine, lines_around


@dataclass(frozen=True, slots=True)
class ExaminedFolder:
    """A diagnosis whose evidence names node and file. `text`: what was judged."""

    folder: LogFolder
    text: str
    facts: JobFacts
    examined: Examined
    quoted: tuple[QuotedLine, ...]


def split_paths(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Folders, and files that are read beside them."""
    folders = [path for path in paths if path.expanduser().is_dir()]
    return folders, [path for path in paths if path not in folders]


def examine_folder(
    paths: Sequence[Path],
    playbook: Playbook,
    facts: JobFacts,
    *,
    dumps: Sequence[str] = (),
    good: GoodRuns | None = None,
    demoted: Mapping[RuleId, str] = NOTHING_DEMOTED,
) -> ExaminedFolder:
    """Judge the logs in these folders. Raises UserError for a folder that is not one of logs."""
    folder = read_log_folder(*split_paths(paths))
    text = "\n".join(line.text for line in folder.lines)
    if facts.last_line_age_s is None:
        facts = replace(facts, last_line_age_s=folder.quiet_s)
    found = examine(text, playbook, facts, source=folder.name, dumps=dumps, good=good, demoted=demoted)
    quoted = quote_evidence(found.diagnosis, lines_around(text, found.diagnosis.evidence, source=folder.name))
    diagnosis = replace(
        found.diagnosis,
        evidence=_placed(found.diagnosis.evidence, folder),
        cascade=_placed(found.diagnosis.cascade, folder),
    )
    verdict = replace(found.verdict, diagnosis=diagnosis)
    placed = replace(found, verdict=verdict, diagnosis=diagnosis)
    quoted = tuple(replace(quoted_line, place=_place(quoted_line.place, folder)) for quoted_line in quoted)
    return ExaminedFolder(folder, text, facts, placed, quoted)


def _placed(evidence: Sequence[Evidence], folder: LogFolder) -> tuple[Evidence, ...]:
    return tuple(_at_its_place(line, folder) for line in evidence)


def _at_its_place(evidence: Evidence, folder: LogFolder) -> Evidence:
    number = evidence.line_number
    if number is None or evidence.source != folder.name or number > len(folder.lines):
        return evidence
    line = folder.lines[number - 1]
    return replace(evidence, source=line.place, line_number=line.number)


def _place(place: str, folder: LogFolder) -> str:
    source, _, number = place.rpartition(":")
    if source != folder.name or not number.isdigit() or int(number) > len(folder.lines):
        return place
    line = folder.lines[int(number) - 1]
    return f"{line.place}:{line.number}" if line.number is not None else line.place
