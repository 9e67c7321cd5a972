"""Totals are what they were: array by array, those that the commit named in the file counted."""

import json

import pytest
import totals

from sim.runs.convert import ARRAYS

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
    now = totals.digests(label, players, table)
    known = {name: digest for name, digest in now.items() if name in ARRAYS}
    assert known == KNOWN[totals.name_of(label, players, table)]
