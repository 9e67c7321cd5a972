"""Do policies make sense? Who plays better wins more, and who is choosier pays less."""

from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import sim

pytestmark = pytest.mark.slow

SEED = 20_261_130
CLEAR = 4.0
"""Standard errors that leave no doubt."""


@cache
def played(game: str, players: int, policy: str, pots: int) -> pd.DataFrame:
    frame = sim.simulate(game, players, pots, seed=SEED, policies=policy).frame()
    return frame.set_index(["metric", "level"]).sort_index()


def clearly_falls(values: list[pd.Series]) -> bool:
    """Whether each estimate lies below the one before, beyond doubt."""
    return all(
        before.estimate - after.estimate > CLEAR * np.hypot(before.se, after.se)
        for before, after in pairwise(values)
    )


@pytest.mark.parametrize("others", ["stay", "loose"])
@pytest.mark.parametrize("players", [2, 4, 7])
@pytest.mark.parametrize("game", ["faces-of-death", "spades"])
def test_one_typical_player_among_worse_ones_earns(game: str, players: int, others: str) -> None:
    table = ",".join(["typical", *[others] * (players - 1)])
    pots = 250_000 if (game, others, players) == ("faces-of-death", "loose", 7) else 80_000
    net = played(game, players, table, pots).loc["net_by_policy", "typical"]
    assert net.estimate > CLEAR * net.se


@pytest.mark.parametrize("players", [4, 7])
@pytest.mark.parametrize("tolls", ["3", "4"])
def test_choosier_players_pay_fewer_third_and_fourth_tolls(players: int, tolls: str) -> None:
    policies = ("stay", "loose", "typical", "tight")[1 if tolls == "4" else 0 :]
    frames = [played("spades", players, policy, 250_000) for policy in policies]
    assert clearly_falls([frame.loc["tolls_paid", tolls] for frame in frames])


@pytest.mark.parametrize("players", [4, 7])
def test_choosier_tables_see_fewer_deals_killed(players: int) -> None:
    frames = [
        played("faces-of-death", players, policy, 150_000)
        for policy in ("loose", "typical", "tight")
    ]
    assert clearly_falls([frame.loc["kill_rate", "all"] for frame in frames])


def test_the_kill_rate_follows_from_who_was_dealt_in() -> None:
    """Among those dealt in nobody folds before third street is dealt: then stay's rate bounds."""
    frame = played("faces-of-death", 7, "tight", 150_000)
    by_number = frame.loc["kill_rate_dealt"]
    for number in range(2, 8):
        exact = sim.exact("faces-of-death", number).set_index(["metric", "level"])
        bound = exact.loc[("kill_rate", "all"), "exact"]
        value = by_number.loc[str(number)]
        assert value.estimate < bound + CLEAR * value.se
        assert value.estimate > bound / 2


@pytest.mark.parametrize("game", ["faces-of-death", "seven-card-stud"])
def test_seats_are_alike_where_nobody_bets(game: str) -> None:
    nets = played(game, 5, "stay", 250_000).loc["net_by_seat"]
    assert len(nets) == 5
    assert (nets.estimate.abs() < CLEAR * nets.se).all()


def test_the_dealers_ante_is_all_that_tells_seats_apart_in_spades() -> None:
    nets = played("spades", 5, "stay", 250_000).loc["net_by_seat"]
    expected = np.array([0.2, 0.2, 0.2, 0.2, -0.8])
    assert (np.abs(nets.estimate - expected) < CLEAR * nets.se).all()
