"""How well and how fast the memory finds: `python benchmarks/memory.py [DIR of labelled cases]`.

1. With a folder: leave-one-out. Is the nearest other case of the same cause, where that cause has at least
   three others? The label is not looked at to rank. Beside it plain BM25 over words.
2. Sixty generated pairs of one incident seen twice: is the twin first among the other 119?
3. Ten thousand incidents made of the same words: the time of one search, of this process alone, in ms.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.fingerprint import fingerprint_of
from babysitter.diagnosis.similarity import SAME, SIMILAR, similarity, terms_of
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.past_incident import Fingerprint
from babysitter.playbook.load import load
from babysitter.shipped import shipped
from babysitter.store.repositories.incident_index import IncidentIndex
from babysitter.usecases.looking.classify_text import look_at
from babysitter.workbench.evaluate import LabelledCase, read_cases
from tests.support.twin_logs import twin_logs

LEAST_OTHERS = 3
MANY = 10_000


def main() -> None:
    playbook = load([shipped()])
    prints: list[Fingerprint] = []
    if len(sys.argv) > 1:
        cases = read_cases(Path(sys.argv[1]))
        prints = [_print_of_case(case, playbook) for case in cases]
        leave_one_out(cases, prints)
    pairs = find_twins(playbook)
    time_searches([*prints, *pairs])


def _print_of_case(case: LabelledCase, playbook: Playbook) -> Fingerprint:
    evidence = case.evidence
    return fingerprint_of(*look_at(evidence.text, playbook, evidence.facts, dumps=(evidence.thread_dump,)))


def leave_one_out(cases: tuple[LabelledCase, ...], prints: list[Fingerprint]) -> None:
    causes = [case.label.cause for case in cases]
    counted = Counter(causes)
    names = [str(number) for number in range(len(cases))]
    asked = [number for number, cause in enumerate(causes) if counted[cause] > LEAST_OTHERS]
    plain = [_words(case) for case in cases]
    for what, terms in (("plain words", plain), ("fingerprints", [terms_of(printed) for printed in prints])):
        index = _index(dict(zip(names, terms, strict=True)))
        nearest = {
            number: index.search(terms[number], at_most=1, leave_out=[names[number]]) for number in asked
        }
        right = sum(bool(found) and causes[int(found[0].id)] is causes[n] for n, found in nearest.items())
        print(f"{what}: the nearest has the same cause in {right} of {len(asked)} ({right / len(asked):.1%})")
        index.close()
    likenesses = [
        (similarity(prints[one], prints[other]), causes[one] is causes[other])
        for one in range(len(cases))
        for other in range(one)
    ]
    for name, least in (("seen", SAME), ("seen or similar", SIMILAR)):
        shown = [is_same for likeness, is_same in likenesses if likeness >= least]
        print(f"shown as {name} (likeness >= {least}): {len(shown)} pairs, {sum(shown)} of the same cause")


def _words(case: LabelledCase) -> Counter[str]:
    evidence = case.evidence
    text = " ".join(
        (evidence.text, evidence.facts.error, evidence.facts.pending_reason, evidence.thread_dump)
    )
    cleaned = "".join(letter if letter.isalpha() else " " for letter in text.lower())
    return Counter(cleaned.split())


def find_twins(playbook: Playbook) -> list[Fingerprint]:
    facts = JobFacts(state=JobState.FAILED)
    pairs = twin_logs()
    prints = {
        f"{pair.name}/{number}": fingerprint_of(*look_at(log, playbook, facts))
        for pair in pairs
        for number, log in enumerate((pair.first, pair.second))
    }
    index = _index({name: terms_of(found) for name, found in prints.items()})
    first = 0
    for pair in pairs:
        name = f"{pair.name}/1"
        found = index.search(terms_of(prints[name]), at_most=1, leave_out=[name])
        first += found[0].id == f"{pair.name}/0"
    print(f"twins: the twin is first in {first} of {len(pairs)}")
    index.close()
    return list(prints.values())


def time_searches(prints: list[Fingerprint]) -> None:
    """Incidents with words of two others and some of their own."""
    dice = random.Random(14)
    terms = [terms_of(printed) for printed in prints]
    made: dict[str, dict[str, float]] = {}
    for number in range(MANY):
        one, other = dice.choice(terms), dice.choice(terms)
        mixed = {term: weight for term, weight in one.items() if dice.random() < 0.8}
        mixed |= {term: weight for term, weight in other.items() if dice.random() < 0.3}
        mixed |= {f"own{dice.randrange(20_000)}": 3.0 for _ in range(6)}
        made[f"i-{number}"] = mixed
    began = time.process_time()
    index = _index(made)
    built_s = time.process_time() - began
    spent = []
    for query in terms:
        began = time.process_time()
        index.search(query, at_most=50)
        spent.append((time.process_time() - began) * 1000)
    spent.sort()
    print(
        f"{MANY:,} incidents: one search {spent[len(spent) // 2]:.0f} ms (median), "
        f"{spent[int(len(spent) * 0.95)]:.0f} ms (95 of 100), {spent[-1]:.0f} ms (slowest of {len(spent)}); "
        f"filling the index once {built_s:.1f} s"
    )
    index.close()


def _index(documents: Mapping[str, Mapping[str, float]]) -> IncidentIndex:
    index = IncidentIndex()
    index.add((name, json.dumps(terms)) for name, terms in documents.items())
    return index


if __name__ == "__main__":
    main()
