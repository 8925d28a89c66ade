"""A recording on disk: a folder of a cluster's raw answers, with their times.

    scenario.yaml                     job_id, and in words what was run
    index.jsonl                       one line per answer or note; `t` = seconds since the start
    wire/<sample>-<Method>[-..].request.json    path, body, http_status, at_epoch_ms, elapsed_ms
    wire/<sample>-<Method>[-..].response.json   the raw body; http_status null: the client's error text

Samples follow each other in the order of their times. A file may be overwritten by a later answer of the
same name, so one sample can hold answers from two moments: what lies apart is played apart.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from babysitter.errors import BadConfig
from babysitter.model.ids import JobId

APART_MS = 2500  # answers of one sample that came later than this after the one before are another step
MAX_FILE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """One recorded question and what came back. `status` None = no answer; then `text` says why."""

    sample: str
    path: str
    body: Mapping[str, object]
    status: int | None
    text: str
    at_ms: int
    elapsed_ms: float = 0.0

    @property
    def method(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def json(self) -> object | None:
        """The decoded body; None when it is no JSON."""
        try:
            decoded: object = json.loads(self.text)
        except ValueError:
            return None
        return decoded

    @property
    def ends_ms(self) -> float:
        return self.at_ms + self.elapsed_ms


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """Answers that came together: one look at the cluster."""

    sample: str
    answers: tuple[RecordedResponse, ...]
    t_s: float  # since the start of the recording, not stretched

    @property
    def at_ms(self) -> float:
        return max(answer.ends_ms for answer in self.answers)


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recording, in time order. `refusal`: what the submission said when the cluster refused it."""

    folder: Path
    root: JobId
    started_ms: float
    steps: tuple[RecordedStep, ...]
    refusal: str = ""

    @property
    def generation(self) -> str:
        """april, may, august or ray, by the calls that were answered."""
        answered = {answer.path for step in self.steps for answer in step.answers if answer.status == 200}
        if any(path.startswith("/ray/") for path in answered):
            return "ray"
        if any(path.endswith("/GetTaskLogs") or path.startswith("/iris.logging.") for path in answered):
            return "april"
        if any(path.startswith("/finelog.") for path in answered):
            return "may"
        return "unknown"


def read_recording(folder: Path) -> Recording:
    """Everything in a recording's folder. Raises BadConfig when it is none."""
    wire = folder / "wire"
    if not wire.is_dir():
        raise BadConfig(
            f"{folder} is not a recording: it has no folder 'wire'.",
            next_step="Give a folder that `babysit record` wrote: scenario.yaml, index.jsonl, wire/.",
        )
    answers = sorted(
        (answer for path in wire.glob("*.request.json") if (answer := _read_answer(path)) is not None),
        key=lambda answer: answer.at_ms,
    )
    if not answers:
        raise BadConfig(f"{folder} holds no answers that can be played: no wire/*.request.json with a time.")
    root = _root_of(folder, answers)
    started_ms = _started_ms(folder, answers)
    return Recording(folder, root, started_ms, _steps(answers, started_ms), _refusal(folder))


def _read_answer(path: Path) -> RecordedResponse | None:
    response = path.with_name(path.name.removesuffix(".request.json") + ".response.json")
    if path.stat().st_size > MAX_FILE_BYTES or not response.exists():
        return None
    try:
        asked = json.loads(path.read_text(encoding="utf-8"))
        status, at_ms = asked.get("http_status"), asked.get("at_epoch_ms")
        if not isinstance(at_ms, int | float) or not isinstance(asked.get("path"), str):
            return None
        if response.stat().st_size > MAX_FILE_BYTES:
            return None
        return RecordedResponse(
            sample=_sample_of(path.name, asked["path"]),
            path=asked["path"],
            body=asked.get("body") if isinstance(asked.get("body"), dict) else {},
            status=status if isinstance(status, int) else None,
            text=response.read_bytes().decode(errors="replace"),  # carriage returns stay
            at_ms=int(at_ms),
            elapsed_ms=float(asked.get("elapsed_ms") or 0.0),
        )
    except (ValueError, AttributeError):
        return None


def _sample_of(name: str, path: str) -> str:
    """ "zz-final-ListJobs-x.request.json" -> "zz-final": what stands before the method's name."""
    before, found, _ = name.partition(f"-{path.rpartition('/')[2]}")
    return before if found else name.partition("-")[0]


def _root_of(folder: Path, answers: list[RecordedResponse]) -> JobId:
    """The job that the scenario names, else the shortest that was asked for."""
    try:
        told = yaml.safe_load((folder / "scenario.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        told = None
    job = told.get("job_id") if isinstance(told, dict) else None
    is_ray = all(answer.path.startswith("/ray/") for answer in answers)
    if isinstance(job, str) and job and (is_ray or job.startswith("/")):
        return JobId(job)
    asked = [job for answer in answers if isinstance(job := answer.body.get("jobId"), str)]
    for answer in answers:
        query = answer.body.get("query")
        if isinstance(query, dict) and isinstance(query.get("jobIdPrefix"), str):
            asked.append(query["jobIdPrefix"])
    full = [job for job in asked if re.fullmatch(r"/[^/]+/.+", job)]
    if not full:
        raise BadConfig(
            f"{folder} does not say which job it is about.",
            next_step="Add job_id: /user/job to scenario.yaml.",
        )
    return JobId(min(full, key=len))


def _started_ms(folder: Path, answers: list[RecordedResponse]) -> float:
    """When the recording began: the index gives seconds since then for an answer whose time is known."""
    first = answers[0]
    try:
        lines = (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return float(first.at_ms)
    starts = []
    at_of = {(answer.sample, answer.method): answer for answer in answers}
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if not isinstance(entry, dict) or entry.get("kind") != "wire":
            continue
        sample, t_s = entry.get("sample"), entry.get("t")
        method = str(entry.get("call", "")).removeprefix(f"{sample}-")
        answer = at_of.get((str(sample), method))
        if answer is not None and isinstance(t_s, int | float):
            starts.append(answer.ends_ms - t_s * 1000)
    starts.sort()
    return min(starts[len(starts) // 2], float(first.at_ms)) if starts else float(first.at_ms)


def _steps(answers: list[RecordedResponse], started_ms: float) -> tuple[RecordedStep, ...]:
    groups: list[list[RecordedResponse]] = []
    for answer in answers:
        group = groups[-1] if groups else None
        is_new = (
            group is None or group[-1].sample != answer.sample or answer.at_ms - group[-1].ends_ms > APART_MS
        )
        if is_new or group is None:
            groups.append([answer])
        else:
            group.append(answer)
    return tuple(
        RecordedStep(
            group[0].sample,
            tuple(group),
            round((max(answer.ends_ms for answer in group) - started_ms) / 1000, 1),
        )
        for group in groups
    )


def _refusal(folder: Path) -> str:
    """What `iris job run` printed when it failed to submit; "" when it did not, or was not recorded."""
    for path in sorted((folder / "cli").glob("*job-run.txt")) if (folder / "cli").is_dir() else ():
        text = path.read_text(encoding="utf-8", errors="replace")
        code = re.search(r"^(?:---\s*)?(?:exit|rc|returncode)\D{0,12}(\d+)", text, re.MULTILINE)
        if code and code[1] != "0":
            return text
    return ""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Every recorded second takes `factor` seconds: times of answers, in answers, and inside lines."""

    started_ms: float
    factor: float = 1.0

    def moment(self, at_ms: float) -> datetime:
        return datetime.fromtimestamp(self.ms(at_ms) / 1000, UTC)

    def ms(self, at_ms: float) -> float:
        return self.started_ms + (at_ms - self.started_ms) * self.factor

    def answer(self, raw: object) -> object:
        """A decoded answer with all its times stretched."""
        if self.factor == 1.0:
            return raw
        if isinstance(raw, list):
            return [self.answer(item) for item in raw]
        if not isinstance(raw, dict):
            return raw
        stretched = {key: self.answer(value) for key, value in raw.items()}
        if isinstance(text := stretched.get("data"), str):
            stretched["data"] = self.line(text)
        epoch = stretched.get("epochMs")
        if isinstance(epoch, str | int) and str(epoch).isdigit() and int(epoch):
            stretched["epochMs"] = str(round(self.ms(int(epoch))))
        return stretched

    def line(self, text: str) -> str:
        """A log line with the time at its beginning stretched."""
        for pattern, form in _LINE_TIMES:
            if found := pattern.match(text):
                return self._restamped(text, found, form)
        return text

    def _restamped(self, text: str, found: re.Match[str], form: str) -> str:
        try:
            inside = datetime.strptime(found["stamp"], form).replace(tzinfo=UTC)
        except ValueError:
            return text
        offset = timedelta(milliseconds=int((found["ms"] or "0").ljust(3, "0")[:3]))
        moved = self.moment((inside + offset).timestamp() * 1000)
        stamp = moved.strftime(form) + (
            f"{found['mark']}{moved.microsecond // 1000:03d}" if found["ms"] else ""
        )
        return text[: found.start("stamp")] + stamp + text[found.end() :]


_LINE_TIMES = (
    (
        re.compile(r"[DIWEF](?P<stamp>\d{8} \d\d:\d\d:\d\d)(?:(?P<mark>[.,])(?P<ms>\d{3,6}))?"),
        "%Y%m%d %H:%M:%S",
    ),
    (
        re.compile(r"\[?(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:(?P<mark>[.,])(?P<ms>\d{3,6}))?"),
        "%Y-%m-%d %H:%M:%S",
    ),
    (
        re.compile(r"\[?(?P<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:(?P<mark>[.,])(?P<ms>\d{3,6}))?"),
        "%Y-%m-%dT%H:%M:%S",
    ),
)
