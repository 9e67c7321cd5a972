"""Every metric, defined once: its name, what it is, its levels and what it is counted from.

Frames, targets, differences, control variates, charts, tables and docs read it from here, so that
a new metric is one more entry of ``METRICS``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np

from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, up_cards
from sim.kernels.ranks import CATEGORIES
from sim.scenario import Scenario
from sim.stats.intervals import (
    Estimate,
    confidence_sequence,
    expected_ranks,
    of_share,
    sequence_ranks,
)
from sim.stats.kinds import (
    POLICIES,
    Columns,
    Kind,
    Part,
    Sums,
    array,
    distribution,
    is_number,
    mean,
    moments,
    named,
    numbered,
    own_ratio,
    player_distribution,
    quantiles,
    quotient,
    rate,
    ratio,
    share,
    summary,
    total,
)
from sim.tally import PRICE_BORDERS, TOLL_LEVELS, Counts, Tally, Vector, amounts

Key = tuple[str, str]
"""A metric and a level."""
PRICE_BANDS = (
    "free",
    f"below {PRICE_BORDERS[1]} %",
    *(f"{low} to {high} %" for low, high in pairwise(PRICE_BORDERS[1:])),
    f"{PRICE_BORDERS[-1]} % and more",
)
"""The bands of ``folds_by_price``."""
USUAL = "five of a kind or straight flush"
"""What OPR-716 says the winner usually holds."""
NO_PART = share("pots", levels=named([]))
"""What a level is of that a metric has not."""
REDEAL, PLAYER_OUT = "redeal", "player-out"
"""What a page can say that a killer does."""


@dataclass(frozen=True)
class Metric:
    """What is measured of a scenario."""

    name: str
    definition: str
    """In one sentence."""
    parts: tuple[Part, ...]
    """Its levels, in order; numbers stand behind names in a frame."""
    where: Callable[[Scenario], bool] = lambda _: True
    """Which scenarios have it."""
    headline: bool = False
    """Whether it is what a game is about: so is the first such metric that a game has."""
    controlled: tuple[str, ...] = ()
    """Under which treatments of a kill it is controlled, where players act, by the same where all
    stay: what saves half of the seconds (``python -m benchmarks --only variance``)."""
    within: str = ""
    """Another metric, whose levels it cannot have where by the rules that has not."""

    @property
    def counts(self) -> tuple[str, ...]:
        """The arrays of a tally that it is made of."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.counts))

    def pots_with(self, tally: Tally) -> Tally:
        """Return the tally of those of its pots that have all that the metric is made of."""
        return tally.having(self.counts)

    def parts_of(self, scenario: Scenario) -> list[Part]:
        """Return the parts that a scenario has."""
        return [part for part in self.parts if part.where(scenario)] if self.where(scenario) else []

    def levels(self, scenario: Scenario) -> list[str]:
        """Return all levels that a scenario's tallies hold."""
        parts = self.parts_of(scenario)
        return [level for part in parts for level in part.levels.columns(scenario)]

    def part(self, level: str) -> Part:
        """Return the part that a level is of, in scenarios that have it."""
        return next((part for part in self.parts if part.levels.holds(level)), NO_PART)


def _kills(scenario: Scenario) -> bool:
    return bool(scenario.game.kill.cards)


def _redeals(scenario: Scenario) -> bool:
    return _kills(scenario) and scenario.game.kill.treatment == REDEAL


def _puts_out(scenario: Scenario) -> bool:
    return _kills(scenario) and scenario.game.kill.treatment == PLAYER_OUT


def _has_tolls(scenario: Scenario) -> bool:
    return bool(scenario.game.toll.cards)


def _brings_in(scenario: Scenario) -> bool:
    return bool(scenario.game.betting.bring_in)


def _acts(scenario: Scenario) -> bool:
    return not scenario.stays


def _is_mixed(scenario: Scenario) -> bool:
    return len(set(scenario.seats)) > 1


def _has_tolls_and_is_mixed(scenario: Scenario) -> bool:
    return _has_tolls(scenario) and _is_mixed(scenario)


def _toll_unit(scenario: Scenario) -> int:
    return amounts(scenario.game, scenario.players, bets=scenario.bets).toll_unit


def _pot_unit(scenario: Scenario) -> int:
    return amounts(scenario.game, scenario.players, bets=scenario.bets).pot_unit


def _players(scenario: Scenario, _: str = "") -> int:
    return scenario.players


def _seats(scenario: Scenario, policy: str) -> int:
    """Return how many seats play a policy."""
    return Counter(seat.name for seat in scenario.seats)[policy]


def _means_by_policy(name: str) -> tuple[Part, ...]:
    """Return the means of a seat that plays each policy, of an array by policy."""
    return (mean(name, POLICIES, each=_seats),)


def _exists(scenario: Scenario, level: str) -> bool:
    """Whether a seat is taken, or eight players may share a card."""
    if level == "community":
        return scenario.players == MAX_PLAYERS
    return not level.isdigit() or int(level) <= scenario.players


def _alive(_: Scenario, counts: Counts) -> Vector:
    """Return c, c² and c·deals of deals that none of their first up cards killed, by number."""
    deals, squares = DEALS.take(_, counts)
    dead, dead_squares, cross = np.cumsum(counts.kills_by_card, axis=1)
    return np.array([deals - dead, squares - 2 * cross + dead_squares, squares - cross])


DEALS = moments("deals")
PLAYERS_DEALT, HANDS_SHOWN = array("players_dealt"), array("hands_shown", always=False)
SHOWDOWNS = total("winning_hands", always=False)
WON_BY_USUAL = total("winning_hands", slice(CATEGORIES.index("straight flush"), None))
HANDS, EACH_STREET = named(CATEGORIES), named(STREETS)
UP_STREET, FOLDED = named(STREETS[:UP_STREETS]), named([*STREETS, "all"])
KILLED = named([*STREETS[:UP_STREETS], "community", "all"], _exists)
SEAT_NAMES = tuple(str(seat) for seat in range(1, MAX_PLAYERS + 1))
SEATS, SEATS_AND_COMMUNITY = named(SEAT_NAMES, _exists), named([*SEAT_NAMES, "community"], _exists)
TOLLS = numbered(lambda _: UP_STREETS + 1)
TOLLS_OF_POT = named([*map(str, range(TOLL_LEVELS - 1)), f"{TOLL_LEVELS - 1}+"])

_METRICS = (
    Metric(
        "kill_rate",
        "share of deals killed by a killer dealt face up, by street (levels sum to all)",
        (ratio("kills_by_street", DEALS, KILLED),),
        where=_redeals,
        headline=True,
        controlled=(REDEAL,),
    ),
    Metric(
        "survival",
        "share of deals that none of their first k up cards kills; one won before its k-th "
        "up card counts, too",
        (
            ratio(
                Sums(("kills_by_card", "deals"), _alive),
                DEALS,
                numbered(lambda scenario: up_cards(scenario.players) + 1, first=1),
            ),
        ),
        where=_redeals,
        controlled=(REDEAL,),
    ),
    Metric(
        "killed_pots",
        "share of pots in which a killer killed a deal or put somebody out",
        (share("killed_pots"),),
        where=_kills,
        controlled=(REDEAL, PLAYER_OUT),
    ),
    Metric(
        "killed_seat",
        "share of deals in which this seat (or everybody) got a killer face up",
        (
            ratio("kills_by_seat", DEALS, SEATS_AND_COMMUNITY, where=_redeals),
            share("kills_by_seat", levels=SEATS, where=_puts_out),
        ),
        where=_kills,
        controlled=(REDEAL, PLAYER_OUT),
    ),
    Metric(
        "players_out",
        "players put out in a pot: mean, share of pots with so many, mean by street",
        (
            mean(moments("players_out")),
            distribution("players_out"),
            mean("kills_by_street", UP_STREET),
        ),
        where=_puts_out,
        headline=True,
        controlled=(PLAYER_OUT,),
    ),
    Metric(
        "deals_per_pot",
        "deals until a pot is won: mean, and share of pots that take so many",
        (mean(DEALS), distribution("deals")),
        controlled=(REDEAL,),
    ),
    Metric(
        "cards_per_pot",
        "cards dealt in a pot, over all its deals",
        (mean("cards"),),
        controlled=(REDEAL,),
    ),
    Metric(
        "abandoned_pots",
        "share of pots killed so often that they were shared (the page's max_deals)",
        (share("abandoned_pots"),),
        where=_redeals,
    ),
    Metric(
        "toll_pot",
        "chips paid for face-up toll cards by all players of a pot",
        (
            *summary("toll_pot", "toll_pot_sums", _toll_unit),
            distribution("toll_pot", _toll_unit),
        ),
        where=_has_tolls,
        headline=True,
    ),
    Metric(
        "toll_player",
        "chips paid for face-up toll cards by one player in a pot",
        (
            mean("toll_pot_sums", each=_players),
            player_distribution("toll_player", _toll_unit),
        ),
        where=_has_tolls,
    ),
    Metric(
        "tolls_paid",
        "share of players, deal by deal, who paid for exactly so many face-up toll cards",
        (ratio("tolls_paid", PLAYERS_DEALT, TOLLS),),
        where=_has_tolls,
    ),
    Metric(
        "hand",
        "share of hands shown down, by category",
        (ratio("hands", HANDS_SHOWN, HANDS),),
    ),
    Metric(
        "winning_hand",
        "share of showdowns won by a hand of this category",
        (
            share("winning_hands", SHOWDOWNS, HANDS),
            share(WON_BY_USUAL, SHOWDOWNS, named([USUAL])),
        ),
        within="hand",
    ),
    Metric(
        "split_pots",
        "share of pots split between equal hands",
        (share("split_pots"),),
    ),
    Metric(
        "pot_size",
        "chips in the pot when it is won (antes, tolls and bets)",
        summary("pot_size", "pot_size_sums", _pot_unit),
        headline=True,
    ),
    Metric(
        "toll_share",
        "share of the chips in pots that are tolls",
        (ratio("toll_pot_sums", array("pot_size_sums")),),
        where=_has_tolls,
    ),
    Metric(
        "chips_in",
        "chips that one player puts into a pot: mean, quantiles, share who put in so many",
        (
            mean("pot_size_sums", each=_players),
            *quantiles("chips_in", _pot_unit),
            player_distribution("chips_in", _pot_unit),
        ),
    ),
    Metric(
        "survivors",
        "players still in when a pot is won: mean, and share of pots with so many",
        (mean(moments("survivors")), distribution("survivors")),
    ),
    Metric(
        "showdowns",
        "share of pots that end in a showdown",
        (share(SHOWDOWNS),),
    ),
    Metric(
        "kill_rate_dealt",
        "share of deals killed, of those dealt to so many players",
        (own_ratio("kills_by_dealt", numbered(lambda _: MAX_PLAYERS + 1), seen_only=True),),
        where=_redeals,
    ),
    Metric(
        "decisions",
        "turns taken by players in a pot: folds, blind ones too, checks, calls, bets and "
        "raises; the forced bring-in is none",
        (mean("decisions"),),
        controlled=(REDEAL,),
    ),
    Metric(
        "bets",
        "bets and raises in a betting round, by street",
        (rate("bets", EACH_STREET),),
        where=_acts,
    ),
    Metric(
        "folds",
        "share of players, deal by deal, who fold, by street (levels sum to all)",
        (ratio("folds", PLAYERS_DEALT, FOLDED),),
        where=_acts,
    ),
    Metric(
        "folds_by_price",
        "share of lookers' turns that are folds, by price (of what is to win)",
        (own_ratio("folds_by_price", named(PRICE_BANDS), seen_only=True),),
        where=_acts,
    ),
    Metric(
        "net_by_seat",
        "chips that a seat wins less those it puts in, a pot; the last seat deals",
        (mean("net_by_seat", SEATS),),
    ),
    Metric(
        "net_by_policy",
        "the same for a seat that plays this policy",
        _means_by_policy("net_by_policy"),
        where=_is_mixed,
    ),
    Metric(
        "net_by_tolls",
        "the same for players who pay for so many face-up toll cards in the pot",
        (quotient("net_by_tolls", TOLLS_OF_POT, seen_only=True),),
    ),
    Metric(
        "toll_by_policy",
        "chips that a seat that plays this policy pays in tolls, a pot",
        _means_by_policy("toll_by_policy"),
        where=_has_tolls_and_is_mixed,
    ),
    Metric(
        "carried",
        "chips in a pot before the antes of its last deal",
        (mean("carried"),),
        where=_redeals,
    ),
    Metric(
        "winner_tolls",
        "chips that a winner has paid in tolls in the pot; who takes a share of a pot is one",
        (quotient("winner_tolls"),),
        where=_has_tolls,
    ),
    Metric(
        "net_of_opener",
        "chips that the seat which brings in the last deal wins less those it puts in, a pot",
        (quotient("net_of_opener"),),
        where=_brings_in,
    ),
)
METRICS = {metric.name: metric for metric in _METRICS}
"""Every metric by its name, in the order of frames."""


def estimates(
    scenario: Scenario, tally: Tally, *, anytime: bool = False
) -> Iterator[tuple[str, str, Estimate]]:
    """Yield (metric, level, estimate) for all that a scenario's game has to tell.

    With ``anytime`` low and high are confidence sequences: 95 % at every number of pots. A metric
    is taken from the pots that have its counts, and left out if none have.
    """
    ranks = sequence_ranks if anytime else expected_ranks
    for metric in METRICS.values():
        own = metric.pots_with(tally)
        for part in metric.parts_of(scenario) if own is tally or own.pots else ():
            for level, value in part.estimates(scenario, own.counts, ranks):
                sequence = anytime and value.se >= 0
                yield metric.name, level, confidence_sequence(value) if sequence else value


def unseen(metric: str, level: str, pots: int, *, anytime: bool = False) -> Estimate:
    """Estimate a level that none of so many pots has shown: a share of 0, or nothing."""
    known = not np.isnan(METRICS[metric].part(level).never)
    return _none_of(pots, anytime=anytime) if known and pots else Estimate(np.nan)


@lru_cache(maxsize=64)
def _none_of(pots: int, *, anytime: bool) -> Estimate:
    return confidence_sequence(of_share(0, pots)) if anytime else of_share(0, pots)


def quotients(metric: str, scenario: Scenario, counts: Counts) -> tuple[list[str], Vector, Vector]:
    """Return levels of a metric with the two sums of which each is the quotient: (levels,) each."""
    parts = METRICS[metric].parts_of(scenario)
    sums = [part.quotients(scenario, counts) for part in parts if isinstance(part, Columns)]
    levels, tops, bottoms = zip(*sums, strict=True)
    return list(chain(*levels)), np.concatenate(tops), np.concatenate(bottoms)


def headlines() -> list[str]:
    """Return what games are about: of a game it is the first of these that it has."""
    return [name for name, metric in METRICS.items() if metric.headline]


def kind_of(metric: str, level: str) -> Kind:
    """Return what sort of number a level of a metric is; of what is not here, a share."""
    return METRICS[metric].part(level).kind if metric in METRICS else NO_PART.kind


def is_amount(metric: str, level: str) -> bool:
    """Whether a level of a metric is an amount, and no share."""
    return kind_of(metric, level).amount


def in_order(keys: Iterable[Key]) -> list[Key]:
    """Sort by metric as listed, numbered levels by number behind the others."""
    unique, metrics = list(dict.fromkeys(keys)), list(METRICS)
    first = {key: index for index, key in enumerate(unique)}

    def order(key: Key) -> tuple[int, int, int]:
        metric, level = key
        number = int(level.removesuffix("+")) if is_number(level) else -1
        return metrics.index(metric), number, first[key]

    return sorted(unique, key=order)
