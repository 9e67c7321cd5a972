"""Equity: one hand against others over deals of the cards nobody has seen, sampled or all of them.

Cards to come are laid out in slots: which seat gets the card, and whether it comes face up. First
the up cards that others were dealt already, which are no killers, then up cards, then cards face
down, and last a card for everybody. Seat 0 is the hand's.
"""

from math import lcm

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import holds
from sim.kernels.evaluate import rank_hand
from sim.kernels.stream import EQUITY, RETRY, multiply_wide, pot_stream, root, word

SHARE = lcm(*range(1, MAX_PLAYERS + 1))
"""Parts of a pot, so that it can be shared by any number of players in whole parts."""
SHOWN, UP, DOWN = range(3)
"""Faces: up in earlier rounds, up in rounds to come, down."""
EVERYBODY = MAX_PLAYERS
"""The seat of a community card."""

SITUATION = np.dtype(
    [
        ("players", np.int64),
        ("slots", np.int64),  # cards to come
        ("seat", np.uint8, DECK),  # of each slot, or ``EVERYBODY``
        ("face", np.uint8, DECK),
        ("alike", np.uint8, DECK),  # trading its card with the slot's before changes nothing
        ("unseen", np.uint8, DECK),  # cards nobody has seen, killers last
        ("cards", np.int64),  # how many,
        ("harmless", np.int64),  # and how many are no killers
        ("killers", np.uint64),  # cards, as a mask
        ("player_out", np.bool_),
        ("words", np.uint64, DECK),  # ``CardWords``
        ("suit_masks", np.uint64, DECK),
        ("flushes", np.int64),
        ("known_totals", np.uint64, MAX_PLAYERS),  # of the cards of each seat that are known
        ("known_suits", np.uint64, MAX_PLAYERS),
        ("totals", np.uint64, MAX_PLAYERS),  # workspace, as are all that follow
        ("suits", np.uint64, MAX_PLAYERS),
        ("still_in", np.uint8, MAX_PLAYERS),
        ("dealt", np.uint8, DECK),  # cards, by slot
        ("rest", np.uint8, DECK),
        ("next", np.int64, DECK),
    ],
    align=True,
)
"""A hand, what is known of the others', and what is to come."""

COUNTS = np.dtype(
    [
        ("deals", np.int64),
        ("killed", np.int64),
        ("out", np.int64),  # a killer puts the hand out
        ("wins", np.int64),  # of the whole pot
        ("ties", np.int64),
        ("share", np.int64),  # in parts of ``SHARE`` of a pot
        ("share_squares", np.int64),
    ],
    align=True,
)
"""What became of deals."""


@piece
def give(state, seat, card):
    """Give a card to a seat."""
    state.totals[seat] += state.words[card]
    state.suits[seat] |= state.suit_masks[card]


@piece
def finish(tables, state, counts):
    """Count a deal that ends with the hand still in, by how many share the pot."""
    own = rank_hand(tables, state.flushes, state.totals[0], state.suits[0])
    winners = 1
    for seat in range(1, state.players):
        if state.still_in[seat]:
            other = rank_hand(tables, state.flushes, state.totals[seat], state.suits[seat])
            if other > own:
                return
            winners += other == own
    share = SHARE // winners
    counts.wins += winners == 1
    counts.ties += winners > 1
    counts.share += share
    counts.share_squares += share * share


@part
def settle(tables, state, counts):
    """Count the deal whose cards have been dealt."""
    counts.deals += 1
    players_in = state.players
    for seat in range(state.players):
        state.totals[seat], state.suits[seat] = state.known_totals[seat], state.known_suits[seat]
        state.still_in[seat] = True
    for slot in range(state.slots):
        card, seat = state.dealt[slot], state.seat[slot]
        if seat == EVERYBODY:
            for each in range(state.players):
                give(state, each, card)
        else:
            give(state, seat, card)
        if state.face[slot] == UP and holds(state.killers, card):
            if not state.player_out:
                counts.killed += 1
                return
            # The last player left has won, and who is out gets no more cards.
            if seat < EVERYBODY and state.still_in[seat] and players_in > 1:
                state.still_in[seat] = False
                players_in -= 1
    if state.still_in[0]:
        finish(tables, state, counts)
    else:
        counts.out += 1


@piece
def below(stream, index, choices):
    """Return a number below ``choices``, each exactly as likely as any other."""
    number, low = multiply_wide(word(stream, index), choices)
    if low < choices:
        threshold = (np.uint64(0) - choices) % choices
        while low < threshold:
            index += RETRY
            number, low = multiply_wide(word(stream, index), choices)
    return number


@piece
def choices(state, slot):
    """Return among how many of the unseen cards a slot's is."""
    return state.harmless if state.face[slot] == SHOWN else state.cards


@kernel
def sample_deals(tables, situation, seed, first, deals, counts):
    """Deal deals number ``first`` to ``first + deals - 1`` of a seed, and count them.

    ``situation`` and ``counts`` are records, (1,); ``seed`` is uint64.
    """
    state, sums = situation[0], counts[0]
    shared = root(seed, state.players, EQUITY)
    for deal in range(first, first + deals):
        stream = pot_stream(shared, deal)
        for card in range(state.cards):
            state.rest[card] = state.unseen[card]
        for slot in range(state.slots):
            other = slot + below(stream, np.uint64(slot), np.uint64(choices(state, slot) - slot))
            state.dealt[slot] = state.rest[other]
            state.rest[other] = state.rest[slot]
        settle(tables, state, sums)


@kernel
def enumerate_deals(tables, situation, counts):
    """Count each way in which the cards to come may fall once; alike slots hold rising cards."""
    state, sums = situation[0], counts[0]
    taken, slot = np.uint64(0), 0
    state.next[0] = 0
    while slot >= 0:
        card, end = state.next[slot], choices(state, slot)
        while card < end and holds(taken, card):
            card += 1
        if card == end:
            slot -= 1
            if slot >= 0:
                taken ^= np.uint64(1) << np.uint64(state.next[slot] - 1)
            continue
        state.next[slot] = card + 1
        state.dealt[slot] = state.unseen[card]
        if slot + 1 == state.slots:
            settle(tables, state, sums)
        else:
            taken |= np.uint64(1) << np.uint64(card)
            slot += 1
            state.next[slot] = card + 1 if state.alike[slot] else 0
