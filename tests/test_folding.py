"""Exact values of players who fold blind to cards: closed forms, fractions, plain simulations."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb, sqrt

import numpy as np
import pytest
from test_intervals import AMOUNTS
from test_odds import BOTH, PLAYER_OUT, SIX_PRICES, Deal, by_chance, play, scores, told

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, Game, load
from sim.odds import exact_values, folding_values
from sim.policy import ONE, STAY, Policy
from sim.policy import load as load_policy
from sim.study import exact, simulate
from sim.tally import most_deals

LIMIT = 4.5
FACES, SPADES, STUD = load("faces-of-death"), load("spades"), load("seven-card-stud")
OUT = FACES.with_options(["kill.treatment=player-out"])
FOREVER = FACES.with_options(["kill.max_deals=3", "kill.ante_again=true"])
PAGES = {
    "faces of death": FACES,
    "everyone back": FACES.with_options(["kill.everyone=true"]),
    "out": OUT,
    "spades": SPADES,
    "stud": STUD,
    "six prices": SIX_PRICES,
    "killer and toll at once": BOTH,
    "player out": PLAYER_OUT,
    "abandoned": FOREVER,
}
Values = dict[tuple[str, str], Fraction | float]


def table(text: str, players: int) -> tuple[Policy, ...]:
    """Return policies for a table: the words of a text, over and over."""
    policies = [load_policy(word) for word in text.split()]
    return tuple(policies[seat % len(policies)] for seat in range(players))


def flat(metrics: dict[str, dict[str, float]]) -> Values:
    return {(metric, level): v for metric, levels in metrics.items() for level, v in levels.items()}


# Small tables, by hand.


@pytest.mark.parametrize("name", list(PAGES))
@pytest.mark.parametrize("players", [2, 3, 7, MAX_PLAYERS])
def test_who_never_folds_gives_the_values_of_staying(name: str, players: int) -> None:
    game = PAGES[name]
    staying = exact_values(game, players)
    assert exact_values(game, players, table("stay", players)) == staying
    assert exact_values(game, players, table("fold:0", players)) == staying
    values = flat(folding_values(game, [STAY] * players))
    for key, value in values.items():
        assert value == pytest.approx(float(staying.get(key, 0)), rel=1e-12, abs=1e-12), key
    own = {metric for metric, _ in staying} - {"toll_pot", "toll_player", "carried"}
    assert {key for key, value in staying.items() if value and key[0] in own} <= set(values)


@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_where_all_fold_at_once_the_dealer_wins_on_third_street(players: int) -> None:
    values = exact_values(FACES, players, table("fold:1", players))
    survives = Fraction(comb(DECK - players, 3), comb(DECK, 3))
    assert values["survivors", "1"] == pytest.approx(1)
    assert values["showdowns", "all"] == 0
    # All but the last fold unseen in the deal that no killer ends.
    assert values["decisions", "mean"] == pytest.approx(players - 1)
    assert values["pot_size", "mean"] == players
    assert values["kill_rate", "third"] == values["kill_rate", "all"]
    assert values["kill_rate", "all"] == pytest.approx(1 - float(survives))
    assert values["deals_per_pot", "mean"] == pytest.approx(float(1 / survives))
    folds = float(survives * Fraction(players - 1, players))
    assert values["folds", "third"] == values["folds", "all"] == pytest.approx(folds)


def test_two_players_without_killers_have_closed_forms() -> None:
    chance = Fraction(6554, ONE)  # 0.1, as it is rolled
    both = (1 - chance) ** 2
    values = exact_values(STUD, 2, table("fold:0.1", 2))
    rounds = [both ** (street + 1) for street in range(5)]
    assert values["showdowns", "all"] == pytest.approx(float(both**5))
    assert values["survivors", "2"] == values["showdowns", "all"]
    # Two turns a round, less the bring-in, and a fold where no showdown is.
    turns = 2 * sum(rounds) - rounds[0] + 1 - both**5
    assert values["decisions", "mean"] == pytest.approx(float(turns))
    assert values["pot_size", "mean"] == pytest.approx(float(2 + 2 * rounds[0]))
    cards = 6 + sum(2 * share for share in rounds[:4])
    assert values["cards_per_pot", "mean"] == pytest.approx(float(cards))
    for street, name in enumerate(STREETS):
        folds = both**street * (1 - both) / 2
        assert values["folds", name] == pytest.approx(float(folds))


def test_a_player_alone_among_folders_wins_whatever_his_seat() -> None:
    for seat in range(5):
        policies = [load_policy("fold:1")] * 5
        policies[seat] = STAY
        values = exact_values(STUD, 5, policies)
        assert values["survivors", "1"] == 1
        assert values["folds", "third"] == pytest.approx(4 / 5)
        policies[seat - 1] = STAY
        assert exact_values(STUD, 5, policies)["showdowns", "all"] == 1


def test_the_last_player_pays_no_further_toll() -> None:
    values = exact_values(SPADES, 3, table("fold:0,1,0,0,0", 3))
    assert values["tolls_paid", "3"] == values["tolls_paid", "4"] == 0
    assert values["tolls_paid", "2"] == pytest.approx(13 * 12 / (52 * 51))
    assert values["toll_pot", "max"] == 21


def test_players_who_look_have_no_exact_values() -> None:
    assert exact_values(SPADES, 3, table("fold:0.1 tight stay", 3)) == {}


def test_a_table_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="3 players cannot play 2 policies"):
        exact_values(SPADES, 3, table("fold:0.1", 2))


def test_equal_seats_may_be_exchanged() -> None:
    one, other = (
        exact_values(SIX_PRICES, 6, table(text, 6))
        for text in ("fold:0.3 fold:0.3 stay", "stay fold:0.3 fold:0.3")
    )
    for key in one:
        if key[0] not in ("killed_seat", "toll_by_policy"):  # later seats get fewer cards
            assert one[key] == pytest.approx(other[key], abs=1e-12), key


# All alike: players are counted, in fractions.


class Counted:
    """What a pot has on average when all fold by the same chances, on a page that redeals."""

    def __init__(self, game: Game, players: int, blind: tuple[int, ...]) -> None:
        self.game, self.players = game, players
        self.killers = game.kill.cards.bit_count()
        self.chances = [Fraction(chance, ONE) for chance in blind]
        self.metrics: Counter[tuple[str, str]] = Counter()
        arriving: Counter[int] = Counter({players: Fraction(1)})
        for deal in range(1, most_deals(game) + 1):
            killed: Counter[int] = Counter()
            for dealt, chance in arriving.items():
                ends = self.deal(dealt)
                self.metrics["kill_rate_dealt", str(dealt)] = sum(
                    share for (ending, _), share in ends.items() if ending == "killed"
                )
                for (ending, left), share in ends.items():
                    if ending == "killed":
                        killed[left] += chance * share
                    else:
                        self.survive(left, chance * share)
                        self.metrics["deals_per_pot", str(deal)] += chance * share
                        self.metrics["showdowns", "all"] += chance * share * (left > 1)
                self.metrics["deals_per_pot", "mean"] += chance
            arriving = killed
        for left, chance in arriving.items():
            self.metrics["abandoned_pots", "all"] += chance
            self.metrics["deals_per_pot", str(most_deals(game))] += chance
            self.survive(left, chance)

    def survive(self, left: int, chance: Fraction) -> None:
        self.metrics["survivors", str(left)] += chance
        self.metrics["survivors", "mean"] += chance * left

    def safe(self, shown: int) -> Fraction:
        return Fraction(comb(DECK - shown, self.killers), comb(DECK, self.killers))

    @cache  # noqa: B019
    def deal(self, dealt: int) -> dict[tuple[str, int], Fraction]:
        """Return how a deal to so many ends, and with how many still in."""
        ends: Counter[tuple[str, int]] = Counter()
        states = Counter({(dealt, 0): Fraction(1)})
        for street in range(5):
            following: Counter[tuple[int, int]] = Counter()
            for (number, shown), chance in states.items():
                cards = number if street < 4 else int(2 * dealt + shown + number > DECK)
                after = self.safe(shown + cards)
                ends["killed", number] += chance * (self.safe(shown) - after)
                for left, share in self.left(number, street).items():
                    if left == 1:
                        ends["won", 1] += chance * share * after
                    else:
                        following[left, shown + cards] += chance * share
            states = following
        for (number, shown), chance in states.items():
            ends["shown", number] += chance * self.safe(shown)
        return dict(ends)

    def left(self, number: int, street: int) -> dict[int, Fraction]:
        """Return how many are left of so many; if all would fold, the last of them is."""
        fold = self.chances[street]
        left = {
            staying: comb(number, staying) * (1 - fold) ** staying * fold ** (number - staying)
            for staying in range(number + 1)
        }
        left[1] += left.pop(0)
        return left


@pytest.mark.parametrize("players", [2, 5, 7, MAX_PLAYERS])
@pytest.mark.parametrize("chances", ["0.1", "0.02,0,0.3,0.01,0.6"])
def test_a_table_of_equals_is_that_of_counting_players(players: int, chances: str) -> None:
    policy = load_policy(f"fold:{chances}")
    counted = Counted(FOREVER, players, policy.blind)
    values = exact_values(FOREVER, players, (policy,) * players)
    for key, value in counted.metrics.items():
        assert values[key] == pytest.approx(float(value), rel=1e-12, abs=1e-14), key
    metrics = {key[0] for key in counted.metrics}
    assert {key for key in values if key[0] in metrics} <= set(counted.metrics)


# Sums that must hold.


@pytest.mark.parametrize("name", list(PAGES))
@pytest.mark.parametrize("players", [2, 5, MAX_PLAYERS])
def test_shares_add_up(name: str, players: int) -> None:
    game = PAGES[name]
    values = exact_values(game, players, table("fold:0.1 stay fold:0,0.5,0,0.2,0.3", players))
    sums: Counter[str] = Counter()
    for (metric, level), value in values.items():
        if level not in (*AMOUNTS, "all", *STREETS):
            sums[metric] += value
    whole = {"survivors", "deals_per_pot", "hand", "tolls_paid", "players_out"}
    for metric in whole & set(sums):
        assert sums[metric] == pytest.approx(1, abs=1e-7), metric
    for metric in {"kill_rate", "folds"} & {metric for metric, _ in values}:
        parts = [
            values[metric, level] for level in (*STREETS, "community") if (metric, level) in values
        ]
        assert sum(parts) == pytest.approx(values[metric, "all"])
    for (metric, level), value in values.items():
        assert level in AMOUNTS or metric == "toll_by_policy" or -1e-15 <= value <= 1 + 1e-12


@pytest.mark.parametrize("players", range(2, MAX_PLAYERS + 1))
def test_a_spread_of_tolls_has_their_mean(players: int) -> None:
    values = exact_values(SPADES, players, table("fold:0.1 stay fold:0,0.5,0,0.2,0.3", players))
    for metric in ("toll_pot", "toll_player"):
        spread = {
            int(level): value
            for (of, level), value in values.items()
            if of == metric and level.isdigit()
        }
        assert sum(spread.values()) == pytest.approx(1)
        mean = sum(chips * share for chips, share in spread.items())
        assert mean == pytest.approx(values[metric, "mean"])
        if metric == "toll_pot":
            squares = sum((chips - mean) ** 2 * share for chips, share in spread.items())
            assert sqrt(squares) == pytest.approx(values[metric, "sd"])
            assert values[metric, "max"] == max(spread) or players > 3


# Whole pots against the plain simulation.

CASES = [
    ("faces of death", 8, "fold:0.05", 3000),
    ("everyone back", 5, "fold:0.1,0.3,0,0.2,0.1 stay", 3000),
    ("out", 6, "fold:0.1 stay stay", 5000),
    ("spades", 7, "fold:0.15 fold:0.02", 3000),
    ("six prices", 4, "fold:0.1 stay", 3000),
    ("killer and toll at once", 8, "fold:0.02 fold:0.2", 3000),
    ("player out", 3, "fold:0.1 stay", 5000),
    ("player out", 8, "fold:0.05 fold:0.01", 3000),
    ("abandoned", 7, "fold:0.1 fold:0.01", 5000),
    ("stud", 8, "fold:0.01 stay", 3000),
]


def more_scores(
    exact: Values, policies: Sequence[Policy], pots: list[list[Deal]]
) -> dict[tuple[str, str], float]:
    """Return standard errors as ``scores``: kills by players dealt in, tolls by policy."""
    found: dict[tuple[str, str], float] = {}
    for (metric, level), value in exact.items():
        errors: list[float] = []
        if metric == "kill_rate_dealt":
            errors = [
                sum(deal.killed - value for deal in deals if len(deal.dealt_in) == int(level))
                for deals in pots
            ]
        if metric == "toll_by_policy":
            seats = [seat for seat, policy in enumerate(policies) if policy.name == level]
            errors = [
                sum(sum(deal.tolls.get(seat, [])) for deal in deals for seat in seats)
                - len(seats) * value
                for deals in pots
            ]
        if np.count_nonzero(errors) > 100:
            found[metric, level] = sum(errors) / float(np.linalg.norm(errors))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players", "text", "pots"), CASES)
def test_whole_pots_are_those_of_a_plain_simulation(
    name: str, players: int, text: str, pots: int
) -> None:
    game, policies = PAGES[name], table(text, players)
    source = random.Random(f"{name} {players}")  # noqa: S311
    folds = by_chance([np.array(policy.blind) / ONE for policy in policies], source)
    dealt = [play(game, players, source, folds) for _ in range(pots)]
    simulated = [told(game, players, deals) for deals in dealt]
    exact = exact_values(game, players, policies)
    found = scores(exact, simulated) | more_scores(exact, policies, dealt)
    assert {key: score for key, score in found.items() if abs(score) > LIMIT} == {}
    always = {"survivors", "folds", "decisions", "pot_size", "cards_per_pot", "hand"}
    assert always <= {metric for metric, _ in found}
    seen = {
        (metric, level)
        for pot in simulated
        for metric, (_, levels) in pot.items()
        for level in levels
        if metric not in ("toll_pot", "toll_player", "carried")
    }
    assert seen <= set(exact)
    if name == "six prices":
        wrong = exact_values(game, players, table(text.replace("0.1", "0.12"), players))
        assert max(map(abs, scores(wrong, simulated).values())) > LIMIT


# The kernels.

PLAYED = [
    ("faces of death", 2, "fold:0.1"),
    ("faces of death", 8, "fold:0.05"),
    ("faces of death", 7, "fold:0.1 stay fold:0,0.3,0,0.2,0.5"),
    ("everyone back", 8, "fold:0.02 stay"),
    ("out", 7, "fold:0.1"),
    ("spades", 3, "stay fold:0.3,0,0.2,0.1,0.4"),
    ("spades", 8, "fold:0.02"),
    ("six prices", 6, "fold:0.1 fold:0.01 stay"),
    ("killer and toll at once", 8, "fold:0.02 fold:0.2"),
    ("player out", 8, "fold:0.05 fold:0.01"),
    ("abandoned", 5, "fold:0.1 fold:0.01"),
    ("stud", 8, "fold:0.01 stay"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players", "text"), PLAYED)
def test_the_kernels_estimate_the_exact_values(name: str, players: int, text: str) -> None:
    policies = ",".join(policy.name for policy in table(text, players))
    frame = simulate(PAGES[name], players, 150_000, seed=1871, policies=policies).frame()
    scored = frame[frame.z.notna()]
    assert scored[scored.z.abs() > LIMIT].empty
    assert {"survivors", "decisions", "pot_size", "chips_in"} <= set(scored.metric)


def test_a_blind_fold_is_a_turn_and_the_bring_in_is_none() -> None:
    """Nobody else is asked once one of two has folded; where nobody brings in, all are."""
    for bring_in, policy, turns in ((1, "fold:1,0,0,0,0", 1), (1, "stay", 9), (0, "stay", 10)):
        game = STUD.with_options([f"betting.bring_in={bring_in}"])
        for frame in (
            exact(game, 2, policies=policy),
            simulate(game, 2, 1000, seed=1, policies=policy).frame(),
        ):
            (row,) = frame[frame.metric == "decisions"].itertuples()
            assert row.exact == turns
            assert row.pots == 0 or (row.estimate, row.se) == (turns, 0)


def test_a_deal_won_before_its_kth_up_card_survives_it() -> None:
    """Where all but one fold on third street no deal shows more cards than players."""
    values = exact_values(FACES, 3, table("fold:1,0,0,0,0", 3))
    played = simulate(FACES, 3, 1000, seed=1, policies="fold:1,0,0,0,0").frame()
    alive = played[played.metric == "survival"].set_index("level").estimate
    killed = played[(played.metric == "kill_rate") & (played.level == "all")].estimate.item()
    for level in map(str, range(3, 13)):
        assert values["survival", level] == pytest.approx(1 - values["kill_rate", "all"])
        assert alive[level] == pytest.approx(1 - killed)
