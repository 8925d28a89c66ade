"""Spans of a message that repeat text the job works on: samples, prompts, answers, documents."""

import re
from functools import lru_cache

MAX_CHARACTERS = 4000

# Names of things that hold text. What stands behind such a name is that text.
TEXT_NAMES = (
    "text|content|prompt|completion|response|instruction|question|answer|title|body|document|doc|passage|headline|"
    "abstract|generated|generation|generated_text|output_text|message_text|caption|comment|snippet|raw_text|"
    "input_text|target_text|observation|trajectory|problem|problem_statement|reasoning|reasoning_content|thought|"
    "tool_output|tool_result|tool_response|chosen|rejected|article|story|review|premise|hypothesis|utterance|"
    "transcript|sentence|excerpt|preview|sample|example|query|summary|translation|paragraph|post|tweet|email|quote|"
    "phrase|keyword|ngram|lyrics|label|subject|decoded|detokenized|tokenized|reference|gold|page|chunk"
)
_DATA = re.compile(
    # {"text": "..."} and text='...', the value to its closing mark or to the end
    rf"(?<![\w-])[\"']?(?:\w{{1,20}}_)?(?:{TEXT_NAMES})s?[\"']?\s?(?:[:=]|=>|->)\s?(?:[bur]?(?P<mark>[\"']))"
    r"(?P<value>(?:(?!(?P=mark))[^\\]|\\.|(?<=\w)'(?=\w)){0,4000})"
    # sample 3: "...", document #12 = '...', dedup group 9 keeps "..."
    rf"|(?<![\w-])(?:{TEXT_NAMES}|group|cluster|bucket|candidate|rollout|episode|row|record)s?\b"
    r"[ _#\w\[\]()/,.-]{0,40}?(?:[:=>]|\b(?:keeps?|kept|drops?|dropped|says|said|wrote|reads))\s*"
    r"(?P<mark2>[\"'“])(?P<value2>[^\"”]{3,4000})"
    # [doc 88] ..., and lists of names
    rf"|\[(?:{TEXT_NAMES}|row|record) ?[#:]?\d+\] (?P<value4>\S.*)"
    r"|\b(?:names|classes|labels|categories|keywords|topics|tags|stop_?words|vocab\w*)\b ?[:=] ?"
    r"(?P<value5>[\[{(].*)"
    # chat markup, and what follows it
    r"|(?P<value3><\|(?:im_start|im_end|endoftext|user|assistant|system|begin_of_text|eot_id|"
    r"start_header_id)\|>.*)",
    re.IGNORECASE | re.DOTALL,
)


_VALUES = tuple(name for name in _DATA.groupindex if name.startswith("value"))


@lru_cache(maxsize=512)
def find_data_spans(message: str) -> tuple[tuple[int, int], ...]:
    """First and end of each span that is text of the job's data, in order."""
    text = message[:MAX_CHARACTERS]
    if not any(mark in text for mark in ("'", '"', "“", "<|", "[", "{", "(")):
        return ()
    spans = []
    for found in _DATA.finditer(text):
        name = next(name for name in _VALUES if found[name] is not None)
        spans.append(found.span(name))
    return tuple(spans)
