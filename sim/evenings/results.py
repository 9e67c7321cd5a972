"""What evenings say: estimates with intervals, of which an evening is the replicate."""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim import arguments
from sim.advice import LASTING
from sim.errors import InputError
from sim.evenings.calculated import MOST_POTS, Calculation, Laws, courses
from sim.evenings.play import NEVER, Played, Terms
from sim.policy import label
from sim.stats.frame import COLUMNS, z_score
from sim.stats.intervals import Estimate, of_mean, of_quantile, of_quotient, of_ratio, of_share

MOST_CHIPS = 1_000_000
"""Of a buy-in."""
HOUR = 3_600_000
"""Milliseconds."""
FAN = (5, 25, 50, 75, 95)
"""Quantiles of stacks as an evening goes on, in hundredths."""
USUAL = ("p5", "p50", "p95")
STEPS = 20
"""Buy-ins of which it is told whom they last, at most."""
Values = NDArray[np.int64]
Key = tuple[str, str]


class Metric(NamedTuple):
    """What is told of evenings."""

    definition: str
    """In one sentence."""
    unit: str


METRICS: dict[str, Metric] = {
    "pots": Metric("pots played in an evening", "pots"),
    "hours": Metric("how long an evening lasts, the pot under way at its end included", "hours"),
    "minutes_per_pot": Metric("minutes that a pot takes", "minutes"),
    "result": Metric("a player's stack at the end less what he bought", "chips"),
    "result_by_policy": Metric("the same of players who play this policy", "chips"),
    "results": Metric(
        "share of players with a result from so many chips up to below the next level", "share"
    ),
    "ahead": Metric(
        "share of players, of those with a policy, or of evenings of a player, who end ahead",
        "share",
    ),
    "deepest": Metric("how far below his start a player is at his lowest, after a pot", "chips"),
    "winner": Metric("result of the player who wins most in an evening", "chips"),
    "loser": Metric("result of the player who loses most in an evening", "chips"),
    "buy_ins": Metric("buy-ins of all players in an evening, the first ones too", "buy-ins"),
    "never_short": Metric(
        "share of players who are never below the threshold after a pot, so that they buy in once "
        "alone, and of evenings in which nobody is",
        "share",
    ),
    "players_left": Metric("players who are there at the end, and share of evenings", "players"),
    "first_short": Metric(
        "hours until somebody is below the threshold; blank beyond the evenings in which somebody "
        "is",
        "hours",
    ),
    "shortfalls": Metric(
        "how often in an evening a player puts more into a pot than he has, on credit until it "
        "ends, and (any) share of evenings in which one does",
        "times",
    ),
    "credit": Metric("the most that a player owes within a pot, of an evening", "chips"),
    "buy_in": Metric("the buy-in that lasts this share of players the evening", "chips"),
    "lasts": Metric("share of players whom a buy-in of so many chips lasts the evening", "share"),
    "buy_in_by_then": Metric(
        f"the buy-in that lasts {100 * LASTING:.0f} % of players so many hours (or pots)", "chips"
    ),
} | {
    f"stack_p{hundredths}": Metric(
        f"{hundredths} % of stacks are no larger after so many hours (or pots)", "chips"
    )
    for hundredths in FAN
}
"""Every metric of evenings, in the order of their frames."""
MONEY = ("money", "money_low", "money_high")
"""Columns where a chip has a price: estimate and interval of chips, in money."""


class Evenings:
    """Evenings that were played, and what they say."""

    def __init__(
        self, terms: Terms, played: Played, laws: Laws | None = None, stake: float | None = None
    ) -> None:
        self.terms, self.played, self.stake = terms, played, stake
        self.calculation = self._calculation(laws) if laws else None

    def _calculation(self, laws: Laws) -> Calculation | None:
        terms = self.terms
        if terms.timed or terms.buy_ins is not None or terms.limit > MOST_POTS:
            return None
        return Calculation(laws, courses(terms)[0])

    def __len__(self) -> int:
        return len(self.played.pots)

    def __repr__(self) -> str:
        terms = self.terms
        return (
            f"<{len(self):,} Evenings of {terms.game.label}, {terms.players} players; .frame() "
            "tells what they say>"
        )

    def frame(self) -> pd.DataFrame:
        """Return estimates with intervals, one row a metric and level.

        Columns: those of ``Study.frame``, of which the evening is the replicate and ``pots`` are
        those of all evenings, and ``calculated``, from the nets of other pots, whose error it
        carries; with a stake also money, money_low and money_high. ``sim.evenings.METRICS`` defines
        the metrics.
        """
        terms, calculated = self.terms, self._calculated()
        key = (terms.game.label, terms.players, label(terms.policies))
        pots = int(self.played.pots.sum())
        rows = []
        for metric, level, value in self._estimates():
            exact = 0.0 if (metric, level) == ("result", "mean") else math.nan
            known = calculated.get((metric, level), math.nan)
            z = z_score(value, exact)
            rows.append((*key, metric, level, *value[:4], pots, exact, z, known))
        frame = pd.DataFrame(rows, columns=[*COLUMNS, "calculated"])
        if self.stake is not None:
            chips = frame.metric.map(lambda name: METRICS[name].unit) == "chips"
            for name, column in zip(MONEY, ("estimate", "low", "high"), strict=True):
                frame[name] = (frame[column] * self.stake).where(chips)
        return frame

    @property
    def all_buy_in(self) -> bool:
        """Whether everybody buys in as often as he needs, so that play ignores stacks."""
        return self.terms.buy_ins is None

    def lasting(self, share: float = LASTING, mark: int = -1) -> Estimate:
        """Return the buy-in that lasts a share of players up to a mark; NaN if people leave."""
        share, mark = arguments.number(share, "share", 0.01, 0.99), self._mark(mark)
        if not self.all_buy_in:
            return Estimate(math.nan)
        return next(_quantiles(self.terms.rebuy_below - self.played.lowest[mark], share))

    def bought(self, buy_in: int, mark: int = -1) -> Values:
        """Return the buy-ins that players need with another buy-in, (evenings, players).

        Up to a mark; the pots would be the same. Raises ``InputError`` if people leave.
        """
        buy_in = arguments.whole_number(buy_in, "buy_in", self.terms.rebuy_below + 1, MOST_CHIPS)
        if not self.all_buy_in:
            raise InputError(
                "what others would buy is known if all buy in again, and in these evenings who is "
                "short leaves: play them with that buy-in"
            )
        return self.terms.bought(self.played.lowest[self._mark(mark)], buy_in)

    def _mark(self, mark: int) -> int:
        most = len(self.terms.marks)
        return arguments.whole_number(mark, "mark", -most, most - 1)

    @cached_property
    def when(self) -> list[str]:
        """The marks as levels: ``2 h``, or ``12 pots``."""
        if self.terms.timed:
            return [f"{mark / HOUR:.3g} h" for mark in self.terms.marks]
        return [f"{mark} pots" for mark in self.terms.marks]

    def _estimates(self) -> Iterator[tuple[str, str, Estimate]]:
        """Yield (metric, level, estimate)."""
        played = self.played
        yield from _spread("pots", played.pots)
        yield from _spread("hours", played.time, HOUR)
        yield "minutes_per_pot", "mean", _quotient(played.time / 60_000, played.pots)
        yield from self._results()
        yield from _spread("deepest", -played.lowest[-1])
        yield from _spread("winner", played.result[-1].max(axis=1))
        yield from _spread("loser", played.result[-1].min(axis=1))
        yield from _spread("buy_ins", played.bought[-1].sum(axis=1))
        yield "never_short", "players", _share((~played.short).sum(axis=1), self.terms.players)
        yield "never_short", "evenings", _share((~played.short).sum(axis=1) == self.terms.players)
        left = played.there.sum(axis=1)
        yield "players_left", "mean", _mean(left)
        for number in np.unique(left).tolist():
            yield "players_left", str(number), _share(left == number)
        for level in ("p5", "p50"):
            value = next(_quantiles(played.first_short, _part(level), never=NEVER))
            yield "first_short", level, _times(value, 1 / HOUR)
        yield "shortfalls", "mean", _mean(played.shortfalls)
        yield "shortfalls", "any", _share(played.shortfalls > 0)
        yield "credit", "p95", next(_quantiles(played.credit, 0.95))
        yield "credit", "max", Estimate(float(played.credit.max()))
        yield from self._buy_ins()
        yield from self._fan()

    def _results(self) -> Iterator[tuple[str, str, Estimate]]:
        """Yield what players take home, all together, by policy and one by one."""
        terms, result = self.terms, self.played.result[-1]
        yield "result", "mean", _mean(result.sum(axis=1) / terms.players)
        squares = _mean((result**2).sum(axis=1) / terms.players)
        root = math.sqrt(squares.estimate)
        ends = (math.sqrt(max(end, 0)) for end in squares[2:4])
        yield "result", "sd", Estimate(root, squares.se / (2 * root) if root else 0.0, *ends)
        yield from _levels("result", result)
        yield from self._histogram(result)
        policies = np.array([policy.name for policy in terms.policies])
        ahead, mixed = result > 0, len(terms.kinds) > 1
        for name in dict.fromkeys(policies) if mixed else ():
            yield "result_by_policy", name, _mean(result[:, policies == name].mean(axis=1))
        yield "ahead", "all", _share(ahead.sum(axis=1), terms.players)
        for name in dict.fromkeys(policies) if mixed else ():
            own = ahead[:, policies == name]
            yield "ahead", name, _share(own.sum(axis=1), own.shape[1])
        for player in range(terms.players) if mixed or terms.dealer is not None else ():
            yield "ahead", f"player {player + 1}", _share(ahead[:, player])

    def _histogram(self, result: Values) -> Iterator[tuple[str, str, Estimate]]:
        """Yield the share of players by result, in bins of a round width."""
        step = _round_step(result.min(), result.max(), 2 * STEPS)
        bins = result // step
        for number in range(bins.min(), bins.max() + 1):
            value = _share((bins == number).sum(axis=1), self.terms.players)
            yield "results", str(number * step), value

    def _buy_ins(self) -> Iterator[tuple[str, str, Estimate]]:
        """Yield whom buy-ins last, if all buy in again."""
        if not self.all_buy_in:
            return
        for level in ("p50", "p90", "p95"):
            yield "buy_in", level, self.lasting(_part(level))
        needed = self.terms.rebuy_below - self.played.lowest[-1]
        for chips in self._ladder(int(needed.max())):
            yield "lasts", str(chips), _share((needed <= chips).sum(axis=1), self.terms.players)
        for mark, when in enumerate(self.when):
            yield "buy_in_by_then", when, self.lasting(mark=mark)

    def _ladder(self, most: int) -> list[int]:
        """Return round buy-ins, from above the threshold to what lasts everybody."""
        least = self.terms.rebuy_below + 1
        step = _round_step(least, most, STEPS)
        return list(range(-(-least // step) * step, most + step, step))

    def _fan(self) -> Iterator[tuple[str, str, Estimate]]:
        """Yield quantiles of stacks at the marks, of who is there or has left alike."""
        stacks = self.played.result + self.terms.buy_in * self.played.bought
        start = Estimate(self.terms.buy_in, 0, self.terms.buy_in, self.terms.buy_in)
        fans = [list(_quantiles(stack, *(part / 100 for part in FAN))) for stack in stacks]
        for hundredths, values in zip(FAN, zip(*fans, strict=True), strict=True):
            yield f"stack_p{hundredths}", f"0 {self.when[0].split()[1]}", start
            for when, value in zip(self.when, values, strict=True):
                yield f"stack_p{hundredths}", when, value

    def _calculated(self) -> Mapping[Key, float]:
        """Return what is calculated of these, by metric and level."""
        calculation, terms = self.calculation, self.terms
        if calculation is None:
            return {}
        chances, least = calculation.results()
        amounts, whole = least + np.arange(chances.shape[1]), chances.mean(axis=0)
        mean = float(whole @ amounts)
        spare = terms.buy_in - terms.rebuy_below
        values: dict[Key, float] = {
            ("result", "mean"): mean,
            ("result", "sd"): math.sqrt(float(whole @ amounts**2) - mean**2),
            ("never_short", "players"): calculation.survival(spare),
            ("buy_ins", "mean"): terms.players
            * float(calculation.bought(terms.buy_in, terms.rebuy_below).mean()),
        }
        for level in USUAL:
            values["result", level] = float(amounts[np.searchsorted(whole.cumsum(), _part(level))])
        for level in ("p50", "p90", "p95"):
            lasting = terms.rebuy_below + calculation.chips_lasting(_part(level))
            values["buy_in", level] = float(lasting)
        most = terms.rebuy_below - int(self.played.lowest[-1].min())
        for chips in self._ladder(most):
            values["lasts", str(chips)] = calculation.survival(chips - terms.rebuy_below)
        return values | self._calculated_of_players(chances, amounts)

    def _calculated_of_players(self, chances: NDArray[Any], amounts: Values) -> dict[Key, float]:
        """Return the chance to end ahead, and what policies win, from each course's law."""
        player = courses(self.terms)[1]
        policies = np.array([policy.name for policy in self.terms.policies])[player]
        ahead, won = chances[:, amounts > 0].sum(axis=1), chances @ amounts
        values = {("ahead", "all"): float(ahead.mean())}
        for name in dict.fromkeys(policies.tolist()):
            values["ahead", name] = float(ahead[policies == name].mean())
            values["result_by_policy", name] = float(won[policies == name].mean())
        for number in range(self.terms.players):
            values["ahead", f"player {number + 1}"] = float(ahead[player == number].mean())
        return values


def _part(level: str) -> float:
    """Return the share of a level such as ``p95``."""
    return int(level.removeprefix("p")) / 100


def _round_step(least: int, most: int, steps: int) -> int:
    """Return a width of 1, 2, 5, 10, … by which it is no more than so many steps."""
    rough = max((most - least) / steps, 1)
    tens: int = 10 ** int(math.log10(rough))
    return next(tens * part for part in (1, 2, 5, 10) if tens * part >= rough)


def _times(value: Estimate, factor: float) -> Estimate:
    estimate, se, low, high = (part * factor for part in value[:4])
    return Estimate(estimate, se, low, high, replicates=value.replicates)


def _spread(metric: str, values: Values, unit: int = 1) -> Iterator[tuple[str, str, Estimate]]:
    """Yield mean and quantiles of values, (evenings,) or (evenings, players)."""
    means = values if values.ndim == 1 else values.mean(axis=1)
    yield metric, "mean", _times(_mean(means), 1 / unit)
    for _, level, value in _levels(metric, values):
        yield metric, level, _times(value, 1 / unit)


def _levels(metric: str, values: Values) -> Iterator[tuple[str, str, Estimate]]:
    """Yield the usual quantiles of values."""
    for level, value in zip(USUAL, _quantiles(values, *map(_part, USUAL)), strict=True):
        yield metric, level, value


def _mean(values: NDArray[Any]) -> Estimate:
    values = values.astype(float)
    return of_mean([float(values.sum()), float(values @ values)], len(values))


def _share(hits: NDArray[Any], players: int = 1) -> Estimate:
    """Estimate a share of evenings, or of so many players of each."""
    evenings, hits = len(hits), hits.astype(np.int64)
    if players == 1:
        return of_share(int(hits.sum()), evenings)
    kinds = np.array([hits.sum(), (hits**2).sum(), players * hits.sum()])
    return of_ratio(kinds, evenings * np.array([players, players**2]), evenings)


def _quotient(tops: NDArray[Any], bottoms: Values) -> Estimate:
    kinds = np.array([tops.sum(), tops @ tops, tops @ bottoms])
    return of_quotient(kinds, np.array([bottoms.sum(), bottoms @ bottoms]), len(tops))


def _quantiles(values: Values, *shares: float, never: int | None = None) -> Iterator[Estimate]:
    """Estimate quantiles of values, (evenings,) or (evenings, players): evenings are independent.

    What ``never`` happened is beyond all values, and a quantile of which it is one is NaN.
    """
    happened = values[values != never] if never is not None else values
    amounts, counts = np.unique(happened, return_counts=True)
    bins = np.append(counts, values.size - happened.size)
    for share in shares:
        value = of_quantile(bins, 1, share, len(values))
        yield Estimate(*(float(amounts[int(at)]) if at >= 0 else math.nan for at in value[:4]))
