"""A small language model that reads what is known of a job and tells which causes and actions fit.

The encoder of all-MiniLM-L6-v2 (a BERT of 6 layers and 384 numbers a piece of a word), trained further on the
labelled incidents and lines of `fixtures/`: `workbench/train_text_model.py`. Weights are stored as signed
bytes, with a scale for each row (docs/learned.md). Reading 200 pieces takes a tenth of a second on one core.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from babysitter.diagnosis.learned.word_pieces import WordPieces
from babysitter.model.learned_weights import TextReading

MODEL_FILE = Path(__file__).with_name("text_model.npz")
HEADS = 12
HEAD_SCALE = 4.0  # of the mean of all pieces before it is classed
NEAR_ZERO = np.float32(1e-12)
NO_WEIGHTS = ("classes", "actions", "pieces", "words")  # words are restored as they are looked up

Array = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]


class TextModel:
    """Weights of the encoder, of classes and actions, and the pieces of words that it knows."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """`arrays`: as `text_model.npz` has them: matrices with `.scale` beside them, vectors, names."""
        self.classes: tuple[str, ...] = tuple(str(name) for name in arrays["classes"])
        self.actions: tuple[str, ...] = tuple(str(name) for name in arrays["actions"])
        pieces = str(arrays["pieces"]).split("\n")
        self.pieces = WordPieces({piece: number for number, piece in enumerate(pieces)})
        self._words: Bytes = arrays["words"].astype(np.int8, copy=False)
        self._words_scale: Array = arrays["words.scale"].astype(np.float32)
        self._weights = {
            name: _restored(arrays, name)
            for name in arrays
            if name not in NO_WEIGHTS and ".scale" not in name
        }
        self._layers = sum(name.endswith(".query.weight") for name in self._weights)

    def read(self, text: str) -> TextReading:
        """The share of each class of causes, of one whole, and of each action."""
        mean = self._encoded(self.pieces.numbers_of(text)).mean(axis=0) * np.float32(HEAD_SCALE)
        return TextReading(
            dict(zip(self.classes, self._shares(mean, "classes"), strict=True)),
            dict(zip(self.actions, self._shares(mean, "actions"), strict=True)),
        )

    def _shares(self, mean: Array, name: str) -> list[float]:
        sums = self._linear(mean, name)
        powers = np.exp(sums - sums.max())
        return [float(share) for share in powers / powers.sum()]

    def _encoded(self, numbers: Sequence[int]) -> Array:
        """One row of 384 numbers for each piece."""
        weights = self._weights
        pieces = self._words[numbers].astype(np.float32) * self._words_scale[numbers][:, None]
        rows = self._normed(pieces + weights["positions"][: len(numbers)], "embedded")
        for layer in range(self._layers):
            rows = self._normed(rows + self._attended(rows, f"{layer}."), f"{layer}.attended")
            wide = _gelu(self._linear(rows, f"{layer}.wide"))
            rows = self._normed(rows + self._linear(wide, f"{layer}.narrow"), f"{layer}.read")
        return rows

    def _attended(self, rows: Array, layer: str) -> Array:
        count, width = rows.shape
        query, key, value = (
            self._linear(rows, f"{layer}{name}").reshape(count, HEADS, -1).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        looks = query @ key.transpose(0, 2, 1) / np.float32(sqrt(width / HEADS))
        powers = np.exp(looks - looks.max(axis=-1, keepdims=True))
        mixed = (powers / powers.sum(axis=-1, keepdims=True)) @ value
        return self._linear(mixed.transpose(1, 0, 2).reshape(count, width), f"{layer}mixed")

    def _linear(self, rows: Array, name: str) -> Array:
        sums: Array = rows @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return sums

    def _normed(self, rows: Array, name: str) -> Array:
        apart = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((apart * apart).mean(axis=-1, keepdims=True) + NEAR_ZERO)
        normed: Array = apart / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def _restored(arrays: Mapping[str, npt.NDArray[Any]], name: str) -> Array:
    """Weights as they are multiplied: inputs in rows."""
    found = arrays[name]
    if found.dtype != np.int8:
        return found.astype(np.float32)
    return np.ascontiguousarray((found.astype(np.float32) * arrays[f"{name}.scale"][:, None]).T)


def _gelu(values: Array) -> Array:
    """values x P(X <= values) of the normal distribution; Abramowitz and Stegun 7.1.26 for the latter."""
    size: Array = np.abs(values) * np.float32(sqrt(0.5))
    part: Array = np.reciprocal(1 + np.float32(0.3275911) * size)
    series: Array = np.full_like(part, 1.061405429, dtype=np.float32)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series *= part
        series += factor
    beyond = series * part * np.exp(-size * size) * np.float32(0.5)
    shares: Array = values * np.where(values < 0, beyond, 1 - beyond)
    return shares


@cache
def shipped_model() -> TextModel:
    """The model that comes with the program."""
    with np.load(MODEL_FILE) as arrays:
        return TextModel({name: arrays[name] for name in arrays.files})


@lru_cache(maxsize=256)
def read_by_shipped_model(text: str) -> TextReading:
    """What the shipped model makes of a text."""
    return shipped_model().read(text)
