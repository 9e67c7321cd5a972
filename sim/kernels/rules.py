"""A game's page and its players, as the kernels read them."""

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.deck import COURT
from sim.kernels.evaluate import card_words
from sim.policy import Policy
from sim.tally import amounts, ante_by_seat, most_deals, price_list, toll_costs

ACE = 12

RULES = np.dtype(
    [
        ("players", np.int64),
        ("killers", np.uint64),  # cards that kill, as a mask
        ("player_out", np.bool_),  # a killer puts out its receiver alone
        ("court_kills", np.uint8, len(COURT)),  # which of ``COURT`` kill
        ("court_tells", np.bool_),  # where all stay, their slots alone tell how a deal ends
        ("max_deals", np.int64),
        ("toll_cards", np.uint64),
        ("prices", np.int64, UP_STREETS),  # of a player's first, second, … toll card of a deal
        ("costs", np.int64, UP_STREETS + 1),  # of 0, 1, 2, … toll cards of a deal together
        ("antes", np.int64, MAX_PLAYERS),  # before the first deal
        ("antes_again", np.int64, MAX_PLAYERS),  # before every further deal, from those in it
        ("toll_unit", np.int64),
        ("pot_unit", np.int64),
        ("words", np.uint64, DECK),  # ``CardWords``
        ("suits", np.uint64, DECK),
        ("flushes", np.int64),
        ("wild_cards", np.int64),  # how many
        ("everyone", np.bool_),  # who folded comes back in for a redeal
        ("killer_count", np.int64),
        ("toll_count", np.int64),  # toll cards in the deck
        ("bets", np.int64, len(STREETS)),
        ("most_bets", np.int64),  # a bet and its raises in a round
        ("bring_in", np.int64),
        ("opening", np.uint8, DECK),  # the highest up card opens third street, so ranked
        ("policy_count", np.int64),
        ("policies", np.int64, MAX_PLAYERS),  # the number of each seat's
        ("any_looks", np.bool_),
        ("looks", np.uint8, MAX_PLAYERS),  # at cards and price
        ("blind", np.int64, (MAX_PLAYERS, len(STREETS))),  # chances to fold, times ``ONE``
    ],
    align=True,
)
"""A game's page for one table size, as the kernels read it.

A record is one pointer, and a field of it a fixed distance from there.
"""


def distinct(seats: tuple[Policy, ...]) -> list[Policy]:
    """Return the policies of a table, each once, in the order of the seats."""
    return list(dict.fromkeys(seats))


def rules_of(game: Game, seats: tuple[Policy, ...]) -> NDArray[np.void]:
    """Put a page and the seats' policies into the form that the kernels read: (1,) of ``RULES``."""
    players = len(seats)
    limits = amounts(game, players, bets=any(policy.looks for policy in seats))
    antes = ante_by_seat(game, players)
    again = game.kill.ante_again or game.kill.everyone
    cards = card_words(game.wild, flush_repeats=game.flush_repeats)
    rules = np.zeros(1, RULES)
    values = {
        "players": players,
        "killers": game.kill.cards,
        "player_out": game.kill.treatment == "player-out",
        "court_kills": [game.kill.cards >> int(card) & 1 for card in COURT],
        "court_tells": _court_tells(game),
        "max_deals": most_deals(game),
        "toll_cards": game.toll.cards,
        "prices": price_list(game),
        "costs": toll_costs(game),
        "toll_unit": limits.toll_unit,
        "pot_unit": limits.pot_unit,
        "words": cards.words,
        "suits": cards.suits,
        "flushes": cards.flushes,
        "wild_cards": game.wild.bit_count(),
        "everyone": game.kill.everyone,
        "killer_count": game.kill.cards.bit_count(),
        "toll_count": game.toll.cards.bit_count(),
        "bets": game.betting.bets,
        "most_bets": 1 + game.betting.raises,
        "bring_in": game.betting.bring_in,
        "opening": _opening(game),
    }
    for name, value in values.items():
        rules[0][name] = value
    numbers = distinct(seats)
    rules[0]["policy_count"] = len(numbers)
    rules[0]["any_looks"] = any(policy.looks for policy in seats)
    for seat, policy in enumerate(seats):
        rules[0]["policies"][seat] = numbers.index(policy)
        rules[0]["looks"][seat] = policy.looks
        rules[0]["blind"][seat] = policy.blind
    rules[0]["antes"][:players] = antes
    rules[0]["antes_again"][:players] = antes if again else 0
    return rules


def _opening(game: Game) -> list[int]:
    """Rank up cards by who opens third street: the lowest card, or the highest hand showing."""
    if game.betting.opens == "low-card":
        return [DECK - card for card in range(DECK)]
    return [1 + (ACE if game.wild >> card & 1 else card >> 2) for card in range(DECK)]


def _court_tells(game: Game) -> bool:
    """Whether the slots of ``COURT`` tell how a deal ends, and no toll is due in one killed."""
    if game.kill.cards and (game.kill.treatment == "player-out" or game.toll.cards):
        return False
    return not game.kill.cards & ~sum(1 << int(card) for card in COURT)
