"""The pages of the published study: its own README, and the tables of the project's."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd

from publish import tables
from publish.study import BLIND, ESTIMATES, FOLDING, PLANS, RUNS, SETTLING, TABLE, TOTALS, Published
from publish.tables import FACES, PLAIN, PLAYER_OUT, SPADES
from sim.estimate import SCORE
from sim.errors import InputError
from sim.recommendation import LONG, Recommendation, in_words, recommend

MARK, END = "<!-- results: {} -->", "<!-- end -->"
"""Around what is filled in in the project's README."""
VERSIONS = ("python", "spadework", "numpy", "numba", "pandas", "scipy")
NAMES = {
    FACES: "Faces of Death: killed deals are dealt again",
    PLAYER_OUT: "Faces of Death: killers put players out",
    SPADES: "Spades",
}
Advice = Mapping[str, Sequence[Recommendation]]
"""What a host is told, by game and policy."""
Pictures = Mapping[str, Sequence[tuple[str, str]]]
"""Files of charts with their captions, by game."""


def advice(study: Published) -> dict[str, list[Recommendation]]:
    """Return which table sizes keep to a host's usual limits, of each game under each policy."""
    pages = {one.game.label: one.game for one in study.scenarios}
    return {
        game: [recommend(study.frame, pages[game], policy) for policy in _policies(study.frame, game)]
        for game in NAMES
    }


def _policies(frame: pd.DataFrame, game: str) -> list[str]:
    return list(frame[frame.game == game].policy.unique())


def readme(study: Published, found: Advice, pictures: Pictures) -> str:
    """Return the study's own page."""
    parts = [
        _head(study),
        _game(FACES, _kills(study.frame), found, pictures),
        _game(PLAYER_OUT, _players_out(study.frame), found, pictures),
        _game(SPADES, _spades(study.frame), found, pictures),
        _agreement(study.frame),
        _files(),
        _again(study),
    ]
    return "\n\n".join(parts) + "\n"


def _head(study: Published) -> str:
    totals, last = study.totals, study.runs[-1]
    each = sorted(totals.pots.unique())
    pots = f"{each[0]:,}" if len(each) == 1 else f"{each[0]:,} to {each[-1]:,}"
    seeds = ", ".join(map(str, totals.seed.unique()))
    deals = study.frame[(study.frame.metric == "deals_per_pot") & (study.frame.level == "mean")]
    dealt = float((deals.estimate * deals.pots).sum())
    rows = [
        ["scenarios", f"{len(totals)}"],
        ["pots of each", pots],
        ["pots in all", f"{totals.pots.sum():,}"],
        ["deals in all, millions", f"{dealt / 1e6:,.0f}"],
        ["seed of the cards", seeds],
        ["engine (totals of one engine are the same integers everywhere)", f"{last['engine']}"],
        ["versions", ", ".join(f"{name} {last[name]}" for name in VERSIONS)],
        ["commit", ", ".join(dict.fromkeys(_commit(run["git"]) for run in study.runs))],
        ["begun", f"{datetime.fromisoformat(study.runs[0]['started']):%d %B %Y}"],
        ["time of play", _time(totals.seconds.sum(), study.runs)],
    ]
    return f"""# The published study

Both games at every table size, under four policies of all seats and both treatments of a kill, and Spades
with a plain deck to compare its winning hands with. Every number on this page is computed from `{ESTIMATES}`
by `python -m publish`. Policies and metrics are explained in the [project's README](../../README.md).

{tables.markdown(["", ""], rows, left=2)}"""


def _commit(git: Mapping[str, object] | None) -> str:
    if git is None:
        return "an installed package"
    return f"`{str(git['commit'])[:12]}`{', edited' if git['dirty'] else ''}"


def _time(seconds: float, runs: Sequence[Mapping[str, object]]) -> str:
    threads = sorted({str(run["threads"]) for run in runs})
    time = timedelta(seconds=round(seconds))
    return f"{time} (h:mm:ss) on {' or '.join(threads)} threads"


def _game(game: str, body: str, found: Advice, pictures: Pictures) -> str:
    drawn = "\n\n".join(f"{words}\n\n![{words}](charts/{file})" for file, words in pictures[game])
    return f"""## {NAMES[game]}

{body}

{_advice(found[game])}

<details><summary>Charts</summary>

{drawn}

</details>"""


def _kills(frame: pd.DataFrame) -> str:
    shown = [f"### `{policy}`\n\n{tables.kills(frame, FACES, policy)}"
             for policy in _policies(frame, FACES)]  # fmt: skip
    return "\n\n".join(
        [
            "If the jack, queen or king of spades is dealt face up, the deal is killed and those still in are "
            "dealt another, for the same pot. Figures are written as far as their 95 % intervals support; exact "
            f"values stand beside them where everybody stays. Pots of over {LONG} deals are a share of all pots.",
            *shown,
        ]
    )


def _players_out(frame: pd.DataFrame) -> str:
    shown = [f"### `{policy}`, players out\n\n{tables.players_out(frame, policy)}"
             for policy in _policies(frame, PLAYER_OUT)]  # fmt: skip
    return "\n\n".join(
        [
            "The same game under the other treatment: who is dealt a killer face up is out, and the deal goes "
            "on. A pot is one deal.",
            *shown,
        ]
    )


def _spades(frame: pd.DataFrame) -> str:
    shown = [f"### `{policy}`, Spades\n\n{tables.tolls(frame, policy)}"
             for policy in _policies(frame, SPADES)]  # fmt: skip
    return "\n\n".join(
        [
            "Each spade dealt face up costs its player 2, then 5, 10 and 20 chips. The buy-in covers what a "
            "player puts into 99 % of pots.",
            *shown,
            "### What wins, wild against plain\n\nShare of showdowns won by each hand where everybody stays, by "
            "number of players. With all spades wild:",
            tables.winners(frame, SPADES),
            "With a plain deck:",
            tables.winners(frame, PLAIN),
        ]
    )


def _advice(found: Sequence[Recommendation]) -> str:
    works = [f"`{one.policy}`: {in_words(one.works) or 'none'}" for one in found]
    return f"""### Which table sizes work

With the usual limits of `spadework recommend`, by number of players: yes, or which limit stands in the way.
Sizes that work: {"; ".join(works)}.

{tables.verdicts(found)}

<details><summary>Every reason</summary>

{tables.reasons(found)}

</details>"""


def _agreement(frame: pd.DataFrame) -> str:
    said = tables.agreement(frame)
    return f"""## How the estimates agree with exact values

Where everybody stays most figures are known exactly, from other code. Of {said["scores"]:,} z-scores
{said["beyond"]:,} ({said["beyond"] / said["scores"]:.1%}) lie beyond {SCORE:.2f}, where 5 % are to be expected; the largest is
{said["largest"]:+.2f} ({said["where"]}). Of {said["known"]:,} intervals whose figure is known, {said["held"] / said["known"]:.1%} hold it.
Figures of one scenario hang together, and so do games at one table size, which see the same cards; different
table sizes see different cards. So the squares of one figure's z-scores over all sizes add up to a chi-square,
and the last column says how often chance alone gives more:

{tables.checks(frame)}"""


def _files() -> str:
    rows = [
        ["`" + "`, `".join(PLANS) + "`", "what was played"],
        [f"`{ESTIMATES}`", "every estimate, with its interval, exact value and z-score"],
        [f"`{TABLE}`", "the same rounded, without distributions of hundreds of rows"],
        ["`estimates-columns.csv`", "what the columns of both mean"],
        [f"`{TOTALS}`", "of each scenario: its hash, and the SHA-256 of its total and of its first cell"],
        [f"`{SETTLING}`", "how estimates settled as pots were played"],
        [f"`{FOLDING}`", f"exact values of the policy `{BLIND}`, which was not played"],
        [f"`{RUNS}`", "when it was played, and with what"],
        ["`charts/`", "the charts of this page and of the project's README"],
    ]
    return f"## Files\n\n{tables.markdown(['file', 'what it holds'], rows, left=2)}"


def _again(study: Published) -> str:
    store = "results/published/study.db"
    runs = "\n".join(f"spadework run --plan results/published/{name} --store {store}" for name in PLANS)
    hours = study.totals.seconds.sum() / 3600
    return f"""## How to make it again

```sh
{runs}
python -m publish {store}
```

The first two play what the store lacks, which took {hours:.1f} hours in all, and go on where they were
stopped; the third writes everything here but the plans, and the tables of the project's README. The same
engine gives the same totals, bit for bit, on any machine. The store is not part of the repository."""


def fill(text: str, found: Mapping[str, str]) -> str:
    """Return a page with what stands between the marks of each name replaced."""
    for name, table in found.items():
        mark = MARK.format(name)
        pattern = f"{re.escape(mark)}.*?{re.escape(END)}"
        if len(re.findall(pattern, text, flags=re.DOTALL)) != 1:
            raise InputError(f"the README has no one place for {name}: put {mark} and {END} there")
        filled = f"{mark}\n\n{table}\n\n{END}"
        text = re.sub(pattern, lambda _, filled=filled: filled, text, flags=re.DOTALL)
    return text


def root_tables(study: Published) -> dict[str, str]:
    """Return the tables of the project's README by the names of their marks."""
    return {
        "in short": tables.in_short(study.frame),
        "folding": tables.folding(study.frame, study.folding),
    }
