"""Exact values of what the simulation estimates, for pots in which all players stay to the end."""

from collections.abc import Mapping
from fractions import Fraction

from sim.game import Game
from sim.odds.deals import (
    abandoned_pots,
    cards_per_pot,
    deals_per_pot,
    kill_rate,
    killed_pots,
    killed_seat,
    mean_deals,
    players_out,
    survival,
)
from sim.odds.hands import census, shown_hands
from sim.odds.tolls import mean_tolls, toll_player, toll_pot, tolls_paid
from sim.tally import ante_by_seat

__all__ = [
    "abandoned_pots", "cards_per_pot", "census", "deals_per_pot", "exact_values", "kill_rate",
    "killed_pots", "killed_seat", "mean_deals", "mean_tolls", "players_out", "pot_size",
    "shown_hands", "survival", "toll_player", "toll_pot", "tolls_paid",
]  # fmt: skip

Levels = Mapping[str, Fraction | float]


def exact_values(game: Game, players: int) -> dict[tuple[str, str], Fraction | float]:
    """Return all exact values by metric and level; what has none is left out.

    Values are fractions, except square roots and what sums over the deals of pots.
    """
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
    metrics["pot_size"] = {"mean": pot_size(game, players)}
    return {
        (metric, level): value
        for metric, levels in metrics.items()
        for level, value in levels.items()
    }


def _kills(game: Game, players: int) -> dict[str, Levels]:
    values: dict[str, Levels] = {
        "killed_seat": killed_seat(game, players),
        "killed_pots": {"all": killed_pots(game, players)},
    }
    if game.kill.treatment == "player-out":
        return values | {"players_out": players_out(game, players)}
    return values | {
        "kill_rate": kill_rate(game, players),
        "survival": survival(game, players),
        "abandoned_pots": {"all": abandoned_pots(game, players)},
    }


def pot_size(game: Game, players: int) -> Fraction:
    """Return the chips in a pot on average: antes, again for every redeal if the page says so."""
    again = game.kill.ante_again or game.kill.everyone
    rounds = mean_deals(game, players) if again else Fraction(1)
    return sum(ante_by_seat(game, players)) * rounds + mean_tolls(game, players)
