"""Play: one pot from the antes to the payout, over as many deals as kills ask for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.events import Event
from sim.game import MAX_PLAYERS, UP_STREETS, Game
from sim.kernels.compile import kernel, piece, rare
from sim.kernels.deck import fill, first_hole, fresh
from sim.kernels.evaluate import CardWords, card_words, rank_hand
from sim.kernels.stream import CARDS, pot_stream, root
from sim.tally import CATEGORY_COUNT, amounts, ante_by_seat, most_deals, price_list

NOBODY = -1
FINISHED, KILLED, LAST_LEFT = 0, 1, 2
"""How a deal ends: at the showdown, by a killer, or because one player is left."""

DEAL, ANTE, DOWN, UP = int(Event.DEAL), int(Event.ANTE), int(Event.DOWN), int(Event.UP)
COMMUNITY, TOLL, KILL, OUT = int(Event.COMMUNITY), int(Event.TOLL), int(Event.KILL), int(Event.OUT)
SHOW, ABANDON, WIN = int(Event.SHOW), int(Event.ABANDON), int(Event.WIN)


class Rules(NamedTuple):
    """A game's page for one table size, as the kernels read it."""

    players: int
    killers: np.uint64
    """Cards that kill, as a mask."""
    player_out: bool
    """A killer puts out its receiver alone."""
    max_deals: int
    toll_cards: np.uint64
    prices: NDArray[np.int64]
    """(4,): chips for a player's first, second, … toll card of a deal."""
    antes: NDArray[np.int64]
    """(players,): chips before the first deal."""
    antes_again: NDArray[np.int64]
    """(players,): chips before every further deal, from those in it."""
    toll_unit: int
    pot_unit: int
    cards: CardWords


class Table(NamedTuple):
    """What lies on the table while a pot is played; made once, used for every pot."""

    deck: NDArray[np.uint8]
    still_in: NDArray[np.bool_]
    up_cards: NDArray[np.int64]
    """(8,): up cards each seat holds in this deal."""
    toll_cards: NDArray[np.int64]
    """(8,): toll cards each seat has paid for in this deal."""
    tolls: NDArray[np.int64]
    """(8,): chips each seat has paid in tolls in this pot."""
    last_card: NDArray[np.int64]
    """(8,): where in the deck each seat's seventh card lies."""
    strengths: NDArray[np.int64]
    kills_by_card: NDArray[np.int64]
    kills_by_street: NDArray[np.int64]
    kills_by_seat: NDArray[np.int64]
    tolls_paid: NDArray[np.int64]
    hands: NDArray[np.int64]


class Log(NamedTuple):
    """Where events are written down, if anybody reads them."""

    rows: NDArray[np.int64]
    """(room, 3): event, seat, value. No room: nothing is written."""
    length: NDArray[np.int64]
    """(1,): events so far; more than there is room for are counted only."""


def rules_of(game: Game, players: int) -> Rules:
    """Put a page into the form that the kernels read."""
    limits = amounts(game, players)
    antes = ante_by_seat(game, players)
    again = game.kill.ante_again or game.kill.everyone
    return Rules(
        players,
        np.uint64(game.kill.cards),
        game.kill.treatment == "player-out",
        most_deals(game),
        np.uint64(game.toll.cards),
        np.array(price_list(game)),
        np.array(antes),
        np.array(antes if again else [0] * players),
        limits.toll_unit,
        limits.pot_unit,
        card_words(game.wild, flush_repeats=game.flush_repeats),
    )


def new_table() -> Table:
    """Make an empty table."""

    def zeros(size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    seats = MAX_PLAYERS
    return Table(
        np.zeros(52, np.uint8),
        np.zeros(seats, np.bool_),
        zeros(seats),
        zeros(seats),
        zeros(seats),
        zeros(seats),
        zeros(seats),
        zeros(UP_STREETS * seats + 2),
        zeros(UP_STREETS + 2),
        zeros(seats + 1),
        zeros(UP_STREETS + 1),
        zeros(CATEGORY_COUNT),
    )


def new_log(room: int = 0) -> Log:
    """Make a log with room for so many events."""
    return Log(np.zeros((room, 3), np.int64), np.zeros(1, np.int64))


@piece
def emit(log, event, seat, value):
    """Write down an event, if there is a log."""
    if log.rows.shape[0]:
        write(log, np.int64(event), np.int64(seat), np.int64(value))


@rare
def write(log, event, seat, value):
    """Write down an event, if there is room."""
    row = log.length[0]
    if row < log.rows.shape[0]:
        log.rows[row, 0], log.rows[row, 1], log.rows[row, 2] = event, seat, value
    log.length[0] = row + 1


@piece
def holds(mask, card):
    """Whether a set of cards, as a mask, holds this card."""
    return (mask >> np.uint64(card)) & np.uint64(1) != 0


@piece
def count_kill(table, up_card, street, seat):
    """Note where in the deal a killer fell; nobody's is the community card."""
    table.kills_by_card[up_card] += 1
    table.kills_by_street[street] += 1
    table.kills_by_street[UP_STREETS + 1] += 1
    table.kills_by_seat[seat] += 1


@piece
def pay_toll(rules, table, log, seat):
    """Take the price of a toll card from its receiver; return the chips."""
    price = rules.prices[table.toll_cards[seat]]
    table.toll_cards[seat] += 1
    table.tolls[seat] += price
    emit(log, TOLL, seat, price)
    return price


@rare
def log_hole_cards(rules, table, log, stream, deal):
    """Show in a log the two rounds dealt face down before the first up card."""
    fill(table.deck, 0, 52, stream, deal)
    for hole in range(2):
        for seat in range(rules.players):
            if table.still_in[seat]:
                emit(log, DOWN, seat, table.deck[first_hole(rules.players, seat) + hole])


@piece
def last_street(rules, table, log, filled, stream, deal, cards, players_in):
    """Deal the seventh street to those still in; return (killer or not, cards dealt).

    Eight players may leave too few cards; then one is for everybody. Eight players' own seventh
    cards lie behind the hole cards, then where the up cards of those put out would have been.
    """
    players = rules.players
    if cards + players_in > 52:
        place = 6 * players
        fill(table.deck, filled, place + 1, stream, deal)
        card = table.deck[place]
        emit(log, COMMUNITY, NOBODY, card)
        table.last_card[:] = place
        killed = holds(rules.killers, card) and not rules.player_out
        if killed:
            emit(log, KILL, NOBODY, card)
        return killed, 1
    spare = 0
    fill(table.deck, filled, min(7 * players, 52), stream, deal)
    for seat in range(players):
        if table.still_in[seat]:
            place = 6 * players + seat
            if players == MAX_PLAYERS:
                place = 6 * players + spare
                while place >= 52:
                    place = spare - 4
                    if place // players < table.up_cards[place % players]:
                        spare += 1
                        place = 52
                spare += 1
            table.last_card[seat] = place
            emit(log, DOWN, seat, table.deck[place])
    return False, players_in


@piece
def play_deal(rules, table, log, stream, deal, players_in):
    """Deal until showdown, kill or one player left; return (ending, cards, tolls, players in)."""
    players = rules.players
    fresh(table.deck)
    table.up_cards[:] = 0
    table.toll_cards[:] = 0
    cards = 2 * players_in
    tolls = up_card = filled = 0
    if log.rows.shape[0]:
        log_hole_cards(rules, table, log, stream, deal)
        filled = 52
    for street in range(UP_STREETS):
        filled = fill(table.deck, filled, (street + 1) * players, stream, deal)
        for seat in range(players):
            if not table.still_in[seat]:
                continue
            card = table.deck[street * players + seat]
            cards += 1
            up_card += 1
            table.up_cards[seat] += 1
            emit(log, UP, seat, card)
            if holds(rules.toll_cards, card):
                tolls += pay_toll(rules, table, log, seat)
            if holds(rules.killers, card):
                count_kill(table, up_card, street, seat)
                if not rules.player_out:
                    emit(log, KILL, seat, card)
                    return KILLED, cards, tolls, players_in
                emit(log, OUT, seat, card)
                table.still_in[seat] = False
                players_in -= 1
                if players_in == 1:
                    return LAST_LEFT, cards, tolls, players_in
    killed, more = last_street(rules, table, log, filled, stream, deal, cards, players_in)
    if killed:
        count_kill(table, up_card + 1, UP_STREETS, MAX_PLAYERS)
    return KILLED if killed else FINISHED, cards + more, tolls, players_in


@piece
def showdown(tables, rules, table, counts, log, players_in):
    """Rank the hands of those still in and count them; return (best strength, how many hold it)."""
    players, cards = rules.players, rules.cards
    best = winners = 0
    for seat in range(players):
        table.strengths[seat] = 0
        if not table.still_in[seat]:
            continue
        hole = first_hole(players, seat)
        last = table.deck[table.last_card[seat]]
        total = tables.starts[7] + cards.words[last]
        suits = cards.suits[last]
        for place in (hole, hole + 1, seat, seat + players, seat + 2 * players, seat + 3 * players):
            card = table.deck[place]
            total += cards.words[card]
            suits |= cards.suits[card]
        strength = np.int64(rank_hand(tables, cards.flushes, total, suits))
        table.strengths[seat] = strength
        table.hands[tables.categories[strength]] += 1
        emit(log, SHOW, seat, strength)
        winners = 1 if strength > best else winners + (strength == best)
        best = max(best, strength)
    counts.winning_hands[tables.categories[best]] += 1
    counts.split_pots[0] += winners > 1
    add_kinds(counts.hands, table.hands, players_in)
    counts.hands_shown[0] += players_in
    counts.hands_shown[1] += players_in * players_in
    return best, winners


@piece
def add_kinds(sums, values, things):
    """Add a pot's counts c, their squares and c·things to a tally's KIND rows; clear the counts."""
    for level in range(len(values)):
        value = values[level]
        if value:
            sums[0, level] += value
            sums[1, level] += value * value
            sums[2, level] += value * things
            values[level] = 0


@piece
def pay_out(rules, table, log, pot, best, winners):
    """Share the pot among the best hands; odd chips go one by one from the dealer's left."""
    odd = pot % winners
    for seat in range(rules.players):
        if table.still_in[seat] and (best == 0 or table.strengths[seat] == best):
            emit(log, WIN, seat, pot // winners + (odd > 0))
            odd -= 1


@piece
def count_kills(table, counts, deals):
    """Add where a pot's killers fell; by card, c counts all killers up to that card."""
    counts.killed_pots[0] += table.kills_by_street[UP_STREETS + 1] > 0
    add_kinds(counts.kills_by_street, table.kills_by_street, deals)
    add_kinds(counts.kills_by_seat, table.kills_by_seat, deals)
    so_far = 0
    for up_card in range(len(table.kills_by_card)):
        kills = table.kills_by_card[up_card]
        if kills:  # only steps are stored: the sums up to a card are taken when they are read
            counts.kills_by_card[0, up_card] += kills
            counts.kills_by_card[1, up_card] += kills * (2 * so_far + kills)
            counts.kills_by_card[2, up_card] += kills * deals
            so_far += kills
            table.kills_by_card[up_card] = 0


@piece
def count_tolls(rules, table, counts, tolls):
    """Add what a pot's players paid in tolls, together and each."""
    counts.toll_pot[min(tolls // rules.toll_unit, len(counts.toll_pot) - 1)] += 1
    counts.toll_pot_sums[0] += tolls
    counts.toll_pot_sums[1] += tolls * tolls
    for seat in range(rules.players):
        same = 0
        for other in range(rules.players):
            same += table.tolls[other] == table.tolls[seat]
        level = min(table.tolls[seat] // rules.toll_unit, counts.toll_player.shape[1] - 1)
        counts.toll_player[0, level] += 1
        counts.toll_player[1, level] += same
    table.tolls[:] = 0


@piece
def play_pot(tables, rules, table, counts, log, stream):
    """Play one pot and count it."""
    players_in = rules.players
    table.still_in[: rules.players] = True
    pot = tolls = cards = deals = dealt_in = 0
    ending = KILLED
    while ending == KILLED and deals < rules.max_deals:
        emit(log, DEAL, NOBODY, deals)
        antes = rules.antes_again if deals else rules.antes
        for seat in range(rules.players):
            if table.still_in[seat] and antes[seat]:
                emit(log, ANTE, seat, antes[seat])
                pot += antes[seat]
        dealt_in += players_in
        before = players_in
        ending, more_cards, more_tolls, players_in = play_deal(
            rules, table, log, stream, deals, players_in
        )
        cards += more_cards
        tolls += more_tolls
        deals += 1
        if rules.toll_cards:
            for seat in range(rules.players):
                if table.up_cards[seat]:
                    table.tolls_paid[table.toll_cards[seat]] += 1
                    before -= 1
            table.tolls_paid[0] += before  # killed before their first up card
    pot += tolls
    best, winners = 0, players_in
    if ending == FINISHED:
        best, winners = showdown(tables, rules, table, counts, log, players_in)
    elif ending == KILLED:
        emit(log, ABANDON, NOBODY, deals)
        counts.abandoned_pots[0] += 1
    pay_out(rules, table, log, pot, best, winners)

    counts.pots[0] += 1
    counts.deals[deals] += 1
    counts.cards[0] += cards
    counts.cards[1] += cards * cards
    if rules.killers:
        count_kills(table, counts, deals)
        counts.players_out[rules.players - players_in] += 1
    if rules.toll_cards:
        count_tolls(rules, table, counts, tolls)
        add_kinds(counts.tolls_paid, table.tolls_paid, dealt_in)
        counts.players_dealt[0] += dealt_in
        counts.players_dealt[1] += dealt_in * dealt_in
    counts.pot_size[min(pot // rules.pot_unit, len(counts.pot_size) - 1)] += 1
    counts.pot_size_sums[0] += pot
    counts.pot_size_sums[1] += pot * pot


@kernel
def play_pots(tables, rules, table, counts, log, seed, first, pots):
    """Play pots number ``first`` to ``first + pots - 1`` and add them to ``counts``."""
    shared = root(seed, rules.players, CARDS)
    for pot in range(first, first + pots):
        play_pot(tables, rules, table, counts, log, pot_stream(shared, pot))
