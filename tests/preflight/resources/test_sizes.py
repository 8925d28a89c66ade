"""Sizes as the client's own library reads them; the values are from running it."""

import pytest

from babysitter.preflight.resources.sizes import Units, has_unit, parse_size


@pytest.mark.parametrize(
    ("text", "decimal", "binary"),
    [
        ("8", 8, 8),
        ("5GB", 5 * 10**9, 5 * 2**30),
        ("5g", 5 * 10**9, 5 * 2**30),
        ("8GBs", 8 * 10**9, 8 * 2**30),
        ("2gigs", 2 * 10**9, 2 * 2**30),
        ("2 gigabytes", 2 * 10**9, 2 * 2**30),
        ("4GiB", 4 * 2**30, 4 * 2**30),
        ("4 gibibytes", 4 * 2**30, 4 * 2**30),
        ("1.5 TB", 15 * 10**11, 3 * 2**39),
        ("512MiB", 2**29, 2**29),
        ("13b", 13, 13),
        ("5 bytes", 5, 5),
        ("1.9", 1, 1),
        ("3 kx", 3000, 3072),
    ],
)
def test_size_read(text, decimal, binary):
    assert parse_size(text, Units.DECIMAL) == decimal
    assert parse_size(text, Units.BINARY) == binary


@pytest.mark.parametrize("text", ["", "lots", "-5GB", "GB", "5 5", "5 x", "5GB 3", "5s", ".5GB", "1_000"])
def test_size_refused(text):
    assert parse_size(text, Units.DECIMAL) is None


def test_unit_named():
    assert [has_unit(text) for text in ("8", " 8.5 ", "8b", "8GB")] == [False, False, True, True]
