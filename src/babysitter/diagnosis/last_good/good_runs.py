"""The good runs of a program, put together: what they print, how often, and how they end."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.last_good.build_profile import TemplateTable, Wording, matches, variant_keys
from babysitter.diagnosis.last_good.wording import ANY, WILD
from babysitter.model.log import LogLevel
from babysitter.model.run_profile import LineTemplate, RunProfile

MIN_ALIKE = 0.7  # share of the words in which a line may be another's variant
DENSE = 0.3  # share of its stretch from which a line is the work there; a sparser one may come at random
_MILD = frozenset({LogLevel.UNKNOWN, LogLevel.INFO, LogLevel.DEBUG})


class GoodRuns:
    """One or more good runs, the newest first. Not changed after it is made; its answers are remembered."""

    def __init__(self, profiles: Sequence[RunProfile]) -> None:
        self.profiles = tuple(profiles)
        self._tables = [TemplateTable.of(run_profile.templates) for run_profile in self.profiles]
        self._by_length: dict[int, list[Wording]] = {}
        self._variants: dict[Wording, int] = {}
        for words in dict.fromkeys(self._known_wordings()):  # in their order, so that ties end alike
            self._by_length.setdefault(len(words), []).append(words)
            for key in variant_keys(words):
                self._variants[key] = self._variants.get(key, 0) + 1
        self._known: dict[Wording, Wording | None] = {}

    def __len__(self) -> int:
        return len(self.profiles)

    def known_as(self, words: Wording) -> Wording | None:
        """The good wording of which these words are a variant; None for words that no good run printed.

        A variant differs in one word, which is a value in the good runs, or the only one of several. A word
        that reports a failure makes another wording.
        """
        if words not in self._known:
            self._known[words] = self._find(words)
        return self._known[words]

    def _find(self, words: Wording) -> Wording | None:
        for table in self._tables:
            if (found := table.find(words)) is not None:
                return found
        candidates = self._by_length.get(len(words), ())
        best = min(candidates, key=lambda candidate: _differing(candidate, words), default=None)
        if best is None:
            return None
        differing = _differing(best, words)
        is_value = any(self._variants.get(key, 0) >= 2 for key in variant_keys(words))
        is_alike = (len(words) - differing) / len(words) >= MIN_ALIKE
        if differing != 1 or not (is_value or is_alike) or _fixed(best) < 2 or _reports_more(words, best):
            return None
        return best

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of every good wording, in small letters."""
        return frozenset(word.lower() for wording in self._known_wordings() for word in wording)

    def _known_wordings(self) -> Iterable[Wording]:
        return (words for table in self._tables for words in table.by_words)

    @cached_property
    def shared(self) -> tuple[LineTemplate, ...]:
        """Templates that stood in every good run, as the newest run has them, in its order."""
        if not self.profiles:
            return ()
        return tuple(
            template
            for template in self.profiles[0].templates
            if all(table.find(template.words) is not None for table in self._tables[1:])
        )

    def counts(self, words: Wording) -> tuple[int, ...]:
        """How often each good run printed a wording."""
        found = [table.find(words) for table in self._tables]
        return tuple(
            table.by_words[known].count if known is not None else 0
            for table, known in zip(self._tables, found, strict=True)
        )

    def templates_of(self, words: Wording) -> tuple[LineTemplate, ...]:
        """A wording's template in each good run that printed it."""
        found = [(table, table.find(words)) for table in self._tables]
        return tuple(table.by_words[known] for table, known in found if known is not None)

    @cached_property
    def closing(self) -> frozenset[Wording]:
        """Wordings that stand at the end of every good run and nowhere else; empty for one without an end."""
        if not self.profiles:
            return frozenset()
        ends = [frozenset(_only_at_the_end(run_profile)) for run_profile in self.profiles]
        return frozenset.intersection(*ends)

    def is_replaceable(self, words: Wording, present: Mapping[Wording, LineTemplate]) -> bool:
        """Whether this wording differs from others in one word, and some of them are missing in a run."""
        alike = [known for known in self._by_length.get(len(words), ()) if _differing(known, words) == 1]
        return any(template not in present for template in alike)

    def is_variant_of_many(self, words: Wording) -> bool:
        """Whether several good wordings differ from this one in one word: it may be a value."""
        return ANY in words or any(self._variants.get(key, 0) >= 2 for key in variant_keys(words))


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run to compare: its profile, and its templates by the good wording that they are known as."""

    profile: RunProfile
    by_good: dict[Wording, LineTemplate]
    new: tuple[LineTemplate, ...]

    @classmethod
    def of(cls, profile: RunProfile, good: GoodRuns) -> "ComparedRun":
        table = TemplateTable()
        new: list[LineTemplate] = []
        for template in profile.templates:
            known = good.known_as(template.words)
            if known is None:
                new.append(template)
            else:
                table.add(_renamed(template, known))
        return cls(profile, table.by_words, tuple(new))

    def count_of(self, words: Wording) -> int:
        return sum(
            template.count
            for known, template in self.by_good.items()
            if matches(words, known) or known == words
        )

    @property
    def prints_times(self) -> bool:
        return self.profile.last_at_s > self.profile.first_at_s > 0


def reports_trouble(template: LineTemplate) -> bool:
    """Whether a line reports a failure or warns: a run is not worse for its absence."""
    return template.level not in _MILD or find_failure_words(template.text) is not None


def share_of_stretch(template: LineTemplate) -> float:
    """Part of the lines from its first to its last that are its own."""
    return template.count / (template.last_place - template.first_place + 1)


def _renamed(template: LineTemplate, words: Wording) -> LineTemplate:
    return replace(template, words=words)


def _differing(template: Wording, words: Wording) -> int:
    return sum(mine not in (ANY, other) for mine, other in zip(template, words, strict=True))


def _fixed(words: Wording) -> int:
    return sum(word not in (WILD, ANY) for word in words)


def _reports_more(words: Wording, known: Wording) -> bool:
    return bool(find_failure_words(" ".join(words))) and not find_failure_words(" ".join(known))


def _only_at_the_end(profile: RunProfile) -> Iterable[Wording]:
    """Wordings of the last lines that stand nowhere else; none where the last line may stand anywhere."""
    first = profile.lines - 2 * len(profile.closing)
    late = {
        template.words
        for template in profile.templates
        if template.count <= 2 and template.first_place >= first and find_failure_words(template.text) is None
    }
    only = [words for words in profile.closing if words in late]
    ends_so = any(words in late for words in profile.closing[-2:])
    is_sure = len(set(only)) > 1 or any(_COMPLETION.search(" ".join(words)) for words in only)
    return only if ends_so and is_sure else ()


_COMPLETION = re.compile(
    r"\b(?:complet\w+|finish\w*|done|end(?:ed|s)?|success\w*|succeeded|goodbye|bye|shut\w*|exit\w*|stopp\w+)\b",
    re.IGNORECASE,
)
