"""The published study: it says what its estimates say, and they are of today's rules."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from publish import __main__ as command
from publish import page, picture, study, tables
from publish.__main__ import FOLDER, README
from sim import charts, game
from sim import plan as plans
from sim import study as sim_study
from sim.policy import load_seats
from sim.runs.convert import ARRAYS, untold
from sim.runs.run import CELL
from sim.runs.store import checksum
from sim.runs.threads import Block, play_block
from sim.scenario import Scenario
from sim.stats.frame import COLUMNS, exact_frame, flat
from sim.stats.intervals import SCORE
from sim.stats.metrics import USUAL
from sim.tally import Counts, Tally, version_of

MEGABYTE = 1 << 20
LEAST = 20_000_000
"""Pots of each scenario."""
CHEAP = [
    ("faces-of-death", 2, "stay"),
    ("faces-of-death kill.treatment=player-out", 2, "tight"),
    ("spades", 4, "typical"),
    ("spades wild=none", 8, "stay"),
]


NEW = frozenset(Counts._fields) - set(ARRAYS)
"""What was not counted yet when the study was played."""


@pytest.fixture(scope="module")
def published():
    """What the committed files hold."""
    return study.read(FOLDER, FOLDER)


def scenario_of(label, players, policy):
    name, *options = label.split()
    return Scenario(game.load(name).with_options(options), players, load_seats(policy))


# What is committed.


def test_the_pages_say_what_the_estimates_say(published):
    advice = page.advice(published)
    text = page.readme(published, advice, page.pictures(published, advice))
    assert text == (FOLDER / "README.md").read_text(encoding="utf-8")
    filled = README.read_text(encoding="utf-8")
    assert page.fill(filled, page.root_tables(published)) == filled


def test_the_tables_are_those_of_the_frame(published):
    """Against figures taken from the frame by hand, so that a table cannot be wrong with itself."""
    frame = published.frame.set_index(["game", "players", "policy", "metric", "level"]).estimate
    killed = frame["faces-of-death", 7, "tight", "kill_rate", "all"]
    deals = frame["faces-of-death", 7, "tight", "deals_per_pot", "mean"]
    row = f"| `tight` | {100 * killed:.1f} % | {deals:.1f} |"
    assert row in README.read_text(encoding="utf-8")
    wins = frame["spades", 5, "stay", "winning_hand", USUAL]
    line = next(
        line for line in tables.tolls(published.frame, "stay").splitlines() if "| 5 |" in line
    )
    shown = float(re.findall(r"([\d.]+) %", line)[0])
    assert shown == pytest.approx(100 * wins, abs=0.01)


def test_all_charts_are_there_and_on_the_page(published):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    shown = set(re.findall(rf"\]\({page.CHARTS}/(.*?)\)", text))
    there = {path.name for path in (FOLDER / page.CHARTS).iterdir()}
    assert there == shown
    assert picture.CHAIRS in shown
    assert {name for name in charts.CHARTS if any(f"-{name}" in file for file in there)} == set(
        charts.CHARTS
    )
    readme = README.read_text(encoding="utf-8")
    assert f"results/published/{page.CHARTS}/{picture.CHAIRS}" in readme


def test_it_is_small_and_holds_no_store():
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    kept = [path for path in files if ".db" not in path.name]
    assert sum(path.stat().st_size for path in kept) < 6 * MEGABYTE
    ignored = (FOLDER.parent.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "results/published/*.db*" in ignored


def test_the_rounded_table_is_that_of_the_estimates(published):
    rounded = pd.read_csv(FOLDER / study.TABLE, dtype={"level": str})
    whole = study.short(published.frame)
    assert rounded.level.tolist() == whole.level.tolist()
    for name in ("estimate", "se", "low", "high", "exact", "z"):
        assert np.allclose(rounded[name], whole[name], rtol=1e-6, atol=0, equal_nan=True)
    assert len(whole) < len(published.frame)


def test_every_scenario_is_of_todays_rules_and_has_its_pots(published):
    """Whatever changes rules or policies changes a hash: then the study must be played again."""
    totals = published.totals
    assert totals.scenario.tolist() == [published.name(one) for one in published.scenarios]
    assert tuple(totals.columns) == tuple(study.TOTALS_COLUMNS)
    assert {run.get("engine", run.get("play")) for run in published.runs} == {published.version}
    assert f"| {published.version} |" in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert totals.pots.min() >= LEAST
    for name in study.PLANS:
        plan = plans.load(FOLDER / name).plan
        keys = [published.name(one) for one in plan.scenarios]
        own = totals[totals.scenario.isin(keys)]
        assert set(own.seed) == {plan.seed}
        assert (own.pots == plan.pots).all()
    key = ["game", "players", "policy"]
    told = published.frame[[*key, "pots"]].drop_duplicates()
    assert told.to_numpy().tolist() == totals[[*key, "pots"]].to_numpy().tolist()


def test_what_has_changed_since_is_known(published):
    blind, tight = (scenario_of("spades", 2, policy) for policy in ("fold:0.1", "tight"))
    assert published.engine == 4
    assert (published.changed(blind), published.changed(tight)) == (NEW | {"decisions"}, NEW)
    assert untold(blind, 5) == untold(tight, 5) == set()
    counts = {name: version_of(name) for name in Counts._fields}
    now = published._replace(runs=[{"play": 1, "counts": counts}])
    assert (now.changed(blind), now.name(blind)) == (set(), blind.key)
    before = published._replace(runs=[{"play": 1, "counts": counts | {"decisions": 1}}])
    assert before.changed(tight) == {"decisions"}


def as_before(tally):
    """Return a tally without what was not counted yet when the study was played."""
    return Tally(tally.shapes, tally.data, NEW)


def compare_first_cell(published, scenario):
    """Play a first cell again: all that means what it meant is the same, bit for bit."""
    key = published.name(scenario)
    row = published.totals.set_index("scenario").loc[key]
    tally = play_block(Block(scenario, int(row.seed), 0, CELL))
    rows = published.first_cells[published.first_cells.scenario == key]
    then, now = dict(zip(rows.array, rows.sha256, strict=True)), study.digests_by_array(tally)
    changed = published.changed(scenario)
    assert {name for name in then if then[name] != now[name]} <= changed, str(scenario)
    if not changed - NEW:
        assert checksum(as_before(tally)) == row.first_cell != row.sha256


@pytest.mark.parametrize(("label", "players", "policy"), CHEAP)
def test_the_first_cell_played_again_is_the_same(published, label, players, policy):
    compare_first_cell(published, scenario_of(label, players, policy))


@pytest.mark.slow
def test_first_cells_of_all_kinds_played_again_are_the_same(published):
    several = published.scenarios[::5]
    assert {one.policy for one in several} == {"stay", "loose", "typical", "tight"}
    assert {one.players for one in several} == set(range(2, 9))
    for scenario in several:
        compare_first_cell(published, scenario)


def test_of_decisions_engine_5_counts_blind_folds_and_all_else_is_the_same():
    """Against 2,000 pots as engine 4 played them (commit b713744)."""
    tally = play_block(Block(scenario_of("faces-of-death", 5, "fold:0.1"), 7, 0, 2000))
    assert tally.counts.decisions[0] - tally.counts.folds[0, -1] == 41_898
    tally.counts.decisions[:] = 0
    assert checksum(as_before(tally)).startswith("7fea34a3c2864137")


def test_exact_values_are_todays(published):
    for label, players, policy in CHEAP:
        scenario = scenario_of(label, players, policy)
        known = exact_frame([scenario])
        part = published.frame[
            (published.frame.game == label)
            & (published.frame.players == players)
            & (published.frame.policy == policy)
        ]
        key = ["metric", "level"]
        both = part.merge(known, on=key, suffixes=("", "_now"))
        assert len(both) == part.exact.notna().sum()
        assert np.allclose(both.exact, both.exact_now, rtol=1e-12)
        assert (len(both) > 0) == scenario.stays


def test_estimates_agree_with_exact_values(published):
    said = tables.agreement(published.frame)
    scores = published.frame.z.dropna()
    assert said["scores"] == len(scores) > 1500
    # Figures hang together, by table size: as if one in ten were independent.
    few = said["scores"] // 10
    assert said["beyond"] / said["scores"] < stats.binom.ppf(0.999, few, 0.05) / few
    assert abs(said["largest"]) < stats.norm.isf(0.0005 / said["scores"])
    for metric in ("kill_rate", "players_out", "toll_pot"):
        part = published.frame[
            (published.frame.metric == metric) & published.frame.level.isin(["all", "mean"])
        ]
        for _, rows in part.groupby("game"):
            squares = (rows.z.dropna() ** 2).to_numpy()
            assert len(squares) == 7
            assert stats.chi2.sf(squares.sum(), 7) > 0.001


def test_z_scores_are_of_the_estimates(published):
    rows = published.frame[published.frame.z.notna()]
    assert np.allclose(rows.z, (rows.estimate - rows.exact) / rows.se, rtol=1e-9, atol=1e-9)
    assert (rows.low < rows.estimate).all()
    assert (rows.estimate < rows.high).all()
    means = rows[rows.level == "mean"]
    assert np.allclose(means.high - means.low, 2 * SCORE * means.se, rtol=1e-3)


@pytest.mark.slow
def test_the_policy_that_was_not_played_has_its_exact_values(published):
    known = study.folding(published.scenarios)
    assert known.level.tolist() == published.folding.level.tolist()
    assert np.allclose(known.exact, published.folding.exact, rtol=1e-6)


# What makes it.

POTS = 400
SHORT = {"players": '"6-8"', "pots": POTS}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder of short plans, a store that holds all of them, and one that lacks the last."""
    folder = tmp_path_factory.mktemp("published")
    for name in study.PLANS:
        text = (FOLDER / name).read_text(encoding="utf-8")
        for word, value in SHORT.items():
            text = re.sub(rf"^{word} = .*$", f"{word} = {value}", text, flags=re.MULTILINE)
        (folder / name).write_text(text, encoding="utf-8")
    first, last = study.PLANS
    sim_study.run_plan(folder / first, folder / "study.db", threads=2).store.close()
    shutil.copy(folder / "study.db", folder / "part.db")
    sim_study.run_plan(folder / last, folder / "study.db", threads=2).store.close()
    (folder / "front.md").write_text(
        "".join(f"{page.MARK.format(name)}{page.END}\n" for name in ("in short", "folding"))
    )
    return folder


def publish(folder, *store):
    words = ("--out", str(folder), "--readme", str(folder / "front.md"))
    return command.main([*(str(folder / name) for name in store), *words])


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("store", "words"),
    [
        ("part.db", ["3 of the 3 scenarios", "plain.toml", f"(0 of {POTS})", "spadework run"]),
        ("none.db", ["none.db"]),
    ],
)
def test_a_store_that_lacks_something_is_refused(small, capsys, store, words):
    before = listed(small)
    assert publish(small, store) == 2
    told = capsys.readouterr().err
    assert all(word in told for word in words)
    assert told.count("\n") == 1
    assert listed(small) == before


def test_a_store_with_too_few_pots_is_refused(small, tmp_path, capsys):
    for name in study.PLANS:
        text = (small / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace(f"pots = {POTS}", f"pots = {2 * POTS}"))
    shutil.copy(small / "study.db", tmp_path)
    assert publish(tmp_path, "study.db") == 2
    assert f"({POTS} of {2 * POTS})" in capsys.readouterr().err


def test_nothing_is_made_without_estimates_or_plans(tmp_path, small, capsys):
    assert publish(tmp_path) == 2
    assert "plan.toml" in capsys.readouterr().err
    for name in study.PLANS:
        shutil.copy(small / name, tmp_path)
    assert publish(tmp_path) == 2
    assert study.ESTIMATES in capsys.readouterr().err


def test_a_readme_without_its_marks_is_refused(refused):
    refused(lambda: page.fill("no marks", {"in short": "| a |"}), "in short", page.END)
    twice = 2 * f"{page.MARK.format('a')} {page.END}"
    refused(lambda: page.fill(twice, {"a": ""}), "one place")


@pytest.mark.slow
def test_a_finished_store_is_published_and_its_pages_are_made_again(small, capsys, monkeypatch):
    exact = pd.read_csv(FOLDER / study.FOLDING, dtype={"level": str})
    monkeypatch.setattr(study, "folding", lambda _: exact)  # many seconds
    monkeypatch.setattr(picture, "PUBLISHED", picture.PUBLISHED[::5])  # all are looked at above
    monkeypatch.setattr(picture, "OF_EVERY_GAME", picture.OF_EVERY_GAME[:0])
    assert publish(small, "study.db") == 0
    capsys.readouterr()
    found = study.read(small, small)
    assert len(found.totals) == 3 * 13
    assert set(found.totals.pots) == {POTS}
    assert "cpu" not in found.runs[0]
    told = found.frame.set_index(["game", "players", "policy", "metric", "level"])
    with sim_study.open_study(small / "study.db") as held:
        truth = flat(held.frame()).set_index(told.index.names)
        assert told.sort_index().equals(truth.sort_index())
        for scenario, total in held.totals():
            (row,) = found.totals[found.totals.scenario == scenario.key].itertuples()
            assert row.sha256 == row.first_cell == checksum(total)
    text, front = ((small / name).read_text(encoding="utf-8") for name in ("README.md", "front.md"))
    assert f"| pots of each | {POTS} |" in text
    rate = told.estimate["faces-of-death", 6, "stay", "kill_rate", "all"]
    assert f"| 6 | {100 * rate:.1f} %" in front
    drawn = {path.name: path.read_bytes() for path in (small / page.CHARTS).iterdir()}
    assert all(b"fill: #ffffff" in content for content in drawn.values())
    (small / "README.md").unlink()
    (small / page.CHARTS / "old.svg").touch()
    assert publish(small) == 0
    assert (small / "README.md").read_text(encoding="utf-8") == text
    assert {path.name: path.read_bytes() for path in (small / page.CHARTS).iterdir()} == drawn


# How figures are written.


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("kill_rate", "all", 0.908412, 0.90839, 0.90843), ["90.841 %", "90.8390 – 90.8430 %"]),
        (("deals_per_pot", "mean", 10.9184, 10.914, 10.923), ["10.918", "10.9140 – 10.9230"]),
        (("toll_pot", "p95", 37.0, 37.0, 37.0), ["37", "–"]),
        (("showdowns", "all", 1.0, 0.9999, 1.0), ["100 %", "99.9900 – 100 %"]),
        (("kill_rate", "all", np.nan, np.nan, np.nan), ["–", "–"]),
    ],
)
def test_figures_have_as_many_digits_as_their_interval_supports(row, words):
    metric, level, value, low, high = row
    frame = pd.DataFrame(
        [("g", 2, "stay", metric, level, value, 0.0, low, high, 100, np.nan, np.nan)],
        columns=list(COLUMNS),
    )
    cells = tables.Cells(frame, "g", "stay")
    assert cells.three(2, metric, level) == [*words, "–"]
    assert cells.three(3, metric, level) == ["–"] * 3


def test_pots_over_ten_deals_are_counted_from_the_frame(published):
    part = published.frame[
        (published.frame.game == tables.FACES)
        & (published.frame.policy == "tight")
        & (published.frame.players == 7)
        & (published.frame.metric == "deals_per_pot")
    ]
    numbers = part[part.level.str.isdigit()]
    long = numbers[numbers.level.astype(int) > 10].estimate.sum()
    shown = tables.Cells(published.frame, tables.FACES, "tight").long_pots(7)
    assert float(shown.removesuffix(" %")) == pytest.approx(100 * long, abs=0.05)
