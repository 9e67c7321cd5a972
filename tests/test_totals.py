"""Totals are what they were: array by array, those that the commit named in the file counted."""

import json

import pytest
import totals
from conftest import parts_of_table
from pairwise import grid

from sim.runs.convert import ARRAYS

KNOWN = json.loads(totals.FACTS.read_text(encoding="utf-8"))["totals"]


@pytest.mark.parametrize(("label", "players", "table"), grid(totals.cases(), parts_of_table))
def test_the_same_seed_gives_the_same_integers(label: str, players: int, table: str) -> None:
    now = totals.digests(label, players, table)
    known = {name: digest for name, digest in now.items() if name in ARRAYS}
    assert known == KNOWN[totals.name_of(label, players, table)]
