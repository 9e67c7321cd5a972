"""What variance reduction gives, or would give: by how much, and at what cost in time.

What is built in (``sim.stats.control_variates``) is measured as it is, from as many groups of pots
as a long study makes. Two ways to know figures more precisely
without more pots are tried where nothing is built in:

- a **control variate**: something counted in the same pots, or in the same cards played by players
  who all stay, of which the exact mean is known. What it explains is subtracted, by regression.
- a **conditional expectation**: for each card that is dealt face up, what it did less what was to
  be expected of it, given all cards dealt so far. The sum has mean 0, so it is a control too; with
  coefficient 1 it replaces the outcome by its probability. Here the pots are read from their
  logs, so that its cost in a kernel, an addition or two a card, is not measured.

``variance`` is how many times smaller the variance of an estimate becomes, ``time`` how many times
longer a pot takes, ``gain`` their ratio: how many times fewer seconds the same interval takes.
Built in is what gains 2 or more for typical players at most table sizes, or costs no time at all,
and needs no other kernel.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.measure import Contestant, alternate
from sim import game
from sim.cards import DECK
from sim.events import Event
from sim.game import UP_STREETS
from sim.kernels.log import new_log
from sim.kernels.ranks import CATEGORIES
from sim.policy import load_seats
from sim.runs.cells import MOST_GROUPS
from sim.runs.threads import Block, play_block, play_into
from sim.scenario import Scenario
from sim.stats.control_variates import controlled_estimates
from sim.stats.metrics import USUAL, estimates
from sim.tally import Counts, Tally, price_list

Floats = NDArray[np.float64]
BLOCKS, POTS = 500, 400
"""A regression sees blocks of pots, for their sums are what a tally has."""
LOGGED_POTS = 6_000
BY_CARDS = "the same cards, all staying"
LOG_EVENTS = 1 << 16
"""Of a pot, at most."""
FIVE = [CATEGORIES.index("five of a kind")]
BUILT_IN = (
    ("winning_hand", "five of a kind"), ("winning_hand", USUAL), ("kill_rate", "all"),
    ("deals_per_pot", "mean"), ("killed_pots", "all"), ("cards_per_pot", "mean"),
    ("players_out", "mean"),
)  # fmt: skip
"""Figures for which something is built in, as far as it was seen often enough."""


class Metric(NamedTuple):
    """A ratio of sums over pots."""

    name: str
    top: Callable[[Counts], float]
    bottom: Callable[[Counts], float] = lambda counts: counts.pots[0]


def deals(counts: Counts) -> float:
    """Return the deals of a tally."""
    return counts.deals @ np.arange(len(counts.deals))


KILLS = Metric("deals killed", lambda counts: counts.kills_by_street[0, -1], deals)
TOLLS = Metric("tolls a pot", lambda counts: counts.toll_pot_sums[0])
CHIPS = Metric("chips in a pot", lambda counts: counts.pot_size_sums[0])
DEALER = Metric("net of the first seat", lambda counts: counts.net_by_seat[0, 0])
FIVES = Metric(
    "won by five of a kind",
    lambda counts: counts.winning_hands[FIVE].sum(),
    lambda counts: counts.winning_hands.sum(),
)
SPLITS = Metric("split pots", lambda counts: counts.split_pots[0])


def influence(top: Floats, bottom: Floats) -> Floats:
    """Return what each block adds to the error of the ratio of sums, by the delta method."""
    return (top - top.sum() / bottom.sum() * bottom) / bottom.mean()


def reduction(errors: Floats, controls: Floats) -> float:
    """Return how many times smaller the variance is that (blocks, controls) do not explain."""
    kept = controls[:, controls.std(axis=0) > 0]
    design = np.column_stack([np.ones(len(errors)), kept])
    left = errors - design @ np.linalg.lstsq(design, errors, rcond=None)[0]
    freedom = len(errors) - np.linalg.matrix_rank(design)
    return float(errors.var(ddof=1) / (left @ left / freedom))


def known(counts: Counts) -> list[float]:
    """Return what a tally of players who all stay counts, and exact values tell the mean of."""
    return [
        *counts.hands[0], deals(counts), *counts.kills_by_street[0], counts.cards[0],
        counts.toll_pot_sums[0], *counts.tolls_paid[0],
    ]  # fmt: skip


def blocks(scenario: Scenario, number: int) -> list[Counts]:
    """Play the blocks; they are the same cards for every scenario of a table size."""
    return [play_block(Block(scenario, 1, at * POTS, POTS)).counts for at in range(number)]


def variance(*, quick: bool = False) -> pd.DataFrame:
    """Return a row for each figure and each way to make its variance smaller."""
    number = BLOCKS // 4 if quick else BLOCKS
    logged = LOGGED_POTS // 4 if quick else LOGGED_POTS
    rows = [
        *((*row, True) for row in _built_in(number)),
        *((*row, False) for row in _left_out(number, logged)),
    ]
    columns = ["game", "players", "policy", "figure", "control", "variance", "time", "built in"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(gain=table.variance / table.time)


def _left_out(number: int, logged: int) -> Iterator[tuple[object, ...]]:
    yield from _own_counts(number)
    yield from _same_cards(number)
    yield from _expected_cards(logged)


def _built_in(number: int) -> Iterator[tuple[object, ...]]:
    """Control as ``sim.stats.control_variates`` does."""
    acting = ("loose", "typical", "tight")
    faces = game.load("faces-of-death")
    out = faces.with_options(["kill.treatment=player-out"])
    for page, policies in ((game.load("spades"), ("stay",)), (faces, acting), (out, acting)):
        for players in (2, 4, 7):
            all_call = Scenario(page, players)
            same = groups(all_call, number)
            for policy in policies:
                scenario = Scenario(page, players, load_seats(policy))
                own = same if scenario.stays else groups(scenario, number)
                by = "hands shown" if scenario.stays else BY_CARDS
                time = 1.0 if scenario.stays else _time(scenario, all_call)
                for figure, ratio in _gains(scenario, own, same):
                    yield page.label, players, policy, figure, by, ratio, time


def groups(scenario: Scenario, number: int) -> list[Tally]:
    """Play as many pots as there are in so many blocks, in groups."""
    pots = number * POTS // MOST_GROUPS
    return [play_block(Block(scenario, 1, at * pots, pots)) for at in range(MOST_GROUPS)]


def _gains(scenario: Scenario, own: list[Tally], same: list[Tally]) -> Iterator[tuple[str, float]]:
    """Yield figures, and how many times smaller than a plain estimate's the variance is."""
    total = Tally(scenario.shapes)
    for tally in own:
        total += tally
    plain = {(metric, level): value for metric, level, value in estimates(scenario, total)}
    controlled = controlled_estimates(scenario, own, same)
    for key in BUILT_IN:
        if key in controlled:
            yield " ".join(key), (plain[key].se / controlled[key].se) ** 2


def _own_counts(number: int) -> Iterator[tuple[object, ...]]:
    """Where all stay: control by what the same pots counted, at no cost."""
    for name in ("spades", "faces-of-death"):
        for players in (2, 4, 7):
            counted = blocks(Scenario(game.load(name), players), number)
            controls = np.array([known(counts) for counts in counted], float)
            ratio = reduction(_errors(SPLITS, counted), controls)
            yield name, players, "stay", SPLITS.name, "hands shown, tolls, deals", ratio, 1.0


def _same_cards(number: int) -> Iterator[tuple[object, ...]]:
    """With betting: control by the same cards where all stay, which have to be played too."""
    for name, metrics in (
        ("faces-of-death", (CHIPS,)),
        ("spades", (TOLLS, CHIPS, DEALER, FIVES)),
    ):
        page = game.load(name)
        for players, policy in product((2, 4, 7), ("typical", "tight")):
            both = [Scenario(page, players, load_seats(seats)) for seats in (policy, "stay")]
            acting, all_call = (blocks(scenario, number) for scenario in both)
            controls = np.array([known(counts) for counts in all_call], float)
            time = _time(*both)
            for metric in metrics:
                ratio = reduction(_errors(metric, acting), controls)
                yield name, players, policy, metric.name, BY_CARDS, ratio, time


def _errors(metric: Metric, counted: list[Counts]) -> Floats:
    top, bottom = (np.array([part(counts) for counts in counted], float) for part in metric[1:])
    return influence(top, bottom)


def _time(acting: Scenario, all_call: Scenario) -> float:
    """Return how many times as long it takes to play both as to play the first."""
    scenarios = {"acting": acting, "all_call": all_call}
    played = {
        name: Contestant(1, partial(play_block, Block(scenario, 1, 0, 20 * POTS)))
        for name, scenario in scenarios.items()
    }
    seconds = alternate(played, 5)
    return 1 + float((seconds["all_call"] / seconds["acting"]).median())


def _expected_cards(pots: int) -> Iterator[tuple[object, ...]]:
    """Control by what each card face up did less what was to be expected of it."""
    for name, figure in (("faces-of-death", KILLS.name), ("spades", TOLLS.name)):
        for players in (4, 7):
            for policy in ("typical", "tight"):
                read = _read(Scenario(game.load(name), players, load_seats(policy)), pots)
                errors = influence(read.hits, read.deals if figure == KILLS.name else np.ones(pots))
                controls = {
                    "surprise of cards face up": read.up,
                    "surprise of these and of hole cards": np.column_stack([read.up, read.hole]),
                }
                for label, surprises in controls.items():
                    ratio = reduction(errors, surprises)
                    yield name, players, policy, figure, label, ratio, np.nan


class Read(NamedTuple):
    """What logs say, pot by pot."""

    hits: Floats
    """(pots,): deals killed, or chips paid in tolls."""
    deals: Floats
    """(pots,)"""
    up: Floats
    """(pots, 5): hits less what was to be expected of the cards face up, by street."""
    hole: Floats
    """(pots,): killers or toll cards in the hole on third street, less their mean."""


def _read(scenario: Scenario, pots: int) -> Read:
    page = scenario.game
    if page.kill.cards:
        watch = Watch(page.kill.cards, [1] * UP_STREETS, 1)
    else:
        watch = Watch(page.toll.cards, price_list(page), 0)
    log, rows = new_log(LOG_EVENTS), []
    for pot in range(pots):
        log.length[0] = 0
        play_into(Tally(scenario.shapes), log, Block(scenario, 1, pot, 1))
        if log.length[0] > LOG_EVENTS:
            raise SystemExit(
                f"pot {pot} of {scenario} does not fit into a log of {LOG_EVENTS} events"
            )
        rows.append(watch.read(log.rows[: log.length[0]].tolist()))
    read = Read(*(np.array(part, float) for part in zip(*rows, strict=True)))
    for surprise in (read.up.sum(axis=1), read.hole):
        if abs(surprise.mean()) > 5 * surprise.std() / np.sqrt(pots):
            raise SystemExit(
                f"surprises of {scenario} have not the mean 0, so they control nothing"
            )
    return read


class Watch(NamedTuple):
    """Which cards are watched, and what each does that comes face up."""

    cards: int
    """Killers or toll cards, as a mask."""
    prices: list[int]
    """Of a player's first, second, … watched card."""
    community: int
    """Of one for everybody."""

    def read(self, events: list[list[int]]) -> tuple[float, int, list[float], float]:
        """Return hits, deals and surprises of one pot, from its events."""
        hits, deals, hole = 0.0, 0, 0.0
        up = [0.0] * (UP_STREETS + 1)
        for event, seat, card in events:
            if event == Event.DEAL:
                deals, unseen, watched = deals + 1, DECK, self.cards.bit_count()
                shown: dict[int, list[int]] = {}
            elif event in (Event.DOWN, Event.UP, Event.COMMUNITY):
                chance, hit = watched / unseen, self.cards >> card & 1
                unseen, watched = unseen - 1, watched - hit
                if event == Event.DOWN:
                    hole += (hit - self.cards.bit_count() / DECK) * (seat not in shown)
                    continue
                own = shown.setdefault(seat, [])
                street = len(own) if event == Event.UP else UP_STREETS
                price = self.prices[sum(own)] if event == Event.UP else self.community
                up[street] += price * (hit - chance)
                hits += price * hit
                own.append(hit)
        return hits, deals, up, hole
