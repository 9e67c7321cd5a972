"""Digests of totals, array by array: what a seed plays and what is counted of it, held for good.

``python tests/totals.py`` writes ``facts/totals.json`` again, which is right only where totals are
meant to change; what stands there was made by the commit that it names.
"""

import hashlib
import json
import subprocess
from pathlib import Path

from conftest import ODD, SHIPPED, AnyScenario, page

from sim.policy import Policy, load_seats
from sim.runs.threads import Block, play_block
from sim.tally import Tally

FACTS = Path(__file__).parent / "facts" / "totals.json"
SEED, FIRST, POTS = 1871, 1_000, 2_500
TABLES = ["stay", "typical", "tight,loose,fold:0.1,stay", "fold:0.2,0,0.3,0.1,0.6", "loose"]
PAGES = [
    *SHIPPED,
    *ODD,
    "spades betting.bring_in=1 ante.who=everyone",
    "spades kill.cards=Qs,7s kill.everyone=true kill.max_deals=3",
    "faces-of-death betting.opens=high-hand kill.max_deals=3",
    "faces-of-death kill.everyone=true betting.raises=1 ante.who=dealer",
    "faces-of-death wild=deuces toll.cards=diamonds toll.prices=[3,1] kill.max_deals=10000",
]
SIZES = range(2, 9)


def cases() -> list[tuple[str, int, str]]:
    """Return every page at three sizes, with all staying and with one other table in turns."""
    chosen = []
    for number, label in enumerate(PAGES):
        for step in range(3):
            players = SIZES[(number + 2 * step) % len(SIZES)]
            table = TABLES[1 + (number + step) % (len(TABLES) - 1)]
            chosen += [(label, players, "stay"), (label, players, table)]
    return chosen


def seats_of(table: str, players: int) -> tuple[Policy, ...]:
    """Return the policy of each seat; a table's take turns, and chances by street are one."""
    names = [table] if table.startswith("fold:") else table.split(",")
    return tuple(load_seats(names[seat % len(names)])[0] for seat in range(players))


def name_of(label: str, players: int, table: str) -> str:
    """Return what a case is called in the file."""
    return f"{label} / {players} / {table}"


def digests(label: str, players: int, table: str) -> dict[str, str]:
    """Play a case and return the digest of each array that is not nought.

    Turns of those who fold blindly are left out, for the commit before did not count them.
    """
    scenario = AnyScenario(page(label), players, seats_of(table, players))
    told = digests_of(play_block(Block(scenario, SEED, FIRST, POTS)))
    if "fold:" in table:
        told.pop("decisions", None)
    return told


def digests_of(tally: Tally) -> dict[str, str]:
    """Return the first eight digits of the sha256 of each array that is not nought."""
    return {
        name: hashlib.sha256(array.astype("<i8").tobytes()).hexdigest()[:8]
        for name, array in tally.counts._asdict().items()
        if array.any()
    }


def main() -> None:
    """Write the file."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    facts = {
        "made": f"python tests/totals.py at {commit.stdout.strip()}",
        "pots": f"{FIRST} … {FIRST + POTS - 1} of seed {SEED}",
        "totals": {name_of(*case): digests(*case) for case in cases()},
    }
    FACTS.write_text(json.dumps(facts, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
