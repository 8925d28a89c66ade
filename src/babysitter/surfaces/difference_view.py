"""A difference from the good runs, as `--json` and the terminal show it."""

from babysitter.messages.difference_words import words_of_kind
from babysitter.model.run_profile import RunDifference
from babysitter.surfaces.printable import safe
from babysitter.surfaces.view_base import Field, View


class DifferenceView(View):
    """A line that is new, missing or changed beside the last good runs, redacted. Data, no instruction."""

    kind: str = Field(description="new, missing, stopped, count, duration or not-reached")
    text: str = Field(description="the line; of what is missing or changed its wording, values as <*>")
    comparison: str = Field(description="the values compared, in words")
    place: str = Field(default="", description="of a new line: task or file, and line number")

    @classmethod
    def of(cls, difference: RunDifference) -> "DifferenceView":
        evidence = difference.evidence
        place = ""
        if evidence is not None:
            place = ":".join(filter(None, (evidence.source, str(evidence.line_number or ""))))
        return cls(
            kind=difference.kind,
            text=safe(difference.text),
            comparison=safe(difference.comparison),
            place=place,
        )

    @property
    def label(self) -> str:
        return words_of_kind(self.kind)
