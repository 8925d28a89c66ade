"""Folders of YAML -> the rules in force. Every fault of every file at once, each with its place.

Later folders win: a rule with a known id replaces the earlier one, `switch_off` removes it. A folder that
breaks while a service runs never takes down the rules in force (`PlaybookSource`).
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.rule import AppliesTo, Rule, ScenarioFile
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.causes.signature_files import (
    Content,
    MissingSignature,
    RuleFile,
    Signature,
    SignatureFile,
    rule_of_row,
    rules_of_signatures,
)
from babysitter.diagnosis.signatures.compile_cache import fingerprint, keep, read_kept
from babysitter.errors import BadPlaybook
from babysitter.playbook.yaml_positions import FilePositions, parse_yaml
from babysitter.shipped import shipped

PARTS = ("signatures", "rules")  # of a folder; one without them is such a part itself
TEST_ENDINGS = (".test.yaml", ".test.yml")
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
    content: SignatureFile | RuleFile | None
    places: FilePositions
    faults: tuple[PlaybookFault, ...]


def playbook_files(folders: Iterable[Path]) -> list[tuple[Path, ...]]:
    """The playbook files of each folder (or the file itself), sorted by name; test files are left out."""
    return [
        tuple(path for path in _yaml_files(folder) if not path.name.endswith(TEST_ENDINGS))
        for folder in folders
    ]


def scenario_files(folders: Iterable[Path]) -> list[Path]:
    """The test files of these folders; those of the shipped rules are beside them in the repository."""
    beside = [shipped("fixtures") / "playbooks" if folder == shipped() else folder for folder in folders]
    return [path for folder in beside for path in _yaml_files(folder) if path.name.endswith(TEST_ENDINGS)]


def _yaml_files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    found = {path for part in ("", *PARTS) for path in (folder / part).glob("*.y*ml")}
    return sorted(path for path in found if path.name != CAUSES_FILE)


def load(folders: Sequence[Path] = ()) -> Playbook:
    """The rules of these folders, in rising order of authority; none given = the shipped ones.

    Raises BadPlaybook with every fault of every file, and for a folder that does not exist.
    """
    folders = folders or [shipped()]
    if missing := [str(folder) for folder in folders if not folder.exists()]:
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
    faults = [
        PlaybookFault(FilePosition(folder, 1), "no such folder") for folder in folders if not folder.exists()
    ]
    digest = sha256()
    draft = _Draft()
    unread: set[str] = set()
    for paths in playbook_files(folders):
        files = [read_file(path, digest) for path in paths]
        faults += [fault for read in files for fault in read.faults]
        faults += draft.add_folder([read for read in files if read.content is not None])
        unread |= {read.path.stem for read in files if read.content is None}
    in_force, wrong = draft.finished(unread)
    return _playbook(in_force, draft.signatures, digest.hexdigest()), (*faults, *wrong)


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
    if isinstance(document, dict) and "playbook" in document:
        place = places.find(("playbook",), of_key=True)
        sentence = "is written in the language of rules before signatures; docs/playbooks.md has the new one"
        return ReadFile(path, None, places, (PlaybookFault(place, sentence),))
    faults = [PlaybookFault(place, f"key `{key}` stands here twice") for key, place in places.duplicates]
    content: SignatureFile | RuleFile | None = None
    try:
        is_rules = isinstance(document, dict) and not {"says", "program"} & document.keys()
        content = (RuleFile if is_rules else SignatureFile).model_validate(document)
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
    for detail in error.errors(include_url=False):
        at_key = detail["type"] == "extra_forbidden"
        place = places.find(detail["loc"], of_key=at_key)
        fault = PlaybookFault(place, _sentence(detail, places.path_words(detail["loc"])))
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
    if kind in ("model_type", "dataclass_type", "dict_type"):
        return f"{where}: must hold names with values, found {_short(error['input'])}"
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
    from babysitter.diagnosis.causes import rule, signature_files

    doors = [
        value
        for module in (rule, signature_files)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, rule.StrictModel)
    ]
    return {info.alias or name for door in doors for name, info in door.model_fields.items()}


@dataclass(frozen=True, slots=True)
class _Pending:
    """A rule that is built when all signatures are known."""

    build: Callable[[], Content]
    applies_to: AppliesTo
    place: FilePosition


class _Draft:
    """Signatures and rules while folders are read; a rule may name the signatures of any folder."""

    def __init__(self) -> None:
        self.signatures: dict[str, Signature] = {}
        self._rules: dict[str, _Pending] = {}

    def add_folder(self, files: Sequence[ReadFile]) -> list[PlaybookFault]:
        """Add what the files of a folder hold, switch off what they name. Returns what is wrong."""
        faults: list[PlaybookFault] = []
        here: dict[str, _Pending] = {}
        for read in files:
            for name, pending in self._rules_of(read):
                if name in here:
                    sentence = f"rule id `{name}` is taken already, at {here[name].place}"
                    faults.append(PlaybookFault(pending.place, sentence))
                else:
                    here[name] = pending
        for read in files:
            assert read.content is not None
            for index, name in enumerate(read.content.switch_off):
                if self._rules.pop(name, None) is None:
                    near = _near(name, self._rules)
                    place = read.places.find(("switch_off", index))
                    faults.append(
                        PlaybookFault(place, f"switches off {name!r}, which no earlier folder has{near}")
                    )
        self._rules.update(here)
        return faults

    def _rules_of(self, read: ReadFile) -> Iterator[tuple[str, _Pending]]:
        content = read.content
        if isinstance(content, SignatureFile):
            for name, signature in content.says.items():
                self.signatures[f"{content.program}.{name}"] = signature
            for rule_id, rule in rules_of_signatures(content):
                name = rule_id.partition(".")[2]
                place = read.places.find(("says", name), of_key=True)
                yield rule_id, _Pending(partial(dict, rule), content.applies_to, place)
        elif isinstance(content, RuleFile):
            for rule_id, row in content.rules.items():
                build = partial(rule_of_row, rule_id, content.cause, row, self.signatures)
                place = read.places.find(("rules", rule_id), of_key=True)
                yield rule_id, _Pending(build, content.applies_to, place)

    def finished(self, unread: Container[str]) -> tuple[dict[str, LocatedRule], list[PlaybookFault]]:
        """The rules in force, and those that do not fit together.

        `unread`: names of files that have faults of their own. That their signatures are missing follows.
        """
        in_force: dict[str, LocatedRule] = {}
        faults: list[PlaybookFault] = []
        for name, pending in self._rules.items():
            try:
                rule = Rule.model_validate(pending.build())
                in_force[name] = LocatedRule(rule, pending.applies_to, pending.place)
            except ValidationError as error:
                sentences = {_sentence(detail, f"rule {name}") for detail in error.errors(include_url=False)}
                faults += [PlaybookFault(pending.place, sentence) for sentence in sorted(sentences)]
            except MissingSignature as error:
                if error.name.partition(".")[0] not in unread:
                    faults.append(PlaybookFault(pending.place, f"rule {name}: {error}"))
            except ValueError as error:
                faults.append(PlaybookFault(pending.place, f"rule {name}: {error}"))
        return in_force, faults


def _playbook(
    in_force: Mapping[str, LocatedRule], signatures: Mapping[str, Signature], fingerprint: str
) -> Playbook:
    return Playbook(
        tuple(in_force.values()),
        fingerprint,
        {name: placed.rule for name, placed in in_force.items()},
        dict(signatures),
    )


def _refused(path: Path, sentence: str) -> ReadFile:
    return ReadFile(path, None, FilePositions(path, None), (PlaybookFault(FilePosition(path, 1), sentence),))
