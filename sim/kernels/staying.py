"""Pots in which everybody stays, many side by side, one step for all of them at a time.

Where all stay, the places of jack, queen and king of spades tell which deals are killed, and cards
are needed for a pot's last deal alone. Words and rolls of many such deals are made lane by lane,
which vectorises; then come the swaps, deck by deck; then sums, look-ups and counts. Where nothing
is killed, what players pay depends on how many toll cards each was dealt, so pots are counted by
that, and what it means in chips is worked out once for all pots that are alike. Cards and totals
are those of ``play``, which plays every other pot.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.game import MAX_PLAYERS, STREETS, UP_STREETS
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import court_places
from sim.kernels.evaluate import best_flush, rank_seven_without_flush
from sim.kernels.lanes import (
    GROUPS,
    LANES,
    begin_lanes,
    deal_lane,
    find_places,
    roll_lanes,
    room_of,
)
from sim.kernels.play import (
    TOLL_SHIFT,
    add_ratio,
    add_ratios,
    bin_of,
    count_kill,
    count_kills,
)
from sim.kernels.ranks import MAX_CARDS
from sim.kernels.stream import CARDS, WORDS_PER_DEAL, Stream, root
from sim.tally import CATEGORY_COUNT, Filled

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
TOLL_MASK = np.uint64(7)


ROOM = room_of(
    [
        ("levels", np.uint64, (MAX_PLAYERS, LANES)),  # toll cards of a seat
        ("strengths", np.int32, (MAX_PLAYERS, LANES)),
        ("hands", np.uint64, LANES),  # hands shown by category, four bits each
        ("best", np.int32, LANES),  # strength of a pot's best hand,
        ("winner", np.int32, LANES),  # who first holds it,
        ("winners", np.int32, LANES),  # and how many; 0 if the pot was abandoned
        ("shown", np.int32, LANES),  # 1; 0 if every deal was killed
        ("mix", np.uint64, LANES),
        ("chips", np.int64, LANES),  # in the pot
        ("deals", np.int64, LANES),
        ("more", np.int64, LANES),  # chips each seat put in beyond its antes
        ("paid", np.int64, (MAX_PLAYERS, LEVELS)),  # by a seat with 0, 1, 2, … toll cards
        ("seats", np.int64, (MAX_PLAYERS, LEVELS)),  # each seat's pots by toll cards
        ("pots", np.int64, (MIXES, MAX_PLAYERS)),  # by mix, and toll cards of who wins alone
        ("seen", np.uint8, MIXES),  # mixes that came
        ("won", np.int64, (2, MAX_PLAYERS)),  # what winning adds to a seat's nets, and squares
        ("shared", np.int64, (3, LEVELS)),  # and splitting to nets by toll cards: c, c², c·n
        ("lots", np.int64, LEVELS),  # what those with so many toll cards win together
        ("kills_by_card", np.int64, UP_STREETS * MAX_PLAYERS + 2),  # of one pot
        ("kills_by_street", np.int32, UP_STREETS + 2),
        ("kills_by_seat", np.int32, MAX_PLAYERS + 1),
        ("bets", np.int64, len(STREETS)),
        ("rounds", np.int64, len(STREETS)),
    ]
)
"""Where pots lie while they are played."""


@piece
def rank_seat(tables, rules, room, seat, many):
    """Add up a seat's hand in each lane, its toll cards dealt face up too, and rank it."""
    start = tables.starts[MAX_CARDS]
    words, up_suits, masks = rules.words, rules.up_suits, rules.suits
    third, fourth = room.places[0, seat], room.places[1, seat]
    fifth, sixth = room.places[2, seat], room.places[3, seat]
    hole, other, last = room.places[4, seat], room.places[5, seat], room.places[6, seat]
    for lane in range(np.uint64(many)):
        a, b = room.cards[lane, third], room.cards[lane, fourth]
        c, d = room.cards[lane, fifth], room.cards[lane, sixth]
        e, f = room.cards[lane, hole], room.cards[lane, other]
        g = room.cards[lane, last]
        total = start + words[a] + words[b] + words[c] + words[d] + words[e] + words[f] + words[g]
        suits = up_suits[a] + up_suits[b] + up_suits[c] + up_suits[d]
        suits += masks[e] + masks[f] + masks[g]
        room.levels[seat, lane] = suits >> TOLL_SHIFT & TOLL_MASK
        best = rank_seven_without_flush(tables, total)
        best = max(best, best_flush(tables, rules.flushes, total, suits))
        room.strengths[seat, lane] = best
        room.hands[lane] += np.uint64(1) << np.uint64(4) * np.uint64(tables.categories[best])


@piece
def compare_hands(rules, room):
    """Find the best hand of each lane, who holds it first, and how many do."""
    room.best[:] = 0
    for seat in range(rules.players):
        for lane in range(LANES):
            strength, best = room.strengths[seat, lane], room.best[lane]
            equal = room.winners[lane] + np.int32(strength == best)
            room.winners[lane] = np.int32(1) if strength > best else equal
            room.winner[lane] = np.int32(seat) if strength > best else room.winner[lane]
            room.best[lane] = max(best, strength)
    for lane in range(LANES):
        room.winners[lane] *= room.shown[lane]


@piece
def count_hands(tables, rules, room, sums, many):
    """Count the hands shown, and the best ones; an abandoned pot shows none."""
    for lane in range(np.uint64(many)):
        if room.winners[lane]:
            sums.winning_hands[tables.categories[room.best[lane]]] += 1
            sums.split_pots[0] += room.winners[lane] > 1
            sums.hands_shown[0] += rules.players
            sums.hands_shown[1] += rules.players * rules.players
        else:
            room.hands[lane] = 0
    for category in range(np.uint64(CATEGORY_COUNT)):
        number = squares = np.uint64(0)
        for lane in range(np.uint64(many)):
            hands = room.hands[lane] >> np.uint64(4) * category & np.uint64(15)
            number += hands
            squares += hands * hands
        sums.hands[0, category] += np.int64(number)
        sums.hands[1, category] += np.int64(squares)
        sums.hands[2, category] += np.int64(number) * rules.players
    room.hands[:] = 0


# --- Pots of one deal, whose chips depend on toll cards alone ----------------------------------


@piece
def mix_tolls(rules, room):
    """Tell each lane's mix of toll cards, and the chips in its pot."""
    dealer = rules.players - 1
    base = (rules.players - 1) * room.paid[0, 0] + room.paid[dealer, 0]
    for lane in range(LANES):
        room.mix[lane] = room.levels[dealer, lane] << np.uint64(DEALER)
    for seat in range(dealer):
        for lane in range(LANES):
            one = np.uint64(1) << np.uint64(3) * room.levels[seat, lane]
            room.mix[lane] += one >> np.uint64(3)
    for lane in range(LANES):
        chips = base
        for level in range(1, LEVELS):
            number = room.mix[lane] >> np.uint64(3 * (level - 1)) & np.uint64(7)
            chips += np.int64(number) * rules.costs[level]
            more = rules.costs[level] - rules.costs[level - 1]
            chips += more if room.levels[dealer, lane] >= np.uint64(level) else 0
        room.chips[lane] = chips


@piece
def count_seats(rules, room, many):
    """Count each seat's pots by its toll cards."""
    for seat in range(rules.players):
        counts = np.uint64(0)
        for lane in range(np.uint64(many)):
            counts += np.uint64(1) << LEVEL_BITS * room.levels[seat, lane]
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
            level = room.levels[seat, lane]
            win(room, seat, room.paid[seat, level], share + (odd > 0))
            room.lots[level] += share + (odd > 0)
            odd -= 1
    for level in range(LEVELS):
        won = room.lots[level]
        if won:
            number = paid = 0
            for seat in range(rules.players):
                if room.levels[seat, lane] == np.uint64(level):
                    number += 1
                    paid += room.paid[seat, level]
            room.shared[0, level] += won
            room.shared[1, level] += won * (won - 2 * paid)
            room.shared[2, level] += won * number


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
            street = place // players
            count_kill(room, place + 1, street, place - street * players)
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
    room.shown[lane] = finished
    count_rounds(rules, room, sums, finished, lane)
    count_kills(room, sums, deals)
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
    turns = rounds
    room.rounds[UP_STREETS] = rounds
    for street in range(UP_STREETS - 1, -1, -1):
        rounds += room.kills_by_street[street + 1]  # killed later than on this street
        room.rounds[street] = rounds
        turns += rounds
    turns *= rules.players
    if rules.bring_in:
        turns -= rounds
    room.more[lane] = rules.bring_in * rounds
    add_ratios(sums.bets, room.bets, room.rounds)
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
    for seat in range(dealer):
        sums.net_by_seat[0, seat] -= each
        sums.net_by_seat[1, seat] += each * each
    sums.net_by_seat[0, dealer] -= his
    sums.net_by_seat[1, dealer] += his * his
    shown = room.winners[lane] > 0
    winners = room.winners[lane] if shown else rules.players
    share, odd = pot, 0
    if winners > 1:
        share = pot // winners
        odd = pot - share * winners
    for seat in range(rules.players):
        if not shown or room.strengths[seat, lane] == room.best[lane]:
            win(room, seat, his if seat == dealer else each, share + (odd > 0))
            odd -= 1
    return pot


# --- All of them -------------------------------------------------------------------------------


@piece
def begin(rules, room):
    """Say where each seat's cards lie, and what it pays for its toll cards."""
    find_places(room, rules.players)
    room.bases[:] = 0
    room.shown[:] = 1
    for seat in range(rules.players):
        for level in range(LEVELS):
            room.paid[seat, level] = rules.antes[seat] + rules.bring_in + rules.costs[level]


@kernel
def play_lanes(tables, rules, room, filled, seed, first, pots):
    """Play pots of which the court's places tell how their deals end; return the largest's chips.

    ``room`` is one empty record of ``ROOM``. Pots of one deal are counted in it by their mix of
    toll cards, for ``play_staying`` to add up; all else goes into a tally's ``filled``.
    """
    page, place, sums = rules[0], room[0], filled.sums[0]
    shared = root(seed, page.players, CARDS)
    groups = min(page.players, GROUPS)
    largest = 0
    begin(page, place)
    for start in range(first, first + pots, LANES):
        many = min(LANES, first + pots - start)
        begin_lanes(place, shared, start)
        if page.killers:
            for lane in range(many):
                stream = Stream(place.starts[lane], place.steps[lane])
                deal_until_shown(page, place, sums, filled.deals, stream, lane)
        roll_lanes(place, groups)
        for lane in range(np.uint64(many)):
            deal_lane(place, lane, groups)
        for seat in range(np.uint64(page.players)):
            rank_seat(tables, page, place, seat, many)
        compare_hands(page, place)
        if page.killers:
            for lane in range(many):
                largest = max(largest, count_chips(page, place, filled, lane))
        else:
            mix_tolls(page, place)
            count_seats(page, place, many)
            for lane in range(np.uint64(many)):
                count_mix(page, place, lane)
        count_hands(tables, page, place, sums, many)
    return largest


def play_staying(
    tables: Any, rules: NDArray[np.void], filled: Filled, seed: np.uint64, first: int, pots: int
) -> int:
    """Play pots number ``first`` to ``first + pots - 1`` and add them to a tally's ``filled``.

    ``rules``, (1,) of ``RULES``, must have ``court_tells``, and everybody stays. Return the chips
    of the largest pot.
    """
    room = _cleared()
    largest = int(play_lanes(tables, rules, room, filled, seed, first, pots))
    return max(largest, _add_up(rules[0], room[0], filled, pots))


_rooms = threading.local()


def _cleared() -> Any:
    """Return this thread's room with nothing counted in it.

    It has 2 MB, of which a call touches a little: to make it anew would take longer than to clear
    that.
    """
    if not hasattr(_rooms, "mine"):
        _rooms.mine = np.zeros(1, ROOM)
    room = _rooms.mine[0]
    room["pots"][np.flatnonzero(room["seen"])] = 0
    for name in ("seen", "seats", "won", "shared"):
        room[name] = 0
    return _rooms.mine


def _add_up(rules: Any, room: Any, filled: Filled, pots: int) -> int:
    """Add to a tally what pots have in common; return the chips of the largest of one deal."""
    sums = filled.sums[0]
    players = int(rules["players"])
    sums["pots"] += pots
    sums["survivors"][players] += pots
    sums["net_by_seat"] += room["won"]
    if rules["killers"]:
        sums["players_out"][0] += pots
        return 0
    _add_same(rules, filled, pots)
    paid, seats = room["paid"], room["seats"]
    sums["net_by_seat"] -= np.array([(seats * paid).sum(1), -(seats * paid * paid).sum(1)])
    return _add_mixes(rules, room, filled)


def _add_same(rules: Any, filled: Filled, pots: int) -> None:
    """Add what is the same in every pot of one deal: its cards, and five rounds."""
    sums = filled.sums[0]
    players = int(rules["players"])
    cards = min(MAX_CARDS * players, 6 * players + 1 if MAX_CARDS * players > DECK else DECK)
    turns = len(STREETS) * players - int(rules["bring_in"] > 0)
    filled.deals[1] += pots
    for name, amount in (("cards", cards), ("players_dealt", players), ("decisions", turns)):
        sums[name] += np.array([amount, amount * amount]) * pots
    sums["kills_by_dealt"][3:, players] += pots
    sums["bets"][3:] += pots


def _add_mixes(rules: Any, room: Any, filled: Filled) -> int:
    """Add pots of one deal, which are alike if their mix of toll cards is the same."""
    sums = filled.sums[0]
    players, costs = int(rules["players"]), rules["costs"]
    mixes = np.flatnonzero(room["seen"])
    alone = room["pots"][mixes, :LEVELS]  # pots by toll cards of who wins them alone
    pots = room["pots"][mixes].sum(axis=1)
    dealer = mixes >> DEALER
    others = mixes[:, None] >> 3 * np.arange(UP_STREETS) & 7
    none = players - 1 - others.sum(axis=1)
    counts = np.column_stack([none, others, np.ones_like(none)])  # the dealer last
    tolls = np.column_stack([np.tile(costs, (len(mixes), 1)), costs[dealer]])
    each, his = room["paid"][0], room["paid"][players - 1]
    paid = np.column_stack([np.tile(each, (len(mixes), 1)), his[dealer]])
    pot = (counts * paid).sum(axis=1)
    unit = int(rules["pot_unit"])
    np.add.at(filled.pot_size, np.minimum(pot // unit, len(filled.pot_size) - 1), pots)
    sums["pot_size_sums"] += np.array([pots @ pot, pots @ (pot * pot)])
    _add_amounts(filled.chips_in, counts, paid // unit, pots)
    if rules["toll_cards"]:
        unit = int(rules["toll_unit"])
        toll = (counts * tolls).sum(axis=1)
        together = np.array([pots @ toll, pots @ (toll * toll), pots @ (toll * pot)])
        np.add.at(filled.toll_pot, np.minimum(toll // unit, len(filled.toll_pot) - 1), pots)
        sums["toll_pot_sums"] += together
        sums["toll_by_policy"][:, 0] += together[:2]
        _add_amounts(filled.toll_player, counts, tolls // unit, pots)
        is_his = np.arange(LEVELS) == dealer[:, None]
        number = counts[:, :LEVELS] + is_his
        net = -counts[:, :LEVELS] * each - is_his * his
        won = pot[:, None]
        total = pots[:, None] * net + alone * won
        sums["tolls_paid"] += np.array([pots @ number, pots @ number**2, pots @ number * players])
        sums["net_by_tolls"][:3, :LEVELS] += room["shared"] + np.array(
            [
                total.sum(axis=0),
                pots @ net**2 + (alone * won * (won + 2 * net)).sum(axis=0),
                (total * number).sum(axis=0),
            ]
        )
        sums["net_by_tolls"][3:, :LEVELS] += np.array([pots @ number, pots @ number**2])
    return int(pot.max(initial=0))


def _add_amounts(
    bins: NDArray[np.int64],
    counts: NDArray[np.int64],
    units: NDArray[np.int64],
    pots: NDArray[np.int64],
) -> None:
    """Add to a distribution of players, c and c², what so many of each mix paid in their pots."""
    levels = np.minimum(units, bins.shape[1] - 1)
    same = ((levels[:, :, None] == levels[:, None, :]) * counts[:, None, :]).sum(axis=2)
    players = pots[:, None] * counts
    np.add.at(bins[0], levels, players)
    np.add.at(bins[1], levels, players * same)
