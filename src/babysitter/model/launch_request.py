"""Reads and changes the launch request that an Iris controller keeps of a job.

The wire spells `memoryBytes`, the command line tool `memory_bytes`; 64-bit integers are strings of digits.
What is not of the promised shape reads as absent: the request is data from outside.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

GIB = 2**30  # the client's units are binary, whatever they are called
_RESOURCES = {"memory": "memoryBytes", "disk": "diskBytes"}
_SIZE = re.compile(r"(\d+)GB")
_SLICE = re.compile(r"(?P<slice>[a-z]([a-z0-9-]*[a-z0-9])?)")
_OF_SLICE = re.compile(r"-worker-\d+$")  # a machine is called as its slice, with its number
_SLICE_KEY = "tpu-name"


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """One kept request. Nothing here changes `raw`; changed requests are new ones."""

    raw: Mapping[str, object]

    @property
    def command(self) -> tuple[str, ...]:
        """The job's own program and its arguments."""
        words = field(node(node(self.raw, "entrypoint"), "runCommand"), "argv")
        return tuple(str(word) for word in words) if isinstance(words, list) else ()

    @property
    def bundle_id(self) -> str:
        """Which stored bundle the job runs; "" when it has none."""
        found = field(self.raw, "bundleId")
        return found if isinstance(found, str) else ""

    @property
    def variables(self) -> Mapping[str, str]:
        """The job's environment variables, with what the cluster shows of their values."""
        table = node(node(self.raw, "environment"), "envVars")
        return {name: str(value) for name, value in table.items()}

    @property
    def submit_argv(self) -> tuple[str, ...]:
        """The client's own command line, where the generation keeps it."""
        words = field(self.raw, "submitArgv")
        return tuple(str(word) for word in words) if isinstance(words, list) else ()

    def number(self, name: str) -> int | None:
        """A whole number of the request itself, such as `maxRetriesFailure`."""
        return _integer(field(self.raw, name))

    def resource(self, name: str) -> int | None:
        """A number among the resources: `memoryBytes`, `diskBytes`, `cpuMillicores`."""
        return _integer(field(node(self.raw, "resources"), name))

    @property
    def devices(self) -> str:
        """The accelerators asked for, as `tpu v5litepod-16`; "" for none."""
        for kind in ("tpu", "gpu"):
            found = node(node(node(self.raw, "resources"), "device"), kind)
            if found:
                return f"{kind} {field(found, 'variant') or ''}".strip()
        return ""

    @property
    def region(self) -> str:
        """The one region that is demanded; "" for none, or for several."""
        for constraint in self._constraints():
            if _key(constraint) == "region" and isinstance(constraint, Mapping):
                value = field(node(constraint, "value"), "stringValue")
                return value if isinstance(value, str) else ""
        return ""

    @property
    def excluded_slices(self) -> tuple[str, ...]:
        """Slices of TPUs on which the job must not run, by name."""
        return tuple(
            str(field(node(constraint, "value"), "stringValue"))
            for constraint in self._constraints()
            if isinstance(constraint, Mapping) and _excludes(constraint)
        )

    def with_variable(self, name: str, value: str) -> "LaunchRequest":
        """The request with one environment variable set."""
        environment = node(self.raw, "environment")
        variables = {**node(environment, "envVars"), name: value}
        return self._with("environment", _replaced(environment, "envVars", variables))

    def with_priority(self, band: str) -> "LaunchRequest | None":
        """The request in another priority band (production, interactive, batch)."""
        if not re.fullmatch(r"[a-z]+", band):
            return None
        return self._with("priorityBand", f"PRIORITY_BAND_{band.upper()}")

    def with_tpu(self, variant: str, *, chips: int, replicas: int, is_gang: bool) -> "LaunchRequest":
        """The request for another TPU type. Alternatives that were named beside the old one are left out.

        `chips`: of one machine. `is_gang`: a slice has several machines, whose tasks start together.
        """
        tpu = _replaced(node(node(node(self.raw, "resources"), "device"), "tpu"), "variant", variant)
        device = {"tpu": _replaced(tpu, "count", chips)}
        changed = self._with("resources", _replaced(node(self.raw, "resources"), "device", device))
        others = [constraint for constraint in self._constraints() if _key(constraint) != "device-variant"]
        if len(others) != len(self._constraints()):
            changed = changed._with("constraints", others)
        raw = dict(changed._with("replicas", replicas).raw)
        raw.pop("coscheduling", None)
        return LaunchRequest({**raw, "coscheduling": {"groupBy": "tpu-name"}} if is_gang else raw)

    def changed(self, what: str, after: str) -> "LaunchRequest | None":
        """The request with exactly one thing changed; None where it cannot be written exactly.

        `after`: as the submitter's option takes it (10GB, 3, us-central2).
        """
        match what:
            case "memory" | "disk":
                found = _SIZE.fullmatch(after)
                return self._with_resource(_RESOURCES[what], int(found[1]) * GIB) if found else None
            case "max-retries":
                return self._with("maxRetriesFailure", int(after)) if after.isdigit() else None
            case "region":
                return self._in_region(after)
            case "exclude-host":
                return self._without_slices(after)
            case _:
                return None  # `extra` changes the setup commands that the client writes

    def _with_resource(self, name: str, value: int) -> "LaunchRequest":
        resources = _replaced(node(self.raw, "resources"), name, str(value))
        return self._with("resources", resources)

    def _in_region(self, region: str) -> "LaunchRequest | None":
        if not re.fullmatch(r"[a-z0-9-]+", region):
            return None
        others = [constraint for constraint in self._constraints() if _key(constraint) != "region"]
        wanted = {
            "key": "region",
            "op": "CONSTRAINT_OP_EQ",
            "value": {"stringValue": region},
            "mode": "CONSTRAINT_MODE_REQUIRED",
        }
        return self._with("constraints", [*others, wanted])

    def _without_slices(self, names: str) -> "LaunchRequest | None":
        """`names`: slices, or machines of them, with commas; beside those that are excluded already."""
        wanted = [_OF_SLICE.sub("", part.strip()) for part in names.split(",")]
        if not all(map(_SLICE.fullmatch, wanted)):
            return None
        added = [
            {
                "key": _SLICE_KEY,
                "op": "CONSTRAINT_OP_NE",
                "value": {"stringValue": name},
                "mode": "CONSTRAINT_MODE_REQUIRED",
            }
            for name in dict.fromkeys(wanted)
            if name not in self.excluded_slices
        ]
        return self._with("constraints", [*self._constraints(), *added])

    def _constraints(self) -> list[object]:
        found = field(self.raw, "constraints")
        return found if isinstance(found, list) else []

    def _with(self, name: str, value: object) -> "LaunchRequest":
        return LaunchRequest(_replaced(self.raw, name, value))


def field(raw: Mapping[str, object], name: str) -> object:
    """The value under the camelCase name or its snake_case twin; None when absent."""
    value = raw.get(name)
    return raw.get(snake(name)) if value is None else value


def node(raw: Mapping[str, object], name: str) -> Mapping[str, object]:
    """An object inside; empty when absent or something else."""
    value = field(raw, name)
    return value if isinstance(value, Mapping) else {}


def snake(name: str) -> str:
    """memoryBytes -> memory_bytes"""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _replaced(raw: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    """The object with one value set, under the spelling that it has already."""
    spelled = snake(name) if name not in raw and snake(name) in raw else name
    return {**raw, spelled: value}


def _integer(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _key(constraint: object) -> object:
    return constraint.get("key") if isinstance(constraint, Mapping) else None


def _excludes(constraint: Mapping[str, object]) -> bool:
    return constraint.get("key") == _SLICE_KEY and constraint.get("op") == "CONSTRAINT_OP_NE"
