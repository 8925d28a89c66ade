"""Reads ladder files. All faults of a file are told at once, each with its line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from babysitter.errors import UserError
from babysitter.launch.ladder_files.ladder_schema import CheckPart, LadderPart, StepPart, repaired
from babysitter.launch.ladder_files.ladder_steps import CheckKind, Ladder, LadderStep, SuccessCheck
from babysitter.launch.submit_options import SubmitOptions
from babysitter.playbook.yaml_positions import FilePositions, parse_yaml
from babysitter.shipped import shipped

MAX_FILE_BYTES = 1_000_000
NEXT_STEP = "Correct the file; `babysit ladder lint FILE` checks it, docs/ladders.md has every field."
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
Location = tuple[str | int, ...]


class BadLadder(UserError):
    """A ladder file was refused; lists every fault with file and line."""


def read_ladder(file: Path, given: Mapping[str, str] | None = None, *, is_checked: bool = False) -> Ladder:
    """The ladder of a file, `${NAME}` filled in with its values and those `given` on the command line.

    `is_checked`: only check the file; a value that is to be given may be missing. Raises BadLadder.
    """
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise BadLadder(f"{file} has more than {MAX_FILE_BYTES:,} bytes.", next_step=NEXT_STEP)
        raw = file.read_bytes()
    except OSError as fault:
        raise BadLadder(
            f"{file} cannot be read: {(fault.strerror or 'unknown error').lower()}.",
            next_step="`babysit ladder init` writes one to begin with.",
        ) from fault
    return parse_ladder(raw, file, given or {}, is_checked=is_checked)


def shipped_ladders() -> Mapping[str, Path]:
    """The ladder files that come with the program, by name."""
    return {path.stem: path for path in sorted((shipped() / "ladders").glob("*.yaml"))}


def parse_ladder(raw: bytes, file: Path, given: Mapping[str, str], *, is_checked: bool = False) -> Ladder:
    """As `read_ladder`, from the bytes of the file."""
    document, places = _parsed(raw, file)
    if places.duplicates:
        raise _bad([(at.line, f"'{name}' stands twice") for name, at in places.duplicates], file)
    if not isinstance(document, dict):
        raise _bad([(1, "a ladder file holds names with values: ladder, steps")], file)
    values, faults = _values(document, places, given, is_checked=is_checked)
    try:
        whole = repaired(document)
    except (ValueError, RecursionError) as fault:
        reason = str(fault) if isinstance(fault, ValueError) else "a part of it contains itself"
        raise _bad([(1, reason)], file) from None
    filled = _filled(whole, values, places, faults, ())
    if faults:
        raise _bad(faults, file)
    try:
        part = LadderPart.model_validate(filled)
    except ValidationError as fault:
        # A list whose items are all wrong is counted as empty too.
        own = [error for error in fault.errors() if error["type"] != "too_short" or not error["input"]]
        raise _bad([_told(detail, places) for detail in own], file) from None
    if double := _doubles([step.name for step in part.steps]):
        lines = [
            (places.find(("steps", index)).line, f"two steps are called '{name}'") for index, name in double
        ]
        raise _bad(lines, file)
    return Ladder(part.ladder, file, tuple(map(_step, part.steps)), part.about, values)


def _parsed(raw: bytes, file: Path) -> tuple[Any, FilePositions]:
    try:
        return parse_yaml(raw, file)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise _bad(
            [(mark.line + 1 if mark else 1, f"not YAML: {fault.problem or fault.context}")], file
        ) from None
    except UnicodeDecodeError as fault:
        raise _bad([(1, f"not text in UTF-8 (byte {fault.start})")], file) from None
    except (yaml.YAMLError, RecursionError) as fault:
        raise _bad([(1, f"not YAML: {' '.join(str(fault).split())}")], file) from None


def _values(
    document: Mapping[Any, Any], places: FilePositions, given: Mapping[str, str], *, is_checked: bool
) -> tuple[Mapping[str, str | None], list[tuple[int, str]]]:
    """What each name stands for, and what is wrong with them."""
    listed = document.get("values") or {}
    if not isinstance(listed, dict):
        return {}, [(places.find(("values",)).line, "values must hold names with values")]
    faults = []
    found: dict[str, str | None] = {}
    for name, value in listed.items():
        line = places.find(("values", str(name)), of_key=True).line
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            faults.append((line, f"{name!r} is not a name: letters, digits, _ and -"))
        elif isinstance(value, (dict, list, bool)):
            faults.append((line, f"the value of {name} must be text or a number"))
        else:
            found[name] = None if value is None else str(value)
    for name, text in given.items():
        if name not in found:
            known = ", ".join(sorted(found)) or "none"
            faults.append((1, f"--set {name}: the file has no such value (it has: {known})"))
        found[name] = text
    if not is_checked:
        faults += [
            (places.find(("values", name), of_key=True).line, f"{name} is to be given: --set {name}=VALUE")
            for name, value in found.items()
            if value is None
        ]
    return found, faults


def _filled(
    node: Any,
    values: Mapping[str, str | None],
    places: FilePositions,
    faults: list[tuple[int, str]],
    at: Location,
) -> Any:
    """The document with `${NAME}` replaced in every text below `steps`."""
    if isinstance(node, dict):
        return {
            key: value if at == () and key == "values" else _filled(value, values, places, faults, (*at, key))
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [_filled(value, values, places, faults, (*at, index)) for index, value in enumerate(node)]
    if not isinstance(node, str) or not at or at[0] != "steps":
        return node
    faults += [
        (places.find(at).line, f"${{{name}}} stands for nothing: add {name} below `values`")
        for name in _REFERENCE.findall(node)
        if name not in values
    ]
    # A value to be given later: 1 fits a text as well as a number.
    return _REFERENCE.sub(lambda found: "1" if (value := values.get(found[1])) is None else value, node)


def _told(fault: Any, places: FilePositions) -> tuple[int, str]:
    """Line and sentence of one validation error."""
    location: Location = tuple(fault["loc"])
    kind = str(fault["type"])
    name = ".".join(str(part) for part in location if not isinstance(part, int)) or "the file"
    line = places.find(location, of_key=kind == "extra_forbidden").line
    said = str(fault["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    said = said[:1].lower() + said[1:]
    match kind:
        case "extra_forbidden":
            return line, f"there is no field {name}"
        case "missing":
            return line, f"{name} is needed here"
        case "string_pattern_mismatch":
            return line, f"{name}: lower case letters, digits and '-', at most 30, not {fault['input']!r}"
        case "too_short":
            return line, f"{name} needs at least one"
        case "tuple_type" | "list_type":
            return line, f"{name} must be a list"
        case "model_type" | "model_attributes_type" | "dict_type":
            return line, f"{name} must hold names with values"
        case "string_type":
            return line, f"{name}: must be text, not {fault['input']!r}; put it in quotes"
        case "value_error":
            return line, f"{_part(location)}: {said}"
    return line, f"{name}: {said.replace('should', 'must', 1)}"


def _part(location: Location) -> str:
    """What a rule of several fields speaks of: `check 2 of step 1`."""
    words = {"success": "check", "steps": "step"}
    found = [
        f"{words[str(name)]} {index + 1}"
        for name, index in pairwise(location)
        if name in words and isinstance(index, int)
    ]
    rest = [str(part) for part in location if isinstance(part, str) and part not in words]
    return " of ".join([*reversed(rest), *reversed(found)]) or "the file"


def _bad(faults: Sequence[tuple[int, str]], file: Path) -> BadLadder:
    told = dict.fromkeys(f"{file}:{line}: {sentence}" for line, sentence in sorted(faults))
    return BadLadder("\n".join(f"{text}." for text in told), next_step=NEXT_STEP)


def _doubles(names: Sequence[str]) -> list[tuple[int, str]]:
    return [(index, name) for index, name in enumerate(names) if name in names[:index]]


def _step(part: StepPart) -> LadderStep:
    asked = part.resources
    options = SubmitOptions(
        command=part.command,
        variables=tuple((name, value) for name, value in part.env.items()),
        user=asked.user,
        tpu=asked.tpu,
        gpu=asked.gpu,
        cpu=asked.cpu,
        memory=asked.memory,
        disk=asked.disk,
        replicas=asked.replicas,
        region=asked.region,
        zone=asked.zone,
        extra=asked.extra,
        reserve=asked.reserve,
        priority=asked.priority,
        preemptible=asked.preemptible,
        max_retries=asked.max_retries,
        timeout_s=int(asked.timeout),
        ports=asked.ports,
        constraints=asked.constraint,
        scheduling_timeout_s=int(asked.coscheduling_timeout),
        scale_group=asked.scale_group,
        auto=asked.auto,
    )
    return LadderStep(
        name=part.name,
        options=options,
        checks=tuple(_checks(part.success)),
        place=part.on,
        about=part.about,
        owner=part.watch.owner,
        limits=part.watch.limits,
        time_limit_s=part.time_limit,
        retries=part.retries,
    )


def _checks(parts: Sequence[CheckPart]) -> Iterator[SuccessCheck]:
    """The checks as written; the state comes first, and is demanded where the file demands none."""
    if not any(part.state is not None for part in parts):
        yield SuccessCheck(CheckKind.STATE, "succeeded")
    for part in sorted(parts, key=lambda check_part: check_part.state is None):
        kind = next(kind for kind in CheckKind if getattr(part, kind.value) is not None)
        yield SuccessCheck(
            kind,
            text="" if kind is CheckKind.STEPS else str(getattr(part, kind.value)),
            contains=part.contains,
            at_least=float(part.steps) if part.steps is not None else part.at_least,
            at_most=part.at_most,
            is_fresh=part.fresh,
            is_required=part.required,
            meaning=part.means,
        )
