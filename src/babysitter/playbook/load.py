"""Folders of YAML -> the rules in force. Every fault of every file at once, each with its place.

Later folders win: a rule with a known id replaces the earlier one, `switch_off` removes it. A folder that
breaks while a service runs never takes down the rules in force (`PlaybookSource`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.rule import AppliesTo, PlaybookFile, ScenarioFile
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.signatures.compile_cache import fingerprint, keep, read_kept
from babysitter.errors import BadPlaybook
from babysitter.playbook.yaml_positions import FilePositions, parse_yaml
from babysitter.shipped import shipped

CAUSES_FILE = "causes.yaml"  # not rules: model/cause_info.py reads it
SIZE_LIMIT_BYTES = 4 << 20  # of one file; the shipped ones are a hundredth of it


@dataclass(frozen=True, slots=True)
class PlaybookFault:
    """One thing that is wrong with a playbook: where, what was found, what would be right."""

    place: FilePosition
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One file, parsed or not; `faults` is empty only when all of it is usable."""

    path: Path
    content: PlaybookFile | None
    places: FilePositions
    faults: tuple[PlaybookFault, ...]


def playbook_files(folders: Iterable[Path]) -> list[tuple[Path, ...]]:
    """The playbook files of each folder (or the file itself), sorted by name; scenario files are left out."""
    return [
        tuple(
            sorted(
                path
                for path in (
                    [folder] if folder.is_file() else [*folder.glob("*.yaml"), *folder.glob("*.yml")]
                )
                if not path.name.endswith((".test.yaml", ".test.yml")) and path.name != CAUSES_FILE
            )
        )
        for folder in folders
    ]


def load(folders: Sequence[Path] = ()) -> Playbook:
    """The rules of these folders, in rising order of authority; none given = the shipped ones.

    Raises BadPlaybook with every fault of every file, and for a folder that does not exist.
    """
    folders = folders or [shipped()]
    if missing := [str(each) for each in folders if not each.exists()]:
        raise BadPlaybook(
            f"There is no playbook file or folder {', '.join(missing)}.",
            next_step="Check the path given with --playbooks, or `playbooks` in the settings.",
        )
    name = _kept_name(folders)
    kept = read_kept(name)
    if isinstance(kept, Playbook):
        return kept
    playbook, faults = examine(folders)
    if faults:
        raise BadPlaybook(
            "\n".join(str(fault) for fault in faults),
            next_step="Correct these places and run `babysit playbook lint`.",
        )
    keep(name, playbook)
    return playbook


def _kept_name(folders: Sequence[Path]) -> str:
    """The name under which exactly these rules are kept."""
    try:
        return f"rules-{fingerprint(path for paths in playbook_files(folders) for path in paths)}"
    except OSError:
        return "rules-unreadable"


def examine(folders: Sequence[Path]) -> tuple[Playbook, tuple[PlaybookFault, ...]]:
    """What can be used of these folders, and everything that is wrong with the rest."""
    in_force: dict[str, LocatedRule] = {}
    faults = [
        PlaybookFault(FilePosition(each, 1), "there is no such folder")
        for each in folders
        if not each.exists()
    ]
    digest = sha256()
    for paths in playbook_files(folders):
        here: dict[str, LocatedRule] = {}
        removed: list[tuple[str, FilePosition]] = []
        for path in paths:
            read = read_file(path, digest)
            faults.extend(read.faults)
            if read.content is not None:
                faults.extend(_add(read, here))
                removed += [
                    (name, read.places.find(("switch_off", index)))
                    for index, name in enumerate(read.content.switch_off)
                ]
        for name, place in removed:
            if in_force.pop(name, None) is None:
                faults.append(
                    PlaybookFault(
                        place, f"switches off {name!r}, which no earlier folder has{_near(name, in_force)}"
                    )
                )
        in_force.update(here)
    faults.extend(_dangling(in_force))
    return _playbook(in_force, digest.hexdigest()), tuple(faults)


def read_file(path: Path, digest: Any = None) -> ReadFile:
    """Read and validate one playbook file; faults are returned, not raised."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        return _refused(path, f"cannot be read: {error.strerror}")
    if digest is not None:
        digest.update(raw)
    if len(raw) > SIZE_LIMIT_BYTES:
        return _refused(path, f"has {len(raw)} bytes, more than the {SIZE_LIMIT_BYTES} allowed")
    try:
        document, places = parse_yaml(raw, path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = FilePosition(path, mark.line + 1 if mark else 1, mark.column + 1 if mark else 1)
        return ReadFile(
            path, None, FilePositions(path, None), (PlaybookFault(place, f"is not YAML: {error.problem}"),)
        )
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        return _refused(
            path, f"is not YAML: {str(error).splitlines()[0] if str(error) else 'nested too deeply'}"
        )
    faults = [PlaybookFault(place, f"key `{key}` stands here twice") for key, place in places.duplicates]
    content: PlaybookFile | None = None
    try:
        content = PlaybookFile.model_validate(document)
    except ValidationError as error:
        faults += validation_faults(error, places)
    return ReadFile(path, None if faults else content, places, tuple(faults))


def read_scenarios(path: Path) -> tuple[ScenarioFile | None, tuple[PlaybookFault, ...]]:
    """A `*.test.yaml` file, or what is wrong with it."""
    try:
        document, places = parse_yaml(path.read_bytes(), path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        return None, (
            PlaybookFault(FilePosition(path, mark.line + 1 if mark else 1), f"is not YAML: {error}"),
        )
    try:
        return ScenarioFile.model_validate(document), ()
    except ValidationError as error:
        return None, tuple(validation_faults(error, places))


def validation_faults(error: ValidationError, places: FilePositions) -> list[PlaybookFault]:
    """Pydantic's errors in the reader's words, each at the place of the offending node."""
    faults: dict[tuple[FilePosition, str], PlaybookFault] = {}
    for each in error.errors(include_url=False):
        at_key = each["type"] == "extra_forbidden"
        place = places.find(each["loc"], of_key=at_key)
        fault = PlaybookFault(place, _sentence(each, places.path_words(each["loc"])))
        faults[(place, fault.sentence)] = fault
    return sorted(faults.values(), key=lambda fault: (fault.place.line, fault.place.column))


def _sentence(error: Any, where: str) -> str:
    kind, name = error["type"], str(error["loc"][-1]) if error["loc"] else ""
    if kind == "extra_forbidden":
        return f"{where}: unknown key `{name}`{_near(name, _all_keys())}"
    if kind == "missing":
        return f"{where}: `{name}` is missing"
    if kind == "enum":
        allowed = [word.strip("' ") for word in error["ctx"]["expected"].replace(" or ", ", ").split(",")]
        near = _near(str(error["input"]), allowed)
        return f"{where}: {error['input']!r} is not known{near or '; one of ' + ', '.join(allowed)}"
    message = error["msg"].removeprefix("Value error, ")
    return (
        f"{where}: {message}"
        if kind == "value_error"
        else f"{where}: {message}, found {_short(error['input'])}"
    )


def _near(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _all_keys() -> set[str]:
    from babysitter.diagnosis.causes import rule

    doors = [
        value
        for value in vars(rule).values()
        if isinstance(value, type) and issubclass(value, rule.StrictModel)
    ]
    return {info.alias or name for door in doors for name, info in door.model_fields.items()}


def _add(read: ReadFile, here: dict[str, LocatedRule]) -> list[PlaybookFault]:
    assert read.content is not None
    faults = []
    for index, rule in enumerate(read.content.rules):
        place = read.places.find(("rules", index, "id"))
        if rule.id in here:
            faults.append(
                PlaybookFault(place, f"rule id `{rule.id}` is taken already, at {here[rule.id].place}")
            )
            continue
        applies_to = AppliesTo(
            backend=rule.applies_to.backend or read.content.applies_to.backend,
            kind=rule.applies_to.kind or read.content.applies_to.kind,
        )
        here[rule.id] = LocatedRule(rule, applies_to, place)
    return faults


def _dangling(in_force: Mapping[str, LocatedRule]) -> list[PlaybookFault]:
    """`explains` that names a rule which does not exist."""
    from babysitter.model.finding import Cause

    causes = {cause.value for cause in Cause}
    return [
        PlaybookFault(
            placed.place,
            f"`explains` names `{name}`, which is neither a rule nor a cause{_near(name, in_force)}",
        )
        for placed in in_force.values()
        if placed.rule.explains
        for name in placed.rule.explains.what
        if name != "*" and name not in causes and name not in in_force
    ]


def _playbook(in_force: Mapping[str, LocatedRule], fingerprint: str) -> Playbook:
    return Playbook(
        tuple(in_force.values()), fingerprint, {name: placed.rule for name, placed in in_force.items()}
    )


def _refused(path: Path, sentence: str) -> ReadFile:
    return ReadFile(path, None, FilePositions(path, None), (PlaybookFault(FilePosition(path, 1), sentence),))
