"""Evenings: what a host brings, and what a player can win and lose, over hours of a game."""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd

from sim import advice, arguments, hands
from sim.advice import Pace
from sim.errors import InputError, shown
from sim.evenings.calculated import SHORT, laws_of, play_others, threshold
from sim.evenings.play import MOST_PLAYED, Terms, play_evenings
from sim.evenings.results import HOUR, METRICS, MOST_CHIPS, Evenings
from sim.game import Game, Options
from sim.parsing import Count, count
from sim.policy import Seats
from sim.rows import table_of
from sim.runs.run import check_threads
from sim.scenario import Scenario
from sim.stats.frame import flat

__all__ = ["METRICS", "Evenings", "evening"]
POTS_AN_EVENING, FEWEST = 200, 50
"""Of a recommendation's pots, one evening for so many; and evenings at the least."""
SHORT_LEVEL = f"p{100 * SHORT:.0f}"
LEAST_HOURS, MOST_HOURS, LEAST_STAKE = 0.01, 72, 0.0001
MOST_BUY_INS = 1_000
MOST_EVENINGS = 200_000
SLOWEST = 86_400
"""Seconds that a card, a shuffle or a turn may take."""
BROKE = ("rebuy", "leave")
"""What a player does who has run short."""


@arguments.one_name
def evening(
    game: str | Path | Game,
    players: int | str = 7,
    hours: float | None = None,
    pots: Count | None = None,
    buy_in: int = 100,
    broke: str = "rebuy",
    buy_ins: int | None = None,
    rebuy_below: int | None = None,
    policies: Seats = "typical",
    stake: float | None = None,
    evenings: Count = 4_000,
    seed: int = 0,
    *,
    dealer: int | None = None,
    pace: Pace | Mapping[str, float] | None = None,
    options: Options = (),
    threads: int | None = None,
) -> Evenings:
    """Play evenings of a game, pot after pot in a fixed circle, and return what they say.

    An evening has so many ``pots``, or ``hours`` (4 if neither is given): no pot begins at or after
    the hour, and the one under way counts. ``policies`` are one for all, or one for each player,
    1, 2, … to the left; ``dealer`` is the player who deals first, or he is drawn. After each pot
    whoever has fewer chips than ``rebuy_below`` buys in again (``broke="rebuy"``), as often as he
    needs or ``buy_ins`` times with the first, or leaves with what he has (``"leave"``). If nobody
    says otherwise that threshold is the 95 % quantile of what one player puts into a pot. There is
    no all-in: what a player lacks within a pot is credit until it ends. ``stake`` is the money that
    a chip costs, ``pace`` as in ``sim.recommend``, ``options`` are settings of the page.

    The same seed gives the same integers, whatever ``threads`` are. Raises ``InputError`` for what
    a user can mend.

    >>> told = sim.evening("spades", players=5, pots=20, buy_in=200, evenings=300, seed=7)
    >>> frame = told.frame().set_index(["metric", "level"])
    >>> float(frame.estimate["result", "mean"])  # what one wins others lose
    0.0
    """
    scenario = table_of(game, players, policies, options)
    limit, timed = _limit(hours, pots)
    terms = Terms(
        scenario.game,
        scenario.seats,
        limit,
        timed,
        _milliseconds(Pace.of(pace), timed=timed),
        arguments.whole_number(buy_in, "buy_in", 2, MOST_CHIPS),
        rebuy_below=0,
        buy_ins=_buy_ins(broke, buy_ins),
        dealer=None if dealer is None else _player(dealer, scenario.players),
    )
    if stake is not None:
        stake = arguments.number(stake, "stake", LEAST_STAKE, 1 / LEAST_STAKE)
    evenings = count(evenings, "evenings", 2, MOST_EVENINGS)
    seed, threads = int(hands.check_seed(seed)), check_threads(threads)
    if rebuy_below is not None:
        rebuy_below = arguments.whole_number(rebuy_below, "rebuy_below", 1, MOST_CHIPS)
        _check_threshold(rebuy_below, terms.buy_in)
    laws = None
    if rebuy_below is None or not timed:
        others = play_others(terms, seed, threads)
        laws = laws_of(others)
        usual = threshold(others)
        _check_threshold(rebuy_below or usual, terms.buy_in, usual=True)
        rebuy_below = rebuy_below or usual
    terms = replace(terms, rebuy_below=rebuy_below)
    return Evenings(terms, play_evenings(terms, evenings, seed, threads), laws, stake)


def for_host(
    frame: pd.DataFrame, scenarios: Iterable[Scenario], pace: Pace, pots: int, seed: int,
    threads: int | None = None,
) -> dict[int, advice.Evenings]:  # fmt: skip
    """Play evenings at each table size as a recommendation needs them, and say what they come to.

    The threshold is that of a frame of ``Study.frame``, and all buy in again. The more ``pots``
    were asked for, the more evenings are played, so that intervals become narrower alike.
    """
    below = flat(frame)
    below = below[(below.metric == "chips_in") & (below.level == SHORT_LEVEL)]
    keys = zip(below.game, below.policy, below.players, strict=True)
    usual = dict(zip(keys, below.estimate, strict=True))
    said: dict[int, advice.Evenings] = {}
    for scenario in scenarios:
        chips = usual.get((scenario.game.label, scenario.policy, scenario.players), math.nan)
        if not math.isnan(chips):  # or it is beyond what is counted
            with suppress(InputError):  # at such a pace evenings have no end
                said[scenario.players] = _of_size(scenario, int(chips), pace, pots, seed, threads)
    return said


def number_for(pots: int) -> int:
    """Return how many evenings are played for so many pots of a recommendation."""
    return min(max(pots // POTS_AN_EVENING, FEWEST), MOST_EVENINGS)


def _of_size(
    scenario: Scenario, below: int, pace: Pace, pots: int, seed: int, threads: int | None
) -> advice.Evenings:
    """Play evenings of a table size, and say how long they are and what lasts them."""
    limit, timed = _limit(None, None)
    terms = Terms(
        scenario.game, scenario.seats, limit, timed, _milliseconds(pace, timed=timed),
        buy_in=below + 1, rebuy_below=max(below, 1),
    )  # fmt: skip
    played = play_evenings(terms, number_for(pots), seed, check_threads(threads))
    value = Evenings(terms, played).lasting(advice.LASTING)
    figure = advice.Figure(value.estimate, value.low, value.high, pots)
    return advice.Evenings(float(played.pots.mean()), figure)


def _limit(hours: float | None, pots: Count | None) -> tuple[int, bool]:
    """Return how long an evening is, and whether that is a time."""
    if hours is not None and pots is not None:
        raise InputError(
            f"an evening of {shown(hours)} hours and of {shown(pots)} pots cannot be: give one of "
            "the two"
        )
    if pots is not None:
        return count(pots, "pots", 1, MOST_PLAYED), False
    hours = arguments.number(
        advice.HOURS if hours is None else hours, "hours", LEAST_HOURS, MOST_HOURS
    )
    return round(hours * HOUR), True


def _milliseconds(pace: Pace, *, timed: bool) -> tuple[int, int, int]:
    """Return what a shuffle, a card and a turn take, in whole milliseconds."""
    seconds = (pace.shuffle, pace.card, pace.decision)
    if max(seconds) > SLOWEST:
        raise InputError(
            f"a pace of {shown(max(seconds))} seconds will not do for an evening: nothing may take "
            f"more than {SLOWEST:,}"
        )
    shuffle, card, turn = (round(1000 * part) for part in seconds)
    if timed and not shuffle and not card:
        raise InputError(
            "an evening in which neither a shuffle nor a card takes any time never ends: give "
            "seconds for one of them, or pots instead of hours"
        )
    return shuffle, card, turn


def _player(dealer: object, players: int) -> int:
    """Return a player's number from 0."""
    return arguments.whole_number(dealer, "dealer", 1, players) - 1


def _buy_ins(broke: str, buy_ins: int | None) -> int | None:
    """Return how often a player may buy in, the first time too; None: as often as he needs."""
    leaves = arguments.one_of(broke, BROKE, "broke") == "leave"
    if buy_ins is None:
        return 1 if leaves else None
    number = arguments.whole_number(buy_ins, "buy_ins", 1, MOST_BUY_INS)
    if leaves and number > 1:
        raise InputError(
            f"who leaves when he is broke buys in once, and not {number:,} times: leave one of "
            "the two out"
        )
    return number


def _check_threshold(below: int, buy_in: int, *, usual: bool = False) -> None:
    if below >= buy_in:
        why = f" ({100 * SHORT:.0f} % of what a player puts into a pot)" if usual else ""
        raise InputError(
            f"players who run short below {below:,} chips{why} would do so with a buy-in of "
            f"{buy_in:,}: buy in for {below + 1:,} or more, or lower rebuy_below"
        )
