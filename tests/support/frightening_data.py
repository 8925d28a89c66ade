"""Text that frightens, printed as data by jobs that run well: 36 ways, 5 phrases each.

A job prints what it works on: samples, prompts, rows, search phrases, commit messages, judged outputs. The
phrases are those of real faults, and nothing of them happens to the job.
"""

from collections.abc import Iterator

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.model.cause_info import about
from babysitter.playbook.load import scenario_files
from babysitter.shipped import shipped
from babysitter.workbench.rule_tests import read_test_files

PHRASES = (
    "CUDA error: out of memory while allocating a tensor",
    "OSError: [Errno 28] No space left on device",
    "the worker was preempted and never came back",
    "connection refused: the controller is unreachable",
    "RuntimeError: NCCL watchdog timeout on rank 3",
)
WAYS = (
    "{info} app.data sample 17: {phrase}",
    "{info} app.data prompt: {phrase}",
    "{info} app.generate Generated text: {phrase}",
    '{{"text": "{phrase}", "label": 3, "lang": "en"}}',
    "{{'id': 4, 'text': '{phrase}', 'tokens': 12}}",
    "{info} app.tokenize tokenizing document 17: {phrase}",
    ">>> {phrase}",
    "+    {phrase}",
    "| 12 | {phrase} | 0.93 |",
    '12,"{phrase}",en',
    "{info} app.search query='{phrase}' hits=3",
    '{info} app.spam classified "{phrase}" as spam (0.93)',
    "{debug} app.data batch[0]['input'] = {phrase}",
    "{info} app.table row 7: [{phrase}] [12] [ok]",
    "{info} app.serve response: {phrase}",
    "{info} app.chat user: {phrase}",
    "{info} app.preference chosen: {phrase}",
    "{info} app.dedup duplicate text removed: {phrase}",
    "{info} app.stats top phrases: [('{phrase}', 12), ('hello world', 9)]",
    "{info} app.eval example 3 of 10 | {phrase} | label=ok",
    "{info} app.git commit message: {phrase}",
    "{info} app.crawl issue title: {phrase}",
    "{info} app.logparse template 4: {phrase}",
    "{info} app.stats longest line: {phrase}",
    '{info} app.crawl page title "{phrase}" url=https://example.org/q/12',
    "{info} app.eval case 12: expected='{phrase}' got='{phrase}'",
    "{info} app.rl reward=0.31 completion={phrase}",
    "Q: {phrase}",
    "{info} app.store writing row id=7 body={phrase}",
    "{info} app.translate 'bonjour' -> '{phrase}'",
    "{info} app.crawl question #123: {phrase}",
    "{info} app.sandbox output of program 12: {phrase}",
    "{info} app.cluster topic 7 (n=120): {phrase}",
    '{info} app.index keyword "{phrase}": 14 documents',
    "{info} app.mail subject: {phrase}",
    "> {phrase}",
)
BEFORE = ("app.main reading configuration", "app.main model built", "app.data opening the first file")


def _header(second: int, level: str = "INFO") -> str:
    return f"2026-11-20 19:00:{second:02d} {level}"


def jobs_that_print_data() -> Iterator[tuple[str, str]]:
    """The log of each such job, with the line that frightens."""
    for way in WAYS:
        for phrase in PHRASES:
            line = way.format(info=_header(9), debug=_header(9, "DEBUG"), phrase=phrase)
            before = [f"{_header(second)} {text}" for second, text in enumerate(BEFORE)]
            yield "\n".join([*before, line]) + "\n", line


def faults(playbook: Playbook, count: int) -> list[str]:
    """Lines of real faults: specimens of signatures that prove a fault, spread over all programs."""
    files, _ = read_test_files(scenario_files([shipped()]))
    lines = sorted(
        {
            line
            for file in files
            for name, specimens in file.specimens.items()
            if (means := playbook.signatures[name].means) is not None
            and means.strength == "proof"
            and not about(means.cause).is_benign
            for line in specimens
            if "\n" not in line
        }
    )
    return lines[:: max(1, len(lines) // count)][:count]


def running_job_with(fault: str) -> str:
    """The log of a job that runs, in which a fault was printed last."""
    before = [f"{_header(second)} {text}" for second, text in enumerate(BEFORE)]
    return "\n".join([*before, fault]) + "\n"
