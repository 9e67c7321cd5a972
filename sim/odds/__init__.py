"""Exact values of what the simulation estimates, for players who do not look at their cards.

Where all stay to the end they are fractions; where some fold blind to cards, floats. What players
do who look at their cards has no exact values.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from sim.arguments import instance, whole_number
from sim.errors import InputError
from sim.game import MAX_PLAYERS, MIN_PLAYERS, Game
from sim.odds.deals import (
    abandoned_pots,
    betting_rounds,
    cards_per_pot,
    carried,
    chance_killed,
    deals_per_pot,
    decisions,
    kill_rate,
    killed_pots,
    killed_seat,
    mean_deals,
    players_out,
    showdowns,
    survival,
    survivors,
)
from sim.odds.declarable import can_be, claims, fair_orders, named
from sim.odds.folding import folding_values
from sim.odds.hands import census, shown_hands
from sim.odds.tolls import mean_tolls, toll_player, toll_pot, tolls_paid
from sim.policy import Policy, load_seats
from sim.tally import ante_by_seat

__all__ = [
    "abandoned_pots", "betting_rounds", "can_be", "cards_per_pot", "carried", "census", "claims",
    "deals_per_pot", "decisions", "exact_values", "fair_orders", "folding_values", "kill_rate",
    "killed_pots", "killed_seat", "mean_deals", "mean_tolls", "named", "players_out", "pot_size",
    "showdowns", "shown_hands", "survival", "survivors", "toll_player", "toll_pot", "tolls_paid",
]  # fmt: skip

Levels = Mapping[str, Fraction | float]


def exact_values(
    game: Game, players: int, seats: Sequence[Policy] | None = None
) -> dict[tuple[str, str], Fraction | float]:
    """Return all exact values by metric and level; what has none is left out.

    ``seats`` is how each seat plays; without it all stay. Values are then fractions, except square
    roots and what sums over the deals of pots. Raises ``InputError`` for what cannot be played.
    """
    instance(game, Game, "a game")
    players = whole_number(players, "players", MIN_PLAYERS, MAX_PLAYERS)
    policies = () if seats is None else load_seats(seats)
    if policies and len(policies) != players:
        raise InputError(f"{players} players cannot play {len(policies)} policies")
    if any(policy.looks for policy in policies):
        return {}
    if all(policy.stays for policy in policies):
        metrics = _staying(game, players)
    else:
        metrics = folding_values(game, policies)
    return {
        (metric, level): value
        for metric, levels in metrics.items()
        for level, value in levels.items()
    }


def _staying(game: Game, players: int) -> Mapping[str, Levels]:
    metrics: dict[str, Levels] = {}
    if game.kill.cards:
        metrics |= _kills(game, players)
    metrics["deals_per_pot"] = deals_per_pot(game, players)
    metrics["cards_per_pot"] = {"mean": cards_per_pot(game, players)}
    if game.toll.cards:
        metrics["toll_pot"] = toll_pot(game, players)
        metrics["toll_player"] = toll_player(game, players)
        metrics["tolls_paid"] = tolls_paid(game, players)
    metrics["hand"] = shown_hands(game, players)
    chips = pot_size(game, players)
    if game.toll.cards and chips:
        metrics["toll_share"] = {"all": mean_tolls(game, players) / chips}
    return metrics | {
        "pot_size": {"mean": chips},
        "chips_in": {"mean": chips / players},
        "survivors": survivors(game, players),
        "showdowns": {"all": showdowns(game, players)},
        "decisions": {"mean": decisions(game, players)},
    }


def _kills(game: Game, players: int) -> dict[str, Levels]:
    values: dict[str, Levels] = {
        "killed_seat": killed_seat(game, players),
        "killed_pots": {"all": killed_pots(game, players)},
    }
    if game.kill.treatment == "player-out":
        return values | {"players_out": players_out(game, players)}
    if not game.toll.cards:
        values["carried"] = {"mean": carried(game, players)}
    return values | {
        "kill_rate": kill_rate(game, players),
        "kill_rate_dealt": {str(players): chance_killed(game, players)},
        "survival": survival(game, players),
        "abandoned_pots": {"all": abandoned_pots(game, players)},
    }


def pot_size(game: Game, players: int) -> Fraction:
    """Return the chips in a pot on average: antes, as often as the page says, bring-ins, tolls."""
    deals = mean_deals(game, players)
    again = game.kill.ante_again or game.kill.everyone
    antes = sum(ante_by_seat(game, players)) * (deals if again else 1)
    _, bring_in = betting_rounds(game, players)[0]
    return antes + game.betting.bring_in * bring_in * deals + mean_tolls(game, players)
