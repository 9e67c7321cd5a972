"""From sums over pots to estimates: standard errors, 95 % intervals, confidence sequences.

The pot is the replicate (deals of one pot, and hands of one deal, are not independent): standard
errors come from per-pot sums and sums of squares, for ratios by the delta method. Shares get Wilson
intervals, with an effective number of trials where they are ratios; means get Student's t, and
quantiles order statistics. A ratio of fewer than 30 things has no interval.

These intervals hold for a number of pots fixed in advance. Whoever watches, and stops when he
likes, needs a confidence sequence: 95 % for all numbers of pots at once.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

MISSES = 0.05
"""How often a 95 % interval may miss."""
SCORE = 1.959963984540054
"""The normal score of a 95 % interval."""
TIGHTEST = 1 << 16
"""Pots after which a confidence sequence is tightest, measured in ordinary intervals. It has to be
fixed before anything is seen: this is the cell in which a store grows; after a million pots a
sequence is within a tenth of the tightest there can be."""
MIXTURE_VARIANCE = -float(special.lambertw(-(MISSES**2) / math.e, -1).real) - 1
"""The mixture's variance times ``TIGHTEST`` that makes it tightest there."""
FEW_HITS = 3.5
"""Fewer are too few for the normal score's border."""
FEWEST_THINGS = 30
"""A ratio of fewer things (deals, players, hands) has no interval: none holds often enough."""


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


def each_of(mean: Estimate, number: int) -> Estimate:
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


def of_quotient(kinds: NDArray[np.int64], things: NDArray[np.int64], pots: int) -> Estimate:
    """Estimate c / things where it is no share, by the delta method, from sums as ``of_ratio``."""
    value, se, _, replicates = _quotient(kinds, things, pots)
    return Estimate(value) if np.isnan(se) else _around(value, se, replicates)


def of_rate(kinds: NDArray[np.int64], things: NDArray[np.int64], pots: int) -> Estimate:
    """Estimate c / things where c counts events that may be rare, from sums as ``of_ratio``.

    The interval is to a Poisson number what Wilson's is to a binomial one, of as many events as
    would have the standard error.
    """
    mean = of_quotient(kinds, things, pots)
    if not mean.se > 0:
        return mean
    score = _student(mean.replicates)
    each = mean.se**2 / mean.estimate  # of an event of which there are value² / se²
    middle = mean.estimate + score**2 / 2 * each
    half = score * np.sqrt(mean.se**2 + (score / 2 * each) ** 2)
    return mean._replace(low=middle - half, high=middle + half)


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
    middle, *ends = (float(index * unit) if index < len(counts) - 1 else np.nan for index in bins)
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


def confidence_sequence(value: Estimate) -> Estimate:
    """Return a share or mean with its 95 % confidence sequence instead of its interval.

    With a chance of 95 % it holds the truth after every number of pots, so that one may look at
    any time and stop when one likes. Means: asymptotic, by a normal mixture (Waudby-Smith, Arbour,
    Sinha, Kennedy and Ramdas, Annals of Statistics 2024, arXiv 2103.06476). Shares: by a
    beta-binomial mixture (Howard, Ramdas, McAuliffe and Sekhon, Annals of Statistics 2021), which
    holds for any number of independent trials; of ratios the effective number is taken.
    """
    if not np.isnan(value.trials):
        share, se = value.estimate, value.se
        trials = share * (1 - share) / se**2 if se > 0 else value.trials
        low, high = _sequence_share(share, trials)
    else:
        half = _sequence_score(value.replicates) * value.se
        low, high = value.estimate - half, value.estimate + half
    return value._replace(low=low, high=high)


def _sequence_score(replicates: float) -> float:
    """Return how many standard errors wide a confidence sequence of a mean is to each side."""
    time = replicates * MIXTURE_VARIANCE / TIGHTEST
    return float(np.sqrt(2 * (time + 1) / time * np.log(np.sqrt(time + 1) / MISSES)))


def _evidence(share: float, hits: float, trials: float) -> float:
    """Return the log of how much likelier hits are under a mixture around a share than under it.

    Under the share this is a martingale that begins at 1: it ever reaches 1 / MISSES with a chance
    of MISSES at most (Ville).
    """
    for_, against = TIGHTEST / MIXTURE_VARIANCE * share, TIGHTEST / MIXTURE_VARIANCE * (1 - share)
    mixed = special.betaln(for_ + hits, against + trials - hits) - special.betaln(for_, against)
    alone = special.xlogy(hits, share) + special.xlog1py(trials - hits, -share)
    return float(mixed - alone)


def _sequence_share(share: float, trials: float) -> tuple[float, float]:
    """Return the shares between which evidence has not been enough against any."""
    if share > 0.5:  # a small share has more digits than what is left of 1
        low, high = _sequence_share(1 - share, trials)
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
def sequence_ranks(trials: int, chance: float) -> tuple[float, float]:
    """Return the lowest and highest number of hits of a confidence sequence at this many trials.

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
