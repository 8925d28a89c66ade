"""Training lines -> measured values: which step, what loss, how fast.

A line is believed only where a trainer's own report begins: right after logger headers and worker prefixes.
The same words in the middle of a sentence, inside quotes or in a sample of the data are text. What the
losses of a run say together is folded in diagnosis/timeline/measures/loss.py, in any format.
"""

import math
import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.lazy_regex import lazy_regex
from babysitter.model.progress import Progress

MAX_CHARACTERS = 2000  # a report is short; what is longer is data


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One report of a loop. Numbers that the report does not give are None; `loss` may be nan or inf.

    `series`: the format and label, e.g. "tqdm train": reports of one series may be compared with each other.
    `is_training`: optimiser steps, in contrast to loading shards, downloading, evaluating.
    """

    series: str
    step: int | None = None
    total: int | None = None
    loss: float | None = None
    grad_norm: float | None = None
    step_s: float | None = None
    epoch: float | None = None
    is_training: bool = True


def read_step(text: str) -> TrainingStep | None:
    """The report that this line is, or None. Bars redrawn with carriage returns give the last one drawn."""
    if len(text) > MAX_CHARACTERS and "\r" not in text:
        return None
    drawn = text.rstrip("\r\n").rpartition("\r")[2][:MAX_CHARACTERS]
    return _read_drawn(drawn) if _HINT.search(drawn) else None


@lru_cache(maxsize=2048)  # the kind of job, its progress and its losses are each read from the same lines
def _read_drawn(drawn: str) -> TrainingStep | None:
    line = strip_headers(drawn)
    for reader in _READERS:
        if (step := reader(line)) is not None:
            return step
    return None


def progress_of(step: TrainingStep, at: datetime) -> Progress | None:
    """The report as a progress sample; None when it counts nothing."""
    if step.step is None:
        return None
    return Progress(
        stage=step.series.partition(" ")[2] or "train",
        done=step.step,
        total=step.total or 0,
        at=at,
        items_per_s=1 / step.step_s if step.step_s else None,
        loss=step.loss,
    )


def _number(text: str) -> float | None:
    """A number as trainers print it: 1.2e-3, 1,234, nan, -inf, 1.20k; None for anything else."""
    cleaned = text.strip(" '\"$").replace(",", "").replace("_", "")
    factor = 1.0
    if len(cleaned) > 1 and cleaned[-1] in _FACTORS:
        factor, cleaned = _FACTORS[cleaned[-1]], cleaned[:-1]
    try:
        return float(cleaned) * factor
    except ValueError:
        return None


def _whole(text: str | None) -> int | None:
    """A count, also as 1.20k; None for anything that is no finite number."""
    value = _number(text) if text else None
    return int(value) if value is not None and math.isfinite(value) else None


def _pairs(text: str) -> dict[str, float]:
    """Every `name=number` / `name: number` of a report's tail, names in lower case without their folder."""
    found: dict[str, float] = {}
    for name, value in _PAIR.findall(text):
        number = _number(value)
        if number is not None:
            found.setdefault(_NAME_FOLDER.sub("", name.lower()).strip().replace(" ", "_"), number)
    return found


def _named(pairs: dict[str, float], names: tuple[str, ...]) -> float | None:
    return next((pairs[name] for name in names if name in pairs), None)


def _measured(
    series: str, pairs: dict[str, float], step: int | None = None, total: int | None = None
) -> TrainingStep:
    seconds = _named(pairs, ("seconds", "step_time", "iter_time", "iter_time_s", "time_per_step"))
    milliseconds = _named(pairs, ("elapsed_time_per_iteration", "time_ms", "step_time_ms"))
    counted = _named(pairs, ("step", "global_step", "iteration", "num_updates", "trainer_step"))
    return TrainingStep(
        series=series,
        step=step if step is not None else _finite_int(counted),
        total=total,
        loss=_named(pairs, _LOSS_NAMES),
        grad_norm=_named(pairs, ("grad_norm", "gnorm", "gradient_norm", "global_grad_norm", "total_norm")),
        step_s=milliseconds / 1000 if milliseconds is not None else seconds,
        epoch=_named(pairs, ("epoch",)),
    )


def _finite_int(value: float | None) -> int | None:
    return int(value) if value is not None and math.isfinite(value) else None


def _loggable_bar(line: str) -> TrainingStep | None:
    """tqdm_loggable, as Levanter uses it: `Progress on:train 120it/1.00kit rate:2it/s ... loss=3.2`."""
    found = _LOGGABLE.match(line)
    if not found:
        return None
    rate = _RATE.search(line)
    pairs = _pairs(line[rate.end() if rate else found.end() :])  # "2it/s loss=3.2" has no pair "it loss"
    return TrainingStep(
        series=f"bar {found['label'].strip() or 'train'}",
        step=_whole(found["done"]),
        total=_whole(found["total"]),
        loss=_named(pairs, _LOSS_NAMES),
        grad_norm=pairs.get("grad_norm"),
        step_s=_seconds_per_step(rate),
        is_training=_is_training_label(found["label"]),
    )


def _bar(line: str) -> TrainingStep | None:
    """A tqdm bar, with or without a label, a postfix and the picture of the bar."""
    found = _BAR.match(line)
    if not found:
        return None
    label = _LABEL_VALUES.sub("", _EPOCH_NUMBER.sub("Epoch", found["label"].strip(" :"))).strip(" :|")
    pairs = _pairs(found["tail"])
    pairs |= {k: v for k, v in _pairs(found["label"]).items() if k in _LOSS_NAMES}
    loss = _named(pairs, _LOSS_NAMES)
    return TrainingStep(
        series=f"bar {label}".strip(),
        step=_whole(found["done"]),
        total=_whole(found["total"]),
        loss=loss,
        grad_norm=pairs.get("grad_norm"),
        step_s=_seconds_per_step(_RATE.search(found["tail"])),
        is_training=loss is not None or _is_training_label(label),
    )


def _seconds_per_step(rate: re.Match[str] | None) -> float | None:
    if rate is None or not (value := _number(rate["value"])):
        return None
    return value if rate["unit"].startswith("s/") else 1 / value


def _is_training_label(label: str) -> bool:
    return not label.strip() or (bool(_TRAINING_LABEL.search(label)) and not _OTHER_LABEL.search(label))


def _dictionary(line: str) -> TrainingStep | None:
    """The dict that HF Trainer, TRL, accelerate scripts and JSON loggers print, one per report."""
    if not (line.startswith("{") and line.rstrip().endswith("}")):
        return None
    pairs: dict[str, float] = {}
    for name, value in _DICT_PAIR.findall(line):
        if (number := _number(value)) is not None:
            pairs.setdefault(_NAME_FOLDER.sub("", name.lower()), number)
    if _named(pairs, (*_LOSS_NAMES, "grad_norm", "gnorm")) is None or "train_runtime" in pairs:
        return None
    return _measured("dict", pairs)


def _megatron(line: str) -> TrainingStep | None:
    """Megatron's: `iteration 10/ 500 | elapsed time per iteration (ms): 812.3 | lm loss: 7.1E+00 |`."""
    found = _MEGATRON.match(line)
    if not found:
        return None
    return _measured("megatron", _pairs(found["tail"]), _whole(found["done"]), _whole(found["total"]))


def _named_step(line: str) -> TrainingStep | None:
    """`step: 10 loss: 2.3`, `completed step: 4, seconds: 1.2, loss: 8`, `iter 9: loss 3`, `[step 7/90]`.

    Covers MaxText, torchtitan, nanoGPT, NeMo, DeepSpeed, verl and most hand-written loops.
    """
    found = _NAMED_STEP.match(line)
    if not found:
        return None
    pairs = _pairs(found["tail"])
    if not pairs:
        return None
    return _measured("step", pairs, _whole(found["done"]), _whole(found["total"]))


def _counted(line: str) -> TrainingStep | None:
    """Keras: `120/1000 [====>....] - ETA: 1:02 - loss: 0.69`; fairseq: `epoch 001:  12 / 100 loss=9.3`."""
    found = _COUNTED.match(line)
    if not found:
        return None
    return _measured("counted", _pairs(found["tail"]), _whole(found["done"]), _whole(found["total"]))


_READERS = (_loggable_bar, _bar, _dictionary, _megatron, _counted, _named_step)

_FACTORS = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_LOSS_NAMES = (
    "loss",
    "train_loss",
    "lm_loss",
    "reduced_train_loss",
    "avg_loss",
    "total_loss",
    "loss_step",
    "nll_loss",
    "pg_loss",
    "policy_loss",
)
_HINT = lazy_regex(
    r"(?i)\d%|loss|grad_?norm|step|iter|update|progress on|\d/\d"
)  # cheap: most lines end here
_NUM = r"[-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|NaN|NAN|inf|Inf|Infinity)"
_COUNT = r"\d[\d,]*(?:\.\d+)?[kKMGT]?"
_PAIR = lazy_regex(rf"([A-Za-z][\w/. -]{{0,40}}?)(?: \(ms\))?\s*[=:\s]\s*'?({_NUM})(?![\w])")
_DICT_PAIR = lazy_regex(rf"['\"]([\w/. -]{{1,60}})['\"]\s*:\s*['\"]?({_NUM})(?![\w])")
_NAME_FOLDER = lazy_regex(r"^.*/|^\W+")
_UNIT = "(?:it|steps?|batch|samples?|ba)"
_RATE = lazy_regex(rf"(?P<value>\d[\d.,]*[kKM]?)\s*(?P<unit>s/{_UNIT}|{_UNIT}/s)")
_OF = rf"(?P<done>{_COUNT})\s*/\s*(?P<total>{_COUNT}|\?)"

_LOGGABLE = lazy_regex(
    rf"^Progress on:\s?(?P<label>.*?)\s+(?P<done>{_COUNT}|-)\w*/(?P<total>{_COUNT}|\?)\w*\s+rate:"
)
_BAR = lazy_regex(
    r"^(?P<label>[^%]{0,80}?):?\s*(?P<percent>\d{1,3})%\s?(?:\|[^|]{0,120}\||\s*Completed\s*\|)\s*"
    rf"{_OF}\s*(?P<tail>(?:[\[<(].*)?)$"
)
_EPOCH_NUMBER = lazy_regex(r"^[Ee]poch\s*\[?\d+(?:/\d+)?\]?")
# "3|120|Loss: 1.2" would be a new series at every step.
_LABEL_VALUES = lazy_regex(r"(?:[:=]\s*)?\d[\d.,]*|\bnan\b|\|")
_TRAINING_LABEL = lazy_regex(r"(?i)\b(?:train\w*|epoch|steps?|iter\w*|progress|sft|grpo|ppo|dpo|fit|loss)\b")
_OTHER_LABEL = lazy_regex(
    r"(?i)\b(?:eval\w*|valid\w*|load\w*|download\w*|shards?|tokeni\w+|map|captur\w+|test\w*|sampl\w+|generat\w+)\b"
)
_MEGATRON = lazy_regex(rf"^iteration\s+{_OF}\s*\|(?P<tail>.*)$")
_NAMED_STEP = lazy_regex(
    r"^(?:\[?(?:train(?:ing)?|completed|timing|finished)\]?[:,]?\s+)?"
    r"(?:epoch[: =]\s*[\d.]+(?:/\d+)?[\s,|]+)?"
    r"\[?(?:(?:global|train(?:ing)?|optimizer)[ _]?)?(?:steps?|iter(?:ation)?|update|num_updates|epoch)"
    rf"\s*[:=#\[]?\s*(?P<done>{_COUNT})(?:\s*(?:/|of)\s*(?P<total>{_COUNT}))?\]?\s*[:,|;\-]?\s*(?P<tail>.+)$",
    re.IGNORECASE,
)
_COUNTED = lazy_regex(
    rf"^(?:epoch\s+\d+:?\s+)?{_OF}\s+(?:\[[=>.]+\]|[━╸╺ ]{{3,}}|(?=\w*loss=))\s*"
    r"(?P<tail>.*(?:loss|ETA|step).*)$"
)
