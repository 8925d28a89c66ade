"""Labelled incidents and lines -> the text model (docs/learned.md).

The encoder of all-MiniLM-L6-v2 is trained further to name the class of a text: of incidents as
`diagnosis/learned/job_text.py` words them, and of single lines. An hour on two cores for all of them.

Needs torch and transformers, which the extra `train` installs, and the folder of the model as Hugging Face
publishes it.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import cross_entropy, dropout, log_softmax
from transformers import AutoModel

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.job_text import as_line, text_of_job
from babysitter.diagnosis.learned.line_meaning import CONSEQUENCE
from babysitter.diagnosis.learned.text_model import HEAD_SCALE
from babysitter.diagnosis.learned.word_pieces import MAX_PIECES, WordPieces
from babysitter.errors import UserError
from babysitter.model.finding import ActionKind
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import VerdictWeights
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.train_lines import LabelledLine

ALSO_ACCEPTABLE = 0.3  # of a second defensible cause, beside 1 of the first
LINE_WEIGHT = 0.5  # of a line, beside 1 of an incident
ACTION_WEIGHT = 0.5  # of naming the action, beside 1 of naming the cause
LOG_ALONE = 0.3  # of the incidents are also read without state and exit code, as a log in a file
NO_ACTION = -100  # what the loss leaves out: a single line has none
RUNNING, FAILED = JobFacts(state=JobState.RUNNING), JobFacts(state=JobState.FAILED, exit_code=1)
BATCH = 24
RATE = 1.5e-4
HEAD_RATE = 13  # times the rate of the encoder
WARM_UP_STEPS = 100
DROPPED = 0.1  # of the numbers of a mean
PIECES_DROPPED = 0.12  # of the pieces of a text, others each time: no single word should decide
LAYERS = 6
LINEAR = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
}
NORMED = {"attended": "attention.output.LayerNorm", "read": "output.LayerNorm"}


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A text with what it should be classed as. `wanted`: classes with their weights.

    `action`: what should be done; None of a single line.
    """

    text: str
    wanted: dict[str, float]
    weight: float = 1.0
    action: ActionKind | None = None


def examples_of_cases(cases: Iterable[LabelledCase], playbook: Playbook) -> Iterator[TrainingText]:
    """Incidents as the judge puts them to the model; one that it does not put to it is left out."""
    for case in cases:
        first, *others = map(class_of, (case.label.cause, *case.label.also_acceptable))
        wanted = dict.fromkeys(others, ALSO_ACCEPTABLE) | {first: 1.0}
        if text := text_of_case(case, playbook):
            yield TrainingText(text, wanted, action=case.label.action)
        if random.random() < LOG_ALONE and (text := text_of_case(case.as_log_alone(), playbook)):
            yield TrainingText(text, wanted)


def text_of_case(case: LabelledCase, playbook: Playbook) -> str:
    """What the model reads of an incident; "" where the judge does not ask it."""
    evidence, dumps = case.evidence, (case.evidence.thread_dump,)
    examined = examine(evidence.text, playbook, evidence.facts, dumps=dumps, weights=VerdictWeights())
    return examined.findings.reading.text if examined.findings.reading else ""


def examples_of_lines(lines: Iterable[LabelledLine]) -> Iterator[TrainingText]:
    """Single lines, and each as all that is left of a job; of two defensible labels each counts as much."""
    for line in lines:
        wanted = dict.fromkeys(line.labels, 1.0)
        yield TrainingText(as_line(line.text), wanted, LINE_WEIGHT)
        if CONSEQUENCE not in wanted:
            facts = RUNNING if CALM in wanted else FAILED
            yield TrainingText(text_of_job(facts, [line.text]), wanted, LINE_WEIGHT)


class Trainee:
    """The model while it is trained: the encoder, classes and actions on top, and the pieces of words."""

    def __init__(self, base: Path, classes: Sequence[str]) -> None:
        """`base`: a folder with `vocab.txt`, `config.json` and the weights."""
        self.classes = tuple(classes)
        whole = (base / "vocab.txt").read_text(encoding="utf-8").splitlines()
        kept = [number for number, piece in enumerate(whole) if _is_kept(piece)]
        self.vocabulary = [whole[number] for number in kept]
        self.pieces = WordPieces({piece: number for number, piece in enumerate(self.vocabulary)})
        # dropout in attention would double the time of a step on a CPU
        self.encoder = AutoModel.from_pretrained(str(base), attention_probs_dropout_prob=0.0)
        words = self.encoder.embeddings.word_embeddings.weight.detach()[kept]
        self.encoder.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(words, freeze=False)
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, len(self.classes))
        self.actions = tuple(ActionKind)
        self.action_head = torch.nn.Linear(self.encoder.config.hidden_size, len(self.actions))

    def load(self, path: Path) -> None:
        """Go on from a checkpoint that `save` wrote. Raises UserError for other classes."""
        stored = torch.load(path)
        if tuple(stored["classes"]) != self.classes:
            raise UserError(f"{path}: was trained for other classes; train anew without it")
        self.encoder.load_state_dict(stored["enc"])
        self.head.load_state_dict(stored["head"])
        self.action_head.load_state_dict(stored["actions"])

    def average_with(self, path: Path) -> None:
        """Take the mean of these weights and those of a checkpoint that they were trained from."""
        stored = torch.load(path)
        for name, part in (("enc", self.encoder), ("head", self.head), ("actions", self.action_head)):
            own = part.state_dict()
            means = {key: (own[key] + stored[name][key]) / 2 for key in own if own[key].is_floating_point()}
            part.load_state_dict(own | means)

    def save(self, path: Path) -> None:
        """Write a checkpoint with full precision."""
        heads = {"head": self.head.state_dict(), "actions": self.action_head.state_dict()}
        torch.save({"enc": self.encoder.state_dict(), **heads, "classes": list(self.classes)}, path)

    def train(
        self,
        examples: Sequence[TrainingText],
        *,
        epochs: int,
        rate: float = RATE,
        told: Callable[[str], None],
    ) -> None:
        """Run over the examples `epochs` times; the rate rises for 100 steps, then falls to nothing."""
        numbers = [self.pieces.numbers_of(example.text) for example in examples]
        rates = [
            {"params": self.encoder.parameters(), "lr": rate},
            {"params": [*self.head.parameters(), *self.action_head.parameters()], "lr": rate * HEAD_RATE},
        ]
        optimizer = torch.optim.AdamW(rates, weight_decay=0.01)
        steps = max(1, epochs * -(-len(examples) // BATCH))
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, step / WARM_UP_STEPS) * max(0.0, 1 - step / steps)
        )
        self.encoder.train()
        for epoch in range(epochs):
            losses = []
            for batch in _batches([len(found) for found in numbers]):
                read = [_thinned(numbers[place]) for place in batch]
                loss = self._loss([examples[place] for place in batch], read)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                losses.append(loss.item())
            told(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.3f}")
        self.encoder.eval()

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """What `text_model.npz` holds: matrices as signed bytes with a scale for each row."""
        state = self.encoder.state_dict()
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "classes": np.array(self.classes),
            "pieces": np.array("\n".join(self.vocabulary)),
            "classes.weight": self.head.weight.detach().T.contiguous().numpy(),
            "classes.bias": self.head.bias.detach().numpy(),
            "actions": np.array(self.actions),
            "actions.weight": self.action_head.weight.detach().T.contiguous().numpy(),
            "actions.bias": self.action_head.bias.detach().numpy(),
        }
        arrays |= _as_bytes("words", state["embeddings.word_embeddings.weight"])
        of_one_text = state["embeddings.token_type_embeddings.weight"][0]
        positions = state["embeddings.position_embeddings.weight"][:MAX_PIECES] + of_one_text
        arrays["positions"] = positions.numpy()
        arrays |= _normed("embedded", state, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            for name, place in LINEAR.items():
                at = f"encoder.layer.{layer}.{place}"
                arrays |= _as_bytes(f"{layer}.{name}.weight", state[f"{at}.weight"])
                arrays[f"{layer}.{name}.bias"] = state[f"{at}.bias"].numpy()
            for name, place in NORMED.items():
                arrays |= _normed(f"{layer}.{name}", state, f"encoder.layer.{layer}.{place}")
        return arrays

    def _loss(self, examples: Sequence[TrainingText], numbers: Sequence[Sequence[int]]) -> torch.Tensor:
        """How far the classes and the actions are from what is wanted, for a batch of texts."""
        means = self._means(numbers)
        wanted = torch.stack([self._wanted(example) for example in examples])
        weights = torch.tensor([example.weight for example in examples])
        of_classes = -(wanted * log_softmax(self.head(means), -1)).sum(1)
        actions = [
            NO_ACTION if example.action is None else self.actions.index(example.action)
            for example in examples
        ]
        of_actions = cross_entropy(
            self.action_head(means), torch.tensor(actions), ignore_index=NO_ACTION, reduction="none"
        )
        return ((of_classes + ACTION_WEIGHT * of_actions) * weights).mean()

    def _means(self, numbers: Sequence[Sequence[int]]) -> torch.Tensor:
        """One row for each text: the mean of its encoded pieces."""
        longest = max(map(len, numbers))
        pieces = torch.zeros(len(numbers), longest, dtype=torch.long)
        is_piece = torch.zeros(len(numbers), longest, dtype=torch.long)
        for row, found in enumerate(numbers):
            pieces[row, : len(found)] = torch.tensor(found)
            is_piece[row, : len(found)] = 1
        with torch.autocast("cpu", dtype=torch.bfloat16):  # twice as fast where the processor has it
            encoded = self.encoder(input_ids=pieces, attention_mask=is_piece).last_hidden_state.float()
        mean = (encoded * is_piece[..., None]).sum(1) / is_piece.sum(1, keepdim=True)
        return dropout(mean, DROPPED, self.encoder.training) * HEAD_SCALE

    def _wanted(self, example: TrainingText) -> torch.Tensor:
        weights = torch.tensor([example.wanted.get(name, 0.0) for name in self.classes])
        return weights / weights.sum()


def _is_kept(piece: str) -> bool:
    """Whether texts of jobs have such a piece: a fifth of the embeddings are for other scripts."""
    return piece.isascii() and not piece.startswith("[unused")


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts of about the same length together, in random order."""
    places = list(range(len(lengths)))
    random.shuffle(places)
    chunks = [
        sorted(places[start : start + BATCH * 20], key=lambda place: lengths[place])
        for start in range(0, len(places), BATCH * 20)
    ]
    batches = [chunk[start : start + BATCH] for chunk in chunks for start in range(0, len(chunk), BATCH)]
    random.shuffle(batches)
    return iter(batches)


def _thinned(numbers: Sequence[int]) -> list[int]:
    """The pieces of a text without some of them; its first and last mark stay."""
    first, *between, last = numbers
    return [first, *(number for number in between if random.random() >= PIECES_DROPPED), last]


def _as_bytes(name: str, matrix: torch.Tensor) -> dict[str, npt.NDArray[np.generic]]:
    scale = matrix.abs().amax(1).clamp_min(1e-12) / 127
    rounded = torch.round(matrix / scale[:, None]).to(torch.int8)
    return {name: rounded.numpy(), f"{name}.scale": scale.numpy()}


def _normed(name: str, state: dict[str, torch.Tensor], at: str) -> dict[str, npt.NDArray[np.generic]]:
    return {f"{name}.{part}": state[f"{at}.{part}"].numpy() for part in ("weight", "bias")}
