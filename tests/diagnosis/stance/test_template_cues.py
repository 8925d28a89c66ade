"""Templates leave to stance what belongs to it: one vocabulary for lines and for the lint."""

import pytest

from babysitter.diagnosis.causes.signature_files import Signature
from babysitter.diagnosis.stance.template_cues import cue_in_template


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("lost contact, will retry", "will retry"),
        ("lost contact, [we] fall~back", "fall back"),
        ("dropped ... as expected", "as expected"),
        ("(ignoring|losing) shard #", "ignoring"),
        ("Max retries exceeded with url", None),
        ("request * failed", None),
    ],
)
def test_cue_in_template(template: str, words: str | None):
    assert cue_in_template(template) == words


def test_a_harmless_signature_may_tolerate_but_not_retry():
    Signature.model_validate({"means": "transient-noise as proof", "lines": ["x is deprecated"]})
    with pytest.raises(ValueError, match="judged by its stance"):
        Signature.model_validate({"means": "storage-error as proof", "lines": ["x is deprecated"]})
    with pytest.raises(ValueError, match="judged by its stance"):
        Signature.model_validate({"means": "transient-noise as proof", "lines": ["x failed, retrying"]})
