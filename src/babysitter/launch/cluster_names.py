"""The cluster file that a name means: the file's own name, Marin's names, or a region."""

from collections.abc import Iterator
from pathlib import Path

from babysitter.backends.iris.cluster_offer import read_offer
from babysitter.backends.iris.connection.cluster_file import find_cluster
from babysitter.errors import BadConfig

FOLDERS = ("lib/iris/config", "lib/iris/examples")
_PRODUCTION = ("_prod", "-prod", "_production", "-production")


def cluster_file_of(name: str, *, home: Path, working_dir: Path) -> Path:
    """The file of this cluster.

    `marin_prod` is `marin`, `_` is `-`, and the name of a region or zone is the one cluster that has machines
    there. Raises BadConfig for an unknown name, with the names that are known, and for a region of several.
    """
    for spelled in _spellings(name):
        try:
            return find_cluster(spelled, home=home, working_dir=working_dir)
        except BadConfig:
            continue
    there = [path for path in _files(home, working_dir) if _is_at(path, name.lower())]
    if len(there) > 1:
        raise BadConfig(
            f"Several clusters have machines in {name}.",
            next_step=f"Choose one: --cluster {' or '.join(path.stem for path in there)}.",
        )
    return there[0] if there else find_cluster(name, home=home, working_dir=working_dir)


def _spellings(name: str) -> Iterator[str]:
    yield name
    for ending in _PRODUCTION:
        if name.endswith(ending):
            yield name.removesuffix(ending)
    yield name.replace("_", "-")
    yield name.replace("-", "_")
    if name.startswith("coreweave-"):
        yield f"cw-{name.removeprefix('coreweave-')}"


def _files(home: Path, working_dir: Path) -> Iterator[Path]:
    for folder in (home / ".config" / "marin" / "clusters", *(working_dir / place for place in FOLDERS)):
        yield from sorted((*folder.glob("*.yaml"), *folder.glob("*.yml")))


def _is_at(path: Path, place: str) -> bool:
    """Whether the cluster of this file has machines in the region or zone."""
    try:
        groups = read_offer(path).groups
    except BadConfig:
        return False
    return any(place in (group.region.lower(), group.zone.lower()) for group in groups)
