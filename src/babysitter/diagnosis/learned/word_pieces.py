"""Text -> the pieces of words that the text model knows, as BERT splits them (arXiv:1810.04805, uncased)."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

MAX_PIECES = 224  # read of one text
FIRST_PIECES = 80  # of a longer one, the rest from its end
MAX_WORD_CHARACTERS = 100  # of a longer word nothing is known
UNKNOWN = "[UNK]"
_WORD = re.compile(r"\w+|[^\w\s]")
_ALONE = re.compile(r"_|[\u3400-\u9fff\uf900-\ufaff]")  # stand alone though letters stand beside them


class WordPieces:
    """The pieces that are known, by their numbers. A piece within a word begins with `##`."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._of_word = lru_cache(maxsize=20_000)(self._pieces)

    def numbers_of(self, text: str) -> list[int]:
        """The pieces that are read of a text, between two marks: of a long text its first and its last."""
        found, most = self.split(text), MAX_PIECES - 2
        if len(found) > most:
            found = found[:FIRST_PIECES] + found[-(most - FIRST_PIECES) :]
        return [self._numbers["[CLS]"], *found, self._numbers["[SEP]"]]

    def split(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, in order."""
        return [number for word in _words(text) for number in self._of_word(word)]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """The longest known piece, then the longest of what is left; unknown where something is left over."""
        if len(word) > MAX_WORD_CHARACTERS:
            return (self._numbers[UNKNOWN],)
        found, at = [], 0
        while at < len(word):
            begin = "##" if at else ""
            for end in range(len(word), at, -1):
                number = self._numbers.get(begin + word[at:end])
                if number is not None:
                    found.append(number)
                    at = end
                    break
            else:
                return (self._numbers[UNKNOWN],)
        return tuple(found)


def _words(text: str) -> Iterator[str]:
    """Words in lower case without accents, and each sign by itself."""
    plain = text.lower()
    if not plain.isascii():
        plain = "".join(
            character
            for character in unicodedata.normalize("NFD", plain)
            if not unicodedata.combining(character)
        )
    return iter(_WORD.findall(_ALONE.sub(r" \g<0> ", plain)))
