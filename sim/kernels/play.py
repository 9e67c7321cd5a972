"""Play: one pot from the antes to the payout, over as many deals as kills ask for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.cards import DECK
from sim.events import Event
from sim.game import MAX_PLAYERS, UP_STREETS, Game
from sim.kernels.compile import kernel, part, piece
from sim.kernels.deck import fill, first_hole, fresh
from sim.kernels.evaluate import FIVE_OF_A_SUIT, best_flush, card_words, rank_without_flush
from sim.kernels.stream import CARDS, pot_stream, root
from sim.tally import CATEGORY_COUNT, amounts, ante_by_seat, most_deals, price_list, toll_costs

NOBODY = -1
FINISHED, KILLED, LAST_LEFT = 0, 1, 2
"""How a deal ends: at the showdown, by a killer, or because one player is left."""

DEAL, ANTE, DOWN, UP = int(Event.DEAL), int(Event.ANTE), int(Event.DOWN), int(Event.UP)
COMMUNITY, TOLL, KILL, OUT = int(Event.COMMUNITY), int(Event.TOLL), int(Event.KILL), int(Event.OUT)
SHOW, ABANDON, WIN = int(Event.SHOW), int(Event.ABANDON), int(Event.WIN)


RULES = np.dtype(
    [
        ("players", np.int64),
        ("killers", np.uint64),  # cards that kill, as a mask
        ("player_out", np.bool_),  # a killer puts out its receiver alone
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
    ],
    align=True,
)
"""A game's page for one table size, as the kernels read it.

A record is one pointer, and a field of it a fixed distance from there.
"""

TABLE = np.dtype(
    [
        ("deck", np.uint8, DECK),
        ("still_in", np.uint8, MAX_PLAYERS),
        ("up_cards", np.int64, MAX_PLAYERS),  # up cards each seat holds in this deal
        ("toll_cards", np.int64, MAX_PLAYERS),  # toll cards each seat has paid for in this deal
        ("tolls", np.int64, MAX_PLAYERS),  # chips each seat has paid in tolls in this pot
        ("toll_levels", np.int64, MAX_PLAYERS),  # the same in bins; -1: no such seat
        ("last_card", np.int64, MAX_PLAYERS),  # where each seat's seventh card lies
        ("totals", np.uint64, MAX_PLAYERS),  # sum of the words of each seat's cards
        ("suits", np.uint64, MAX_PLAYERS),  # suit masks of each seat's cards
        ("strengths", np.int64, MAX_PLAYERS),
        ("kills_by_card", np.int64, UP_STREETS * MAX_PLAYERS + 2),  # from here on: of this pot,
        ("kills_by_street", np.int64, UP_STREETS + 2),  # to be added to the tally
        ("kills_by_seat", np.int64, MAX_PLAYERS + 1),
        ("tolls_paid", np.int64, UP_STREETS + 1),
        ("hands", np.int64, CATEGORY_COUNT),
    ],
    align=True,
)
"""What lies on the table while a pot is played; made once, used for every pot."""


class Log(NamedTuple):
    """Where events are written down, if anybody reads them."""

    rows: NDArray[np.int64]
    """(room, 3): event, seat, value. No room: nothing is written."""
    length: NDArray[np.int64]
    """(1,): events so far; more than there is room for are counted only."""


def rules_of(game: Game, players: int) -> NDArray[np.void]:
    """Put a page into the form that the kernels read: one record of ``RULES``, (1,)."""
    limits = amounts(game, players)
    antes = ante_by_seat(game, players)
    again = game.kill.ante_again or game.kill.everyone
    cards = card_words(game.wild, flush_repeats=game.flush_repeats)
    rules = np.zeros(1, RULES)
    values = {
        "players": players,
        "killers": game.kill.cards,
        "player_out": game.kill.treatment == "player-out",
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
    }
    for name, value in values.items():
        rules[0][name] = value
    rules[0]["antes"][:players] = antes
    rules[0]["antes_again"][:players] = antes if again else 0
    return rules


def new_table() -> NDArray[np.void]:
    """Make an empty table: one record of ``TABLE``, (1,)."""
    return np.zeros(1, TABLE)


def new_log(room: int = 0) -> Log:
    """Make a log with room for so many events."""
    return Log(np.zeros((room, 3), np.int64), np.zeros(1, np.int64))


@piece
def emit(log, event, seat, value):
    """Write down an event, if there is a log."""
    if log.rows.shape[0]:
        write(log, np.int64(event), np.int64(seat), np.int64(value))


@part
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
def collect_tolls(rules, table):
    """Take what the toll cards of this deal cost from their receivers; return the chips.

    They were due card by card, and are written down so; adding them up once a deal is quicker.
    """
    chips = 0
    for seat in range(rules.players):
        cost = rules.costs[table.toll_cards[seat]]
        table.tolls[seat] += cost
        chips += cost
    return chips


@part
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
    """Deal until showdown, kill or one player left; return (ending, cards, players in)."""
    players = rules.players
    fresh(table.deck)
    table.up_cards[:] = 0
    table.toll_cards[:] = 0
    cards = 2 * players_in
    up_card = filled = 0
    if log.rows.shape[0]:
        log_hole_cards(rules, table, log, stream, deal)
        filled = 52
    elif rules.killers == 0:  # nothing ends this deal early: all at once is quicker
        filled = fill(table.deck, filled, min(7 * players, 52), stream, deal)
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
            toll = np.int64(rules.toll_cards >> np.uint64(card) & np.uint64(1))
            if log.rows.shape[0] and toll:
                emit(log, TOLL, seat, rules.prices[table.toll_cards[seat]])
            table.toll_cards[seat] += toll
            if holds(rules.killers, card):
                count_kill(table, up_card, street, seat)
                if not rules.player_out:
                    emit(log, KILL, seat, card)
                    return KILLED, cards, players_in
                emit(log, OUT, seat, card)
                table.still_in[seat] = False
                players_in -= 1
                if players_in == 1:
                    return LAST_LEFT, cards, players_in
    killed, more = last_street(rules, table, log, filled, stream, deal, cards, players_in)
    if killed:
        count_kill(table, up_card + 1, UP_STREETS, MAX_PLAYERS)
    return KILLED if killed else FINISHED, cards + more, players_in


@piece
def add_up_hands(tables, rules, table):
    """Add up the seven cards of every seat, in or not."""
    players = np.uint64(rules.players)
    for seat in range(rules.players):
        place = np.uint64(seat)
        hole = np.uint64(4) * players + np.uint64(2) * place
        card = table.deck[np.uint64(table.last_card[seat])]
        total = tables.starts[7] + rules.words[card]
        suits = rules.suits[card]
        for down in range(2):
            card = table.deck[hole + np.uint64(down)]
            total += rules.words[card]
            suits |= rules.suits[card]
        for _ in range(UP_STREETS):
            card = table.deck[place]
            total += rules.words[card]
            suits |= rules.suits[card]
            place += players
        table.totals[seat] = total
        table.suits[seat] = suits


@piece
def rank_hands(tables, rules, table):
    """Rank every seat's hand, step by step for all: so that look-ups do not wait for each other."""
    add_up_hands(tables, rules, table)
    for seat in range(rules.players):
        table.strengths[seat] = rank_without_flush(tables, table.totals[seat])
    for seat in range(rules.players):
        total = table.totals[seat]
        if rules.wild_cards or total & FIVE_OF_A_SUIT:
            flush = np.int64(best_flush(tables, rules.flushes, total, table.suits[seat]))
            table.strengths[seat] = max(table.strengths[seat], flush)


@piece
def showdown(tables, rules, table, sums, log, players_in):
    """Rank the hands of those still in and count them; return (best strength, how many hold it)."""
    rank_hands(tables, rules, table)
    best = winners = 0
    for seat in range(rules.players):
        if table.still_in[seat]:
            strength = table.strengths[seat]
            table.hands[tables.categories[strength]] += 1
            emit(log, SHOW, seat, strength)
            winners = 1 if strength > best else winners + (strength == best)
            best = max(best, strength)
    sums.winning_hands[tables.categories[best]] += 1
    sums.split_pots[0] += winners > 1
    add_kinds(sums.hands, table.hands, players_in)
    sums.hands_shown[0] += players_in
    sums.hands_shown[1] += players_in * players_in
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
def count_kills(table, sums, deals):
    """Add where a pot's killers fell; by card, c counts all killers up to that card."""
    sums.killed_pots[0] += table.kills_by_street[UP_STREETS + 1] > 0
    add_kinds(sums.kills_by_street, table.kills_by_street, deals)
    add_kinds(sums.kills_by_seat, table.kills_by_seat, deals)
    so_far = 0
    for up_card in range(len(table.kills_by_card)):
        kills = table.kills_by_card[up_card]
        if kills:  # only steps are stored: the sums up to a card are taken when they are read
            sums.kills_by_card[0, up_card] += kills
            sums.kills_by_card[1, up_card] += kills * (2 * so_far + kills)
            sums.kills_by_card[2, up_card] += kills * deals
            so_far += kills
            table.kills_by_card[up_card] = 0


@piece
def count_tolls(rules, table, sums, filled, tolls):
    """Add what a pot's players paid in tolls, together and each."""
    filled.toll_pot[min(tolls // rules.toll_unit, len(filled.toll_pot) - 1)] += 1
    sums.toll_pot_sums[0] += tolls
    sums.toll_pot_sums[1] += tolls * tolls
    last = filled.toll_player.shape[1] - 1
    for seat in range(MAX_PLAYERS):
        level = min(table.tolls[seat] // rules.toll_unit, last)
        table.toll_levels[seat] = level if seat < rules.players else -1
    for seat in range(rules.players):
        level = table.toll_levels[seat]
        same = 0
        for other in range(MAX_PLAYERS):  # a constant number, so that they are compared at once
            same += table.toll_levels[other] == level
        filled.toll_player[0, level] += 1
        filled.toll_player[1, level] += same
    table.tolls[:] = 0


@piece
def play_pot(tables, rules, table, filled, log, stream):
    """Play one pot and count it."""
    sums = filled.sums[0]
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
        ending, more_cards, players_in = play_deal(rules, table, log, stream, deals, players_in)
        cards += more_cards
        deals += 1
        if rules.toll_cards:
            tolls += collect_tolls(rules, table)
            for seat in range(rules.players):
                if table.up_cards[seat]:
                    table.tolls_paid[table.toll_cards[seat]] += 1
                    before -= 1
            table.tolls_paid[0] += before  # killed before their first up card
    pot += tolls
    best, winners = 0, players_in
    if ending == FINISHED:
        best, winners = showdown(tables, rules, table, sums, log, players_in)
    elif ending == KILLED:
        emit(log, ABANDON, NOBODY, deals)
        sums.abandoned_pots[0] += 1
    pay_out(rules, table, log, pot, best, winners)

    sums.pots[0] += 1
    filled.deals[deals] += 1
    sums.cards[0] += cards
    sums.cards[1] += cards * cards
    if rules.killers:
        count_kills(table, sums, deals)
        sums.players_out[rules.players - players_in] += 1
    if rules.toll_cards:
        count_tolls(rules, table, sums, filled, tolls)
        add_kinds(sums.tolls_paid, table.tolls_paid, dealt_in)
        sums.players_dealt[0] += dealt_in
        sums.players_dealt[1] += dealt_in * dealt_in
    filled.pot_size[min(pot // rules.pot_unit, len(filled.pot_size) - 1)] += 1
    sums.pot_size_sums[0] += pot
    sums.pot_size_sums[1] += pot * pot


@kernel
def play_pots(tables, rules, table, filled, log, seed, first, pots):
    """Play pots number ``first`` to ``first + pots - 1`` and add them to a tally's ``filled``.

    ``rules`` and ``table`` are records, (1,); ``seed`` is uint64.
    """
    shared = root(seed, rules[0].players, CARDS)
    for pot in range(first, first + pots):
        play_pot(tables, rules[0], table[0], filled, log, pot_stream(shared, pot))
