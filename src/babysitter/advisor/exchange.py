"""Questions and answers as files in a folder, for any reader: nothing is sent, nothing waits.

`<fingerprint>.request.md` is written for each question. `<fingerprint>.answer.json`, when somebody has put it
there, is read. Nothing else is written into the folder, and no symbolic link is followed.
"""

import errno
import json
import os
import stat
from pathlib import Path

from babysitter.advisor.answer_schema import read_answer
from babysitter.advisor.consultation import Consultation
from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.advisor.verify import verify
from babysitter.errors import UserError
from babysitter.model.opinion import NoOpinion, Opinion

MAX_ANSWER_BYTES = 64 * 1024
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


class ExchangeFolder:
    """A folder of requests and answers."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if it is not there. Raises UserError if that is not possible."""
        self._folder = folder.expanduser()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=_FOLDER_MODE)
        except OSError as fault:
            raise _unusable(self._folder, fault) from fault

    async def consult(self, question: Question, _material: Material) -> Consultation:
        """Write the request, and return the opinion if its answer is there already. Safe to repeat.

        Raises UserError if the folder cannot be written.
        """
        self._write(question)
        answer = self._read(question.fingerprint)
        return Consultation(answer if isinstance(answer, NoOpinion) else _checked(answer, question))

    def _write(self, question: Question) -> None:
        path = self._folder / f"{question.fingerprint}.request.md"
        content = question.text.encode("utf-8", "replace")
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            with os.fdopen(os.open(path, flags, _FILE_MODE), "r+b") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise OSError(errno.EINVAL, "it is not a regular file")
                if file.read(len(content) + 1) != content:
                    file.seek(0)
                    file.truncate()
                    file.write(content)
        except OSError as fault:
            raise _unusable(path, fault) from fault

    def _read(self, fingerprint: str) -> object:
        """The parsed answer, or why there is none."""
        name = f"{fingerprint}.answer.json"
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            with os.fdopen(os.open(self._folder / name, flags), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return NoOpinion(f"{name} is not a regular file.")
                content = file.read(MAX_ANSWER_BYTES + 1)
        except FileNotFoundError:
            return NoOpinion(
                f"{name} is not there yet. Write it beside {fingerprint}.request.md, which has the question."
            )
        except OSError as fault:
            if fault.errno == errno.ELOOP:
                return NoOpinion(f"{name} is a symbolic link, which is not followed.")
            return NoOpinion(f"{name} cannot be read: {fault.strerror}.")
        if len(content) > MAX_ANSWER_BYTES:
            return NoOpinion(f"{name} is larger than {MAX_ANSWER_BYTES // 1024} KiB. Shorten it.")
        if not content.strip():
            return NoOpinion(f"{name} is empty.")
        try:
            return json.loads(content.decode("utf-8-sig"))  # some editors begin a file with a mark
        except json.JSONDecodeError as fault:
            return NoOpinion(
                f"{name} is not JSON from line {fault.lineno}, column {fault.colno} on. "
                "It must hold one JSON object and nothing else."
            )
        except UnicodeDecodeError:
            return NoOpinion(f"{name} is not in UTF-8. Write it again in this encoding.")
        except (ValueError, RecursionError):
            return NoOpinion(f"{name} is not JSON. It must hold one JSON object and nothing else.")


def _checked(value: object, question: Question) -> Opinion | NoOpinion:
    answer = read_answer(value, fingerprint=question.fingerprint)
    if isinstance(answer, NoOpinion):
        return answer
    return verify(answer, question.pack, fingerprint=question.fingerprint)


def _unusable(path: Path, fault: OSError) -> UserError:
    return UserError(
        f"{path} cannot be used for the exchange with a reader: {fault.strerror}.",
        next_step="Name a folder that you can write to.",
    )
