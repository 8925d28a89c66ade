"""What an agent reads when a tool refuses: tools and arguments in place of commands and options.

The services name the command line's words in their errors. An agent has only the tools, so the words are
translated; a next step that only a person can take is handed to the person.
"""

import re

from babysitter.errors import BabysitError

FOR_A_PERSON = "Tell the person: this needs a change of babysit's set-up, which no tool makes."

_TOOL_OF_COMMAND = {
    "list": "list_watches",
    "status": "watch_status",
    "start": "start_watch",
    "wait": "wait",
    "explain": "explain",
    "propose": "propose",
    "diagnose": "diagnose",
    "classify": "classify_text",
    "report": "incidents",
    "doctor": "process_status",
}
_ARGUMENT_OF_OPTION = ("resubmit", "workdir", "cluster", "why", "why-not", "until", "kind", "state")
_SHELL = re.compile(
    r"`(?:babysit|iris|gcloud|pip|fuser)\b|(?<![\w-])--?[a-zA-Z][\w-]*|\$?BABYSIT_\w+|\bpip install\b"
)


def refusal(fault: BabysitError) -> str:
    """Return what went wrong and the next step, in the words of the tools."""
    return " ".join(filter(None, (in_words_of_tools(fault.sentence), _next_step(fault.next_step))))


def in_words_of_tools(text: str) -> str:
    """Return the text with every command and option that has a tool or an argument named as that."""
    text = re.sub(r"\bRun (?=`babysit )", "Call ", text)
    text = re.sub(r"`babysit ([a-z]+)(?: ([^`]*))?`", _tool, text)
    text = re.sub(r"`iris job list`", "`list_jobs`", text)
    return re.sub(r"(?<![\w-])--([a-z-]+)(?: [A-Z]{2,}\b)?", _argument, text)


def _tool(command: re.Match[str]) -> str:
    name, rest = command[1], (command[2] or "").strip()
    tool = _TOOL_OF_COMMAND.get(name)
    if tool is None:
        return command[0]
    if not rest or rest.startswith("-"):
        return f"`{tool}`" + (f" with {in_words_of_tools(rest)}" if rest else "")
    return f"`{tool}` of {rest}"


def _argument(option: re.Match[str]) -> str:
    return f"`{option[1].replace('-', '_')}`" if option[1] in _ARGUMENT_OF_OPTION else option[0]


def _next_step(text: str) -> str:
    """The sentences that an agent can follow; one hand-over to the person instead of all the others."""
    sentences = re.split(r"(?<=[.!?;]) +", in_words_of_tools(text)) if text else []
    kept = [sentence for sentence in sentences if not _SHELL.search(sentence)]
    if len(kept) == len(sentences):
        return " ".join(sentences)
    told = " ".join([*kept, FOR_A_PERSON])
    return told[0].upper() + told[1:]
