"""Cluster files: where a named cluster's file is, and what it says about reaching the controller."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from babysitter.errors import BadConfig

DEFAULT_PORT = 10000
_SEARCHED = ("lib/iris/config", "lib/iris/examples")  # below the working directory, after the user's own


class ControllerAccess(StrEnum):
    """How a controller is reached; the key under `controller` in the file."""

    GCP = "gcp"  # an SSH tunnel to a machine found by its label
    COREWEAVE = "coreweave"  # a port forwarded by kubectl
    MANUAL = "manual"  # a host and a port
    LOCAL = "local"  # a cluster inside the process of the command: never opened by us
    PROXY = "proxy"  # HTTPS through an identity-aware proxy


@dataclass(frozen=True, slots=True)
class ClusterFile:
    """What a cluster's file says, as far as looking at the cluster needs it."""

    path: Path
    name: str
    reach: ControllerAccess
    url: str = ""  # manual, proxy
    port: int = DEFAULT_PORT  # of the controller, on its own machine
    project: str = ""
    zone: str = ""
    label_prefix: str = ""
    service: str = ""  # coreweave
    namespace: str = ""
    ssh_key: str = ""
    impersonate: str = ""
    audience: str = ""  # proxy


def find_cluster(name: str, *, home: Path, working_dir: Path) -> Path:
    """The file of a named cluster. Raises BadConfig with the places looked at and the names found there."""
    folders = (home / ".config" / "marin" / "clusters", *(working_dir / place for place in _SEARCHED))
    for folder in folders:
        for suffix in (".yaml", ".yml"):
            if (path := folder / f"{name}{suffix}").is_file():
                return path
    known = sorted({path.stem for folder in folders for path in folder.glob("*.y*ml")})
    raise BadConfig(
        f"There is no cluster '{name}' in {', '.join(str(folder) for folder in folders)}.",
        next_step=(
            f"Known here: {', '.join(known)}."
            if known
            else "Run babysit in a Marin checkout, or give --config FILE or --controller-url URL."
        ),
    )


def read_cluster(path: Path) -> ClusterFile:
    """The file's contents. Raises BadConfig with every fault at once."""
    import yaml

    try:
        raw = yaml.safe_load(path.read_text())
    except OSError as fault:
        raise BadConfig(
            f"Cannot read {path}: {(fault.strerror or str(fault)).lower()}.",
            next_step="Check the path given by --config or the settings.",
        ) from fault
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        where = getattr(fault, "problem_mark", None)
        at = f" (line {where.line + 1})" if where else ""
        raise BadConfig(f"{path}{at} is not proper YAML.", next_step="Correct the file.") from fault
    faults: list[str] = []
    found = _understand(path, raw, faults)
    if faults or found is None:
        raise BadConfig(f"{path} does not say how to reach the cluster: {'; '.join(faults)}.")
    return found


def _understand(path: Path, raw: object, faults: list[str]) -> ClusterFile | None:
    if not isinstance(raw, dict):
        faults.append("it should hold a mapping")
        return None
    controller, platform = _part(raw, "controller", faults), _part(raw, "platform.gcp", faults)
    ssh, proxy = _part(raw, "defaults.ssh", faults), _part(raw, "auth.iap", faults)
    name = _text(raw, "name", faults) or path.stem
    if proxy_url := _text(proxy, "url", faults, "auth.iap."):
        audience = _first_text(proxy, "programmatic_audiences") or _text(proxy, "oauth_client_id", faults)
        return ClusterFile(path, name, ControllerAccess.PROXY, url=proxy_url.rstrip("/"), audience=audience)
    kinds = [kind for kind in ("gcp", "coreweave", "manual", "local") if kind in controller]
    if len(kinds) != 1:
        faults.append(
            "`controller` should hold exactly one of gcp, coreweave, manual, local, "
            + (f"not {', '.join(kinds)}" if kinds else "and holds none")
        )
        return None
    at = _part(raw, f"controller.{kinds[0]}", faults)
    reach, port = ControllerAccess(kinds[0]), _number(at, "port", faults) or DEFAULT_PORT
    host = _text(at, "host", faults)
    found = ClusterFile(
        path=path,
        name=name,
        reach=reach,
        url=f"http://{host}:{port}" if host else "",
        port=port,
        project=_text(platform, "project_id", faults, "platform.gcp."),
        zone=_text(at, "zone", faults),
        label_prefix=_text(_part(raw, "platform", faults), "label_prefix", faults, "platform."),
        service=_text(at, "service_name", faults),
        namespace=_text(at, "namespace", faults),
        ssh_key=_text(ssh, "key_file", faults, "defaults.ssh."),
        impersonate=_text(ssh, "impersonate_service_account", faults, "defaults.ssh."),
    )
    faults += _missing(found)
    return found


def _missing(found: ClusterFile) -> Iterator[str]:
    needed: Mapping[ControllerAccess, Mapping[str, str]] = {
        ControllerAccess.GCP: {
            "platform.gcp.project_id": found.project,
            "platform.label_prefix": found.label_prefix,
        },
        ControllerAccess.COREWEAVE: {"controller.coreweave.service_name": found.service},
        ControllerAccess.MANUAL: {"controller.manual.host": found.url},
    }
    for name, value in needed.get(found.reach, {}).items():
        if not value:
            yield f"`{name}` is missing"


def _part(raw: Mapping[str, object], path: str, faults: list[str]) -> Mapping[str, object]:
    """A nested mapping; empty when it is absent or null."""
    value: object = raw
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            return {}
    if not isinstance(value, dict):
        faults.append(f"`{path}` should be a mapping")
        return {}
    return value


def _text(part: Mapping[str, object], name: str, faults: list[str], prefix: str = "") -> str:
    value = part.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        faults.append(f"`{prefix}{name}` should be text, not {type(value).__name__}")
        return ""
    return value


def _first_text(part: Mapping[str, object], name: str) -> str:
    values = part.get(name)
    return str(values[0]) if isinstance(values, list) and values else ""


def _number(part: Mapping[str, object], name: str, faults: list[str]) -> int:
    value = part.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 65536:
        faults.append(f"`{name}` should be a port number, not {value!r}")
        return 0
    return value
