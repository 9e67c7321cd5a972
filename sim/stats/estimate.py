"""From tallies to a tidy frame: estimate, standard error, 95 % interval, exact value, z.

The pot is the replicate (deals of one pot, and hands of one deal, are not independent): standard
errors come from per-pot sums and sums of squares, for ratios by the delta method. Shares get Wilson
intervals, with an effective number of trials where they are ratios; means get Student's t, and
quantiles order statistics. A ratio of fewer than 30 things has no interval.

These intervals hold for a number of pots fixed in advance. Whoever watches, and stops when he
likes, needs a confidence sequence: 95 % for all numbers of pots at once (``watched``).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from sim.arguments import shown
from sim.errors import InputError
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, up_cards
from sim.kernels.ranks import CATEGORIES
from sim.odds import exact_values
from sim.scenario import Scenario
from sim.tally import PRICE_BORDERS, TOLL_LEVELS, Counts, Tally, amounts

COLUMNS = (
    "game", "players", "policy", "metric", "level",
    "estimate", "se", "low", "high", "pots", "exact", "z",
)  # fmt: skip
JUDGED = (
    "game", "players", "policy", "constraint", "unit",
    "estimate", "low", "high", "limit", "verdict",
)  # fmt: skip
"""The columns of a recommendation's frame."""
MISSES = 0.05
"""How often a 95 % interval may miss."""
SCORE = 1.959963984540054
"""The normal score of a 95 % interval."""
TIGHTEST = 1 << 16
"""Pots after which a confidence sequence is tightest, measured in ordinary intervals. It has to be
fixed before anything is seen: this is the cell in which a store grows; after a million pots a
sequence is within a tenth of the tightest there can be."""
EASE = -float(special.lambertw(-(MISSES**2) / math.e, -1).real) - 1
"""The mixture's variance times ``TIGHTEST`` that makes it tightest there."""
FEW_HITS = 3.5
"""Fewer are too few for the normal score's border."""
FEWEST_THINGS = 30
"""A ratio of fewer things (deals, players, hands) has no interval: none holds often enough."""
FEWEST_HITS = 25
"""A z-score is given only where this many hits, and misses, are expected."""
PRICE_BANDS = (
    "free",
    f"below {PRICE_BORDERS[1]} %",
    *(f"{low} to {high} %" for low, high in pairwise(PRICE_BORDERS[1:])),
    f"{PRICE_BORDERS[-1]} % and more",
)
"""The bands of ``folds_by_price``."""
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Levels that are quantiles of an amount, with the share up to them."""
USUAL = "five of a kind or straight flush"
"""What OPR-716 says the winner usually holds."""

METRICS: dict[str, str] = {
    "kill_rate": "share of deals killed by a killer dealt face up, by street (levels sum to all)",
    "survival": "share of deals that none of their first k up cards kills; one won before its k-th "
    "up card counts, too",
    "killed_pots": "share of pots in which a killer killed a deal or put somebody out",
    "killed_seat": "share of deals in which this seat (or everybody) got a killer face up",
    "players_out": "players put out in a pot: mean, share of pots with so many, mean by street",
    "deals_per_pot": "deals until a pot is won: mean, and share of pots that take so many",
    "cards_per_pot": "cards dealt in a pot, over all its deals",
    "abandoned_pots": "share of pots killed so often that they were shared (the page's max_deals)",
    "toll_pot": "chips paid for face-up toll cards by all players of a pot",
    "toll_player": "chips paid for face-up toll cards by one player in a pot",
    "tolls_paid": "share of players, deal by deal, who paid for exactly so many face-up toll cards",
    "hand": "share of hands shown down, by category",
    "winning_hand": "share of showdowns won by a hand of this category",
    "split_pots": "share of pots split between equal hands",
    "pot_size": "chips in the pot when it is won (antes, tolls and bets)",
    "toll_share": "share of the chips in pots that are tolls",
    "chips_in": "chips that one player puts into a pot: mean, quantiles, share who put in so many",
    "survivors": "players still in when a pot is won: mean, and share of pots with so many",
    "showdowns": "share of pots that end in a showdown",
    "kill_rate_dealt": "share of deals killed, of those dealt to so many players",
    "decisions": "turns taken by players in a pot: folds, blind ones too, checks, calls, bets and "
    "raises; the forced bring-in is none",
    "bets": "bets and raises in a betting round, by street",
    "folds": "share of players, deal by deal, who fold, by street (levels sum to all)",
    "folds_by_price": "share of lookers' turns that are folds, by price (of what is to win)",
    "net_by_seat": "chips that a seat wins less those it puts in, a pot; the last seat deals",
    "net_by_policy": "the same for a seat that plays this policy",
    "net_by_tolls": "the same for players who pay for so many face-up toll cards in the pot",
    "toll_by_policy": "chips that a seat that plays this policy pays in tolls, a pot",
}
"""Every metric, with its definition in one line."""
COUNTED = {
    "deals_per_pot", "cards_per_pot", "players_out", "toll_pot", "toll_player", "pot_size",
    "chips_in", "survivors", "decisions",
}  # fmt: skip
"""Metrics whose mean, spread and quantiles are amounts; other levels are shares."""
AMOUNTS = {"bets", "net_by_seat", "net_by_policy", "net_by_tolls", "toll_by_policy"}
"""Metrics that are amounts at every level."""
AMOUNT_LEVELS = {"mean", "sd", "p50", "p95", "p99", "max", "third", "fourth", "fifth", "sixth"}


class Estimate(NamedTuple):
    """An estimate with its standard error and 95 % interval; NaN where there is none."""

    estimate: float
    se: float = np.nan
    low: float = np.nan
    high: float = np.nan
    trials: float = np.nan
    """Of a share: how many trials it is taken of."""
    replicates: float = np.nan
    """Of a mean: how many pots it is taken of; fewer count where few have what it is taken of."""


Row = tuple[str, str, Estimate]
Key = tuple[str, str]
Value = TypeVar("Value")
Ranks = Callable[[int, float], tuple[float, float]]
"""From independent trials and a chance: between which numbers of hits they are to be expected."""


def wilson(share: float, trials: float) -> tuple[float, float]:
    """Return the Wilson interval of a share of so many trials (Wilson, JASA 1927).

    Where few hits or few misses were seen its border covers as seldom as 85 % of the time, and is
    Poisson's instead (Brown, Cai and DasGupta, Statistical Science 2001).
    """
    if not trials > 0:
        return np.nan, np.nan
    square = SCORE**2 / trials
    centre = (share + square / 2) / (1 + square)
    half = SCORE * np.sqrt(share * (1 - share) / trials + square / (4 * trials)) / (1 + square)
    low, high = centre - half, centre + half
    if share * trials < FEW_HITS:
        low = special.gammaincinv(share * trials, MISSES) / trials if share > 0 else 0.0
    if (1 - share) * trials < FEW_HITS:
        missed = (1 - share) * trials
        high = 1 - special.gammaincinv(missed, MISSES) / trials if share < 1 else 1.0
    return float(low), float(high)


def of_share(hits: float, trials: float) -> Estimate:
    """Estimate a share of independent trials."""
    if not trials:
        return Estimate(np.nan)
    share = hits / trials
    return Estimate(
        share, np.sqrt(share * (1 - share) / trials), *wilson(share, trials), trials=trials
    )


def of_mean(sums: Sequence[float] | NDArray[np.int64], pots: int) -> Estimate:
    """Estimate a mean over pots from a sum and a sum of squares."""
    total, squares = (float(value) for value in sums)
    if not pots:
        return Estimate(np.nan)
    mean = total / pots
    if pots == 1:
        return Estimate(mean)
    se = np.sqrt(max(squares / pots - mean**2, 0) / (pots - 1))
    return _around(mean, se, pots)


def _around(value: float, se: float, replicates: float) -> Estimate:
    """Return an estimate with the interval of Student's t; of one replicate there is none."""
    if not replicates > 1:
        return Estimate(value)
    half = _student(replicates) * se
    return Estimate(value, se, value - half, value + half, replicates=replicates)


def _student(replicates: float) -> float:
    """Return how many standard errors wide a 95 % interval is to each side."""
    return float(special.stdtrit(replicates - 1, 1 - MISSES / 2))


def _each(mean: Estimate, number: int) -> Estimate:
    """Return what one of so many has of a mean of all of them."""
    value, se, low, high = (part / number for part in mean[:4])
    return Estimate(value, se, low, high, replicates=mean.replicates)


def of_ratio(kinds: NDArray[np.int64], things: NDArray[np.int64], pots: int) -> Estimate:
    """Estimate the share c / things, by the delta method, from sums over pots.

    ``kinds`` are the sums of c, c² and c·things; ``things`` those of things and things². Of few
    pots the standard error is itself uncertain, so that the interval has Student's score: Wilson's
    depends on score² / trials alone, and trials are made fewer instead (Korn and Graubard, Survey
    Methodology 1998).
    """
    share, se, total, replicates = _quotient(kinds, things, pots)
    if np.isnan(se):
        return Estimate(share)
    trials = share * (1 - share) / se**2 if se > 0 else total
    interval = wilson(share, trials * (SCORE / _student(replicates)) ** 2)
    return Estimate(share, se, *interval, trials=total)


def of_quotient(rows: NDArray[np.int64], pots: int) -> Estimate:
    """Estimate c / things where it is no share, by the delta method, from RATIO rows."""
    value, se, _, replicates = _quotient(rows[:3], rows[3:], pots)
    return Estimate(value) if np.isnan(se) else _around(value, se, replicates)


def of_rate(rows: NDArray[np.int64], pots: int) -> Estimate:
    """Estimate c / things where c counts events that may be rare, from RATIO rows.

    The interval is to a Poisson number what Wilson's is to a binomial one, of as many events as
    would have the standard error.
    """
    found = of_quotient(rows, pots)
    if not found.se > 0:
        return found
    score = _student(found.replicates)
    each = found.se**2 / found.estimate  # of an event of which there are value² / se²
    middle = found.estimate + score**2 / 2 * each
    half = score * np.sqrt(found.se**2 + (score / 2 * each) ** 2)
    return found._replace(low=middle - half, high=middle + half)


def _quotient(
    kinds: NDArray[np.int64], things: NDArray[np.int64], pots: int
) -> tuple[float, float, float, float]:
    """Return c / things with its standard error, the number of things, and of pots behind it.

    Pots without such things tell nothing. At least (sum of things)² / (sum of things²) have some,
    by Cauchy and Schwarz (Kish's effective number): so many count for Student's t.
    """
    hits, squares, cross = (float(value) for value in kinds)
    total, total_squares = (float(value) for value in things)
    replicates = total**2 / total_squares if total else 0
    ratio = hits / total if total else np.nan
    if total < FEWEST_THINGS or not replicates > 1 or pots < 2:
        return ratio, np.nan, total, replicates
    spread = max(squares - 2 * ratio * cross + ratio**2 * total_squares, 0)
    return ratio, float(np.sqrt(spread * pots / (pots - 1)) / total), total, replicates


def of_player_share(hits: float, squares: float, players: int, pots: int) -> Estimate:
    """Estimate a share of players from per-pot counts c: the sums of c and c²."""
    things = np.array([players * pots, players**2 * pots])
    return of_ratio(np.array([hits, squares, players * hits]), things, pots)


@lru_cache(maxsize=1024)
def expected_ranks(trials: int, chance: float) -> tuple[float, float]:
    """Return between which numbers of hits 95 % of all binomial numbers lie, at least."""
    return _binomial(trials, chance, MISSES / 2), _binomial(trials, chance, 1 - MISSES / 2)


def _binomial(trials: int, chance: float, share: float) -> float:
    """Return a quantile of a binomial number; ``scipy.stats`` would, but takes long to import."""

    def up_to(hits: float) -> float:
        return float(special.betaincc(hits + 1, trials - hits, chance)) if hits < trials else 1.0

    hits = float(np.ceil(special.bdtrik(share, trials, chance)))  # or next to it, by rounding
    while hits > 0 and up_to(hits - 1) >= share:
        hits -= 1
    while up_to(hits) < share:
        hits += 1
    return hits


def of_quantile(
    counts: NDArray[np.int64],
    unit: int,
    share: float,
    pots: int | None = None,
    ranks: Ranks = expected_ranks,
) -> Estimate:
    """Estimate a quantile of a distribution in bins, with an interval by order statistics.

    ``pots`` is how many of what is counted are independent, if not all. A quantile or border that
    falls into the last bin, which holds all larger amounts, is NaN, and so is an upper border that
    so few pots do not reach.
    """
    total = int(counts.sum())
    if not total:
        return Estimate(np.nan)
    low, high = (hits * total / (pots or total) for hits in ranks(pots or total, share))
    wanted = [np.ceil(total * share), np.ceil(low), np.floor(high) + 1]
    bins = np.searchsorted(np.cumsum(counts), wanted)
    middle, *ends = (float(place * unit) if place < len(counts) - 1 else np.nan for place in bins)
    return Estimate(middle, np.nan, *ends)


def of_spread(counts: NDArray[np.int64], unit: int, total: float, squares: float) -> Estimate:
    """Estimate a standard deviation; its error, by the fourth moment, needs all the bins."""
    pots = int(counts.sum())
    if pots < 2:
        return Estimate(np.nan)
    mean = total / pots
    deviation = np.sqrt(max(squares / pots - mean**2, 0) * pots / (pots - 1))
    if counts[-1] or not deviation:
        return Estimate(deviation)
    fourth = counts @ (np.arange(len(counts)) * unit - mean) ** 4 / pots
    se = np.sqrt(max(fourth - deviation**4, 0) / pots) / (2 * deviation)
    return _around(deviation, se, pots)


def watched(value: Estimate) -> Estimate:
    """Return a share or mean with its 95 % confidence sequence in the place of its interval.

    With a chance of 95 % it holds the truth after every number of pots, so that one may look at
    any time and stop when one likes. Means: asymptotic, by a normal mixture (Waudby-Smith, Arbour,
    Sinha, Kennedy and Ramdas, Annals of Statistics 2024, arXiv 2103.06476). Shares: by a
    beta-binomial mixture (Howard, Ramdas, McAuliffe and Sekhon, Annals of Statistics 2021), which
    holds for any number of independent trials; of ratios the effective number is taken.
    """
    if not np.isnan(value.trials):
        share, se = value.estimate, value.se
        trials = share * (1 - share) / se**2 if se > 0 else value.trials
        low, high = _watched_share(share, trials)
    else:
        half = _watched_score(value.replicates) * value.se
        low, high = value.estimate - half, value.estimate + half
    return value._replace(low=low, high=high)


def _watched_score(replicates: float) -> float:
    """Return how many standard errors wide a confidence sequence of a mean is to each side."""
    time = replicates * EASE / TIGHTEST
    return float(np.sqrt(2 * (time + 1) / time * np.log(np.sqrt(time + 1) / MISSES)))


def _evidence(share: float, hits: float, trials: float) -> float:
    """Return the log of how much likelier hits are under a mixture around a share than under it.

    Under the share this is a martingale that begins at 1: it ever reaches 1 / MISSES with a chance
    of MISSES at most (Ville).
    """
    for_, against = TIGHTEST / EASE * share, TIGHTEST / EASE * (1 - share)
    mixed = special.betaln(for_ + hits, against + trials - hits) - special.betaln(for_, against)
    alone = special.xlogy(hits, share) + special.xlog1py(trials - hits, -share)
    return float(mixed - alone)


def _watched_share(share: float, trials: float) -> tuple[float, float]:
    """Return the shares between which evidence has not been enough against any."""
    if share > 0.5:  # a small share has more digits than what is left of 1
        low, high = _watched_share(1 - share, trials)
        return 1 - high, 1 - low

    from scipy import optimize  # slow to import, and for watchers alone

    def beyond(other: float) -> float:
        return _evidence(other, share * trials, trials) + math.log(MISSES)

    least, most = share * 1e-6, 1 - 1e-12
    return (
        float(optimize.brentq(beyond, least, share)) if share and beyond(least) > 0 else 0.0,
        float(optimize.brentq(beyond, share or 1e-30, most)) if beyond(most) > 0 else 1.0,
    )


@lru_cache(maxsize=1024)
def watched_ranks(trials: int, chance: float) -> tuple[float, float]:
    """Return between which numbers of hits a confidence sequence expects them, at every moment.

    Ties do not matter: of what equals a quantile, let a lot drawn with the right chance decide
    whether it counts as a hit, and hits are binomial; fewer lie below, and more up to it.
    """

    from scipy import optimize

    def beyond(hits: float) -> float:
        return _evidence(chance, hits, trials) + math.log(MISSES)

    middle = trials * chance
    low, high = (
        float(optimize.brentq(beyond, middle, end)) if beyond(end) > 0 else float(end)
        for end in (0, trials)
    )
    return low, high


def estimates(scenario: Scenario, tally: Tally, *, anytime: bool = False) -> Iterator[Row]:
    """Yield (metric, level, estimate) for all that a scenario's game has to tell.

    With ``anytime`` low and high are confidence sequences: 95 % at every moment.
    """
    ranks = watched_ranks if anytime else expected_ranks
    for metric, level, value in _estimates(scenario, tally, ranks):
        yield metric, level, watched(value) if anytime and value.se >= 0 else value


def _estimates(scenario: Scenario, tally: Tally, ranks: Ranks) -> Iterator[Row]:
    game = scenario.game
    if game.kill.cards and game.kill.treatment == "redeal":
        yield from _kills(scenario, tally.counts)
    if game.kill.cards and game.kill.treatment == "player-out":
        yield from _players_out(scenario, tally.counts)
    yield from _deals(scenario, tally.counts)
    if game.toll.cards:
        yield from _tolls(scenario, tally.counts, ranks)
    yield from _showdowns(tally.counts)
    yield from _chips(scenario, tally.counts, ranks)
    yield from _survivors(tally.counts)
    if not scenario.stays:
        yield from _bets(tally.counts)
    yield from _nets(scenario, tally.counts)


def _deal_moments(counts: Counts) -> NDArray[np.int64]:
    """Return the sums over pots of deals and deals²."""
    number = np.arange(len(counts.deals))
    return np.array([counts.deals @ number, counts.deals @ number**2])


def _kills(scenario: Scenario, counts: Counts) -> Iterator[Row]:
    pots, deals = int(counts.pots[0]), _deal_moments(counts)
    full = scenario.players == MAX_PLAYERS
    for place, street in enumerate((*STREETS[:UP_STREETS], "community", "all")):
        if street != "community" or full:
            yield "kill_rate", street, of_ratio(counts.kills_by_street[:, place], deals, pots)
    killed = np.cumsum(counts.kills_by_card, axis=1)
    for up_card in range(1, up_cards(scenario.players) + 1):
        dead, dead_squares, cross = killed[:, up_card]
        # alive = deals - dead, pot by pot
        alive = np.array([deals[0] - dead, deals[1] - 2 * cross + dead_squares, deals[1] - cross])
        yield "survival", str(up_card), of_ratio(alive, deals, pots)
    for number in np.flatnonzero(counts.kills_by_dealt[3]):
        rows = counts.kills_by_dealt[:, number]
        yield "kill_rate_dealt", str(number), of_ratio(rows[:3], rows[3:], pots)
    yield "killed_pots", "all", of_share(counts.killed_pots[0], pots)
    seats = [*range(scenario.players), *([MAX_PLAYERS] if full else [])]
    for seat in seats:
        level = str(seat + 1) if seat < MAX_PLAYERS else "community"
        yield "killed_seat", level, of_ratio(counts.kills_by_seat[:, seat], deals, pots)


def _players_out(scenario: Scenario, counts: Counts) -> Iterator[Row]:
    pots = int(counts.pots[0])
    out = np.arange(len(counts.players_out))
    moments = np.array([counts.players_out @ out, counts.players_out @ out**2])
    yield "players_out", "mean", of_mean(moments, pots)
    for number in np.flatnonzero(counts.players_out):
        yield "players_out", str(number), of_share(counts.players_out[number], pots)
    for place, street in enumerate(STREETS[:UP_STREETS]):
        yield "players_out", street, of_mean(counts.kills_by_street[:2, place], pots)
    yield "killed_pots", "all", of_share(counts.killed_pots[0], pots)
    for seat in range(scenario.players):
        yield "killed_seat", str(seat + 1), of_share(counts.kills_by_seat[0, seat], pots)


def _deals(scenario: Scenario, counts: Counts) -> Iterator[Row]:
    pots = int(counts.pots[0])
    yield "deals_per_pot", "mean", of_mean(_deal_moments(counts), pots)
    for number in np.flatnonzero(counts.deals):
        yield "deals_per_pot", str(number), of_share(counts.deals[number], pots)
    yield "cards_per_pot", "mean", of_mean(counts.cards, pots)
    if scenario.game.kill.cards and scenario.game.kill.treatment == "redeal":
        yield "abandoned_pots", "all", of_share(counts.abandoned_pots[0], pots)


def _tolls(scenario: Scenario, counts: Counts, ranks: Ranks) -> Iterator[Row]:
    pots, players = int(counts.pots[0]), scenario.players
    unit = amounts(scenario.game, players, bets=scenario.bets).toll_unit
    yield from _summary("toll_pot", counts.toll_pot, unit, counts.toll_pot_sums[:2], ranks)
    for place in np.flatnonzero(counts.toll_pot[:-1]):
        yield "toll_pot", str(place * unit), of_share(counts.toll_pot[place], pots)
    mean = of_mean(counts.toll_pot_sums[:2], pots)
    yield "toll_player", "mean", _each(mean, players)
    for place in np.flatnonzero(counts.toll_player[0, :-1]):
        hits, squares = counts.toll_player[:, place]
        yield "toll_player", str(place * unit), of_player_share(hits, squares, players, pots)
    for number in range(UP_STREETS + 1):
        kinds = counts.tolls_paid[:, number]
        yield "tolls_paid", str(number), of_ratio(kinds, counts.players_dealt, pots)


def _showdowns(counts: Counts) -> Iterator[Row]:
    pots, showdowns = int(counts.pots[0]), int(counts.winning_hands.sum())
    for place, name in enumerate(CATEGORIES):
        yield "hand", name, of_ratio(counts.hands[:, place], counts.hands_shown, pots)
    for place, name in enumerate(CATEGORIES):
        yield "winning_hand", name, of_share(counts.winning_hands[place], showdowns)
    usual = [CATEGORIES.index(name) for name in ("straight flush", "royal flush", "five of a kind")]
    yield "winning_hand", USUAL, of_share(counts.winning_hands[usual].sum(), showdowns)
    yield "split_pots", "all", of_share(counts.split_pots[0], pots)


def _chips(scenario: Scenario, counts: Counts, ranks: Ranks) -> Iterator[Row]:
    pots, players = int(counts.pots[0]), scenario.players
    unit = amounts(scenario.game, players, bets=scenario.bets).pot_unit
    yield from _summary("pot_size", counts.pot_size, unit, counts.pot_size_sums, ranks)
    if scenario.game.toll.cards:
        share = of_ratio(counts.toll_pot_sums, counts.pot_size_sums, pots)
        yield "toll_share", "all", share
    mean = of_mean(counts.pot_size_sums, pots)
    yield "chips_in", "mean", _each(mean, players)
    for level, below in QUANTILES.items():
        yield "chips_in", level, of_quantile(counts.chips_in[0], unit, below, pots, ranks)
    for place in np.flatnonzero(counts.chips_in[0, :-1]):
        hits, squares = counts.chips_in[:, place]
        yield "chips_in", str(place * unit), of_player_share(hits, squares, players, pots)


def _survivors(counts: Counts) -> Iterator[Row]:
    pots, numbers = int(counts.pots[0]), np.arange(len(counts.survivors))
    moments = np.array([counts.survivors @ numbers, counts.survivors @ numbers**2])
    yield "survivors", "mean", of_mean(moments, pots)
    for number in np.flatnonzero(counts.survivors):
        yield "survivors", str(number), of_share(counts.survivors[number], pots)
    yield "showdowns", "all", of_share(counts.winning_hands.sum(), pots)
    yield "decisions", "mean", of_mean(counts.decisions, pots)


def _bets(counts: Counts) -> Iterator[Row]:
    pots = int(counts.pots[0])
    for place, street in enumerate(STREETS):
        yield "bets", street, of_rate(counts.bets[:, place], pots)
    for place, street in enumerate((*STREETS, "all")):
        yield "folds", street, of_ratio(counts.folds[:, place], counts.players_dealt, pots)
    for place, band in enumerate(PRICE_BANDS):
        rows = counts.folds_by_price[:, place]
        if rows[3]:
            yield "folds_by_price", band, of_ratio(rows[:3], rows[3:], pots)


def _nets(scenario: Scenario, counts: Counts) -> Iterator[Row]:
    pots = int(counts.pots[0])
    for seat in range(scenario.players):
        yield "net_by_seat", str(seat + 1), of_mean(counts.net_by_seat[:, seat], pots)
    for number, rows in enumerate(counts.net_by_tolls.T):
        if rows[3]:
            more = "+" if number == TOLL_LEVELS - 1 else ""
            yield "net_by_tolls", f"{number}{more}", of_quotient(rows, pots)
    seats = Counter(scenario.seats)
    if len(seats) == 1:
        return
    for place, (policy, number) in enumerate(seats.items()):
        for metric, sums in (
            ("net_by_policy", counts.net_by_policy),
            ("toll_by_policy", counts.toll_by_policy),
        ):
            if metric == "net_by_policy" or scenario.game.toll.cards:
                mean = of_mean(sums[:, place], pots)
                yield metric, policy.name, _each(mean, number)


def _summary(
    metric: str, counts: NDArray[np.int64], unit: int, sums: NDArray[np.int64], ranks: Ranks
) -> Iterator[Row]:
    """Yield mean, spread, quantiles and largest of an amount of chips in a pot."""
    total, squares = float(sums[0]), float(sums[1])
    yield metric, "mean", of_mean(sums, int(counts.sum()))
    yield metric, "sd", of_spread(counts, unit, total, squares)
    for level, share in QUANTILES.items():
        yield metric, level, of_quantile(counts, unit, share, ranks=ranks)
    used = np.flatnonzero(counts)
    largest = float(used[-1] * unit) if used.size and used[-1] < len(counts) - 1 else np.nan
    yield metric, "max", Estimate(largest)


def frame(results: Iterable[tuple[Scenario, Tally]], *, anytime: bool = False) -> pd.DataFrame:
    """Return the tidy frame of scenarios with their tallies; columns as ``COLUMNS``.

    With ``anytime`` low and high are confidence sequences: 95 % at every moment.
    """
    played = list(results)
    names = labels(scenario for scenario, _ in played)
    policies = policy_labels(scenario for scenario, _ in played)
    rows = [
        (names[scenario.key], scenario.players, policies[scenario.key], *row)
        for scenario, tally in played
        for row in _rows(scenario, tally, anytime=anytime)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def check_frame(frame: object, columns: Iterable[str] = COLUMNS) -> None:
    """Refuse what is no frame with these columns."""
    held = list(frame.columns) if isinstance(frame, pd.DataFrame) else []
    lacking = [name for name in columns if name not in held]
    if lacking:
        raise InputError(
            f"{shown(frame)} is no frame of a study: it lacks the columns {', '.join(lacking)}"
        )


def is_amount(metric: str, level: str) -> bool:
    """Whether a level of a metric is an amount, and no share."""
    return metric in AMOUNTS or (metric in COUNTED and level in AMOUNT_LEVELS)


def played(part: pd.DataFrame) -> str:
    """Say how many pots a frame's figures come from, at each table size."""
    fewest, most = part.pots.min(), part.pots.max()
    if fewest == most:
        return f"{most:,} pots at each table size"
    return f"{fewest:,} to {most:,} pots at a table size"


def titled(title: str, label: str) -> str:
    """Return a game's title with the options that its label names."""
    _, _, options = label.partition(" ")
    return f"{title} ({options})" if options else title


def labels(scenarios: Iterable[Scenario]) -> dict[str, str]:
    """Return each scenario's game by key, told apart by a # where different rules share a name."""
    several = list(scenarios)
    rules = {(scenario.game.label, scenario.game.digest) for scenario in several}
    shared = Counter(label for label, _ in rules)
    return {
        scenario.key: scenario.game.label
        + (f" #{scenario.game.digest[:6]}" if shared[scenario.game.label] > 1 else "")
        for scenario in several
    }


def policy_labels(scenarios: Iterable[Scenario]) -> dict[str, str]:
    """Return each scenario's policy by key, told apart by a # where what differs shares a name."""
    several = list(scenarios)
    # Policies of a table size: a name for all seats is the same one at every size.
    acts = {(scenario.players, scenario.policy, scenario.acts) for scenario in several}
    shared = Counter((players, label) for players, label, _ in acts)
    return {
        scenario.key: scenario.policy
        + (f" #{scenario.acts[:6]}" if shared[scenario.players, scenario.policy] > 1 else "")
        for scenario in several
    }


def exact_frame(scenarios: Iterable[Scenario]) -> pd.DataFrame:
    """Return the same columns with exact values alone; estimates are empty and pots are 0."""
    several = list(scenarios)
    names, policies = labels(several), policy_labels(several)
    rows = [
        (
            names[scenario.key],
            scenario.players,
            policies[scenario.key],
            *key,
            *[np.nan] * 4,
            0,
            value,
            np.nan,
        )
        for scenario in several
        for key, value in _in_order(exact_values(scenario.game, scenario.players, scenario.seats))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"exact": float})


def _rows(scenario: Scenario, tally: Tally, *, anytime: bool) -> Iterator[tuple[object, ...]]:
    """Yield a scenario's rows from the metric on: what was estimated, or known and never seen."""
    exact = exact_values(scenario.game, scenario.players, scenario.seats)
    rows = estimates(scenario, tally, anytime=anytime)
    found = {(metric, level): value for metric, level, value in rows}
    unseen = (key for key, value in exact.items() if value >= 1e-6 and key not in found)
    # A level that never came is a share of 0, but for a rate of what never came.
    never = watched(of_share(0, tally.pots)) if anytime else of_share(0, tally.pots)
    found |= {key: Estimate(np.nan) if key[0] == "kill_rate_dealt" else never for key in unseen}
    for (metric, level), value in _in_order(found):
        truth = exact.get((metric, level))
        known = np.nan if truth is None else float(truth)
        low, high = (np.nan, np.nan) if _is_stuck(value, known) else (value.low, value.high)
        yield metric, level, *value[:2], low, high, tally.pots, known, z_score(value, known)


def _is_stuck(value: Estimate, exact: float) -> bool:
    """Whether a mean has never moved, which is no interval unless the rules fix it."""
    return np.isnan(value.trials) and value.se == 0 and not math.isclose(value.estimate, exact)


def z_score(value: Estimate, exact: float) -> float:
    """Return (estimate - exact) / se where that is close to normal, or else NaN."""
    if not value.se > 0 or np.isnan(exact):
        return np.nan
    if not np.isnan(value.trials):
        rarer = min(exact, 1 - exact) * value.trials
        if rarer < FEWEST_HITS:
            return np.nan
    return (value.estimate - exact) / value.se


def _in_order(values: Mapping[Key, Value]) -> list[tuple[Key, Value]]:
    """Sort by metric as listed, numbered levels by number behind the others."""
    metrics = list(METRICS)
    named = {key: place for place, key in enumerate(values)}

    def place(item: tuple[Key, Value]) -> tuple[int, int, int]:
        metric, level = item[0]
        digits = level.removesuffix("+")
        number = int(digits) if digits.isdigit() else -1
        return metrics.index(metric), number, named[item[0]]

    return sorted(values.items(), key=place)
