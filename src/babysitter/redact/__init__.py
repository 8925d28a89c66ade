"""What may leave the machine: `redact` takes secrets out of a text, `neutral` what would deceive the eye.

Everything that is posted, shown, stored, sent to a model or written into a recording goes through here. It
errs on the side of taking too much out of a value and nothing out of its surroundings. Five tables say what
is secret: `kinds.py` (tokens that say themselves what they are), `names.py` (words of settings' names),
`named.py` (ways of writing a setting down), `command_arguments.py` (arguments of programs) and
`value_shapes.py` (what is not a secret under any name).
"""

from babysitter.redact.neutral import strip_control_characters
from babysitter.redact.redaction import redact, redact_lines
from babysitter.redact.structures import redact_value
from babysitter.redact.text_spans import REDACTED

__all__ = ["REDACTED", "redact", "redact_lines", "redact_value", "strip_control_characters"]
