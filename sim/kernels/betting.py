"""Betting: what a player sees, what he makes of it, and a round of it.

A player values his hand by what it will be worth at the showdown, if the deal gets there, and looks
one card ahead at what the next toll may cost him. Value and price are counted in sixteenths of a
fair share, so that one table of chances serves any number of opponents. All that decides is whole
numbers, compared by cross-multiplication.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.events import Event
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS, Game
from sim.kernels.compile import piece
from sim.kernels.evaluate import rank_hand, rank_without_flush
from sim.kernels.log import emit
from sim.kernels.prospects import Prospects, place_ahead
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.stream import word
from sim.policy import ONE, PRICES, SHAPE, STEP, VALUES, Policy
from sim.tally import PRICE_BORDERS

FOLD, CHECK, CALL = int(Event.FOLD), int(Event.CHECK), int(Event.CALL)
BET, RAISE, BRING_IN = int(Event.BET), int(Event.RAISE), int(Event.BRING_IN)

BLIND_TURN = 15
"""The turn of a round whose word is for folding before it, blind to cards."""
ALWAYS = ONE - 1
"""Half the size, and no roll reaches it."""
ONE_BITS = ONE.bit_length() - 1
MOST_UP_CARDS = UP_STREETS * MAX_PLAYERS + 1
"""Up cards of a deal, the eight-player community card among them."""
LAST = len(STREETS) - 1


POLICIES = np.dtype(
    [
        # By policy: the chance to fold, and that to fold or raise, times ``ONE``, of which
        # ``ALWAYS`` stands for the whole; both again for a hand that a visible board beats.
        ("chances", np.uint16, (MAX_PLAYERS, *SHAPE[:-1], 4)),
        # By killers unseen, cards unseen and cards to come face up: the chance that none of these
        # is a killer, times ``ONE``.
        ("survive", np.int32, (DECK + 1, DECK + 1, MOST_UP_CARDS + 1)),
        ("fair", np.int64, MAX_PLAYERS + 1),  # one player's share among so many, times ``ONE``
    ]
)


class Minds(NamedTuple):
    """What players think with; there is None where everybody stays."""

    policies: NDArray[np.void]
    """(1,) of ``POLICIES``"""
    prospects: Prospects


def distinct(seats: tuple[Policy, ...]) -> list[Policy]:
    """Return the policies of a table, each once, in the order of the seats."""
    return list(dict.fromkeys(seats))


def minds_of(game: Game, seats: tuple[Policy, ...], prospects: Prospects) -> Minds:
    """Put the policies of a table into the form that the kernels read."""
    record = np.zeros(1, POLICIES)
    for place, policy in enumerate(distinct(seats)):
        if policy.tables:
            folds, raises = policy.tables
            both = np.minimum(np.stack([folds, folds + raises], axis=-1), ALWAYS)
            record["chances"][0, place] = both.reshape(*SHAPE[:-1], 4)
    survive = survival(game.kill.cards.bit_count())
    record["survive"][0, : len(survive)] = survive
    record["fair"][0, 1:] = ONE // np.arange(1, MAX_PLAYERS + 1)
    return Minds(record, prospects)


def survival(killers: int) -> NDArray[np.int32]:
    """Return the survival of a page with so many killers, as in ``POLICIES``."""
    chances = np.zeros((killers + 1, DECK + 1, MOST_UP_CARDS + 1), np.int32)
    for left in range(killers + 1):
        for unseen in range(left, DECK + 1):
            for to_come in range(min(unseen, MOST_UP_CARDS) + 1):
                ways = comb(unseen - left, to_come) * ONE // comb(unseen, to_come)
                chances[left, unseen, to_come] = ways
    return chances


@piece
def begin_deal(table, players_in):
    """Forget the cards of the deal before."""
    table.totals[:] = 0
    table.suits[:] = 0
    table.boards[:] = 0
    table.board_suits[:] = 0
    table.own_killers[:] = 0
    table.own_tolls[:] = 0
    table.dealt_in = players_in
    table.shown = 0
    table.killers_shown = 0
    table.tolls_shown = 0


@piece
def is_in(mask, card):
    """Return 1 if a set of cards, as a mask, holds this card, or else 0."""
    return np.int64(mask >> np.uint64(card) & np.uint64(1))


@piece
def take_down(rules, table, seat, card):
    """Add a hole card to what a seat holds and sees."""
    table.totals[seat] += rules.words[card]
    table.suits[seat] |= rules.suits[card]
    table.own_killers[seat] += is_in(rules.killers, card)
    table.own_tolls[seat] += is_in(rules.toll_cards, card)


@piece
def take_up(rules, table, seat, card):
    """Add an up card to what a seat holds and everybody sees."""
    table.totals[seat] += rules.words[card]
    table.suits[seat] |= rules.suits[card]
    table.boards[seat] += rules.words[card]
    table.board_suits[seat] |= rules.suits[card]
    table.shown += 1
    table.killers_shown += is_in(rules.killers, card)
    table.tolls_shown += is_in(rules.toll_cards, card)


@piece
def share_card(rules, table, card):
    """Add the community card to what all hold and see."""
    for seat in range(rules.players):
        table.totals[seat] += rules.words[card]
        table.suits[seat] |= rules.suits[card]
    table.shown += 1


@piece
def rank_boards(tables, rules, table, street):
    """Rank what each seat still in shows, 0 for others: at most four cards, which make no flush."""
    start = tables.starts[min(street + 1, UP_STREETS)]
    for seat in range(rules.players):
        table.showing[seat] = 0
        if table.still_in[seat]:
            table.showing[seat] = rank_without_flush(tables, start + table.boards[seat])
    table.boards_ranked = True


@piece
def look_at_hands(tables, minds, rules, table, street, players_in):
    """Note where each seat's prospects lie.

    Step by step for all, so that look-ups do not wait for each other.
    """
    seats = 0
    for seat in range(rules.players):
        table.seats_in[seats] = seat
        seats += table.still_in[seat]
    cards = 3 + street
    start = tables.starts[cards]
    if street == LAST:
        finished = minds.prospects.layout[0].places[MAX_CARDS]
        for place in range(players_in):
            seat = table.seats_in[place]
            total = start + table.totals[seat]
            strength = rank_hand(tables, rules.flushes, total, table.suits[seat])
            table.places[seat] = finished + np.int64(strength)
    else:
        for place in range(players_in):
            seat = table.seats_in[place]
            total = start + table.totals[seat]
            table.places[seat] = place_ahead(minds.prospects, total, table.suits[seat], cards)
    # Touched together they come to the cache together, and are read one by one as seats act.
    for place in range(players_in):
        seat = table.seats_in[place]
        table.ahead += minds.prospects.values[players_in - 2, table.places[seat]]


@piece
def opener(tables, rules, table, street):
    """Return who opens: the lowest card on third street if the page says so, or the best board."""
    low_card = street == 0 and rules.low_card
    if not low_card:
        rank_boards(tables, rules, table, street)
    first, best = -1, -1
    for seat in range(rules.players):
        if table.still_in[seat]:
            rank = DECK - np.int64(table.deck[seat]) if low_card else table.showing[seat]
            if rank > best:
                first, best = seat, rank
    return first


@piece
def is_beaten(tables, rules, table, street, seat):
    """Whether the board of another player still in beats a seat's hand; its own never does."""
    if not table.boards_ranked:
        rank_boards(tables, rules, table, street)
    best = 0
    for other in range(MAX_PLAYERS):  # a constant number; who is out has a board of 0
        best = max(best, table.showing[other])
    total = tables.starts[3 + street] + table.totals[seat]
    return best > np.int64(rank_hand(tables, rules.flushes, total, table.suits[seat]))


@piece
def value_of(minds, rules, table, street, seat, players_in):
    """Return a seat's chance to win the pot as it sees it, times ``ONE``."""
    ahead = np.int64(minds.prospects.values[players_in - 2, table.places[seat]])
    if rules.killers == 0 or street == LAST:
        return ahead
    to_come = UP_STREETS - 1 - street
    if not rules.player_out:
        to_come *= players_in
        dealt = 2 * table.dealt_in + table.shown
        to_come += rules.players == MAX_PLAYERS and dealt + to_come + players_in > DECK
    killers = rules.killer_count - table.killers_shown - table.own_killers[seat]
    policies = minds.policies[0]
    survive = np.int64(policies.survive[killers, DECK - 2 - table.shown, to_come])
    value = survive * ahead
    if not rules.player_out:
        value += (ONE - survive) * policies.fair[players_in]
    return value >> ONE_BITS


@piece
def price_of(rules, table, street, seat, to_call):
    """Return what is asked of a seat and what is then there to win, both times the cards unseen."""
    unseen = DECK - 2 - table.shown
    asked = to_call * unseen
    if street < UP_STREETS - 1 and rules.toll_cards:
        tolls = rules.toll_count - table.tolls_shown - table.own_tolls[seat]
        asked += rules.prices[table.toll_cards[seat]] * tolls
    return asked, table.pot * unseen + asked


@piece
def note_price(table, asked, there, folds):
    """Count a turn by the band of its price."""
    band = 0
    if asked:
        for border in PRICE_BORDERS:
            band += asked * 100 >= border * there
    table.asked_by_price[band] += 1
    table.folds_by_price[band] += folds


@piece
def choose(roll, fold, fold_or_raise):
    """Return what a roll makes a player do."""
    if roll < fold:
        return FOLD
    return RAISE if roll < fold_or_raise else CALL


@piece
def decide(tables, minds, rules, table, roll, street, seat, to_call, players_in):
    """Return what a player who looks does: ``FOLD``, ``RAISE`` or ``CALL``."""
    value = value_of(minds, rules, table, street, seat, players_in)
    asked, there = price_of(rules, table, street, seat, to_call)
    share = min(value * players_in * STEP >> ONE_BITS, VALUES - 1)
    price = 0
    if asked:  # unsigned numbers divide quicker
        price = 1 + min(
            np.int64(np.uint64(asked * players_in * STEP) // np.uint64(there)), PRICES - 2
        )
    chances = minds.policies[0].chances
    policy = rules.policies[seat]
    action = choose(
        roll, chances[policy, street, share, price, 0], chances[policy, street, share, price, 1]
    )
    if_beaten = choose(
        roll, chances[policy, street, share, price, 2], chances[policy, street, share, price, 3]
    )
    # Most rolls come to the same, and ranking hands is slow.
    if action != if_beaten and is_beaten(tables, rules, table, street, seat):
        action = if_beaten
    note_price(table, asked, there, action == FOLD)
    return action


@piece
def roll_of(stream, deal, street, seat, turn):
    """Return a player's roll of one turn: 0 … ``ALWAYS`` - 1, the last twice as likely."""
    place = ((np.int64(deal) * 16 + street) * 8 + seat) * 16 + turn
    return min(np.int64(word(stream, place) >> np.uint64(48)), ALWAYS - 1)


@piece
def put_in(table, seat, chips):
    """Put a seat's chips into the pot."""
    table.round_paid[seat] += chips
    table.paid[seat] += chips
    table.pot += chips


@piece
def fold(table, street, seat):
    """Take a seat out of the pot."""
    table.still_in[seat] = False
    table.showing[seat] = 0
    table.folds[street] += 1
    table.folds[LAST + 1] += 1


@piece
def fold_blindly(rules, table, log, stream, deal, street, players_in):
    """Let those who fold without looking roll for it; return how many are left, at least one."""
    for seat in range(rules.players):
        chance = rules.blind[seat, street]
        rolls = chance and table.still_in[seat] and players_in > 1
        if rolls and roll_of(stream, deal, street, seat, BLIND_TURN) < chance:
            fold(table, street, seat)
            emit(log, FOLD, seat, 0)
            players_in -= 1
    return players_in


@piece
def betting_round(tables, minds, rules, table, log, stream, deal, street, players_in):
    """Let those still in bet after a street's cards; return how many are left, at least one."""
    players_in = fold_blindly(rules, table, log, stream, deal, street, players_in)
    if players_in == 1:
        return 1
    table.boards_ranked = False
    if rules.any_looks:
        look_at_hands(tables, minds, rules, table, street, players_in)
    table.rounds[street] += 1
    table.round_paid[:] = 0
    table.turns[:] = 0
    bet = rules.bets[street]
    seat = opener(tables, rules, table, street)
    matched = made = 0
    to_act = players_in
    if street == 0 and rules.bring_in:
        matched = rules.bring_in
        put_in(table, seat, matched)
        emit(log, BRING_IN, seat, matched)
        to_act -= 1
        seat += 1
    while to_act:
        if seat == rules.players:
            seat = 0
        if table.still_in[seat]:
            to_call = matched - table.round_paid[seat]
            action = CALL
            if rules.looks[seat]:
                roll = roll_of(stream, deal, street, seat, table.turns[seat])
                action = decide(
                    tables, minds, rules, table, roll, street, seat, to_call, players_in
                )
            table.turns[seat] += 1
            table.decisions += 1
            to_act -= 1
            if action == FOLD:
                emit(log, FOLD, seat, to_call)
                fold(table, street, seat)
                players_in -= 1
                if players_in == 1:
                    return 1
            elif action == RAISE and made < rules.most_bets:
                made += 1
                table.bets[street] += 1
                matched = made * bet
                chips = matched - table.round_paid[seat]
                put_in(table, seat, chips)
                emit(log, BET if made == 1 else RAISE, seat, chips)
                to_act = players_in - 1
            else:
                put_in(table, seat, to_call)
                emit(log, CALL if to_call else CHECK, seat, to_call)
        seat += 1
    return players_in
