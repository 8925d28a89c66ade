"""Lines become the profile of a run: counted by wording, whatever their order.

Wordings that differ in one word are kept apart while few do (names of stages). Once many do, the word is a
value: they become one template.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.last_good.wording import ANY, WILD, read_wording
from babysitter.model.log import LogLevel, LogLine
from babysitter.model.run_profile import LineTemplate, RunProfile

MAX_TEMPLATES = 400  # of a text
MAX_TEMPLATES_OF_WATCH = 120  # stored with the watch at every check
MAX_EXAMPLE = 240  # characters
CLOSING_LINES = 8
VARIANTS = 8  # so many values of one word make it a value; fewer may be names of stages (guess)

Wording = tuple[str, ...]
_SEVERITY = {level: rank for rank, level in enumerate(LogLevel)}
_SEVERITY[LogLevel.UNKNOWN] = -1


@dataclass(slots=True)
class TemplateTable:
    """Templates by wording, with those that differ from each other in one word."""

    by_words: dict[Wording, LineTemplate] = field(default_factory=dict)
    _variants: dict[Wording, set[Wording]] = field(default_factory=dict)  # one word wild -> wordings
    _wild: dict[int, list[Wording]] = field(default_factory=dict)  # merged templates by length

    @classmethod
    def of(cls, templates: Sequence[LineTemplate]) -> "TemplateTable":
        table = cls()
        for template in templates:
            table.by_words[template.words] = template
            table._note_variants(template.words)
        return table

    def find(self, words: Wording) -> Wording | None:
        """The wording under which these words are counted."""
        if words in self.by_words:
            return words
        return next((wild for wild in self._wild.get(len(words), ()) if matches(wild, words)), None)

    def add(self, template: LineTemplate) -> None:
        """Count a line; wordings of which too many differ in one word become one."""
        words = self.find(template.words)
        if words is not None:
            self.by_words[words] = joined(self.by_words[words], template)
            return
        self.by_words[template.words] = template
        self._note_variants(template.words)
        merged = next(
            (key for key in variant_keys(template.words) if len(self._variants[key]) >= VARIANTS), None
        )
        if merged is not None:
            self._merge(merged)

    def _note_variants(self, words: Wording) -> None:
        for key in variant_keys(words):
            self._variants.setdefault(key, set()).add(words)
        if ANY in words:
            self._wild.setdefault(len(words), []).append(words)

    def _merge(self, key: Wording) -> None:
        parts = sorted(
            (self.by_words[words] for words in self._variants[key]),
            key=lambda line_template: line_template.first_place,
        )
        for part in parts:
            self.remove(part.words)
        template = replace(parts[0], words=key)
        for part in parts[1:]:
            template = joined(template, part)
        known = self.by_words.get(key)
        self.by_words[key] = template if known is None else joined(known, template)
        self._note_variants(key)

    def remove(self, words: Wording) -> None:
        del self.by_words[words]
        for key in variant_keys(words):
            self._variants[key].discard(words)
        if words in self._wild.get(len(words), ()):
            self._wild[len(words)].remove(words)


def add_lines(profile: RunProfile, lines: Sequence[LogLine], *, at_most: int = MAX_TEMPLATES) -> RunProfile:
    """Return the profile with these lines, which follow those counted so far."""
    if not lines:
        return profile
    table = TemplateTable.of(profile.templates)
    place, first_s, last_s = profile.lines, profile.first_at_s, profile.last_at_s
    closing = list(profile.closing)
    for line in lines:
        at_s = line.at_ms / 1000
        first_s, last_s = first_s or at_s, max(last_s, at_s)
        words = read_wording(line.text)
        if words:
            table.add(_template(line, words, place, at_s))
            closing.append(words)
            del closing[:-CLOSING_LINES]
        place += 1
    return replace(
        profile,
        lines=place,
        first_at_s=first_s,
        last_at_s=last_s,
        templates=_bounded(table, at_most),
        closing=tuple(closing),
    )


def _template(line: LogLine, words: Wording, place: int, at_s: float) -> LineTemplate:
    return LineTemplate(
        words,
        first_place=place,
        last_place=place,
        first_at_s=at_s,
        last_at_s=at_s,
        level=read_frame(line.text).level,
        example=line.text.strip()[:MAX_EXAMPLE],
        source=line.task,
    )


def joined(before: LineTemplate, again: LineTemplate) -> LineTemplate:
    """A template with later lines of the same wording."""
    gap_s = again.first_at_s - before.last_at_s if again.first_at_s and before.last_at_s else 0.0
    count = before.count + again.count
    return replace(
        before,
        count=count,
        last_place=max(before.last_place, again.last_place),
        last_at_s=max(before.last_at_s, again.last_at_s),
        longest_gap_s=max(before.longest_gap_s, again.longest_gap_s, gap_s),
        longest_gap_places=max(
            before.longest_gap_places, again.longest_gap_places, again.first_place - before.last_place
        ),
        level=max(before.level, again.level, key=lambda level: _SEVERITY[level]),
    )


def _bounded(table: TemplateTable, at_most: int) -> tuple[LineTemplate, ...]:
    """At most so many templates; those printed least, and longest ago, are dropped."""
    templates = sorted(
        table.by_words.values(), key=lambda template: (template.count > 1, template.last_place)
    )
    kept = templates[-at_most:] if len(templates) > at_most else templates
    return tuple(sorted(kept, key=lambda template: template.first_place))


def variant_keys(words: Wording) -> list[Wording]:
    """The wording with each of its words made wild in turn."""
    if len(words) < 2:
        return []
    return [
        (*words[:place], ANY, *words[place + 1 :])
        for place, word in enumerate(words)
        if word not in (WILD, ANY)
    ]


def matches(template: Wording, words: Wording) -> bool:
    """Whether a template with wild words covers these words."""
    return len(template) == len(words) and all(
        mine in (ANY, other) for mine, other in zip(template, words, strict=True)
    )
