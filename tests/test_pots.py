"""Pots as rows for users: every metric of them, files of them, and metrics of one's own.

What rows hold is compared with the rule book in ``test_rows.py``.
"""

import json
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import SHIPPED, page
from pandas.testing import assert_frame_equal
from test_betting import seats_of

import sim
from sim import cli, rows
from sim.policy import load_seats
from sim.scenario import Scenario
from sim.stats.kinds import QUANTILES
from sim.stats.metrics import METRICS, PRICE_BANDS, USUAL
from sim.tally import TOLL_LEVELS

Table = pd.DataFrame
TABLES = ("stay", "typical", "mixed", "fold by street")
CASES = [
    (label, table, 2 + number % 7) for number, (label, table) in enumerate(product(SHIPPED, TABLES))
]
"""Every shipped page and treatment of a kill, at every table size."""


def quotient(hits: Any, total: Any) -> float:
    return int(hits) / int(total) if total else np.nan


# --- Every metric, from rows ---------------------------------------------------------------------


class Told:
    """What is read of a level of each metric from rows; a method for each metric."""

    def __init__(self, scenario: Scenario, seats: Table, deals: Table) -> None:
        self.scenario, self.seats, self.deals = scenario, seats, deals
        self.pots = seats[seats.seat == 1]
        self.redeals = scenario.game.kill.treatment == "redeal"
        self.killed = deals[deals.ending == "killed"]

    def share(self, of_pots: Any) -> float:
        return quotient(of_pots.sum(), len(self.pots))

    def per_pot(self, of_seats: pd.Series) -> pd.Series:
        return of_seats.groupby(self.seats.pot).sum()

    def amount(self, amounts: pd.Series, level: str, each: int = 1) -> float:
        """Return a statistic of amounts, or the share that are so large."""
        number, total = len(amounts), int(amounts.sum())
        if level == "mean":
            return total / (number // each) / each
        if level == "sd":  # by the formula of the frame: pandas' own differs in the last digit
            square = int((amounts**2).sum()) / number - (total / number) ** 2
            return float(np.sqrt(max(square, 0) * number / (number - 1)))
        if level == "max":
            return float(amounts.max())
        if level in QUANTILES:
            return float(np.sort(amounts)[int(np.ceil(number * QUANTILES[level])) - 1])
        return quotient((amounts == int(level)).sum(), number)

    def kill_rate(self, level: str) -> float:
        killed = self.killed.killer_street
        return quotient(len(killed) if level == "all" else (killed == level).sum(), len(self.deals))

    def survival(self, level: str) -> float:
        card = self.deals.killer_card
        return quotient((card.isna() | (card > int(level))).sum(), len(self.deals))

    def killed_pots(self, _: str) -> float:
        by_deal, out = self.killed.pot, self.seats.pot[self.seats.out.notna()]
        return quotient((by_deal if self.redeals else out).nunique(), len(self.pots))

    def killed_seat(self, level: str) -> float:
        if not self.redeals:
            return self.share(self.seats.out.notna() & (self.seats.seat == int(level)))
        if level == "community":
            return quotient((self.killed.killer_street == level).sum(), len(self.deals))
        return quotient((self.killed.killer_seat == int(level)).sum(), len(self.deals))

    def players_out(self, level: str) -> float:
        if level in rows.WHERE_KILLED:
            return self.share(self.seats.out == level)
        return self.amount(self.per_pot(self.seats.out.notna()), level)

    def deals_per_pot(self, level: str) -> float:
        return self.amount(self.pots.deals, level)

    def cards_per_pot(self, level: str) -> float:
        return self.amount(self.pots.cards, level)

    def abandoned_pots(self, _: str) -> float:
        return self.share(self.pots.ending == "abandoned")

    def toll_pot(self, level: str) -> float:
        return self.amount(self.per_pot(self.seats.tolls), level)

    def toll_player(self, level: str) -> float:
        return self.amount(self.seats.tolls, level, self.scenario.players)

    def tolls_paid(self, level: str) -> float:
        return quotient(self.deals[f"payers_{level}"].sum(), self.pots.dealt_in.sum())

    def hand(self, level: str) -> float:
        hands = self.seats.category
        return quotient((hands == level).sum(), hands.notna().sum())

    def winning_hand(self, level: str) -> float:
        best = self.seats.category.cat.codes.groupby(self.seats.pot).max()
        names = self.seats.category.cat.categories
        if level == USUAL:
            hits = best >= names.get_loc("straight flush")
        else:
            hits = best == names.get_loc(level)
        return quotient(hits.sum(), (best >= 0).sum())

    def split_pots(self, _: str) -> float:
        strength = self.seats.strength
        best = strength.groupby(self.seats.pot).transform("max")
        return self.share(self.per_pot((strength == best) & (best > 0)) > 1)

    def pot_size(self, level: str) -> float:
        return self.amount(self.per_pot(self.seats.paid), level)

    def toll_share(self, _: str) -> float:
        return quotient(self.seats.tolls.sum(), self.seats.paid.sum())

    def chips_in(self, level: str) -> float:
        return self.amount(self.seats.paid, level, self.scenario.players)

    def survivors(self, level: str) -> float:
        return self.amount(self.per_pot(self.seats.folded.isna() & self.seats.out.isna()), level)

    def showdowns(self, _: str) -> float:
        return self.share(self.pots.ending == "showdown")

    def kill_rate_dealt(self, level: str) -> float:
        dealt = self.deals.players == int(level)
        return quotient((dealt & (self.deals.ending == "killed")).sum(), dealt.sum())

    def decisions(self, level: str) -> float:
        return self.amount(self.pots.turns, level)

    def bets(self, level: str) -> float:
        return quotient(self.pots[f"bets_{level}"].sum(), self.pots[f"rounds_{level}"].sum())

    def folds(self, level: str) -> float:
        names = self.pots.columns[self.pots.columns.str.startswith("folds_")]
        folds = self.pots[names if level == "all" else [f"folds_{level}"]]
        return quotient(folds.to_numpy().sum(), self.pots.dealt_in.sum())

    def folds_by_price(self, level: str) -> float:
        asked = self.pots.columns[self.pots.columns.str.startswith("asked_")]
        name = asked[PRICE_BANDS.index(level)]
        folds = self.pots[name.replace("asked", "price_folds")]
        return quotient(folds.sum(), self.pots[name].sum())

    def net_by_seat(self, level: str) -> float:
        return self.share(self.seats.net[self.seats.seat == int(level)])

    def net_by_policy(self, level: str) -> float:
        return self.by_policy(self.seats.net, level)

    def toll_by_policy(self, level: str) -> float:
        return self.by_policy(self.seats.tolls, level)

    def by_policy(self, chips: pd.Series, level: str) -> float:
        own = self.seats.policy == level
        return self.share(chips[own]) / (own.sum() // len(self.pots))

    def carried(self, level: str) -> float:
        return self.amount(self.pots.carried, level)

    def winner_tolls(self, _: str) -> float:
        wins = self.seats.won > 0
        return quotient(self.seats.tolls[wins].sum(), wins.sum())

    def net_of_opener(self, _: str) -> float:
        opens = self.seats.seat == self.seats.opener
        return quotient(self.seats.net[opens].sum(), opens.sum())

    def net_by_tolls(self, level: str) -> float:
        own = self.seats.toll_cards.clip(upper=TOLL_LEVELS - 1) == int(level.removesuffix("+"))
        return quotient(self.seats.net[own].sum(), own.sum())


def test_no_metric_is_left_out() -> None:
    """Rows tell all of them; whoever adds one says here how."""
    assert [name for name in METRICS if not hasattr(Told, name)] == []


@pytest.mark.parametrize(("label", "table", "players"), CASES)
def test_every_metric_is_told_by_rows(label: str, table: str, players: int) -> None:
    game, seats, pots = page(label), seats_of(table, players), 700
    with sim.simulate(game, players, pots, seed=3, policies=[seats]) as study:
        frame = study.frame()
    by_seat, by_deal = (
        sim.pots(game, players, pots, seed=3, policies=seats, by=by, threads=2)
        for by in ("pot", "deal")
    )
    told = Told(Scenario(game, players, seats), by_seat, by_deal)
    for metric, level, estimate in frame[["metric", "level", "estimate"]].itertuples(index=False):
        assert getattr(told, metric)(level) == pytest.approx(estimate, abs=0, rel=0, nan_ok=True), (
            metric,
            level,
        )


# --- The frame -----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["pot", "deal"])
@pytest.mark.parametrize("policies", ["stay", "tight"])
def test_pots_are_the_same_however_they_are_played(
    by: Any, policies: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = partial(sim.pots, "faces-of-death", 5, seed=9, policies=policies, by=by)
    whole = play(pots=400)
    monkeypatch.setitem(rows.BATCH, by, 57)
    for threads in (1, 3):
        assert_frame_equal(play(pots=400, threads=threads), whole)
    part = whole[whole.pot >= 150].reset_index(drop=True)
    assert_frame_equal(play(first=150, pots=250, threads=2), part)


@pytest.mark.parametrize("label", ["spades", "faces-of-death kill.treatment=player-out"])
@pytest.mark.parametrize("policies", ["stay", "typical,tight,stay"])
def test_every_column_has_its_meaning_and_its_kind(label: str, policies: str) -> None:
    for by in ("pot", "deal"):
        frame = sim.pots(page(label), 3, 300, policies=policies, by=by)
        wanted = rows.COLUMNS_BY[by]
        acts = [name for name in wanted if frame.columns.isin([name]).any()]
        assert list(frame) == acts
        assert (len(frame.columns) == len(wanted)) == (by == "deal" or policies != "stay")
        assert {str(kind) for kind in frame.dtypes} == {"int64", "Int64", "category"}
    seats = sim.pots(page(label), 3, 300, policies=policies)
    assert (seats.net == seats.won - seats.paid).all()
    assert (seats.groupby("pot").net.sum() == 0).all()
    shown = seats.strength > 0
    assert list(seats.category[shown]) == list(sim.category(seats.strength[shown].to_numpy()))
    assert seats.category[~shown].isna().all()
    assert list(seats.policy[:3]) == [each.name for each in (load_seats(policies) * 3)[:3]]


def test_words_have_an_order() -> None:
    frame = sim.pots("faces-of-death", 8, 200, policies="tight")
    early = frame[frame.folded <= "fourth"]
    assert set(early.folded) == {"third", "fourth"}
    assert (frame[frame.category > "one pair"].strength > frame.strength[0]).any()
    deals = sim.pots("faces-of-death", 8, 200, by="deal")
    assert {"third", "community"} <= set(deals.killer_street.dropna())
    assert deals[deals.killer_street == "community"].killer_seat.isna().all()
    assert (deals.groupby("pot").deal.max() == deals.pot.value_counts().sort_index()).all()


def test_too_large_a_frame_is_refused(refused: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(lambda: sim.pots("spades", 4, 1_250_001), "1,250,001 pots", "5,000,000 rows", "first=")
    refused(lambda: sim.pots("spades", first=10**10), "first", "9999990000")
    refused(lambda: sim.pots("spades", by="seat"), "'seat'", "pot, deal")
    monkeypatch.setattr(rows, "MOST_ROWS", 1000)
    refused(lambda: sim.pots("faces-of-death", 8, 900, by="deal"), "900 pots", "1,000 rows")


def test_few_batches_are_in_memory_together() -> None:
    begun: list[int] = []

    def calls() -> Any:
        for number in range(50):
            begun.append(number)
            yield partial(pd.DataFrame, {"number": [number]})

    read = []
    for frame in rows.in_order(calls(), threads=3):
        read.append(int(frame.number[0]))
        assert len(begun) - len(read) <= 3
    assert read == list(range(50))


# --- The command ---------------------------------------------------------------------------------

READ: dict[str, Callable[[Path], Table]] = {
    "csv": pd.read_csv,
    "json": lambda path: pd.DataFrame(json.loads(path.read_text())),
    "parquet": pd.read_parquet,
}


@pytest.mark.parametrize("by", ["pot", "deal"])
@pytest.mark.parametrize("kind", READ)
def test_what_is_written_is_the_frame(
    kind: str, by: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(rows.BATCH, by, 40)
    out = tmp_path / f"new/rows.{kind}"
    words = ["--players", "3", "--pots", "100", "--seed", "5", "--first", "7", "--by", by]
    words += ["--policy", "typical,tight,stay", "--set", "kill.max_deals=2", "--out", str(out)]
    assert cli.main(["pots", "faces-of-death", *words]) == 0
    assert "rows-columns.csv" in capsys.readouterr().out
    expected = sim.pots(
        "faces-of-death", 3, 100, seed=5, first=7, by=by, policies="typical,tight,stay",
        options=["kill.max_deals=2"],
    )  # fmt: skip
    found, meanings = READ[kind](out), pd.read_csv(out.with_name("rows-columns.csv"))
    assert list(found) == list(meanings.name) == list(expected)
    assert meanings.meaning.str.len().gt(5).all()
    for name in expected:
        known = expected[name].notna()
        assert (found[name].notna() == known).all(), name
        assert list(found[name][known]) == list(expected[name][known]), name


def test_rows_go_to_standard_output(capfdbinary: Any) -> None:
    assert cli.main(["pots", "spades", "--players", "2", "--pots", "5", "--out", "-"]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("pot,seat,policy,deals,")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "rows.txt"], "rows.txt says no format"),
        (["--out", "rows"], ".csv, .json or .parquet"),
        (["--out", "a.csv", "--pots", "0"], "pots '0'"),
        (["--out", "a.csv", "--first", "-1"], "first '-1'"),
        (["--out", "a.csv", "--policy", "stay", "--policy", "tight"], "one table"),
        (["--out", "a.csv", "--players", "9"], "9 players cannot play"),
    ],
)
def test_what_cannot_be_written_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["pots", "spades", *words]) == cli.BAD_INPUT
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# --- A metric of one's own -----------------------------------------------------------------------


def deals_per_pot(frame: Table) -> Any:
    return frame.groupby("pot").deals.first()


def toll_pot(frame: Table) -> Any:
    return frame.groupby("pot").tolls.sum().to_numpy()


def abandoned_pots(frame: Table) -> Any:
    return frame[frame.seat == 1].ending == "abandoned"


def killed_pots(frame: Table) -> Any:
    return frame[frame.seat == 1].deals > 1


def toll_share(frame: Table) -> Any:
    """The second in another order: its index says which pot a value is of."""
    return frame.groupby("pot").tolls.sum(), frame.groupby("pot").paid.sum().sort_values()


def net_by_tolls(frame: Table) -> Any:
    two = frame[frame.toll_cards == 2]
    pots = frame.pot.unique()
    return (
        two.groupby("pot").net.sum().reindex(pots, fill_value=0),
        two.groupby("pot").size().reindex(pots, fill_value=0),
    )


@pytest.mark.parametrize(
    ("f", "game", "level", "own"),
    [
        (deals_per_pot, "faces-of-death", "mean", "mean"),
        (killed_pots, "faces-of-death", "all", "all"),
        (abandoned_pots, "faces-of-death", "all", "all"),
        (toll_pot, "spades", "mean", "mean"),
        (toll_share, "spades", "all", "all"),
        (net_by_tolls, "spades", "2", "all"),
    ],
)
def test_a_metric_of_ones_own_is_as_one_of_a_study(
    f: Any, game: str, level: str, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(rows.BATCH, "pot", 301)
    with sim.simulate(game, 3, 2000, seed=7, policies="tight") as study:
        frame = study.frame()
    expected = frame[(frame.metric == f.__name__) & (frame.level == level)]
    expected = expected.assign(level=own, exact=np.nan, z=np.nan).reset_index(drop=True)
    for threads in (1, 2):
        found = sim.metric(f, game, players=3, pots=2000, seed=7, policies="tight", threads=threads)
        assert_frame_equal(found, expected, check_exact=True)


def test_amounts_that_64_bits_do_not_hold_are_added_up_as_floats() -> None:
    small = sim.metric(lambda frame: frame.pot.unique() % 7, "spades", 2, 300)
    large = sim.metric(lambda frame: frame.pot.unique() % 7 * 10**15, "spades", 2, 300)
    for name in ("estimate", "se", "low", "high"):
        assert large[name][0] == pytest.approx(small[name][0] * 1e15, rel=1e-12)


def test_what_never_moves_has_no_interval() -> None:
    found = sim.metric(lambda frame: frame.pot.unique() * 0 + 3, "spades", 2, 300)
    assert (found.estimate[0], found.se[0]) == (3, 0)
    assert found[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (lambda frame: frame.paid, "shape (800,) for 400 pots"),
        (lambda _: 1, "shape () for 400 pots"),
        (lambda _: None, "None"),
        (lambda frame: frame.pot.unique().astype(str), "numbers"),
        (lambda frame: frame.groupby("pot").category.max(), "numbers"),
        (lambda frame: frame.groupby("pot").opener.first().where(lambda all_: all_ > 1), "nan"),
        (lambda frame: np.log(frame.pot.unique() - 1.0, where=frame.pot.unique() > 1,
                              out=np.full(400, np.inf)), "inf for pot 0"),
        (lambda frame: frame.groupby("pot").net.first() / np.nan, "nan for pot 0"),
        (lambda frame: (frame.pot.unique(),) * 3, "3 things"),
        (lambda frame: (frame.pot.unique(), frame.pot), "shape (800,)"),
        (lambda frame: frame.nothing, "AttributeError"),
        (lambda frame: frame.groupby("pot")[["paid"]].sum(), "shape (400, 1)"),
        (5, "5 is none"),
    ],
)  # fmt: skip
def test_what_is_no_value_a_pot_is_refused(f: Any, said: str, refused: Callable) -> None:
    refused(lambda: sim.metric(f, "spades", 2, 400), said)


def test_the_same_kind_is_returned_for_all_pots(
    refused: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(rows.BATCH, "pot", 100)

    def changes(frame: Table) -> Any:
        pots = frame.pot.unique()
        return pots if pots[0] else (pots, pots)

    refused(lambda: sim.metric(changes, "spades", 2, 200), "changes returned pairs", "numbers")
