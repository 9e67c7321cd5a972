"""Pots of one deal in which everybody stays, counted by what they have in common.

What players pay then depends on how many toll cards each was dealt. So a pot is counted by its mix
of toll cards and by who wins it, and what that means in chips is worked out once for all pots that
are alike.
"""

from typing import Any

import numpy as np

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.compile import part, piece
from sim.kernels.fast.byte_planes import LANES
from sim.kernels.play import bin_of
from sim.kernels.ranks import MAX_CARDS

LEVELS = UP_STREETS + 1
"""A player has 0 to 4 toll cards."""
DEALER = 3 * UP_STREETS
MIXES = 1 << (DEALER + 3)
"""Toll cards of a pot's players as a number: three bits for how many have one, two, three and four
of them, and three bits for those of the dealer, whose ante may differ."""
SPLIT = LEVELS
"""Of the pots of a mix: those that were split."""
LEVEL_BITS = np.uint64(12)
LEVEL_MASK = np.uint64((1 << 12) - 1)

COUNTS: list[Any] = [
    ("levels", np.uint8, (MAX_PLAYERS, LANES)),  # toll cards of a seat
    ("strengths", np.int16, (MAX_PLAYERS, LANES)),  # 0 where no hand is shown
    ("best", np.int16, LANES),  # strength of a pot's best hand,
    ("winner", np.int16, LANES),  # who first holds it,
    ("winners", np.int16, LANES),  # and how many; 0 if the pot was abandoned
    ("mix", np.uint32, LANES),
    ("chips", np.int32, LANES),  # in the pot
    ("paid", np.int64, (MAX_PLAYERS, LEVELS)),  # by a seat with 0, 1, 2, … toll cards
    ("seats", np.int64, (MAX_PLAYERS, LEVELS)),  # each seat's pots by toll cards
    ("pots", np.int64, (MIXES, MAX_PLAYERS)),  # by mix, and toll cards of who wins alone
    ("seen", np.uint8, MIXES),  # mixes that came
    ("won", np.int64, (2, MAX_PLAYERS)),  # what winning adds to a seat's nets, and squares
    (
        "spent",
        np.int64,
        (2, 2),
    ),  # by each player and by the dealer, and squares, where deals differ
    ("shared", np.int64, (3, LEVELS)),  # and splitting to nets by toll cards: c, c², c·n
    ("lots", np.int64, LEVELS),  # what those with so many toll cards win together
    ("counts", np.int64, LEVELS + 1),  # players but the dealer by toll cards, in a mix
    ("bins", np.int64, LEVELS + 1),  # of what they paid
]
"""What a room needs to count pots."""


@piece
def mix_tolls(rules, room):
    """Tell each lane's mix of toll cards, and the chips in its pot."""
    dealer = rules.players - 1
    for lane in range(LANES):
        room.mix[lane] = np.uint32(room.levels[dealer, lane]) << np.uint32(DEALER)
    for seat in range(dealer):
        for lane in range(LANES):
            one = np.uint32(1) << np.uint32(3 * (room.levels[seat, lane] & 7))
            room.mix[lane] += np.uint32(one >> np.uint32(3))
    room.chips[:] = np.int32(dealer * room.paid[0, 0] + room.paid[dealer, 0])
    for level in range(1, LEVELS):
        cost = np.int32(rules.costs[level])
        more = np.int32(rules.costs[level] - rules.costs[level - 1])  # than one toll card fewer
        for lane in range(LANES):
            number = np.int32(room.mix[lane] >> np.uint32(3 * (level - 1)) & np.uint32(7))
            room.chips[lane] += np.int32(number * cost)
            room.chips[lane] += more if room.levels[dealer, lane] >= level else np.int32(0)


@piece
def count_seats(rules, room, many):
    """Count each seat's pots by its toll cards."""
    for seat in range(rules.players):
        counts = np.uint64(0)
        for lane in range(np.uint64(many)):
            counts += np.uint64(1) << LEVEL_BITS * np.uint64(room.levels[seat, lane])
        for level in range(LEVELS):
            room.seats[seat, level] += np.int64(counts & LEVEL_MASK)
            counts >>= LEVEL_BITS


@piece
def count_mix(rules, room, lane):
    """Count a pot by its mix of toll cards and by who wins it."""
    room.seen[room.mix[lane]] = 1
    if room.winners[lane] == 1:
        winner = np.uint64(room.winner[lane])
        level = room.levels[winner, lane]
        room.pots[room.mix[lane], level] += 1
        win(room, winner, room.paid[winner, level], room.chips[lane])
    else:
        room.pots[room.mix[lane], SPLIT] += 1
        split(rules, room, lane)


@piece
def win(room, seat, paid, chips):
    """Add to a seat's nets what it wins of what it paid; what it paid is added for all pots."""
    room.won[0, seat] += chips
    room.won[1, seat] += chips * (chips - 2 * paid)


@part
def split(rules, room, lane):
    """Share a pot among equal hands; odd chips go one by one from the dealer's left."""
    share = room.chips[lane] // room.winners[lane]
    odd = room.chips[lane] - share * room.winners[lane]
    room.lots[:] = 0
    for seat in range(rules.players):
        if room.strengths[seat, lane] == room.best[lane]:
            level = np.int64(room.levels[seat, lane])
            win(room, seat, room.paid[seat, level], share + (odd > 0))
            room.lots[level] += share + (odd > 0)
            odd -= 1
    for level in range(LEVELS):
        won = room.lots[level]
        if won:
            number = paid = 0
            for seat in range(rules.players):
                if room.levels[seat, lane] == level:
                    number += 1
                    paid += room.paid[seat, level]
            room.shared[0, level] += won
            room.shared[1, level] += won * (won - 2 * paid)
            room.shared[2, level] += won * number


@piece
def count_mixes(rules, room, filled):
    """Count what pots of the same mix have in common; return the chips of the largest."""
    largest = 0
    for mix in range(MIXES):
        if room.seen[mix]:
            pot = count_pots(rules, room, filled, mix)
            largest = max(largest, pot)
            room.seen[mix] = 0
            room.pots[mix, :] = 0
    if rules.toll_cards:
        for level in range(LEVELS):
            for row in range(3):
                filled.sums[0].net_by_tolls[row, level] += room.shared[row, level]
    return largest


@piece
def count_pots(rules, room, filled, mix):
    """Count all pots of a mix, and return what each of them holds."""
    sums = filled.sums[0]
    dealer, his = rules.players - 1, mix >> DEALER
    room.counts[0] = dealer
    for level in range(1, LEVELS):
        room.counts[level] = mix >> 3 * (level - 1) & 7
        room.counts[0] -= room.counts[level]
    pots = pot = toll = 0
    for level in range(LEVELS + 1):
        pots += room.pots[mix, level]
    for level in range(LEVELS):
        number = room.counts[level] + (level == his)
        pot += room.counts[level] * room.paid[0, level]
        toll += number * rules.costs[level]
    pot += room.paid[dealer, his]
    filled.pot_size[bin_of(pot, rules.pot_unit, len(filled.pot_size) - 1)] += pots
    sums.pot_size_sums[0] += pots * pot
    sums.pot_size_sums[1] += pots * pot * pot
    count_amounts(room, filled.chips_in, room.paid[0], room.paid[dealer, his], rules.pot_unit, pots)
    if rules.toll_cards:
        filled.toll_pot[bin_of(toll, rules.toll_unit, len(filled.toll_pot) - 1)] += pots
        sums.toll_pot_sums[0] += pots * toll
        sums.toll_pot_sums[1] += pots * toll * toll
        sums.toll_pot_sums[2] += pots * toll * pot
        sums.toll_by_policy[0, 0] += pots * toll
        sums.toll_by_policy[1, 0] += pots * toll * toll
        count_amounts(
            room, filled.toll_player, rules.costs, rules.costs[his], rules.toll_unit, pots
        )
        for level in range(LEVELS):
            count_level(rules, room, sums, level, pots, room.pots[mix, level], pot, his)
    return pot


@piece
def count_amounts(room, bins, amounts, his, unit, pots):
    """Add to a distribution of players, c and c², what each of them paid in so many like pots."""
    last = bins.shape[1] - 1
    for level in range(LEVELS):
        room.bins[level] = bin_of(amounts[level], unit, last)
    room.bins[LEVELS] = bin_of(his, unit, last)
    room.counts[LEVELS] = 1  # the dealer
    for level in range(LEVELS + 1):
        same = 0
        for other in range(LEVELS + 1):
            same += room.counts[other] if room.bins[other] == room.bins[level] else 0
        players = pots * room.counts[level]
        bins[0, room.bins[level]] += players
        bins[1, room.bins[level]] += players * same


@piece
def count_level(rules, room, sums, level, pots, alone, pot, his):
    """Count the players with so many toll cards: how many, and what they won less what they paid.

    ``alone`` of the pots were won by one of them.
    """
    is_his = level == his
    number = room.counts[level] + is_his
    net = -room.counts[level] * room.paid[0, level] - is_his * room.paid[rules.players - 1, level]
    sums.tolls_paid[0, level] += pots * number
    sums.tolls_paid[1, level] += pots * number * number
    sums.tolls_paid[2, level] += pots * number * rules.players
    total = pots * net + alone * pot
    sums.net_by_tolls[0, level] += total
    sums.net_by_tolls[1, level] += pots * net * net + alone * pot * (pot + 2 * net)
    sums.net_by_tolls[2, level] += total * number
    sums.net_by_tolls[3, level] += pots * number
    sums.net_by_tolls[4, level] += pots * number * number


@piece
def count_same(rules, room, filled, pots):
    """Count what is the same in every pot, and what each seat paid and won in all of them."""
    sums, players = filled.sums[0], rules.players
    sums.pots[0] += pots
    sums.survivors[players] += pots
    for seat in range(players):
        for row in range(2):
            sums.net_by_seat[row, seat] += room.won[row, seat]
    if rules.killers:
        sums.players_out[0] += pots
        for seat in range(players):
            dealer = int(seat == players - 1)
            sums.net_by_seat[0, seat] -= room.spent[dealer, 0]
            sums.net_by_seat[1, seat] += room.spent[dealer, 1]
        return
    for seat in range(players):
        for level in range(LEVELS):
            paid, number = room.paid[seat, level], room.seats[seat, level]
            sums.net_by_seat[0, seat] -= number * paid
            sums.net_by_seat[1, seat] += number * paid * paid
    filled.deals[1] += pots
    cards = min(MAX_CARDS * players, 6 * players + 1 if MAX_CARDS * players > DECK else DECK)
    turns = len(STREETS) * players - (rules.bring_in > 0)
    add_same(sums.cards, cards, pots)
    add_same(sums.players_dealt, players, pots)
    add_same(sums.decisions, turns, pots)
    for row in range(3, 5):
        sums.kills_by_dealt[row, players] += pots
        for street in range(len(STREETS)):
            sums.bets[row, street] += pots


@piece
def add_same(sums, amount, pots):
    """Add an amount that is the same in so many pots, and its square."""
    sums[0] += pots * amount
    sums[1] += pots * amount * amount
