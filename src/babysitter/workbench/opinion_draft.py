"""A signature drafted from a second opinion: its true quotes become lines and specimens.

The answer is untrusted. Only quotes that stand in the log are taken, their templates are made here, and the
explanation is one bounded line of text. A draft that does not pass lint and its own specimens is not shown.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from babysitter.advisor.evidence_pack import normalised
from babysitter.errors import BadPlaybook, UserError
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.opinion import Opinion
from babysitter.redact import redact, strip_control_characters
from babysitter.shipped import shipped
from babysitter.workbench.playbook_tools import trial
from babysitter.workbench.rule_scaffold import DraftWords, draft_signature, name_of

MAX_EXPLANATION = 300  # characters
MIN_QUOTE = 12  # characters of a quote by which a line of the log is found again
STRENGTH = "hint"  # an opinion suspects; a person may raise it
_OWN_PREFIX = re.compile(r"^(?:\d\d:\d\d:\d\d )?(?:\[[^\]\s]*\] )?")  # of the lines that a reader is shown


def draft_from_opinion(
    opinion: Opinion, log: Sequence[str], incident: str, *, program: str, name: str
) -> str:
    """A signature file that passes lint and its own specimens. Raises UserError where none can be made."""
    if opinion.cause is Cause.UNKNOWN or about(opinion.cause).is_benign:
        raise UserError(
            f"The opinion on {incident} is {opinion.cause}, for which no signature helps.",
            next_step="Leave --advise out, and name the cause with --cause.",
        )
    decisive = quoted_lines(opinion, log)
    if not decisive:
        raise UserError(
            f"The opinion on {incident} quotes no line of the log that is still kept.",
            next_step="Leave --advise out, or give the log as FILE:LINE.",
        )
    words = DraftWords(
        explain=_one_line(opinion.explanation),
        source=f"incident {incident}, from a second opinion that nobody has checked yet",
        strength=STRENGTH,
    )
    content = draft_signature(program, name or name_of(decisive[0]), decisive, opinion.cause, words)
    if faults := faults_of(content, program):
        raise UserError(
            f"No draft that holds can be made from the opinion on {incident}: {faults[0]}",
            next_step="Leave --advise out, and complete a draft by hand.",
        )
    return content


def quoted_lines(opinion: Opinion, log: Sequence[str]) -> list[str]:
    """The lines of the log that the opinion quotes, in its order; other quotes are left out."""
    plain = [normalised(line) for line in log]
    found: list[str] = []
    for quote in opinion.quotes:
        text = normalised(_OWN_PREFIX.sub("", quote.text))
        if quote.line.startswith("L") and len(text) >= MIN_QUOTE:
            found += [line for line, known in zip(log, plain, strict=True) if text in known][:1]
    return list(dict.fromkeys(found))


def faults_of(content: str, program: str) -> list[str]:
    """What is wrong with a draft, its specimens tried with all rules in force."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "draft.yaml"
        path.write_text(content, encoding="utf-8")
        try:
            failed = trial([path]).failed  # reads it as lint does
        except BadPlaybook as fault:
            return [line.replace(f"{path}:", "line ") for line in fault.sentence.splitlines()]
        return [
            f"{test_result.name}: {test_result.trouble}"
            for test_result in failed
            if test_result.name.startswith(program)
        ]


def refuse_folder_in_force(folder: Path, playbooks: Sequence[Path]) -> None:
    """Raises UserError for a folder whose files the service reads: a draft is switched on by a person."""
    for place in (shipped(), *playbooks):
        in_force = place.expanduser().resolve()
        if folder.resolve() == in_force or in_force in folder.resolve().parents:
            raise UserError(
                f"The rules in {folder} are in force, and nobody has read this draft yet.",
                next_step="Write it elsewhere with --to, and move it there when you have read it.",
            )


def _one_line(text: str) -> str:
    """Foreign text as one bounded line in which no capture is named."""
    line = " ".join(strip_control_characters(redact(text)).split())[:MAX_EXPLANATION]
    return line.replace("{", "(").replace("}", ")") or "A second opinion gave no reason."
