"""Pots in which everybody stays, many side by side, one step for all of them at a time.

Where all stay, the places of jack, queen and king of spades tell which deals are killed, and cards
are needed for a pot's last deal alone. Rolls and swaps of many such deals are made side by side
(``lanes``), then sums of their hands (``planes``), then look-ups, which alone are made one by one;
then counts (``mixes``). Cards and totals are those of ``play``, which plays every other pot.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.game import MAX_PLAYERS, UP_STREETS
from sim.kernels.compile import kernel, piece
from sim.kernels.deck import ORDER, court_places
from sim.kernels.fast.lanes import (
    GROUPS,
    begin_lanes,
    deal_lanes,
    find_places,
    roll_lanes,
    room_of,
)
from sim.kernels.fast.toll_vectors import (
    COUNTS,
    LEVELS,
    count_mix,
    count_mixes,
    count_same,
    count_seats,
    mix_tolls,
    win,
)
from sim.kernels.fast.byte_planes import (
    FIELDS,
    LANES,
    best_made,
    compare_hands,
    count_categories,
    fill_faces,
    locate_hands,
    look_up_hands,
    wild_of,
)
from sim.kernels.play import add_ratio, bin_of, count_kill, count_kills
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.stream import CARDS, WORDS_PER_DEAL, Stream, root
from sim.tally import CATEGORY_COUNT, Filled

ROOM = room_of(
    [
        *FIELDS,
        ("lowest", np.int16, CATEGORY_COUNT),  # strengths of the categories
        ("shown", np.int16, LANES),  # -1, all bits; 0 if every deal was killed, or beyond the last
        *COUNTS,
        ("deals", np.int64, LANES),
        ("more", np.int64, LANES),  # chips each seat put in beyond its antes
        ("kills_by_card", np.int64, UP_STREETS * MAX_PLAYERS + 2),  # of one pot
        ("kills_by_street", np.int32, UP_STREETS + 2),
        ("kills_by_seat", np.int32, MAX_PLAYERS + 1),
        ("street_of", np.uint8, UP_STREETS * MAX_PLAYERS),  # of each up card, in order
        ("seat_of", np.uint8, UP_STREETS * MAX_PLAYERS),
    ]
)
"""Where pots lie while they are played."""


@piece
def rank_seat(tables, rules, room, seat):
    """Rank a seat's hand in each lane, and count its toll cards dealt face up."""
    locate_hands(room.cards, room.places, np.uint64(seat), room.faces, room.found, room.levels)
    look_up_hands(tables, np.uint64(rules.flushes), room)
    for lane in range(LANES):
        room.strengths[seat, lane] = np.int16(best_made(room, lane)) & room.shown[lane]


@piece
def count_hands(rules, room, sums):
    """Count the hands shown, and the best ones; an abandoned pot shows none."""
    shown = split = np.int32(0)
    for lane in range(LANES):
        shown -= room.shown[lane]
        split += room.winners[lane] > 1
    sums.split_pots[0] += split
    sums.hands_shown[0] += shown * rules.players
    sums.hands_shown[1] += shown * rules.players * rules.players
    count_categories(
        room.strengths,
        np.uint64(rules.players),
        room.best,
        room.lowest,
        sums.hands,
        sums.winning_hands,
    )


# --- Pots dealt again when they are killed, in which no toll is due ----------------------------


@piece
def first_killer(rules, stream, deal, ups, community):
    """Return where the first killer of ``COURT`` lies that is dealt face up, or ``DECK``."""
    first = np.uint64(DECK)
    places = court_places(stream, deal)
    for number in range(3):
        place = places[number]
        face_up = place < np.uint64(ups) or place == np.uint64(community)
        if rules.court_kills[number] and face_up:
            first = min(first, place)
    return np.int64(first)


@piece
def deal_until_shown(rules, room, sums, deals_bins, stream, lane):
    """Deal a pot until a deal is not killed, and count all but its cards and chips."""
    players = rules.players
    ups = UP_STREETS * players
    community = 6 * players if MAX_CARDS * players > DECK else DECK
    deals = cards = finished = 0
    while deals < rules.max_deals and not finished:
        place = first_killer(rules, stream, deals, ups, community)
        if place < ups:
            count_kill(room, place + 1, room.street_of[place], room.seat_of[place])
            cards += 2 * players + place + 1
        elif place < DECK:
            count_kill(room, ups + 1, UP_STREETS, MAX_PLAYERS)
            cards += community + 1
        else:
            finished = 1
            cards += min(MAX_CARDS * players, community + 1)
        deals += 1
    room.bases[lane] = np.uint64(deals - 1) * np.uint64(WORDS_PER_DEAL)
    room.deals[lane] = deals
    room.shown[lane] = -finished
    count_rounds(rules, room, sums, finished, lane)
    count_kills(rules, room, sums, deals)
    deals_bins[deals] += 1
    dealt = deals * players
    sums.cards[0] += cards
    sums.cards[1] += cards * cards
    sums.players_dealt[0] += dealt
    sums.players_dealt[1] += dealt * dealt
    sums.abandoned_pots[0] += not finished
    add_ratio(sums.kills_by_dealt, players, deals - finished, deals)


@piece
def count_rounds(rules, room, sums, finished, lane):
    """Count a pot's betting rounds, and what each player brings in in them."""
    rounds = finished
    turns = 0
    for street in range(UP_STREETS, -1, -1):
        if street < UP_STREETS:
            rounds += room.kills_by_street[street + 1]  # killed later than on this street
        sums.bets[3, street] += rounds
        sums.bets[4, street] += rounds * rounds
        turns += rounds
    turns *= rules.players
    if rules.bring_in:
        turns -= rounds
    room.more[lane] = rules.bring_in * rounds
    sums.decisions[0] += turns
    sums.decisions[1] += turns * turns


@piece
def count_chips(rules, room, filled, lane):
    """Count what a pot holds, and what each seat paid and won; return the chips in it."""
    sums = filled.sums[0]
    dealer = rules.players - 1
    again = room.deals[lane] - 1
    each = rules.antes[0] + rules.antes_again[0] * again + room.more[lane]
    his = rules.antes[dealer] + rules.antes_again[dealer] * again + room.more[lane]
    pot = each * dealer + his
    filled.pot_size[bin_of(pot, rules.pot_unit, len(filled.pot_size) - 1)] += 1
    sums.pot_size_sums[0] += pot
    sums.pot_size_sums[1] += pot * pot
    bins = filled.chips_in
    last = bins.shape[1] - 1
    bin_of_each, bin_of_his = bin_of(each, rules.pot_unit, last), bin_of(his, rules.pot_unit, last)
    alike = bin_of_each == bin_of_his
    bins[0, bin_of_each] += dealer
    bins[1, bin_of_each] += dealer * (dealer + alike)
    bins[0, bin_of_his] += 1
    bins[1, bin_of_his] += 1 + dealer * alike
    room.spent[0, 0] += each
    room.spent[0, 1] += each * each
    room.spent[1, 0] += his
    room.spent[1, 1] += his * his
    winner = np.int64(room.winner[lane])
    if room.winners[lane] == 1:
        win(room, winner, his if winner == dealer else each, pot)
    else:
        winners = np.int64(room.winners[lane] if room.winners[lane] else rules.players)
        share = pot // winners
        odd = pot - share * winners
        for seat in range(rules.players):
            if room.strengths[seat, lane] == room.best[lane]:  # all of them, if no hand is shown
                win(room, seat, his if seat == dealer else each, share + (odd > 0))
                odd -= 1
    return pot


# --- All of them -------------------------------------------------------------------------------


@piece
def begin(tables, rules, room):
    """Say where cards lie, what they stand for and what they cost; nothing is counted yet."""
    find_places(room, rules.players)
    fill_faces(room.faces, ORDER, wild_of(rules.suits), rules.toll_cards)
    for strength in range(len(tables.categories) - 1, 0, -1):
        room.lowest[tables.categories[strength]] = strength
    for place in range(UP_STREETS * rules.players):
        room.street_of[place] = place // rules.players
        room.seat_of[place] = place % rules.players
    room.bases[:] = 0
    room.shown[:] = -1
    room.seats[:, :] = 0
    room.won[:, :] = 0
    room.spent[:, :] = 0
    room.shared[:, :] = 0
    for seat in range(rules.players):
        for level in range(LEVELS):
            room.paid[seat, level] = rules.antes[seat] + rules.bring_in + rules.costs[level]


@kernel
def play_lanes(tables, rules, room, filled, seed, first, pots):
    """Play pots of which the court's places tell how their deals end; return the largest's chips.

    ``room`` is one record of ``ROOM``, at first with nothing in it. All is counted in a tally's
    ``filled``.
    """
    page, place, sums = rules[0], room[0], filled.sums[0]
    shared = root(seed, page.players, CARDS)
    groups = min(page.players, GROUPS)
    largest = 0
    begin(tables, page, place)
    for start in range(first, first + pots, LANES):
        many = min(LANES, first + pots - start)
        begin_lanes(place, shared, start)
        if page.killers:
            for lane in range(many):
                stream = Stream(place.starts[lane], place.steps[lane])
                deal_until_shown(page, place, sums, filled.deals, stream, lane)
        roll_lanes(place, groups)
        deal_lanes(place, groups)
        place.shown[many:] = 0
        for seat in range(np.uint64(page.players)):
            rank_seat(tables, page, place, seat)
        compare_hands(
            place.strengths,
            np.uint64(page.players),
            place.shown,
            place.best,
            place.winner,
            place.winners,
        )
        if page.killers:
            for lane in range(many):
                largest = max(largest, count_chips(page, place, filled, lane))
        else:
            mix_tolls(page, place)
            count_seats(page, place, many)
            for lane in range(np.uint64(many)):
                count_mix(page, place, lane)
        count_hands(page, place, sums)
    count_same(page, place, filled, pots)
    return largest if page.killers else count_mixes(page, place, filled)


def play_staying(
    tables: Any, rules: NDArray[np.void], filled: Filled, seed: np.uint64, first: int, pots: int
) -> int:
    """Play pots number ``first`` to ``first + pots - 1`` and add them to a tally's ``filled``.

    ``rules``, (1,) of ``RULES``, must have ``court_tells``, and everybody stays. Return the chips
    of the largest pot.
    """
    if not hasattr(_rooms, "mine"):
        _rooms.mine = np.zeros(1, ROOM)
    return int(play_lanes(tables, rules, _rooms.mine, filled, seed, first, pots))


_rooms = threading.local()
"""A thread keeps its room: it has 2 MB, of which a call touches a little and leaves it clear."""
