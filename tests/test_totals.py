"""Totals are what they were: array by array, those that the commit named in the file counted."""

import json

import pytest
import totals

KNOWN = json.loads(totals.FACTS.read_text(encoding="utf-8"))["totals"]
CASES = totals.cases()


@pytest.mark.parametrize(
    ("label", "players", "table"),
    [
        pytest.param(*case, marks=() if number % 5 == 0 else pytest.mark.slow)
        for number, case in enumerate(CASES)
    ],
)
def test_the_same_seed_gives_the_same_integers(label: str, players: int, table: str) -> None:
    assert totals.digests(label, players, table) == KNOWN[totals.name_of(label, players, table)]
