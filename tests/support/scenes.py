"""Stories that many tests begin with: played once in a process, and continued from a copy after that.

A copy is what a service finds after a restart: the state folder, and the cluster, clock and notifier as they
were. A place in which a test has turned anything before the story plays it for itself.
"""

import shutil
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from tests.support.app import AppHarness

T = TypeVar("T")
Parts = tuple[object, ...]


@dataclass(frozen=True)
class _Recorded:
    folder: TemporaryDirectory[str]  # removed at the end of the process
    parts: Parts  # the objects in whose words `state` is kept
    state: list[dict[str, Any]]
    result: object


_recorded: dict[tuple[str, str], _Recorded] = {}


async def continue_from(place: AppHarness, story: object, play: Callable[[], Awaitable[T]]) -> T:
    """What `play` gives, and `place` as it leaves it. `story`: its name and whatever it depends on."""
    key = (repr(story), _before(place))
    if key not in _recorded:
        result = await play()
        await place.close()
        _recorded[key] = _record(place, result)
        await place.open()
        return result
    recorded = _recorded[key]
    await place.close()
    shutil.rmtree(place.settings.state_dir)
    shutil.copytree(recorded.folder.name, place.settings.state_dir)
    here = dict(zip(map(id, recorded.parts), _parts(place), strict=True))
    for part, state in zip(_parts(place), recorded.state, strict=True):
        vars(part).clear()
        vars(part).update(deepcopy(state, dict(here)))
    await place.open()
    return recorded.result  # type: ignore[return-value]


def _parts(place: AppHarness) -> Parts:
    return place.clock, place.cluster, place.ear, place.writer


def _record(place: AppHarness, result: object) -> _Recorded:
    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="babysit-story-")
    shutil.copytree(place.settings.state_dir, folder.name, dirs_exist_ok=True)
    parts = _parts(place)
    state = [deepcopy(vars(part), {id(item): item for item in parts}) for part in parts]
    return _Recorded(folder, parts, state, result)


def _before(place: AppHarness) -> str:
    """Everything that a test may have turned, in words that are equal for equal places."""
    parts = _parts(place)
    settings = place.settings.model_dump(exclude={"state_dir"})
    words = [repr(settings)]
    for part in parts:
        words.append(type(part).__qualname__)
        words.extend(f"{name}={var!r}" for name, var in vars(part).items() if not _is_one_of(var, parts))
    return "\n".join(words)


def _is_one_of(item: object, parts: Parts) -> bool:
    return any(item is part for part in parts)
