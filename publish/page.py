"""The pages of the published study: its own README, and the tables of the project's."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import pandas as pd

from docs import markdown
from publish import tables
from publish.picture import ADVICE, CHAIRS, KIND, SETTLING, chosen
from publish.study import (
    BLIND,
    CELLS,
    ESTIMATES,
    FOLDING,
    PLANS,
    RUNS,
    SETTLED,
    TABLE,
    TOTALS,
    Published,
)
from publish.tables import FACES, PLAIN, PLAYER_OUT, SPADES
from sim.advice import Recommendation, in_words, recommend
from sim.charts import Drawing
from sim.errors import InputError
from sim.formatting import amount, percent
from sim.policy import STAY
from sim.stats.frame import flat
from sim.stats.intervals import SCORE

MARK, END = "<!-- results: {} -->", "<!-- end -->"
"""Around what is filled in in the project's README."""
CHARTS = "charts"
VERSIONS = ("python", "spadework", "numpy", "numba", "pandas", "scipy")
NAMES = {
    FACES: "Faces of Death: killed deals are dealt again",
    PLAYER_OUT: "Faces of Death: killers put players out",
    SPADES: "Spades",
}
Advice = Mapping[str, Sequence[Recommendation]]
"""What a host is told, by game and policy."""
Pictures = Mapping[str, Sequence[tuple[Drawing, str]]]
"""Charts with their captions, by game."""


def advice(study: Published) -> dict[str, list[Recommendation]]:
    """Return which table sizes keep to a host's usual limits, of each game under each policy."""
    pages = {scenario.game.label: scenario.game for scenario in study.scenarios}
    return {
        game: [
            recommend(study.frame, pages[game], policy) for policy in _policies(study.frame, game)
        ]
        for game in NAMES
    }


def _policies(frame: pd.DataFrame, game: str) -> list[str]:
    return list(frame[frame.game == game].policy.unique())


def pictures(study: Published, advice: Advice) -> Pictures:
    """Return the charts of each game, each with its caption."""
    frames = [flat(answer.frame()) for answers in advice.values() for answer in answers]
    others = {ADVICE: pd.concat(frames, ignore_index=True), SETTLING: study.settling}
    return chosen(study.frame, others)


def all_call(advice: Advice) -> dict[str, Recommendation]:
    """Return what a host is told of each game where everybody stays."""
    return {
        game: next(answer for answer in answers if answer.policy == STAY.name)
        for game, answers in advice.items()
    }


def readme(study: Published, advice: Advice, pictures: Pictures) -> str:
    """Return the study's own page."""
    parts = [
        _head(study),
        _game(FACES, _kills(study.frame), advice, pictures),
        _game(PLAYER_OUT, _players_out(study.frame), advice, pictures),
        _game(SPADES, _spades(study.frame), advice, pictures),
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
    word = "engine" if study.engine else "version of play"
    rows = [
        ["scenarios", f"{len(totals)}"],
        ["pots of each", pots],
        ["pots in all", f"{totals.pots.sum():,}"],
        ["deals in all, millions", amount(dealt / 1e6, 0)],
        ["seed of the cards", seeds],
        [f"{word} (totals of one {word} are the same integers everywhere)", f"{study.version}"],
        ["versions", ", ".join(f"{name} {last[name]}" for name in VERSIONS)],
        ["commit", ", ".join(dict.fromkeys(_commit(run["git"]) for run in study.runs))],
        ["begun", f"{datetime.fromisoformat(study.runs[0]['started']):%d %B %Y}"],
        ["time of play", _time(totals.seconds.sum(), study.runs)],
    ]
    return f"""# The published study

Both games at every table size, under four policies of all seats and both treatments of a kill, and
Spades with a plain deck to compare its winning hands with. Every number on this page is computed
from `{ESTIMATES}` and the files beside it by `python -m publish`. The
[project's README](../../README.md) explains policies and metrics.

{markdown.table(["what was played", ""], rows, left=2)}

Where everybody stays, and so nobody bets:

![Deals killed and deals a pot at Faces of Death, tolls a pot at Spades]({CHARTS}/{CHAIRS})"""


def _commit(git: Mapping[str, object] | None) -> str:
    if git is None:
        return "an installed package"
    return f"`{str(git['commit'])[:12]}`{', edited' if git['dirty'] else ''}"


def _time(seconds: float, runs: Sequence[Mapping[str, object]]) -> str:
    threads = sorted({str(run["threads"]) for run in runs})
    time = timedelta(seconds=round(seconds))
    return f"{time} (h:mm:ss) on {' or '.join(threads)} threads"


def _game(game: str, body: str, advice: Advice, pictures: Pictures) -> str:
    drawn = "\n\n".join(
        f"{caption}\n\n![{caption}]({CHARTS}/{drawing.file}.{KIND})"
        for drawing, caption in pictures[game]
    )
    return f"""## {NAMES[game]}

{body}

{_advice(advice[game])}

<details><summary>Charts</summary>

{drawn}

</details>"""


def _kills(frame: pd.DataFrame) -> str:
    return f"""If the jack, queen or king of spades is dealt face up, the deal is killed and those still in are
dealt another, for the same pot. Figures are written as far as their 95 % intervals support; where
everybody stays, exact values stand beside them.

{_by_policy(FACES, frame, partial(tables.kills, frame, FACES))}"""  # noqa: E501


def _players_out(frame: pd.DataFrame) -> str:
    return f"""The same game under the other treatment: who is dealt a killer face up is out, and the deal goes on.
A pot is one deal.

{_by_policy(PLAYER_OUT, frame, partial(tables.players_out, frame))}"""  # noqa: E501


def _spades(frame: pd.DataFrame) -> str:
    return f"""Each spade dealt face up costs its player, the first ones little and the last ones much. The buy-in
covers what a player puts into 99 % of pots.

{_by_policy(SPADES, frame, partial(tables.tolls, frame))}

### What wins, wild against plain

Share of showdowns won by each hand where everybody stays, by number of players. With all spades
wild:

{tables.winners(frame, SPADES)}

With a plain deck:

{tables.winners(frame, PLAIN)}"""  # noqa: E501


def _by_policy(game: str, frame: pd.DataFrame, table: Callable[[str], str]) -> str:
    policies = _policies(frame, game)
    return "\n\n".join(f"All seats play `{policy}`:\n\n{table(policy)}" for policy in policies)


def _advice(answers: Sequence[Recommendation]) -> str:
    works = [f"`{answer.policy}`: {in_words(answer.works) or 'none'}" for answer in answers]
    return f"""### Which table sizes work

With the usual limits of `spadework recommend`, by number of players: yes, or the limit that stands
in the way. Sizes that work: {"; ".join(works)}.

{tables.verdicts(answers)}

<details><summary>Every reason</summary>

{tables.reasons(answers)}

</details>"""


def _agreement(frame: pd.DataFrame) -> str:
    said = tables.agreement(frame)
    beyond, held = said["beyond"] / said["scores"], said["held"] / said["known"]
    largest = f"{amount(said['largest'], signed=True)} ({said['where']})"
    return f"""## How the estimates agree with exact values

Where everybody stays most figures are known exactly, from other code. Of {said["scores"]:,}
z-scores {said["beyond"]:,} ({percent(beyond)}) lie beyond {amount(SCORE)}, where 5 % are to be
expected; the largest is {largest}. Of
{said["known"]:,} intervals whose figure is known, {percent(held)} hold it.

Figures of one scenario hang together, and so do games at one table size, which see the same cards;
different table sizes see different cards. So the squares of one figure's z-scores over all sizes
add up to a chi-square, and the last column says how often chance alone gives more:

{tables.checks(frame)}"""


def _files() -> str:
    rows = [
        ["`" + "`, `".join(PLANS) + "`", "what was played"],
        [f"`{ESTIMATES}`", "every estimate, with its interval, exact value and z-score"],
        [f"`{TABLE}`", "the same rounded, without distributions of hundreds of rows"],
        ["`estimates-columns.csv`", "what the columns of both mean"],
        [
            f"`{TOTALS}`",
            "of each scenario: its hash, and the SHA-256 of its total and of its first cell",
        ],
        [f"`{CELLS}`", "a digest of each array of the first cells"],
        [f"`{SETTLED}`", "how estimates settled as pots were played"],
        [f"`{FOLDING}`", f"exact values of the policy `{BLIND}`, which was not played"],
        [f"`{RUNS}`", "when it was played, and with what"],
        [f"`{CHARTS}/`", "the charts of this page and of the project's README"],
    ]
    return f"## Files\n\n{markdown.table(['file', 'what it holds'], rows, left=2)}"


def _again(study: Published) -> str:
    store = "results/study.db"
    runs = "\n".join(
        f"spadework run --plan results/published/{name} --store {store}" for name in PLANS
    )
    hours = amount(study.totals.seconds.sum() / 3600, 1)
    word = "Engine" if study.engine else "Version of play"
    where = f"`sim/{'runs/convert' if study.engine else 'tally'}.py`"
    return f"""## How to make it again

```sh
{runs}
python -m publish {store}
```

The first two play what the store lacks, which took {hours} hours in all, and go on where they
were stopped; the third writes everything here but the plans, and the tables of the project's
README. {word} {study.version} gives the same totals on any machine, bit for bit; {where} says what
has changed since. The store is not part of the repository."""


def fill(text: str, contents: Mapping[str, str]) -> str:
    """Return a page with what stands between the marks of each name replaced."""
    for name, table in contents.items():
        mark = MARK.format(name)
        pattern = f"{re.escape(mark)}.*?{re.escape(END)}"
        if len(re.findall(pattern, text, flags=re.DOTALL)) != 1:
            raise InputError(f"the README has no one place for {name}: put {mark} and {END} there")
        before, after = re.split(pattern, text, flags=re.DOTALL)
        text = f"{before}{mark}\n\n{table}\n\n{END}{after}"
    return text


def root_tables(study: Published) -> dict[str, str]:
    """Return the tables of the project's README by the names of their marks."""
    return {
        "in short": tables.in_short(study.frame),
        "folding": tables.folding(study.frame, study.folding),
    }
